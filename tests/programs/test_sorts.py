"""Sorts: networks, transposition, radix, merging, counting, quicksort."""

import numpy as np
import pytest

import warpwise as ww


@pytest.mark.parametrize("ascending", [0, 1])
def test_bitonic(load, rng, ascending):
    n = 1024
    key = rng.integers(0, 300, n).astype(np.uint32)
    value = np.arange(n, dtype=np.uint32)
    original = key.copy()
    program = load("sorts/bitonic.cu")
    program("bitonicSortShared", ww.InOut(key), ww.InOut(value), ascending, grid=4, block=128)
    size = 512
    while size <= n:
        stride = size // 2
        while stride:
            program(
                "bitonicMergeGlobal", ww.InOut(key), ww.InOut(value), n, size, stride, ascending,
                grid=6, block=96,
            )  # fmt: skip
            stride //= 2
        size *= 2
    want = np.sort(original)
    assert np.array_equal(key, want if ascending else want[::-1])
    assert np.array_equal(original[value], key) and np.array_equal(np.sort(value), np.arange(n))


@pytest.mark.parametrize(
    ("ctype", "dtype"), [("float", "f4"), ("long long", "i8"), ("unsigned char", "u1")]
)
def test_odd_even(load, rng, ctype, dtype):
    x = rng.integers(0, 200, (3, 131)).astype(dtype)
    want = np.sort(x, axis=1)
    load("sorts/odd_even.cu")(
        f"odd_even_sort<{ctype}>", ww.InOut(x), 131, grid=3, block=48, shared=131 * x.itemsize
    )
    assert np.array_equal(x, want)


def test_radix_sorts_floats(load, rng):
    n = 1003
    x = (rng.standard_normal(n) * 10.0 ** rng.integers(-30, 30, n)).astype(np.float32)
    blocks = -(-n // 64)
    keys, other = x.view(np.uint32).copy(), np.zeros(n, np.uint32)
    table = np.zeros(16 * blocks, np.uint32)
    program = load("sorts/radix.cu")
    program("flip_floats", ww.InOut(keys), n, False, grid=blocks, block=64)
    for shift in range(0, 32, 4):
        program("count_digits", ww.In(keys), ww.Out(table), n, shift, grid=blocks, block=64)
        program("scan_table", ww.InOut(table), table.size, block=50)
        program(
            "scatter", ww.In(keys), ww.Out(other), ww.In(table), n, shift, grid=blocks, block=64
        )
        keys, other = other, keys
    program("flip_floats", ww.InOut(keys), n, True, grid=blocks, block=64)
    assert np.array_equal(keys.view(np.float32), np.sort(x))


def test_split_radix(load, rng):
    keys = rng.integers(0, 2**13, (5, 96)).astype(np.uint32)
    want = np.sort(keys, axis=1)
    load("sorts/split_radix.cu")("sort_blocks<3>", ww.InOut(keys), 13, grid=5, block=96)
    assert np.array_equal(keys, want)


@pytest.mark.parametrize(("na", "nb"), [(0, 5), (1, 1), (400, 333), (900, 7)])
def test_merge_path(load, rng, na, nb):
    a, b = (np.sort(rng.integers(0, 500, n)).astype(np.float64) for n in (na, nb))
    out = np.zeros(na + nb)
    load("sorts/merge_path.cu")(
        "merge<double, 5>", ww.In(a), na, ww.In(b), nb, ww.Out(out), grid=8, block=32
    )
    assert np.array_equal(out, np.sort(np.concatenate([a, b])))


def test_merge_sort(load, rng):
    n = 777
    x, out = rng.integers(-(2**15), 2**15, n).astype(np.int16), np.zeros(n, np.int16)
    want, program, run = np.sort(x), load("sorts/merge_path.cu"), 1
    while run < n:
        program("merge_runs<short, 3>", ww.In(x), ww.Out(out), n, run, grid=5, block=64)
        x, out, run = out, x, 2 * run
    assert np.array_equal(x, want)


def test_rank_sort_is_stable(load, rng):
    n = 301
    x = np.zeros(n, np.dtype([("key", np.int32), ("payload", np.float32)]))
    x["key"], x["payload"] = rng.integers(-20, 20, n), np.arange(n)
    out = np.zeros_like(x)
    load("sorts/rank_sort.cu")("rank_sort", ww.In(x), ww.Out(out), n, grid=4, block=96)
    assert np.array_equal(out, x[np.argsort(x["key"], kind="stable")])


def test_quicksort_stack(load, rng):
    x = rng.standard_normal((45, 211)).astype(np.float32)
    want = np.sort(x, axis=1)
    load("sorts/quicksort_stack.cu")("sort_rows", ww.InOut(x), 211, 45, grid=2, block=32)
    assert np.array_equal(x, want)
