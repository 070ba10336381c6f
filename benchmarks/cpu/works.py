"""The works of the CPU benchmark: data, launch shape, the other contestants, and how results are
checked before timing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from contestants import Memory, zeros
from scipy import sparse

Array = np.ndarray[Any, Any]
BLOCK = 256
ROWS_OF_WORKERS = 64  # blocks of the grid-stride kernels
SCAN_TILE = 256 * 8  # as in kernels.cu


@dataclass
class Work:
    name: str
    kernel: str
    goal: float | None  # share of the C++ that is the target, where there is one
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: list[object]
    result: Memory
    expected: Callable[[], Array]
    cpp: str  # the hand-written function
    cpp_arguments: list[object] = field(default_factory=list)
    reset: list[Memory] = field(default_factory=list)  # zeroed before each run
    tolerance: float = 1e-5
    numpy: Callable[[], object] | None = None
    cpp_also: tuple[str, ...] = ()  # other natural ways to write it; the fastest counts


def blocks_for(n: int) -> tuple[int]:
    return ((n + BLOCK - 1) // BLOCK,)


def elementwise(n: int) -> list[Work]:
    random = np.random.default_rng(1)
    x, y, z = Memory(random.random(n, np.float32)), Memory(random.random(n, np.float32)), zeros(n)
    a, b, out = x.array, y.array, z.array
    works = []
    if n >= 1 << 24:
        works.append(
            Work(
                f"saxpy 2^{n.bit_length() - 1}",
                "saxpy",
                0.95,
                blocks_for(n),
                (BLOCK,),
                [np.float32(2), x, y, z, n],
                z,
                lambda: 2 * a.astype(np.float64) + b,
                "saxpy",
                [np.float32(2), x, y, z, np.int64(n)],
                numpy=lambda: np.add(2 * a, b, out=out),
            )
        )
    works.append(
        Work(
            f"5x+6y-sin(x)sqrt(y) 2^{n.bit_length() - 1}",
            "chain",
            0.95 if n >= 1 << 24 else 0.90,
            blocks_for(n),
            (BLOCK,),
            [x, y, z, n],
            z,
            lambda: 5.0 * a + 6.0 * b - np.sin(a, dtype=np.float64) * np.sqrt(b, dtype=np.float64),
            "chain",
            [x, y, z, np.int64(n)],
            numpy=lambda: np.subtract(5 * a + 6 * b, np.sin(a) * np.sqrt(b), out=out),
        )
    )
    return works


def reductions(n: int) -> list[Work]:
    x, total = Memory(np.random.default_rng(2).random(n, np.float32)), zeros(1)

    def sum_by(name: str, kernel: str, goal: float) -> Work:
        return Work(
            name,
            kernel,
            goal,
            (ROWS_OF_WORKERS,),
            (BLOCK,),
            [x, total, n],
            total,
            lambda: np.array([x.array.sum(dtype=np.float64)]),
            "sum",
            [x, total, np.int64(n)],
            reset=[total],
            tolerance=1e-3,  # 2^26 terms, each part summed in single precision
            numpy=lambda: x.array.sum(),
        )

    # Whole numbers of both signs: every prefix is exact in single precision, in any order.
    steps, z = Memory(np.random.default_rng(8).integers(-8, 9, n).astype(np.float32)), zeros(n)
    tiles = (n + SCAN_TILE - 1) // SCAN_TILE
    states, next_tile = zeros(tiles, np.uint64), zeros(1, np.int32)
    return [
        sum_by("sum, grid-stride and shared tree", "sum_tree", 0.90),
        sum_by("sum, warp shuffles", "sum_shuffle", 0.90),
        Work(
            "scan, decoupled look-back",
            "scan",
            0.60,
            (tiles,),
            (BLOCK,),
            [steps, z, states, next_tile, n],
            z,
            lambda: np.cumsum(steps.array, dtype=np.float64),
            "scan",
            [steps, z, np.int64(n)],
            reset=[states, next_tile],
            tolerance=0,
            numpy=lambda: np.cumsum(steps.array, out=z.array),
        ),
    ]


def matmul(n: int) -> Work:
    random = np.random.default_rng(3)
    a, b = Memory(random.random((n, n), np.float32)), Memory(random.random((n, n), np.float32))
    c = zeros((n, n))
    return Work(
        f"tiled matmul {n}",
        "matmul",
        1.50,
        (n // 16, n // 16),
        (16, 16),
        [a, b, c, n],
        c,
        lambda: a.array.astype(np.float64) @ b.array,
        "matmul",
        numpy=lambda: np.matmul(a.array, b.array, out=c.array),
    )


def images(n: int) -> list[Work]:
    x, z = Memory(np.random.default_rng(4).random((n, n), np.float32)), zeros((n, n))

    def five_points() -> Array:
        full = x.array.astype(np.float64)
        result = np.zeros((n, n))
        sides = full[1:-1, :-2] + full[1:-1, 2:] + full[:-2, 1:-1] + full[2:, 1:-1]
        result[1:-1, 1:-1] = 0.2 * (full[1:-1, 1:-1] + sides)
        return result

    stencil = Work(
        f"stencil {n}^2, shared halo",
        "stencil",
        0.80,
        (n // 32, n // 8),
        (32, 8),
        [x, z, n, n],
        z,
        five_points,
        "stencil",
    )
    turned = zeros((n, n))
    transpose = Work(
        f"transpose {n}^2, padded shared",
        "transpose",
        1.10,
        (n // 32, n // 32),
        (32, 8),
        [x, turned, n],
        turned,
        lambda: x.array.T,
        "transpose",
        numpy=lambda: np.copyto(turned.array, x.array.T),
    )
    return [stencil, transpose]


def histogram(n: int) -> Work:
    x = Memory(np.random.default_rng(5).integers(0, 256, n, dtype=np.uint8))
    counts = zeros(256, np.int32)
    return Work(
        "histogram, shared atomics",
        "histogram",
        1.00,
        (ROWS_OF_WORKERS,),
        (BLOCK,),
        [x, counts, n],
        counts,
        lambda: np.bincount(x.array, minlength=256),
        "histogram",
        [x, counts, np.int64(n)],
        reset=[counts],
        tolerance=0,
        numpy=lambda: np.bincount(x.array, minlength=256),
    )


def escape_steps(n: int, limit: int) -> Array:
    """In single precision with one rounding for each operation; kernels may fuse two into one."""
    real = np.zeros((n, n), np.float32)
    imaginary = np.zeros((n, n), np.float32)
    axis = np.arange(n, dtype=np.float32) * np.float32(3) / np.float32(n)
    c_real, c_imaginary = np.float32(-2) + axis[None, :], np.float32(-1.5) + axis[:, None]
    steps = np.zeros((n, n), np.int32)
    alive = np.ones((n, n), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(limit):
            alive &= real * real + imaginary * imaginary < 4
            if not alive.any():
                break
            steps += alive
            following = real * real - imaginary * imaginary + c_real
            imaginary = 2 * real * imaginary + c_imaginary
            real = following
    return steps


def mandelbrot(n: int, limit: int) -> Work:
    steps = zeros((n, n), np.int32)
    work = Work(
        f"Mandelbrot {n}^2 x {limit}",
        "mandelbrot",
        5.00,
        (n // 32, n // 8),
        (32, 8),
        [steps, n, n, limit],
        steps,
        lambda: escape_steps(n, limit),
        "mandelbrot",
    )
    # Points at the edge depend on the last bit: at most this share of them may differ.
    work.tolerance = -0.02
    return work


def nbody(n: int) -> Work:
    bodies, pulls = Memory(np.random.default_rng(6).random((4, n), np.float32)), zeros((3, n))

    def direct() -> Array:
        place, mass = bodies.array[:3].astype(np.float64), bodies.array[3].astype(np.float64)
        result = np.empty((3, n))
        for start in range(0, n, 512):
            d = place[:, None, :] - place[:, start : start + 512, None]
            strength = mass / ((d**2).sum(axis=0) + 1e-4) ** 1.5
            result[:, start : start + 512] = (d * strength).sum(axis=2)
        return result

    return Work(
        f"n-body {n}, shared tiles",
        "nbody",
        1.20,
        (n // BLOCK,),
        (BLOCK,),
        [bodies, pulls, n],
        pulls,
        direct,
        "nbody",
        tolerance=1e-3,
    )


def spmv(side: int) -> Work:
    n = side * side
    ones = np.ones(n, np.float32)
    laplace = sparse.diags_array(
        [-ones[side:], -ones[1:], 4 * ones, -ones[1:], -ones[side:]],
        offsets=[-side, -1, 0, 1, side],
        format="csr",
        dtype=np.float32,
    )
    starts = Memory(laplace.indptr.astype(np.int32))
    columns = Memory(laplace.indices.astype(np.int32))
    values = Memory(laplace.data)
    x, y = Memory(np.random.default_rng(7).random(n, np.float32)), zeros(n)
    return Work(
        f"SpMV 5-point, {n} rows",
        "spmv",
        0.95,
        blocks_for(n),
        (BLOCK,),
        [starts, columns, values, x, y, n],
        y,
        lambda: laplace.astype(np.float64) @ x.array.astype(np.float64),
        "spmv",
        numpy=lambda: laplace @ x.array,
        tolerance=1e-4,
    )


# Each creates its works again, so that only one family's data is in memory at a time.
FAMILIES: list[Callable[[], list[Work]]] = [
    lambda: elementwise(1 << 26),
    lambda: elementwise(1 << 20),
    lambda: reductions(1 << 26),
    lambda: [matmul(1024)],
    lambda: images(4096),
    lambda: [histogram(1 << 26)],
    lambda: [mandelbrot(2048, 256)],
    lambda: [nbody(8192)],
    lambda: [spmv(1000)],
]
