"""Hash tables, against Python's dictionaries."""

import numpy as np

import warpwise as ww


def test_linear_probing(load, rng):
    run = load("tables/linear_probing.cu")
    n, capacity = 3001, 4096
    keys = rng.integers(0, 2500, n).astype(np.uint32) * 7919
    values = rng.integers(1, 1000, n).astype(np.uint32)
    slots, shape = np.zeros(capacity, np.uint64), {"grid": 47, "block": 64}
    run("table::clear", ww.Out(slots), capacity, grid=3, block=64)
    run("table::insert_add", ww.InOut(slots), capacity, ww.In(keys), ww.In(values), n, **shape)
    want: dict[int, int] = {}
    for key, value in zip(keys.tolist(), values.tolist()):
        want[key] = want.get(key, 0) + value

    gone = np.unique(keys)[::3].copy()
    run("table::erase", ww.InOut(slots), capacity, ww.In(gone), gone.size, **shape)
    for key in gone.tolist():
        del want[key]

    queries = np.arange(2600, dtype=np.uint32) * 7919
    found = np.zeros(queries.size, np.int32)
    run("table::lookup", ww.In(slots), capacity, ww.In(queries), ww.Out(found), found.size, **shape)
    assert found.tolist() == [want.get(key, -1) for key in queries.tolist()]


def test_cuckoo_hashing(load, rng):
    run = load("tables/cuckoo.cu")
    n, size = 1499, 2203
    keys = rng.choice(1 << 30, 2 * n, replace=False).astype(np.uint32)
    values = rng.integers(0, 2**31, n).astype(np.uint32)
    functions = np.zeros((), [("factor", "u4", (4, 2))])
    functions["factor"] = rng.integers(1, 334214459, (4, 2))
    table, failures = np.full(size, 2**64 - 1, np.uint64), np.zeros(1, np.uint32)
    run(
        "put_all", ww.InOut(table), size, ww.In(keys[:n]), ww.In(values), n, functions, 200,
        ww.InOut(failures), grid=(6, 4), block=64,
    )  # fmt: skip
    assert failures[0] == 0
    out = np.zeros(2 * n, np.uint32)
    run(
        "get_all", ww.In(table), size, ww.In(keys), 2 * n, functions, ww.Out(out), grid=47,
        block=64,
    )  # fmt: skip
    assert np.array_equal(out[:n], values)
    assert (out[n:] == 0xFFFFFFFF).all()
