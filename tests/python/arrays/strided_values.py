"""Computes array programs over random strided views beside NumPy, and saves the results: run by
test_strided_views.py in several processes.

python strided_values.py SEED OUT.npz
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import warpwise as ww

DTYPES = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
STEPS = (-9, -5, -4, -3, -2, -1, 2, 3, 4, 5, 8, 9)
LENGTHS = (0, 1, 2, 15, 16, 17, 63, 255, 257, 1000, 4099)

Index = tuple[slice, ...]
Pair = tuple[Any, Any]


def values(random: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Small integers, whose sums are exact."""
    small = random.integers(0, 3, shape)
    return (
        (small + 1j * random.integers(0, 3, shape)).astype(dtype)
        if dtype[0] == "c"
        else (small.astype(dtype))
    )


def slice_of(random: np.random.Generator, length: int, step: int) -> tuple[int, slice]:
    """An extent, and a slice of it of `length` elements that begins and ends anywhere."""
    lead, trail = (int(n) for n in random.integers(0, 4, 2))
    extent = lead + max((length - 1) * abs(step) + 1, 0) + trail
    stop = lead + length * abs(step)
    if step > 0:
        return extent, slice(lead, stop, step)
    last = lead + (length - 1) * abs(step)
    first = slice(last, lead - 1 if lead > 0 else None, step)
    return extent, first if length > 0 else slice(lead, lead, step)


def view(
    random: np.random.Generator, dtype: str, length: int, step: int, rank: int
) -> tuple[Any, Any, Index]:
    """Arrays of the same values, here and in NumPy, and an index of them: along the last axis in
    steps."""
    extent, last = slice_of(random, length, step)
    shape: tuple[int, ...] = (extent,)
    index: Index = (last,)
    if rank == 2:
        rows, first = slice_of(random, 5, int(random.choice((-1, 1, 2))))
        shape, index = (rows, extent), (first, last)
    host = values(random, dtype, shape)
    return ww.asarray(host), host, index


def part_of_complex(random: np.random.Generator, dtype: str, length: int) -> Pair:
    """The imaginary parts, where reals have complex numbers around them."""
    host = values(random, "complex64" if dtype == "float32" else "complex128", (length,))
    return ww.asarray(host).imag, host.imag


def broadcast(ours: Any, theirs: Any) -> Pair:
    """Without a step from element to element: the first of each row."""
    shape = theirs.shape
    return ww.broadcast_to(ours[..., :1], shape), np.broadcast_to(theirs[..., :1], shape)


def overlapping(ours: Any, theirs: Any) -> None:
    """Reads what it writes, elsewhere."""
    ours[..., 1:] = ours[..., :-1]
    theirs[..., 1:] = theirs[..., :-1].copy()
    ours[..., ::-1] += ours
    theirs[..., ::-1] += theirs.copy()


def run(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    results: dict[str, np.ndarray] = {}

    def keep(name: str, ours: Any, theirs: Any) -> None:
        results[name] = ours.get()
        np.testing.assert_array_equal(results[name], theirs, f"{name}, seed {seed}")

    for dtype in random.choice(DTYPES, 6, replace=False).tolist():
        for step in random.choice(STEPS, 2, replace=False).tolist():
            length = int(random.choice(LENGTHS))
            rank = int(random.choice((1, 2)))
            name = f"{dtype} {step} {length} {rank}"
            whole, host_whole, index = view(random, dtype, length, step, rank)
            x, host_x = whole[index], host_whole[index]
            other, host_other, index = view(random, dtype, length, int(random.choice(STEPS)), rank)
            y, host_y = other[index], host_other[index]
            keep(f"{name} copy", x.copy(), host_x)
            keep(f"{name} both", x + y, host_x + host_y)
            if length > 0:
                keep(f"{name} first", x * broadcast(x, host_x)[0], host_x * host_x[..., :1])
            if dtype in ("float32", "float64"):
                part, host_part = part_of_complex(random, dtype, length)
                keep(f"{name} parts", x + part, host_x + host_part)
            accumulator = {"bool": None, "float16": "float32"}.get(dtype, dtype)  # exact
            for axis in (None, 0, -1):
                keep(
                    f"{name} sum {axis}",
                    ww.sum(x, axis=axis, dtype=accumulator),
                    host_x.sum(axis=axis, dtype=accumulator),
                )
            x[...] = y
            host_x[...] = host_y
            if dtype != "bool" and length > 1:
                overlapping(x, host_x)
            keep(f"{name} written", whole, host_whole)
    return results


if __name__ == "__main__":
    saved = run(int(sys.argv[1]))
    with ww.lazy(False):
        eager = run(int(sys.argv[1]))
    for name, value in saved.items():
        assert value.tobytes() == eager[name].tobytes(), f"{name}: lazy and eager differ"
    np.savez(sys.argv[2], **saved)
