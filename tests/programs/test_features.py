"""Programs built on the language: classes, pointers, recursion, the heap, bits, precision."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation

import warpwise as ww


def vector(names, code):
    return np.dtype([(name, code) for name in names])


def test_polymorphic_shapes(load, rng):
    run = load("features/shapes.cu")
    n = 75
    numbers, kinds = rng.uniform(0.3, 1, (n, 4)).astype(np.float32), rng.integers(0, 3, n)
    kinds = kinds.astype(np.int32)
    shapes = ww.mem_alloc(8 * n)
    areas, inside = np.zeros(n, np.float32), np.zeros(1, np.int32)
    run("make", shapes, ww.In(numbers), ww.In(kinds), n, grid=3, block=32)
    px, py = 0.8, 0.9
    point = np.array((px, py), vector("xy", "f4"))
    run("ask", shapes, n, point, ww.Out(areas), ww.InOut(inside), grid=3, block=32)
    run("destroy", shapes, n, block=32)
    destroyed = np.zeros(1, np.int32)
    run.module.get_global("Shape::destroyed").copy_to(destroyed)
    x, y, z, w = numbers.astype(np.float64).T
    within = (px >= x) & (py >= y) & (px <= x + z) & (py <= y + w)
    hole = (px >= x + 0.1) & (py >= y + 0.1) & (px <= x + z - 0.1) & (py <= y + w - 0.1)
    want = np.choose(kinds, [np.pi * z * z, z * w, z * w - (z - 0.2) * (w - 0.2)])
    hits = np.choose(kinds, [np.hypot(px - x, py - y) <= z, within, within & ~hole])
    assert np.allclose(areas, want, rtol=1e-5)
    assert inside[0] == hits.sum()
    # A frame creates and destroys an inner rectangle for its area, and for each query within it.
    assert destroyed[0] == n + (kinds == 2).sum() + (within & (kinds == 2)).sum()


def test_a_stack_machine_of_function_pointers(load, rng):
    run = load("features/dispatch.cu")
    n = 101
    x, y, out = *rng.standard_normal((2, n)).astype(np.float32), np.zeros(n, np.float32)
    push_x, push_y, one, stop = 100, 101, 102, 103
    program = bytes([push_x, push_y, 0, push_x, one, 1, 2, push_y, 3, stop])
    run(
        "evaluate", ww.In(np.frombuffer(program, np.uint8)), ww.In(x), ww.In(y), ww.Out(out), n,
        grid=2, block=64,
    )  # fmt: skip
    assert np.allclose(out, np.maximum((x + y) * (x - 1), y), rtol=1e-6)


def test_member_pointers(load, rng):
    run = load("features/dispatch.cu")
    q, out = rng.random(20), np.zeros(20)
    terms = np.array((9,), vector(["terms"], "i4"))
    run("by_member", terms, ww.In(q), ww.Out(out), 20, block=32)
    geometric = (1 - q**9) / (1 - q)
    harmonic = q * sum(1 / k for k in range(1, 10))
    assert np.allclose(out, np.where(np.arange(20) % 2, harmonic, geometric), rtol=1e-12)


def test_chained_lambdas(load, rng):
    x = rng.random(29)
    want = (x * 2.5 + 1) ** 2 - np.arange(29)
    load("features/dispatch.cu")("lambdas", ww.InOut(x), 29, 2.5, block=32)
    assert np.allclose(x, want, rtol=1e-14)


def test_recursive_quicksort(load, rng):
    run = load("features/recursion.cu")
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 60, 41))]).astype(np.int32)
    data = rng.standard_normal(starts[-1]).astype(np.float32)
    want = np.concatenate([np.sort(data[a:b]) for a, b in itertools.pairwise(starts)])
    run("sort_slices", ww.InOut(data), ww.In(starts), 41, grid=2, block=32)
    assert np.array_equal(data, want)


def test_recursive_trees(load, rng):
    run = load("features/recursion.cu")
    n = 83
    tree = np.zeros(n, vector(["left", "right", "value"], "i4"))
    tree["left"] = tree["right"] = -1
    tree["value"] = rng.integers(-100, 100, n)
    for i in range(1, n):
        at = 0
        while True:
            side = "left" if rng.random() < 0.5 else "right"
            if tree[side][at] < 0:
                tree[side][at] = i
                break
            at = tree[side][at]
    out = np.zeros((n, 2), np.int32)
    run("subtrees", ww.In(tree), n, ww.Out(out), grid=2, block=32)
    want = np.zeros((n + 1, 2), int)  # the last row stands for "no child"
    for i in reversed(range(n)):
        left, right = want[tree["left"][i]], want[tree["right"][i]]
        want[i] = 1 + max(left[0], right[0]), tree["value"][i] + left[1] + right[1]
    assert np.array_equal(out, want[:n])


def test_recursive_queens_and_ackermann(load):
    run = load("features/recursion.cu")
    ways = np.zeros(1, np.uint32)
    run("queens", 7, ww.InOut(ways), block=32)
    assert ways[0] == 40
    out = np.zeros(5, np.int32)
    run("ackermann_row", 2, ww.Out(out), block=5)
    assert out.tolist() == [2 * k + 3 for k in range(5)]


def test_lists_on_the_heap(load, rng):
    run = load("features/heap_lists.cu")
    n, buckets = 501, 23
    bucket = rng.integers(0, buckets, n).astype(np.int32)
    heads = ww.mem_alloc(8 * buckets)
    heads.fill(0)
    lengths, sums = np.zeros(buckets, np.int32), np.zeros(buckets, np.int64)
    run("push_all", heads, ww.In(bucket), n, grid=8, block=64)
    run("sum_and_free", heads, buckets, ww.Out(lengths), ww.Out(sums), grid=1, block=32)
    assert np.array_equal(lengths, np.bincount(bucket, minlength=buckets))
    assert np.array_equal(sums, np.bincount(bucket, np.arange(n), buckets).astype(np.int64))


def test_factorials_in_scratch_memory(load):
    n, width = 30, 40
    out = np.zeros((n, width), np.uint8)
    load("features/heap_lists.cu")("factorials", ww.Out(out), n, width, block=32)
    digits = ["".join(map(str, row[::-1])) for row in out]
    assert [int(d) for d in digits] == [math.factorial(i) for i in range(n)]


def test_morton_codes(load, rng):
    n = 203
    cells = rng.integers(0, 1024, (n, 4)).astype(np.uint16)
    codes = np.zeros(n, np.uint32)
    load("features/bits.cu")("morton", ww.In(cells), ww.Out(codes), n, grid=4, block=64)
    want = np.zeros(n, np.uint32)
    for bit in range(10):
        for axis in range(3):
            want |= ((cells[:, axis].astype(np.uint32) >> bit) & 1) << (3 * bit + 2 - axis)
    assert np.array_equal(codes, want)


def test_words_bit_by_bit(load, rng):
    n = 131
    x = rng.integers(0, 2**32, n, dtype=np.uint32) >> rng.integers(0, 32, n).astype(np.uint32)
    x[:3] = 0, 1, 0xFFFFFFFE
    out = np.zeros((n, 9), np.uint32)
    load("features/bits.cu")("words", ww.In(x), ww.Out(out), n, grid=3, block=64)
    for i, v in enumerate(x.tolist()):
        ones = v.bit_count()
        low = v & -v
        raised = v + low  # past 32 bits there is no next number with as many bits
        following = (v ^ raised) // (4 * low) | raised if v and raised < 2**32 else out[i, 5]
        added = sum((((v >> s) + (0x01FF7F80 >> s)) & 255) << s for s in (0, 8, 16, 24))
        rotated = (v << i % 32 | v >> 32 - i % 32) & 0xFFFFFFFF
        assert out[i].tolist() == [
            ones, 32 - v.bit_length(), low.bit_length(), int(f"{v:032b}"[::-1], 2), v ^ v >> 1,
            following, rotated, ones & 1, added,
        ]  # fmt: skip


def test_positions_of_set_bits(load, rng):
    n = 77
    masks = rng.integers(0, 2**64, n, dtype=np.uint64) & rng.integers(0, 2**64, n, dtype=np.uint64)
    where, counts = np.zeros((n, 64), np.uint8), np.zeros(n, np.int32)
    load("features/bits.cu")(
        "set_bits", ww.In(masks), n, ww.Out(where), ww.Out(counts), grid=2, block=64
    )
    for row, count, mask in zip(where, counts, masks.tolist()):
        assert row[:count].tolist() == [b for b in range(64) if mask >> b & 1]


@pytest.mark.parametrize("n", [1, 64, 301])
def test_axpy_in_halves(load, rng, n):
    x, y = rng.standard_normal((2, n)).astype(np.float16)
    a = np.float16(1.7)
    # Products of halves are exact in double: one rounding, as by the fused operation.
    want = (a.astype(np.float64) * x + y).astype(np.float16)
    load("features/precision.cu")("haxpy", n, a, ww.In(x), ww.InOut(y), grid=2, block=32)
    assert np.array_equal(y, want)


def test_compensated_sum(load, rng):
    n, threads = 4001, 64
    x = rng.standard_normal(n) * 10.0 ** rng.integers(-8, 9, n)
    sums = np.zeros(threads)
    load("features/precision.cu")("kahan", ww.In(x), n, ww.Out(sums), grid=2, block=32)
    for t in range(threads):
        own = x[t::threads]
        error = abs(Fraction(sums[t]) - sum(map(Fraction, own)))
        assert error <= 3 * Fraction(2) ** -53 * sum(map(Fraction, np.abs(own)))


def test_dot_product_in_doubled_precision(load, rng):
    n = 501
    x, y = rng.standard_normal((2, n)) * 10.0 ** rng.integers(-9, 10, (2, n))
    out = np.zeros(1, vector(["hi", "lo"], "f8"))
    load("features/precision.cu")("exact_dot", ww.In(x), ww.In(y), n, ww.Out(out), block=64)
    terms = [Fraction(a) * Fraction(b) for a, b in zip(x, y)]
    got = Fraction(out["hi"][0]) + Fraction(out["lo"][0])
    assert abs(got - sum(terms)) <= Fraction(2) ** -98 * sum(map(abs, terms))


def test_modular_powers(load, rng):
    n = 45
    base, exponent, modulus = rng.integers(1, 2**64, (3, n), dtype=np.uint64)
    out = np.zeros(n, np.uint64)
    load("features/precision.cu")(
        "power_mod", ww.In(base), ww.In(exponent), ww.In(modulus), ww.Out(out), n, grid=2, block=32
    )
    want = [pow(b, e, m) for b, e, m in zip(base.tolist(), exponent.tolist(), modulus.tolist())]
    assert out.tolist() == want


def test_quaternions(load, rng):
    n = 67
    points = rng.standard_normal((n, 3)).astype(np.float32)
    first, second = rng.standard_normal((2, n, 4)).astype(np.float32)
    out = np.zeros_like(points)
    load("features/rotations.cu")(
        "rotate", ww.In(points), ww.In(first), ww.In(second), ww.Out(out), n, grid=3, block=32
    )
    want = points.astype(np.float64)
    for turn in (first.astype(np.float64), second.astype(np.float64)):
        axis = turn[:, :3] / np.linalg.norm(turn[:, :3], axis=1, keepdims=True)
        want = Rotation.from_rotvec(axis * turn[:, 3:]).apply(want)
    assert np.allclose(out, want, atol=1e-4)


def test_exponentials_of_complex_matrices(load, rng):
    n = 35
    a = (rng.standard_normal((n, 2, 2)) + 1j * rng.standard_normal((n, 2, 2))).astype(np.complex64)
    layout = np.dtype([("m", "c8", (2, 2))])
    into, out = np.zeros((2, n), layout)
    into["m"] = a
    load("features/rotations.cu")(
        "matrix_exponential", ww.In(into), ww.Out(out), n, grid=2, block=32
    )
    want = np.array([scipy.linalg.expm(m.astype(np.complex128)) for m in a])
    assert np.allclose(out["m"], want, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("size", [2, 8, 32])
def test_sums_of_tiles(load, rng, size):
    x = rng.integers(-1000, 1000, 3 * 96).astype(np.int32)
    out = np.zeros(x.size // size, np.int32)
    load("features/tiles.cu")(f"tile_sums<{size}>", ww.In(x), ww.Out(out), grid=3, block=96)
    assert np.array_equal(out, x.reshape(-1, size).sum(1))


def test_compaction_by_coalesced_groups(load, rng):
    n = 333
    x = rng.standard_normal(n).astype(np.float32)
    out, count = np.zeros_like(x), np.zeros(1, np.int32)
    load("features/tiles.cu")(
        "keep_positive", ww.In(x), n, ww.Out(out), ww.InOut(count), grid=4, block=96
    )
    assert np.array_equal(np.sort(out[: count[0]]), np.sort(x[x > 0]))


def test_scans_of_tiles(load, rng):
    x = rng.integers(0, 1000, 2 * 48).astype(np.uint32)
    inclusive, exclusive = np.zeros_like(x), np.zeros_like(x)
    load("features/tiles.cu")(
        "tile_scans", ww.In(x), ww.Out(inclusive), ww.Out(exclusive), grid=2, block=48
    )
    want = np.cumsum(x.reshape(-1, 16), axis=1).ravel()
    assert np.array_equal(inclusive, want)
    assert np.array_equal(exclusive, want - x)


def test_matching_lanes(load, rng):
    keys = rng.integers(0, 6, 64).astype(np.int32)
    keys[32:] *= 2
    same, odd = np.zeros(64, np.int32), np.zeros(64, np.int32)
    load("features/tiles.cu")("labels", ww.In(keys), ww.Out(same), ww.Out(odd), block=64)
    for warp in (slice(0, 32), slice(32, 64)):
        part = keys[warp]
        assert np.array_equal(same[warp], (part[:, None] == part).sum(1))
        assert ((odd[warp] != 0) == (part & 1).any()).all()
