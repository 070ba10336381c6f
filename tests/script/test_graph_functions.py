"""Graphs: searches, shortest paths, ranks."""

from __future__ import annotations

import numpy as np
import pytest
from launching import over, over_2d

from warpwise import cuda


def random_graph(rng, n: int, p: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(adjacency matrix, starts, targets) of a directed graph."""
    matrix = rng.random((n, n)) < p
    np.fill_diagonal(matrix, False)
    sources, targets = np.nonzero(matrix)
    return matrix, np.searchsorted(sources, np.arange(n + 1)), targets.copy()


@cuda.jit
def bfs_level(starts, targets, level, depth, changed):
    v = cuda.grid(1)
    if v < level.size and level[v] == depth:
        for e in range(starts[v], starts[v + 1]):
            w = targets[e]
            if level[w] < 0:
                level[w] = depth + 1
                changed[0] = 1


def test_breadth_first_search(rng):
    matrix, starts, targets = random_graph(rng, 90, 0.03)
    level = np.full(90, -1)
    level[0] = 0
    on_device = cuda.to_device(level)
    for depth in range(90):
        changed = np.zeros(1, np.int32)
        over(bfs_level, 90, starts, targets, on_device, depth, changed)
        if not changed[0]:
            break
    expected, seen, frontier, depth = np.full(90, -1), {0}, {0}, 0
    while frontier:
        expected[list(frontier)] = depth
        frontier = {int(w) for v in frontier for w in np.flatnonzero(matrix[v])} - seen
        seen |= frontier
        depth += 1
    assert np.array_equal(on_device.copy_to_host(), expected)


@cuda.jit
def floyd_step(distance, k):
    j, i = cuda.grid(2)
    n = distance.shape[0]
    if i < n and j < n:
        through = distance[i, k] + distance[k, j]
        if through < distance[i, j]:
            distance[i, j] = through


def test_shortest_paths_by_floyd_and_warshall(rng):
    matrix, _, _ = random_graph(rng, 20, 0.2)
    distance = np.where(matrix, rng.integers(1, 20, (20, 20)), 10**6)
    np.fill_diagonal(distance, 0)
    expected = distance.copy()
    on_device = cuda.to_device(distance)
    for k in range(20):
        over_2d(floyd_step, (20, 20), on_device, k)
        expected = np.minimum(expected, expected[:, k, None] + expected[k])
    assert np.array_equal(on_device.copy_to_host(), expected)


@cuda.jit
def relax(sources, targets, weights, distance):
    e = cuda.grid(1)
    if e < sources.size:
        cuda.atomic.min(distance, targets[e], distance[sources[e]] + weights[e])


def test_shortest_paths_by_bellman_and_ford(rng):
    matrix, starts, targets = random_graph(rng, 40, 0.1)
    sources = np.repeat(np.arange(40), np.diff(starts))
    weights = rng.integers(1, 30, sources.size)
    distance = cuda.to_device(np.where(np.arange(40) == 0, 0, 10**9))
    for _ in range(40):
        over(relax, sources.size, sources, targets, weights, distance)
    expected = np.where(np.arange(40) == 0, 0, 10**9)
    for _ in range(40):
        np.minimum.at(expected, targets, expected[sources] + weights)
    assert np.array_equal(distance.copy_to_host(), expected)
    assert matrix.any()


@cuda.jit
def page_rank(starts, sources, out_degree, rank, damping, out):
    v = cuda.grid(1)
    if v < rank.size:
        total = 0.0
        for e in range(starts[v], starts[v + 1]):
            u = sources[e]
            total += rank[u] / out_degree[u]
        out[v] = (1 - damping) / rank.size + damping * total


def test_page_rank(rng):
    incoming, starts, sources = random_graph(rng, 50, 0.1)
    out_degree = incoming.sum(axis=0)
    rank = np.full(50, 1 / 50)
    out = np.empty(50)
    over(page_rank, 50, starts, sources, out_degree, rank, 0.85, out)
    share = np.divide(rank, out_degree, out=np.zeros(50), where=out_degree > 0)
    np.testing.assert_allclose(out, 0.15 / 50 + 0.85 * incoming @ share, rtol=1e-12)


@cuda.jit
def spread_labels(sources, targets, label, changed):
    e = cuda.grid(1)
    if e < sources.size:
        a, b = label[sources[e]], label[targets[e]]
        if a != b:
            cuda.atomic.min(label, sources[e], min(a, b))
            cuda.atomic.min(label, targets[e], min(a, b))
            cuda.atomic.max(changed, 0, 1)


def test_connected_components(rng):
    matrix, starts, targets = random_graph(rng, 60, 0.02)
    sources = np.repeat(np.arange(60), np.diff(starts))
    label = cuda.to_device(np.arange(60))
    changed = np.ones(1, np.int32)
    while changed[0]:
        changed[0] = 0
        over(spread_labels, sources.size, sources, targets, label, changed)
    reach = (
        np.linalg.matrix_power((matrix | matrix.T | np.eye(60, dtype=bool)).astype(float), 60) > 0
    )
    assert np.array_equal(label.copy_to_host(), reach.argmax(axis=1))


@cuda.jit
def triangles(starts, targets, out):
    v = cuda.grid(1)
    if v < out.size:
        count = 0
        for a in range(starts[v], starts[v + 1]):
            w = targets[a]
            if w <= v:
                continue
            i, j = starts[v], starts[w]
            while i < starts[v + 1] and j < starts[w + 1]:
                if targets[i] == targets[j]:
                    count += 1 if targets[i] > w else 0
                    i += 1
                    j += 1
                elif targets[i] < targets[j]:
                    i += 1
                else:
                    j += 1
        out[v] = count


@pytest.mark.parametrize("p", [0.1, 0.4])
def test_counting_triangles(rng, p):
    matrix, _, _ = random_graph(rng, 30, p)
    matrix |= matrix.T
    sources, targets = (each.copy() for each in np.nonzero(matrix))
    out = np.empty(30, np.int64)
    over(triangles, 30, np.searchsorted(sources, np.arange(31)), targets, out)
    m = matrix.astype(int)
    assert out.sum() == np.trace(m @ m @ m) // 6


@cuda.jit
def peel(starts, targets, degree, k, removed):
    v = cuda.grid(1)
    if v < degree.size and not removed[v] and degree[v] < k:
        removed[v] = True
        for e in range(starts[v], starts[v + 1]):
            cuda.atomic.sub(degree, targets[e], 1)


def test_cores_of_a_graph(rng):
    matrix, _, _ = random_graph(rng, 40, 0.06)
    matrix |= matrix.T
    sources, targets = (each.copy() for each in np.nonzero(matrix))
    starts = np.searchsorted(sources, np.arange(41))
    degree, removed = cuda.to_device(np.diff(starts)), cuda.to_device(np.zeros(40, np.bool_))
    for _ in range(40):
        over(peel, 40, starts, targets, degree, 3, removed)
    kept = np.ones(40, bool)
    for _ in range(40):
        kept &= (matrix & kept[:, None] & kept).sum(axis=1) >= 3
    assert np.array_equal(removed.copy_to_host(), ~kept)
