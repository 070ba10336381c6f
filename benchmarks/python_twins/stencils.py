"""Stencils, filters of images, cellular automata."""

from __future__ import annotations

import math

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import float32, uint8

from .registry import Work, seeded, tiles, twin

BLOCK = 256
BLOCK_2D = (32, 8)


def field(dtype: type, scale: int, width: int = 1024) -> np.ndarray:
    """A matrix of random values."""
    return seeded(11).random((width * scale, width)).astype(dtype)


def over(matrix: np.ndarray, *arguments: object, tolerance: float = 0.0) -> Work:
    """A thread for each element of a matrix; the C++ is given its width and height."""
    height, width = matrix.shape
    grid = tiles(width, height, BLOCK_2D)
    return Work([*arguments], grid, BLOCK_2D, (width, height), tolerance=tolerance)


@cuda.jit
def heat(u, alpha, out):
    i = cuda.grid(1)
    if 0 < i < u.size - 1:
        out[i] = u[i] + alpha * (u[i - 1] - 2 * u[i] + u[i + 1])
    elif i == 0 or i == u.size - 1:
        out[i] = u[i]


@twin(heat, gpu=16)
def heat_work(scale: int) -> Work:
    u = seeded(10).random(scale << 20)
    return Work([u, 0.2, np.zeros_like(u)], u.size // BLOCK, BLOCK, (u.size,), tolerance=1e-14)


@cuda.jit
def jacobi(u, f, h, out):
    j, i = cuda.grid(2)
    rows, columns = u.shape
    if 1 <= i < rows - 1 and 1 <= j < columns - 1:
        neighbours = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
        out[i, j] = 0.25 * (neighbours - h * h * f[i, j])


@twin(jacobi, gpu=16)
def jacobi_work(scale: int) -> Work:
    u = field(np.float64, scale)
    return over(u, u, u[::-1].copy(), 0.1, np.zeros_like(u), tolerance=1e-14)


@cuda.jit
def laplacian(a, width, height, out):
    x, y = cuda.grid(2)
    if x > 0 and y > 0 and x < width - 1 and y < height - 1:
        p = y * width + x
        out[p] = a[p - width] + a[p + width] + a[p - 1] + a[p + 1] - np.float32(4) * a[p]


@twin(laplacian, cpu=2)
def laplacian_work(scale: int) -> Work:
    a = field(np.float32, scale)
    flat = a.ravel()
    arguments = [flat, a.shape[1], a.shape[0], np.zeros_like(flat)]
    return Work(arguments, tiles(a.shape[1], a.shape[0], BLOCK_2D), BLOCK_2D, tolerance=1e-6)


@cuda.jit
def wave(previous, current, c, out):
    x, y, z = cuda.grid(3)
    depth, height, width = current.shape
    if 0 < x < width - 1 and 0 < y < height - 1 and 0 < z < depth - 1:
        around = current[z, y, x - 1] + current[z, y, x + 1]
        around += current[z, y - 1, x] + current[z, y + 1, x]
        around += current[z - 1, y, x] + current[z + 1, y, x]
        bend = around - float32(6) * current[z, y, x]
        out[z, y, x] = float32(2) * current[z, y, x] - previous[z, y, x] + c * c * bend


@twin(wave, cpu=2)
def wave_work(scale: int) -> Work:
    shape = (64 * scale, 128, 64)
    previous, current = seeded(12).random((2, *shape), np.float32)
    arguments = [previous, current, np.float32(0.5), np.zeros(shape, np.float32)]
    return Work(arguments, (2, 16, 64 * scale), (32, 8, 1), (64, 128, 64 * scale), tolerance=1e-6)


@cuda.jit
def life(world, out):
    j, i = cuda.grid(2)
    rows, columns = world.shape
    if i < rows and j < columns:
        alive = 0
        for di in range(-1, 2):
            for dj in range(-1, 2):
                if di != 0 or dj != 0:
                    alive += world[(i + di) % rows, (j + dj) % columns]
        out[i, j] = 1 if alive == 3 or (alive == 2 and world[i, j] == 1) else 0


@twin(life, gpu=64)
def life_work(scale: int) -> Work:
    world = (field(np.float32, scale, 512) < 0.4).astype(np.int8)
    return over(world, world, np.zeros_like(world))


@cuda.jit
def sobel(image, out):
    j, i = cuda.grid(2)
    if 0 < i < image.shape[0] - 1 and 0 < j < image.shape[1] - 1:
        gx = image[i - 1, j + 1] + float32(2) * image[i, j + 1] + image[i + 1, j + 1]
        gx -= image[i - 1, j - 1] + float32(2) * image[i, j - 1] + image[i + 1, j - 1]
        gy = image[i + 1, j - 1] + float32(2) * image[i + 1, j] + image[i + 1, j + 1]
        gy -= image[i - 1, j - 1] + float32(2) * image[i - 1, j] + image[i - 1, j + 1]
        out[i, j] = math.sqrt(gx * gx + gy * gy)


@twin(sobel)
def sobel_work(scale: int) -> Work:
    image = field(np.float32, scale)
    return over(image, image, np.zeros_like(image), tolerance=1e-6)


@cuda.jit
def median(image, out):
    j, i = cuda.grid(2)
    rows, columns = image.shape
    if i >= rows or j >= columns:
        return
    window = cuda.local.array(9, uint8)
    at = 0
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            window[at] = image[min(max(i + di, 0), rows - 1), min(max(j + dj, 0), columns - 1)]
            at += 1
    for a in range(5):
        smallest = a
        for b in range(a + 1, 9):
            if window[b] < window[smallest]:
                smallest = b
        window[a], window[smallest] = window[smallest], window[a]
    out[i, j] = window[4]


@twin(median, gpu=64)
def median_work(scale: int) -> Work:
    image = (255 * field(np.float32, scale, 256)).astype(np.uint8)
    return over(image, image, np.zeros_like(image))


@cuda.jit
def tiled_blur(x, out):
    tile = cuda.shared.array(BLOCK + 4, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    n = x.size
    tile[t + 2] = x[min(i, n - 1)]
    if t < 2:
        tile[t] = x[max(i - 2, 0)]
        tile[t + BLOCK + 2] = x[min(i + BLOCK, n - 1)]
    cuda.syncthreads()
    if i < n:
        total = float32(0)
        for d in range(5):
            total += tile[t + d]
        out[i] = total / float32(5)


@twin(tiled_blur, cpu=2, gpu=64)
def tiled_blur_work(scale: int) -> Work:
    x = seeded(13).random(scale << 19, np.float32)
    return Work([x, np.zeros_like(x)], x.size // BLOCK, BLOCK, (x.size,), tolerance=1e-6)


@cuda.jit
def elementary(cells, rule, out):
    i = cuda.grid(1)
    n = cells.size
    if i < n:
        pattern = cells[i - 1] * 4 + cells[i] * 2 + cells[(i + 1) % n]
        out[i] = (rule >> pattern) & 1


@twin(elementary, cpu=2)
def elementary_work(scale: int) -> Work:
    cells = seeded(14).integers(0, 2, scale << 20).astype(np.int32)
    return Work([cells, 110, np.zeros_like(cells)], cells.size // BLOCK, BLOCK, (cells.size,))
