"""Whole numbers and random ones; warps that exchange values."""

from __future__ import annotations

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import float32, uint32

from .registry import Work, seeded, twin

BLOCK = 128


@cuda.jit
def collatz(n, steps):
    i = cuda.grid(1)
    if i < n.size:
        value, count = n[i], 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        steps[i] = count


@twin(collatz, cpu=2, gpu=256)
def collatz_work(scale: int) -> Work:
    n = np.arange(1, 1 + (scale << 12))
    return Work([n, np.zeros(n.size, np.int32)], n.size // BLOCK, BLOCK, (n.size,))


@cuda.jit
def is_prime(n, out):
    i = cuda.grid(1)
    if i < n.size:
        value = n[i]
        prime = value >= 2
        d = 2
        while d * d <= value:
            if value % d == 0:
                prime = False
                break
            d += 1 if d == 2 else 2
        out[i] = prime


@twin(is_prime, gpu=256)
def is_prime_work(scale: int) -> Work:
    n = seeded(90).integers(0, 1 << 16, scale << 12)
    return Work([n, np.zeros(n.size, np.bool_)], n.size // BLOCK, BLOCK, (n.size,))


@cuda.jit
def random_points(seeds, tries, hits):
    i = cuda.grid(1)
    if i < seeds.size:
        state = seeds[i]
        inside = 0
        for _ in range(tries):
            state = uint32(state ^ (state << 13))
            state = uint32(state ^ (state >> 17))
            state = uint32(state ^ (state << 5))
            x = float32(uint32(state & 0xFFFF)) / float32(65536)
            y = float32(uint32(state >> 16)) / float32(65536)
            if x * x + y * y < float32(1):
                inside += 1
        hits[i] = inside


@twin(random_points, cpu=2, gpu=512)
def random_points_work(scale: int) -> Work:
    n = scale << 13
    seeds = seeded(91).integers(1, 1 << 32, n).astype(np.uint32)
    return Work([seeds, 64, np.zeros(n, np.int32)], n // BLOCK, BLOCK, (n,), differing=1e-4)


@cuda.jit
def warp_scan(x, out):
    i = cuda.grid(1)
    value = x[i]
    delta = 1
    while delta < 32:
        other = cuda.shfl_up_sync(0xFFFFFFFF, value, delta)
        if cuda.laneid >= delta:
            value += other
        delta *= 2
    out[i] = value


@twin(warp_scan, cpu=2)
def warp_scan_work(scale: int) -> Work:
    x = seeded(92).random(scale << 20, np.float32)
    return Work([x, np.zeros_like(x)], x.size // BLOCK, BLOCK, tolerance=1e-6)
