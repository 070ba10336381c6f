"""Convolutions: separable, tiled, of any length, by unfolding."""

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal

import warpwise as ww


def test_separable(load, rng):
    height, width = 37, 131
    image, weights = rng.random((height, width), np.float32), rng.standard_normal(11, np.float32)
    rows, columns = np.zeros_like(image), np.zeros_like(image)
    program = load("convolutions/separable.cu")
    program.module.get_global("c_Kernel").copy_from(weights)
    program(
        "convolutionRowsKernel", ww.Out(rows), ww.In(image), width, height, width,
        grid=(3, 10), block=(16, 4),
    )  # fmt: skip
    program(
        "convolutionColumnsKernel", ww.Out(columns), ww.In(rows), width, height, width,
        grid=(9, 3), block=(16, 8),
    )  # fmt: skip
    want = image.astype(np.float64)
    for axis in (1, 0):
        want = scipy.ndimage.convolve1d(want, weights, axis=axis, mode="constant")
    np.testing.assert_allclose(columns, want, rtol=1e-4, atol=1e-4)


def test_tiled2d(load, rng):
    height, width, channels = 31, 45, 3
    image = rng.random((height, width, channels), np.float32)
    mask = (rng.random((5, 5), np.float32) / 8).astype(np.float32)
    out = np.zeros_like(image)
    load("convolutions/tiled2d.cu")(
        "convolution", ww.In(image), ww.In(mask), ww.Out(out), channels, width, height,
        grid=(4, 3), block=(16, 16),
    )  # fmt: skip
    want = scipy.ndimage.correlate(image.astype(np.float64), mask[..., None], mode="constant")
    np.testing.assert_allclose(out, want.clip(0, 1), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("ctype", "dtype"), [("int", "i4"), ("double", "f8"), ("float", "f4")])
def test_dynamic1d(load, rng, ctype, dtype):
    signal, mask = (rng.integers(-9, 9, n).astype(dtype) for n in (301, 23))
    out = np.zeros(323, dtype)
    load("convolutions/dynamic1d.cu")(
        f"convolve<{ctype}>", ww.In(signal), 301, ww.In(mask), 23, ww.Out(out),
        grid=6, block=64, shared=(23 + 64 + 22) * out.itemsize,
    )  # fmt: skip
    assert np.array_equal(out, np.convolve(signal, mask))


def test_im2col(load, rng):
    channels, height, width, kh, kw, pad, stride = 3, 13, 17, 3, 5, 1, 2
    image = rng.standard_normal((channels, height, width)).astype(np.float32)
    rows, cols = (height + 2 * pad - kh) // stride + 1, (width + 2 * pad - kw) // stride + 1
    unfolded = np.zeros((channels, kh, kw, rows, cols), np.float32)
    sizes = (height, width, kh, kw, pad, stride, rows, cols)
    program = load("convolutions/im2col.cu")
    program(
        "im2col_gpu_kernel<float>", channels * rows * cols, ww.In(image), *sizes, ww.Out(unfolded),
        grid=2, block=64,
    )  # fmt: skip
    padded = np.pad(image, ((0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kh, kw), axis=(1, 2))
    want = windows[:, ::stride, ::stride].transpose(0, 3, 4, 1, 2)
    assert np.array_equal(unfolded, want)
    folded = np.zeros_like(image)
    program(
        "col2im_gpu_kernel<float>", image.size, ww.In(unfolded), *sizes, ww.Out(folded),
        grid=3, block=96,
    )  # fmt: skip
    sums = np.zeros(padded.shape)
    for i in range(kh):
        for j in range(kw):
            sums[:, i : i + rows * stride : stride, j : j + cols * stride : stride] += want[:, i, j]
    np.testing.assert_allclose(folded, sums[:, pad:-pad, pad:-pad], rtol=1e-5, atol=1e-5)
