"""Stencils, images and cellular automata."""

from __future__ import annotations

import numpy as np
from launching import over, over_2d

from warpwise import cuda
from warpwise.cuda.types import float32


@cuda.jit
def heat(u, alpha, out):
    i = cuda.grid(1)
    if 0 < i < u.size - 1:
        out[i] = u[i] + alpha * (u[i - 1] - 2 * u[i] + u[i + 1])
    elif i == 0 or i == u.size - 1:
        out[i] = u[i]


def test_heat_on_a_rod(rng):
    u = rng.random(200)
    out = np.empty_like(u)
    over(heat, 200, u, 0.2, out)
    expected = u.copy()
    expected[1:-1] += 0.2 * (u[:-2] - 2 * u[1:-1] + u[2:])
    np.testing.assert_allclose(out, expected, rtol=1e-13)


@cuda.jit
def jacobi(u, f, h, out):
    j, i = cuda.grid(2)
    rows, columns = u.shape
    if 1 <= i < rows - 1 and 1 <= j < columns - 1:
        neighbours = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
        out[i, j] = 0.25 * (neighbours - h * h * f[i, j])


def test_jacobi_iterations(rng):
    u, f = rng.random((2, 14, 11))
    out = u.copy()
    over_2d(jacobi, u.shape, u, f, 0.1, out)
    expected = u.copy()
    expected[1:-1, 1:-1] = 0.25 * (
        u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 0.01 * f[1:-1, 1:-1]
    )
    np.testing.assert_allclose(out, expected, rtol=1e-13)


@cuda.jit
def red_black(u, colour):
    j, i = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1 and (i + j) % 2 == colour:
        u[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) / 4


def test_red_black_relaxation(rng):
    u = rng.random((10, 12))
    expected = u.copy()
    device = cuda.to_device(u)
    for colour in (0, 1):
        over_2d(red_black, u.shape, device, colour)
        for i in range(1, 9):
            for j in range(1, 11):
                if (i + j) % 2 == colour:
                    around = expected[i - 1, j] + expected[i + 1, j]
                    expected[i, j] = (around + expected[i, j - 1] + expected[i, j + 1]) / 4
    np.testing.assert_allclose(device.copy_to_host(), expected, rtol=1e-13)


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


def test_the_game_of_life(rng):
    world = rng.integers(0, 2, (15, 19)).astype(np.int8)
    out = np.empty_like(world)
    over_2d(life, world.shape, world, out)
    around = sum(
        np.roll(world, (di, dj), (0, 1)) for di in (-1, 0, 1) for dj in (-1, 0, 1) if di or dj
    )
    assert np.array_equal(out, (around == 3) | ((around == 2) & (world == 1)))


@cuda.jit
def elementary(cells, rule, out):
    i = cuda.grid(1)
    n = cells.size
    if i < n:
        pattern = cells[i - 1] * 4 + cells[i] * 2 + cells[(i + 1) % n]
        out[i] = (rule >> pattern) & 1


def test_rule_110(rng):
    cells = rng.integers(0, 2, 100)
    out = np.empty_like(cells)
    over(elementary, 100, cells, 110, out)
    pattern = np.roll(cells, 1) * 4 + cells * 2 + np.roll(cells, -1)
    assert np.array_equal(out, (110 >> pattern) & 1)


@cuda.jit
def wave(previous, current, c, out):
    i = cuda.grid(1)
    if 0 < i < current.size - 1:
        bend = current[i + 1] - 2 * current[i] + current[i - 1]
        out[i] = 2 * current[i] - previous[i] + c * c * bend


def test_the_wave_equation(rng):
    previous, current = rng.random((2, 130), np.float32)
    out = np.zeros(130, np.float32)
    over(wave, 130, previous, current, np.float32(0.5), out)
    u = current.astype(float)
    expected = 2 * u[1:-1] - previous[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    np.testing.assert_allclose(out[1:-1], expected, atol=1e-6)
    assert out[0] == out[-1] == 0


@cuda.jit
def sobel(image, out):
    j, i = cuda.grid(2)
    if 0 < i < image.shape[0] - 1 and 0 < j < image.shape[1] - 1:
        window = image[i - 1 : i + 2, j - 1 : j + 2]
        gx = window[0, 2] + 2 * window[1, 2] + window[2, 2]
        gx -= window[0, 0] + 2 * window[1, 0] + window[2, 0]
        gy = window[2, 0] + 2 * window[2, 1] + window[2, 2]
        gy -= window[0, 0] + 2 * window[0, 1] + window[0, 2]
        out[i, j] = (gx * gx + gy * gy) ** 0.5


def test_sobels_filter_with_views(rng):
    image = rng.random((12, 15))
    out = np.zeros_like(image)
    over_2d(sobel, image.shape, image, out)
    w = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    k = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    expected = np.hypot((w * k).sum((2, 3)), (w * k.T).sum((2, 3)))
    np.testing.assert_allclose(out[1:-1, 1:-1], expected, rtol=1e-12)


@cuda.jit
def tiled_blur(x, out):
    tile = cuda.shared.array(64 + 4, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    n = x.size
    tile[t + 2] = x[min(i, n - 1)]
    if t < 2:
        tile[t] = x[max(i - 2, 0)]
        tile[t + 66] = x[min(i + 64, n - 1)]
    cuda.syncthreads()
    if i < n:
        total = float32(0)
        for d in range(5):
            total += tile[t + d]
        out[i] = total / 5


def test_a_blur_with_a_tile(rng):
    x = rng.random(200, np.float32)
    out = np.empty_like(x)
    over(tiled_blur, 200, x, out)
    padded = np.pad(x.astype(float), 2, mode="edge")
    expected = np.convolve(padded, np.ones(5) / 5, mode="valid")
    np.testing.assert_allclose(out, expected, rtol=1e-5)


@cuda.jit
def median(image, out):
    j, i = cuda.grid(2)
    rows, columns = image.shape
    if i >= rows or j >= columns:
        return
    window = cuda.local.array(9, np.uint8)
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


def test_a_median_filter(rng):
    image = rng.integers(0, 256, (9, 13)).astype(np.uint8)
    out = np.empty_like(image)
    over_2d(median, image.shape, image, out)
    padded = np.pad(image, 1, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    assert np.array_equal(out, np.median(windows, axis=(2, 3)))


@cuda.jit
def erosion(image, radius, out):
    j, i = cuda.grid(2)
    rows, columns = image.shape
    if i < rows and j < columns:
        kept = True
        for di in range(-radius, radius + 1):
            for dj in range(-radius, radius + 1):
                a, b = i + di, j + dj
                if 0 <= a < rows and 0 <= b < columns and not image[a, b]:
                    kept = False
                    break
            if not kept:
                break
        out[i, j] = kept


def test_erosion(rng):
    image = rng.random((14, 14)) < 0.9
    out = np.empty_like(image)
    over_2d(erosion, image.shape, image, 1, out)
    padded = np.pad(image, 1, constant_values=True)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    assert np.array_equal(out, windows.all(axis=(2, 3)))


@cuda.jit
def upwind(u, speed, courant, out):
    i = cuda.grid(1)
    if i < u.size:
        if speed[i] > 0:
            slope = u[i] - u[i - 1]
        else:
            slope = u[(i + 1) % u.size] - u[i]
        out[i] = u[i] - courant * speed[i] * slope


def test_upwind_advection(rng):
    u, speed = rng.normal(size=(2, 90))
    out = np.empty_like(u)
    over(upwind, 90, u, speed, 0.3, out)
    slope = np.where(speed > 0, u - np.roll(u, 1), np.roll(u, -1) - u)
    np.testing.assert_allclose(out, u - 0.3 * speed * slope, rtol=1e-12, atol=1e-14)


@cuda.jit
def gray_scott(u, v, feed, kill, u_out, v_out):
    j, i = cuda.grid(2)
    n, m = u.shape
    if i < n and j < m:
        lap_u = u[i - 1, j] + u[(i + 1) % n, j] + u[i, j - 1] + u[i, (j + 1) % m] - 4 * u[i, j]
        lap_v = v[i - 1, j] + v[(i + 1) % n, j] + v[i, j - 1] + v[i, (j + 1) % m] - 4 * v[i, j]
        reaction = u[i, j] * v[i, j] ** 2
        u_out[i, j] = u[i, j] + 0.16 * lap_u - reaction + feed * (1 - u[i, j])
        v_out[i, j] = v[i, j] + 0.08 * lap_v + reaction - (feed + kill) * v[i, j]


def test_reaction_and_diffusion(rng):
    u, v = rng.random((2, 9, 10))
    u_out, v_out = np.empty_like(u), np.empty_like(v)
    over_2d(gray_scott, u.shape, u, v, 0.035, 0.065, u_out, v_out)

    def laplacian(a):
        return sum(np.roll(a, d, axis) for axis in (0, 1) for d in (-1, 1)) - 4 * a

    reaction = u * v * v
    np.testing.assert_allclose(
        u_out, u + 0.16 * laplacian(u) - reaction + 0.035 * (1 - u), rtol=1e-12
    )
    np.testing.assert_allclose(v_out, v + 0.08 * laplacian(v) + reaction - 0.1 * v, rtol=1e-12)


@cuda.jit
def bilinear(image, y, x, out):
    k = cuda.grid(1)
    if k < y.size:
        i, j = int(y[k]), int(x[k])
        a, b = y[k] - i, x[k] - j
        top = image[i, j] * (1 - b) + image[i, j + 1] * b
        bottom = image[i + 1, j] * (1 - b) + image[i + 1, j + 1] * b
        out[k] = top * (1 - a) + bottom * a


def test_bilinear_sampling(rng):
    image, y, x = rng.random((8, 9)), rng.random(100) * 7, rng.random(100) * 8
    out = np.empty(100)
    over(bilinear, 100, image, y, x, out)
    i, j = y.astype(int), x.astype(int)
    a, b = y - i, x - j
    expected = (1 - a) * ((1 - b) * image[i, j] + b * image[i, j + 1])
    expected += a * ((1 - b) * image[i + 1, j] + b * image[i + 1, j + 1])
    np.testing.assert_allclose(out, expected, rtol=1e-12)


@cuda.jit
def sandpile(grains, out):
    j, i = cuda.grid(2)
    n, m = grains.shape
    if i < n and j < m:
        total = grains[i, j] - 4 * (grains[i, j] // 4)
        if i > 0:
            total += grains[i - 1, j] // 4
        if i + 1 < n:
            total += grains[i + 1, j] // 4
        if j > 0:
            total += grains[i, j - 1] // 4
        if j + 1 < m:
            total += grains[i, j + 1] // 4
        out[i, j] = total


def test_a_sandpile_topples_until_it_rests(rng):
    grains = rng.integers(0, 8, (7, 6))
    a, b = cuda.to_device(grains), cuda.device_array_like(grains)
    expected = grains.copy()
    for _ in range(5):
        over_2d(sandpile, grains.shape, a, b)
        a, b = b, a
        fall = np.pad(expected // 4, 1)
        expected = (
            expected % 4 + fall[:-2, 1:-1] + fall[2:, 1:-1] + fall[1:-1, :-2] + fall[1:-1, 2:]
        )
    assert np.array_equal(a.copy_to_host(), expected)
