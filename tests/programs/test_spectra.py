"""Fourier and cosine transforms, against SciPy's."""

import numpy as np
import pytest
import scipy.fft

import warpwise as ww


def gauss(rng, shape, dtype):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


@pytest.mark.parametrize("logn", [1, 5, 9])
def test_fft_in_shared_memory(load, rng, logn):
    run = load("spectra/fft_shared.cu")
    n, rows = 2**logn, 3
    x = gauss(rng, (rows, n), np.complex64)
    y, back = np.zeros_like(x), np.zeros_like(x)
    shape = {"grid": rows, "block": 96, "shared": 8 * n}
    run("fft_rows", ww.In(x), ww.Out(y), logn, -1, **shape)
    run("fft_rows", ww.In(y), ww.Out(back), logn, 1, **shape)
    assert np.allclose(y, scipy.fft.fft(x.astype(np.complex128)), atol=1e-4)
    assert np.allclose(back, x, atol=1e-5)


@pytest.mark.parametrize(
    ("ctype", "dtype", "near"), [("float", np.complex64, 1e-3), ("double", np.complex128, 1e-10)]
)
@pytest.mark.parametrize("n", [256, 2048])
def test_stockham_fft(load, rng, ctype, dtype, near, n):
    run = load("spectra/fft_stockham.cu")
    x = gauss(rng, n, dtype)
    y, done = x.copy(), 1
    while done < n:
        radix = 4 if n // done % 4 == 0 else 2
        following = np.zeros_like(y)
        run(
            f"stockham_pass<{ctype}, {radix}>", ww.In(y), ww.Out(following), n, done,
            grid=-(-n // radix // 64), block=64,
        )  # fmt: skip
        y, done = following, done * radix
    assert np.allclose(y, scipy.fft.fft(x.astype(np.complex128)), atol=near)


def tiles(image):
    h, w = image.shape
    return image.reshape(h // 8, 8, w // 8, 8).swapaxes(1, 2)


def test_dct_of_8x8_tiles_with_quantisation(load, rng):
    run = load("spectra/dct8x8.cu")
    height, width = 40, 72
    k, i = np.mgrid[:8, :8]
    matrix = np.cos(np.pi * (2 * i + 1) * k / 16) * np.where(k == 0, np.sqrt(1 / 8), 0.5)
    run.module.get_global("cosines").copy_from(matrix.astype(np.float32))
    image = rng.uniform(-128, 127, (height, width)).astype(np.float32)
    spectrum, back = np.zeros_like(image), np.zeros_like(image)
    shape = {"grid": (3, height // 8), "block": (8, 8, 4)}
    run("transform<DCT>", ww.Out(spectrum), ww.In(image), width, **shape)
    want = scipy.fft.dctn(tiles(image.astype(np.float64)), axes=(2, 3), norm="ortho")
    assert np.allclose(tiles(spectrum), want, atol=1e-3)

    quantised = spectrum.copy()
    run("quantise", ww.InOut(quantised), width, grid=(width // 8, height // 8), block=(8, 8))
    table = np.zeros(64, np.int16)
    run.module.get_global("steps").copy_to(table)
    assert np.allclose(
        tiles(quantised), np.rint(tiles(spectrum) / table.reshape(8, 8)) * table.reshape(8, 8)
    )
    run("transform<IDCT>", ww.Out(back), ww.In(quantised), width, **shape)
    want = scipy.fft.idctn(tiles(quantised).astype(np.float64), axes=(2, 3), norm="ortho")
    assert np.allclose(tiles(back), want, atol=1e-3)
