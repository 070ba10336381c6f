"""Images and tensors whose threads have one index, which they take apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from contestants import Memory, zeros
from works import BLOCK, Work, blocks_for

from .registry import random, work

WIDTH, HEIGHT = 1024, 768


def tensor(
    name: str, n: int, values: list[Any], expected: Callable[[], np.ndarray], **more: Any
) -> Work:
    """A thread for each element of the first of `values`, which is the result."""
    more = {"cpp_arguments": values, **more}
    return Work(
        name, name, None, blocks_for(n), (BLOCK,), values, values[0], expected, name, **more
    )


@work("blur of 3 x 3, one index, clamped")
def blur() -> Work:
    image, out = Memory(random(1, (HEIGHT, WIDTH))), zeros((HEIGHT, WIDTH))

    def expected() -> np.ndarray:
        wide = np.pad(image.array.astype(np.float64), 1, mode="edge")
        return sum(wide[y : y + HEIGHT, x : x + WIDTH] for y in range(3) for x in range(3)) / 9

    return tensor("blur", WIDTH * HEIGHT, [out, image, WIDTH, HEIGHT], expected)


@work("Laplacian within a border, one index, unsigned")
def laplacian() -> Work:
    image, out = Memory(random(2, (HEIGHT, WIDTH))), zeros((HEIGHT, WIDTH))

    def expected() -> np.ndarray:
        a = image.array.astype(np.float64)
        beside = a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1]
        return np.pad(beside - 4 * a[1:-1, 1:-1], 1)

    return tensor("laplacian", WIDTH * HEIGHT, [out, image, WIDTH, HEIGHT], expected)


@work("scale and shift of channels, unsigned")
def channels() -> Work:
    images, count, plane = 16, 32, 28 * 28
    n = images * count * plane
    x, out = Memory(random(3, (images, count, plane))), zeros((images, count, plane))
    scale, shift = Memory(random(4, count)), Memory(random(5, count))
    return tensor(
        "channels",
        n,
        [out, x, scale, shift, count, plane, n],
        lambda: x.array.astype(np.float64) * scale.array[:, None] + shift.array[:, None],
    )


@work("NCHW to NHWC, one index")
def nchw_to_nhwc() -> Work:
    images, count, plane = 8, 64, 28 * 28
    n = images * count * plane
    x, out = Memory(random(6, (images, count, plane))), zeros((images, plane, count))
    return tensor(
        "nchw_to_nhwc",
        n,
        [out, x, count, plane, n],
        lambda: x.array.transpose(0, 2, 1),
        cpp_also=("nchw_to_nhwc_by_planes",),
    )


@work("image of twice the size, one index, size_t")
def upsample() -> Work:
    width, height = 512, 256
    image, out = Memory(random(7, (height, width))), zeros((2 * height, 2 * width))
    return tensor(
        "upsample",
        4 * width * height,
        [out, image, width, 4 * width * height],
        lambda: image.array.repeat(2, axis=0).repeat(2, axis=1),
        cpp_arguments=[out, image, width, height],
    )


@work("im2col of 3 x 3, grid-stride")
def im2col() -> Work:
    width, height = 320, 256
    columns, rows = width - 2, height - 2
    image, out = Memory(random(8, (height, width))), zeros((9, rows, columns))

    def expected() -> np.ndarray:
        a = image.array
        return np.stack([a[k // 3 :, k % 3 :][:rows, :columns] for k in range(9)])

    return Work(
        "im2col",
        "im2col",
        None,
        (256,),
        (BLOCK,),
        [out, image, width, columns, rows, 9 * rows * columns],
        out,
        expected,
        "im2col",
        [out, image, width, columns, rows],
    )


@work("gradient of softmax, one index, unsigned")
def softmax_gradient() -> Work:
    rows, columns = 2048, 512
    y, g = Memory(random(9, (rows, columns))), Memory(random(10, (rows, columns)))
    dot, out = Memory(random(11, rows)), zeros((rows, columns))
    return tensor(
        "softmax_gradient",
        rows * columns,
        [out, y, g, dot, columns, rows * columns],
        lambda: y.array * (g.array.astype(np.float64) - dot.array[:, None]),
    )
