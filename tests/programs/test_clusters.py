"""k-means and nearest neighbours, against SciPy's trees and plain NumPy."""

import numpy as np
import scipy.spatial

import warpwise as ww


def test_kmeans(load, rng):
    run = load("clusters/kmeans.cu")
    n, k = 1201, 7
    points = (rng.standard_normal((n, 3)) + 4 * rng.integers(0, 3, (n, 1))).astype(np.float32)
    centres, membership = points[:k].copy(), np.full(n, -1, np.int32)
    for _ in range(5):
        run.module.get_global("centres_c").copy_from(centres)
        sums, counts, moved = np.zeros((k, 3), "f4"), np.zeros(k, "i4"), np.zeros(1, "i4")
        former, new = membership.copy(), np.zeros_like(centres)
        run(
            "assign_and_update", ww.In(points), n, k, ww.InOut(membership), ww.InOut(sums),
            ww.InOut(counts), ww.Out(new), ww.InOut(moved), grid=10, block=128,
        )  # fmt: skip
        distance = scipy.spatial.distance.cdist(points, centres)
        chosen = distance[np.arange(n), membership]
        assert np.allclose(chosen, distance.min(1), rtol=1e-4)
        assert np.array_equal(counts, np.bincount(membership, minlength=k))
        assert moved[0] == (former != membership).sum()
        want = [points[membership == c].mean(0) if counts[c] else centres[c] for c in range(k)]
        assert np.allclose(new, want, atol=1e-4)
        centres = new


def test_k_nearest_neighbours(load, rng):
    run = load("clusters/nearest.cu")
    queries, refs = rng.random((101, 4), np.float32), rng.random((503, 4), np.float32)
    distance, index = np.zeros((5, 101), np.float32), np.zeros((5, 101), np.int32)
    run(
        "knn<4, 5, 64>", ww.In(queries), 101, ww.In(refs), 503, ww.Out(distance), ww.Out(index),
        grid=4, block=32,
    )  # fmt: skip
    want, _ = scipy.spatial.KDTree(refs).query(queries, k=5)
    assert np.allclose(distance, want.T, atol=1e-6)
    assert np.allclose(np.linalg.norm(refs[index.T] - queries[:, None], axis=2), want, atol=1e-6)
