"""Graph algorithms, against SciPy's."""

import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.csgraph as csgraph

import warpwise as ww


def random_graph(rng, nodes, edges, symmetric=False):
    """A CSR matrix of ones without loops or double edges, its columns sorted."""
    u, v = rng.integers(0, nodes, (2, edges))
    keep = u != v
    matrix = sparse.coo_array((np.ones(keep.sum()), (u[keep], v[keep])), shape=(nodes, nodes))
    matrix = matrix.tocsr()
    if symmetric:
        matrix = matrix + matrix.T
    matrix.data[:] = 1
    matrix.sort_indices()
    return matrix.tocsr()


def depths(matrix):
    far = csgraph.dijkstra(matrix, indices=0, unweighted=True)
    return np.where(np.isinf(far), -1, far).astype(np.int32)


def test_bfs_by_levels(load, rng):
    run = load("graphs/bfs_levels.cu")
    n = 1003
    graph = random_graph(rng, n, 2500)
    node = np.zeros(n, [("first_arc", "i4"), ("arc_count", "i4")])
    node["first_arc"], node["arc_count"] = graph.indptr[:-1], np.diff(graph.indptr)
    mask, updating, visited = (np.zeros(n, np.bool_) for _ in range(3))
    mask[0] = visited[0] = True
    cost = np.full(n, -1, np.int32)
    cost[0] = 0
    again = np.ones(1, np.bool_)
    shape = {"grid": -(-n // 256), "block": 256}
    while again[0]:
        again[0] = False
        run(
            "spread_wave", ww.In(node), ww.In(graph.indices.astype(np.int32)), ww.InOut(mask),
            ww.InOut(updating), ww.In(visited), ww.InOut(cost), n, **shape,
        )  # fmt: skip
        run(
            "form_wave", ww.InOut(mask), ww.InOut(updating), ww.InOut(visited), ww.InOut(again), n,
            **shape,
        )  # fmt: skip
    assert np.array_equal(cost, depths(graph))


@pytest.mark.parametrize("block", [32, 128])
def test_bfs_by_frontier_queues(load, rng, block):
    run = load("graphs/bfs_frontier.cu")
    n = 1501
    graph = random_graph(rng, n, 6000)
    offsets, targets = ww.mem_alloc(4 * (n + 1)), ww.mem_alloc(4 * graph.nnz)
    offsets.copy_from(graph.indptr.astype(np.int32))
    targets.copy_from(graph.indices.astype(np.int32))
    layout = np.dtype([("offsets", "u8"), ("targets", "u8"), ("nodes", "i4")], align=True)
    csr = np.array((int(offsets), int(targets), n), layout)
    depth = np.full(n, -1, np.int32)
    depth[0] = 0
    frontier, level = np.zeros(1, np.int32), 0
    while frontier.size:
        level += 1
        following, size = np.zeros(n, np.int32), np.zeros(1, np.int32)
        run(
            "traversal::expand", csr, ww.In(frontier), frontier.size, ww.Out(following),
            ww.InOut(size), ww.InOut(depth), level, grid=-(-frontier.size // block), block=block,
        )  # fmt: skip
        frontier = following[: size[0]].copy()
    assert np.array_equal(depth, depths(graph))


def test_bellman_ford(load, rng):
    run = load("graphs/sssp.cu")
    n, m = 401, 1603
    edges = np.zeros(m, [("from", "i4"), ("to", "i4"), ("weight", "f4")])
    edges["from"], edges["to"] = rng.integers(0, n, (2, m))
    edges["weight"] = rng.random(m, np.float32) + np.float32(0.01)
    distance = np.zeros(n, np.float32)
    run("init_distances", ww.Out(distance.view(np.int32)), n, 0, grid=2, block=64)
    changed = np.ones(1, np.int32)
    while changed[0]:
        changed[0] = 0
        run(
            "relax", ww.In(edges), m, ww.InOut(distance.view(np.int32)), ww.InOut(changed),
            grid=26, block=64,
        )  # fmt: skip
    weights = np.full((n, n), np.inf)
    np.minimum.at(weights, (edges["from"], edges["to"]), edges["weight"].astype(np.float64))
    want = csgraph.dijkstra(sparse.csr_array(np.where(np.isinf(weights), 0, weights)), indices=0)
    assert np.allclose(distance, want, rtol=1e-5)


@pytest.mark.parametrize(("ctype", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_pagerank(load, rng, ctype, dtype):
    run = load("graphs/pagerank.cu")
    n = 307
    graph = random_graph(rng, n, 1200)
    incoming = graph.T.tocsr()
    degree = np.diff(graph.indptr).astype(np.int32)
    rank = np.full(n, 1 / n, dtype)
    want = np.full(n, 1 / n)
    spread = (graph.toarray() / np.maximum(degree, 1)[:, None]).T
    for _ in range(10):
        mass, new = np.zeros(1, dtype), np.zeros(n, dtype)
        run(f"danglingMass<{ctype}>", ww.In(rank), ww.In(degree), ww.InOut(mass), n, block=96)
        run(
            f"pullRanks<{ctype}>", ww.In(incoming.indptr.astype(np.int32)),
            ww.In(incoming.indices.astype(np.int32)), ww.In(degree), ww.In(rank), ww.Out(new),
            ww.In(mass), 0.85, n, grid=-(-n // 4), block=128,
        )  # fmt: skip
        rank = new
        want = 0.15 / n + 0.85 * (spread @ want + want[degree == 0].sum() / n)
    assert np.allclose(rank, want, rtol=1e-4 if dtype is np.float32 else 1e-12)


@pytest.mark.parametrize("by", ["propagation", "hooking"])
def test_connected_components(load, rng, by):
    run = load("graphs/components.cu")
    n = 997
    src, dst = rng.integers(0, n, (2, 700)).astype(np.int32)
    label, shape = np.arange(n, dtype=np.int32), {"grid": 8, "block": 128}
    if by == "hooking":
        run("hook", ww.In(src), ww.In(dst), src.size, ww.InOut(label), **shape)
        run("flatten", ww.InOut(label), n, **shape)
    else:
        again = np.ones(1, np.int32)
        while again[0]:
            again[0] = 0
            run(
                "propagate", ww.In(src), ww.In(dst), src.size, ww.InOut(label), ww.InOut(again),
                **shape,
            )  # fmt: skip
    joined = sparse.coo_array((np.ones(src.size), (src, dst)), shape=(n, n))
    count, want = csgraph.connected_components(joined, directed=False)
    smallest = np.full(count, n)
    np.minimum.at(smallest, want, np.arange(n))
    assert np.array_equal(label, smallest[want])


@pytest.mark.parametrize("bisect", ["false", "true"])
def test_triangle_counting(load, rng, bisect):
    run = load("graphs/triangles.cu")
    graph = random_graph(rng, 150, 1500, symmetric=True)
    edges = np.argwhere(np.triu(graph.toarray(), 1)).astype(np.int32, order="C")
    total = np.zeros(1, np.uint64)
    run(
        f"count_triangles<{bisect}>", ww.In(graph.indptr.astype(np.int32)),
        ww.In(graph.indices.astype(np.int32)), ww.In(edges), len(edges), ww.InOut(total), grid=3,
        block=96,
    )  # fmt: skip
    dense = graph.toarray()
    # Each triangle is found once from every one of its edges.
    assert total[0] == round(np.trace(dense @ dense @ dense)) // 2
