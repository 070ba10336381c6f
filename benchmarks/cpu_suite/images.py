"""Filters of images."""

from __future__ import annotations

import numpy as np
from contestants import Memory, zeros
from scipy import ndimage
from works import Array, Work

from .registry import random, work

HALF = [0.0041, 0.0105, 0.0228, 0.0424, 0.0676, 0.0923, 0.1081, 0.1081]
FILTER = np.array([*HALF, 0.0882, *reversed(HALF)])


def convolution(kernel: str, side: int, axis: int, grid: tuple[int, int], block: tuple[int, int]):
    x, z = Memory(random(11, (side, side))), zeros((side, side))
    return Work(
        kernel,
        kernel,
        None,
        grid,
        block,
        [z, x, side, side],
        z,
        lambda: ndimage.convolve1d(x.array.astype(np.float64), FILTER, axis, mode="constant"),
        kernel,
    )


@work("convolution of rows, constant filter")
def rows() -> Work:
    side = 3072
    return convolution("convolve_rows", side, 1, (side // 128, side // 4), (16, 4))


@work("convolution of columns, transposed tile")
def columns() -> Work:
    side = 3072
    return convolution("convolve_columns", side, 0, (side // 16, side // 64), (16, 8))


def of_bytes(kernel: str, side: int, expected) -> Work:
    image = np.random.default_rng(12).integers(0, 256, (side, side), dtype=np.uint8)
    x, z = Memory(image), zeros((side, side), np.uint8)

    def interior() -> Array:
        result = np.zeros((side, side), np.int32)
        result[1:-1, 1:-1] = expected(x.array)[1:-1, 1:-1]
        return result

    return Work(
        kernel,
        kernel,
        None,
        (side // 32, side // 8),
        (32, 8),
        [x, z, side, side],
        z,
        interior,
        kernel,
        tolerance=0,
    )


@work("median 3x3 of bytes, unsigned")
def median() -> Work:
    def by_sorting(image: Array) -> Array:
        shifted = [np.roll(image, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        return np.median(np.stack(shifted), axis=0).astype(np.uint8)

    return of_bytes("median3x3", 3072, by_sorting)


@work("Sobel of bytes, size_t")
def sobel() -> Work:
    def gradients(image: Array) -> Array:
        wide = image.astype(np.int32)
        across, down = ndimage.sobel(wide, axis=1), ndimage.sobel(wide, axis=0)
        return np.minimum((np.abs(across) + np.abs(down)) // 2, 255)

    return of_bytes("sobel", 4096, gradients)


@work("bilateral 5x5")
def bilateral() -> Work:
    side, space, spread = 1024, 0.1, 8.0
    x, z = Memory(random(13, (side, side))), zeros((side, side))

    def expected() -> Array:
        image = x.array.astype(np.float64)
        padded = np.pad(image, 2, mode="edge")
        total, weights = np.zeros_like(image), np.zeros_like(image)
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                value = padded[2 + dy : 2 + dy + side, 2 + dx : 2 + dx + side]
                w = np.exp(-(dx * dx + dy * dy) * space - (value - image) ** 2 * spread)
                total += w * value
                weights += w
        return total / weights

    return Work(
        "bilateral",
        "bilateral",
        None,
        (side // 16, side // 16),
        (16, 16),
        [x, z, side, side, np.float32(space), np.float32(spread)],
        z,
        expected,
        "bilateral",
    )
