"""Streams whose index is `unsigned` or `size_t`, guarded or not."""

from __future__ import annotations

import numpy as np
from contestants import Memory, zeros
from scipy.special import ndtr
from works import BLOCK, ROWS_OF_WORKERS, Work, blocks_for

from .registry import random, work

N = 1 << 24


def saxpy(kernel: str) -> Work:
    x, y, z = Memory(random(1, N)), Memory(random(2, N)), zeros(N)
    return Work(
        kernel,
        kernel,
        None,
        blocks_for(N),
        (BLOCK,),
        [np.float32(2), x, y, z, N],
        z,
        lambda: 2 * x.array.astype(np.float64) + y.array,
        "saxpy",
        [np.float32(2), x, y, z, np.int64(N)],
    )


@work("saxpy, unsigned i")
def saxpy_unsigned() -> Work:
    return saxpy("saxpy_unsigned")


@work("saxpy, size_t i")
def saxpy_size_t() -> Work:
    return saxpy("saxpy_size_t")


@work("polynomial, grid-stride size_t")
def polynomial() -> Work:
    x, y = Memory(random(3, N)), zeros(N)
    return Work(
        "polynomial",
        "polynomial",
        None,
        (ROWS_OF_WORKERS,),
        (BLOCK,),
        [x, y, N],
        y,
        lambda: np.polynomial.polynomial.polyval(x.array.astype(np.float64), [1, 0.5, 0.25, 0.125]),
        "polynomial",
        [x, y, np.int64(N)],
    )


@work("sum and difference, two a thread")
def difference() -> Work:
    n = N // 2
    x, both = Memory(random(4, 2 * n)), zeros((2, n))
    low, high = both.part(0), both.part(1)

    def expected() -> np.ndarray:
        pairs = x.array.reshape(-1, 2, BLOCK).astype(np.float64)
        a, b = pairs[:, 0].ravel(), pairs[:, 1].ravel()
        return np.stack([a + b, a - b])

    return Work(
        "difference",
        "difference",
        None,
        (n // BLOCK,),
        (BLOCK,),
        [x, low, high],
        both,
        expected,
        "difference",
        [x, low, high, np.int64(n)],
    )


@work("Black-Scholes, unsigned")
def black_scholes() -> Work:
    n, rate, volatility = 1 << 22, 0.02, 0.3
    price, strike = Memory(random(5, n, 5, 30)), Memory(random(6, n, 1, 100))
    years, both = Memory(random(7, n, 0.25, 10)), zeros((2, n))
    call, put = both.part(0), both.part(1)

    def expected() -> np.ndarray:
        s, x, t = (m.array.astype(np.float64) for m in (price, strike, years))
        root = volatility * np.sqrt(t)
        d1 = (np.log(s / x) + (rate + 0.5 * volatility**2) * t) / root
        c1, c2, discount = ndtr(d1), ndtr(d1 - root), np.exp(-rate * t)
        return np.stack([s * c1 - x * discount * c2, x * discount * (1 - c2) - s * (1 - c1)])

    values = [price, strike, years, call, put, np.float32(rate), np.float32(volatility)]
    return Work(
        "black_scholes",
        "black_scholes",
        None,
        blocks_for(n),
        (BLOCK,),
        [*values, n],
        both,
        expected,
        "black_scholes",
        [*values, np.int64(n)],
        tolerance=1e-5,
    )
