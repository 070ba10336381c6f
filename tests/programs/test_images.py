"""Filters of images, against SciPy's and plain NumPy in double precision."""

import numpy as np
import pytest
import scipy.ndimage as ndimage

import warpwise as ww

HEIGHT, WIDTH = 43, 61
SHAPE = {"grid": (4, 6), "block": (16, 8)}


def test_sobel(load, rng):
    run = load("images/sobel.cu")
    image = rng.integers(0, 256, (HEIGHT, WIDTH), np.uint8)
    out = np.zeros_like(image)
    run("sobel_tile", ww.Out(out), ww.In(image), WIDTH, HEIGHT, 0.5, shared=18 * 10, **SHAPE)
    wide = image.astype(np.int64)
    size = sum(abs(ndimage.sobel(wide, axis, mode="nearest")) for axis in (0, 1))
    assert np.array_equal(out, np.minimum(size // 2, 255))


def test_bilateral(load, rng):
    run = load("images/bilateral.cu")
    r, delta, spread = 3, 2.0, 0.2
    gaussian = np.exp(-(np.arange(-r, r + 1) ** 2) / (2 * delta**2))
    run.module.get_global("spatial").copy_from(gaussian.astype(np.float32))
    image = rng.integers(0, 256, (HEIGHT, WIDTH, 4), np.uint8)
    out = np.zeros_like(image)
    run(
        "bilateral", ww.Out(out.view(np.uint32)), ww.In(image.view(np.uint32)), WIDTH,
        HEIGHT, spread, r, **SHAPE,
    )  # fmt: skip
    rgba = np.pad(image / 255, ((r, r), (r, r), (0, 0)), "edge")
    total, weights = np.zeros(image.shape), np.zeros((HEIGHT, WIDTH, 1))
    for i in range(2 * r + 1):
        for j in range(2 * r + 1):
            near = rgba[i : i + HEIGHT, j : j + WIDTH]
            apart = ((near - image / 255)[..., :3] ** 2).sum(2, keepdims=True)
            weight = gaussian[i] * gaussian[j] * np.exp(-apart / (2 * spread**2))
            total += weight * near
            weights += weight
    # The store truncates: a value that is nearly whole may fall to either side.
    want = total / weights * 255
    assert ((out >= want - 1.01) & (out <= want + 0.01)).all()


def test_median_of_3x3(load, rng):
    image = rng.random((HEIGHT, WIDTH), np.float32)
    out = np.zeros_like(image)
    load("images/median.cu")("median3x3", ww.In(image), ww.Out(out), WIDTH, HEIGHT, **SHAPE)
    assert np.array_equal(out, ndimage.median_filter(image, 3, mode="nearest"))


def test_median_of_5x5_bytes(load, rng):
    image = rng.integers(0, 256, (HEIGHT, WIDTH), np.uint8)
    out = np.zeros_like(image)
    load("images/median.cu")("median5x5", ww.In(image), ww.Out(out), WIDTH, HEIGHT, **SHAPE)
    assert np.array_equal(out, ndimage.median_filter(image, 5, mode="nearest"))


@pytest.mark.parametrize("r", [1, 6])
def test_box_filter(load, rng, r):
    run = load("images/box_and_pyramid.cu")
    image = rng.random((HEIGHT, WIDTH), np.float32)
    rows, out = np.zeros_like(image), np.zeros_like(image)
    run("box_x", ww.In(image), ww.Out(rows), WIDTH, HEIGHT, r, grid=2, block=32)
    run("box_y", ww.In(rows), ww.Out(out), WIDTH, HEIGHT, r, grid=2, block=32)
    want = ndimage.uniform_filter(image.astype(np.float64), 2 * r + 1, mode="nearest")
    assert np.allclose(out, want, atol=1e-5)


@pytest.mark.parametrize(("ctype", "dtype"), [("float", np.float32), ("unsigned char", np.uint8)])
def test_pyramid(load, rng, ctype, dtype):
    run = load("images/box_and_pyramid.cu")
    image = (rng.random((HEIGHT, WIDTH)) * 255).astype(dtype)
    small = np.zeros(((HEIGHT + 1) // 2, (WIDTH + 1) // 2), dtype)
    run(
        f"pyramid_down<{ctype}>", ww.In(image), WIDTH, HEIGHT, ww.Out(small), small.shape[1],
        small.shape[0], **SHAPE,
    )  # fmt: skip
    taps, smooth = np.array([1, 4, 6, 4, 1]) / 16, image.astype(np.float64)
    for axis in (0, 1):
        smooth = ndimage.correlate1d(smooth, taps, axis, mode="mirror")
    want = smooth[::2, ::2]
    if dtype is np.uint8:
        assert np.array_equal(small, np.floor(want + 0.5))
    else:
        assert np.allclose(small, want, rtol=1e-5)


@pytest.mark.parametrize("element", ["Plus", "Square"])
def test_erosion(load, rng, element):
    image = rng.integers(0, 256, (HEIGHT, WIDTH), np.uint8)
    out = np.zeros_like(image)
    load("images/box_and_pyramid.cu")(
        f"erode<{element}, 2>", ww.In(image), ww.Out(out), WIDTH, HEIGHT, **SHAPE
    )
    footprint = np.ones((5, 5), bool)
    if element == "Plus":
        i, j = np.mgrid[-2:3, -2:3]
        footprint = (i == 0) | (j == 0)
    want = ndimage.grey_erosion(image, footprint=footprint, mode="constant", cval=255)
    assert np.array_equal(out, want)


def test_speckle_reducing_diffusion(load, rng):
    run = load("images/srad.cu")
    image = np.exp(rng.random((HEIGHT, WIDTH))).astype(np.float32)
    now, want = image.copy(), image.astype(np.float64)
    for _ in range(3):
        sums = np.zeros(2)
        run("statistics", ww.In(now), ww.InOut(sums), now.size, grid=3, block=256)
        mean = sums[0] / now.size
        q0 = (sums[1] / now.size - mean**2) / mean**2
        c, out = np.zeros_like(now), np.zeros_like(now)
        run("coefficient", ww.In(now), ww.Out(c), WIDTH, HEIGHT, q0, **SHAPE)
        run("diffuse", ww.In(now), ww.In(c), ww.Out(out), WIDTH, HEIGHT, 0.5, **SHAPE)
        now = out

        padded = np.pad(want, 1, "edge")
        sides = [padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]]
        north, south, west, east = (side - want for side in sides)
        g2 = (north**2 + south**2 + west**2 + east**2) / want**2
        lap = (north + south + west + east) / want
        q = (0.5 * g2 - lap**2 / 16) / (1 + 0.25 * lap) ** 2
        q0 = want.var() / want.mean() ** 2
        c = np.clip(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0, 1)
        padded = np.pad(c, 1, "edge")
        flux = c * (north + west) + padded[2:, 1:-1] * south + padded[1:-1, 2:] * east
        want = want + 0.125 * flux
    assert np.allclose(now, want, rtol=1e-3)
