"""A thread for each element: arithmetic, formulas, bytes, accesses by index, a fractal, paths."""

from __future__ import annotations

import math

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import float64, uint64

from .registry import Work, seeded, tiles, twin

BLOCK = 256
RSQRT2PI = 0.39894228040143267794


@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@twin(saxpy, cpu=2)
def saxpy_work(scale: int) -> Work:
    n = scale << 20
    x, y = seeded(1).random((2, n), np.float32)
    return Work([np.float32(1.5), x, y, np.zeros_like(x)], n // BLOCK, BLOCK, (n,), tolerance=1e-6)


@cuda.jit(device=True)
def normal_distribution(d):
    a1, a2, a3, a4, a5 = 0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429
    k = 1.0 / (1.0 + 0.2316419 * math.fabs(d))
    value = RSQRT2PI * math.exp(-0.5 * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))))
    if d > 0:
        value = 1.0 - value
    return value


@cuda.jit
def black_scholes(price, strike, years, rate, volatility, call, put):
    i = cuda.grid(1)
    if i >= price.size:
        return
    root = math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (
        volatility * root
    )
    d2 = d1 - volatility * root
    n1, n2 = normal_distribution(d1), normal_distribution(d2)
    discount = math.exp(-rate * years[i])
    call[i] = price[i] * n1 - strike[i] * discount * n2
    put[i] = strike[i] * discount * (1.0 - n2) - price[i] * (1.0 - n1)


@twin(black_scholes, gpu=64)
def black_scholes_work(scale: int) -> Work:
    n = scale << 16
    price, strike, years = seeded(2).uniform(1, 30, (3, n))
    arguments = [price, strike, years, 0.02, 0.3, np.zeros(n), np.zeros(n)]
    return Work(arguments, n // BLOCK, BLOCK, (n,), outputs=(5, 6), tolerance=1e-12)


@cuda.jit
def gather(x, index, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[index[i]]


@twin(gather, cpu=2, gpu=64)
def gather_work(scale: int) -> Work:
    n = scale << 18
    rng = seeded(3)
    index = rng.permutation(n).astype(np.int32)
    x = rng.random(n, np.float32)
    return Work([x, index, np.zeros_like(x)], n // BLOCK, BLOCK, (n,))


@cuda.jit
def shifted(x, offset, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = np.float32(2) * x[i + offset] + x[i]


@twin(shifted, cpu=2)
def shifted_work(scale: int) -> Work:
    n = scale << 20
    x = seeded(4).random(n + 64, np.float32)
    return Work([x, 7, np.zeros(n, np.float32)], n // BLOCK, BLOCK, (n,), tolerance=1e-6)


@cuda.jit
def grey(image, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        r, g, b = image[y, x, 0], image[y, x, 1], image[y, x, 2]
        out[y, x] = (77 * r + 150 * g + 29 * b) >> 8


@twin(grey)
def grey_work(scale: int) -> Work:
    width, height = 1024, 1024 * scale
    image = seeded(5).integers(0, 256, (height, width, 3), np.uint8)
    arguments = [image, np.zeros((height, width), np.uint8)]
    return Work(arguments, tiles(width, height, (32, 8)), (32, 8), (width, height))


@cuda.jit(device=True)
def escape(x, y, limit):
    c = complex(x, y)
    z = 0.0j
    for i in range(limit):
        z = z * z + c
        if (z.real * z.real + z.imag * z.imag) >= 4:
            return i
    return limit


@cuda.jit
def mandelbrot(left, right, low, high, limit, image):
    rows, columns = image.shape
    x, y = cuda.grid(2)
    if y < rows and x < columns:
        real = left + x * (right - left) / columns
        imag = low + y * (high - low) / rows
        image[y, x] = escape(real, imag, limit)


@twin(mandelbrot, gpu=128)
def mandelbrot_work(scale: int) -> Work:
    width, height = 256, 192 * scale
    image = np.zeros((height, width), np.uint8)
    grid = tiles(width, height, (16, 8))
    arguments = [-2.0, 1.0, -1.1, 1.1, 100, image]
    return Work(arguments, grid, (16, 8), (width, height), differing=1e-3)


@cuda.jit
def asian_option(seeds, steps, drift, sigma, out):
    i = cuda.grid(1)
    if i < seeds.size:
        state = seeds[i]
        price, total = 100.0, 0.0
        for _ in range(steps):
            state = state * uint64(6364136223846793005) + uint64(1442695040888963407)
            u = float64(state >> uint64(11)) / 9007199254740992.0
            price *= math.exp(drift + sigma * (2 * u - 1))
            total += price
        out[i] = max(total / steps - 100.0, 0.0)


@twin(asian_option, cpu=2, gpu=512)
def asian_option_work(scale: int) -> Work:
    n = scale << 13
    seeds = seeded(6).integers(0, 2**63, n).astype(np.uint64)
    arguments = [seeds, 16, 0.001, 0.1, np.zeros(n)]
    return Work(arguments, n // BLOCK, BLOCK, (n,), tolerance=1e-12)


@cuda.jit
def gelu(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        inner = np.float32(0.7978845608) * (v + np.float32(0.044715) * v * v * v)
        out[i] = np.float32(0.5) * v * (np.float32(1) + math.tanh(inner))


@twin(gelu, cpu=2, gpu=128)
def gelu_work(scale: int) -> Work:
    n = scale << 18
    x = seeded(7).normal(size=n).astype(np.float32)
    return Work([x, np.zeros_like(x)], n // BLOCK, BLOCK, (n,), tolerance=1e-6)
