"""Stencils: relaxations, heat, waves, finite differences, Life."""

import numpy as np
import pytest

import warpwise as ww


def test_jacobi(load, rng):
    ny, nx = 45, 67
    u, f = (rng.standard_normal((ny, nx)).astype(np.float32) for _ in range(2))
    new, change = np.zeros_like(u), np.zeros(1, np.int32)
    program = load("stencils/jacobi.cu")
    program(
        "jacobi_step", ww.In(u), ww.Out(new), ww.In(f), 0.01, nx, ny, grid=(5, 6), block=(16, 8)
    )
    want = u.copy()
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    want[1:-1, 1:-1] = 0.25 * (around - np.float32(0.01) * f[1:-1, 1:-1])
    np.testing.assert_allclose(new, want, rtol=1e-5, atol=1e-6)
    program("largest_change", ww.In(u), ww.In(new), u.size, ww.InOut(change), grid=3, block=100)
    assert change.view(np.float32)[0] == np.abs(u - new).max()


def test_heat3d(load, rng):
    nz, ny, nx = 9, 21, 37
    u = rng.standard_normal((nz, ny, nx))
    out = u.copy()
    load("stencils/heat3d.cu")(
        "heat3d<16, 8>", ww.In(u), ww.InOut(out), nx, ny, nz, 0.1, grid=(3, 3), block=(16, 8)
    )
    want, c = u.copy(), u[1:-1, 1:-1, 1:-1]
    around = u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
    around = around + u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1]
    want[1:-1, 1:-1, 1:-1] = c + 0.1 * (around - 6 * c)
    np.testing.assert_allclose(out, want, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("n", [1, 127, 128, 129, 1001])
def test_halo1d(load, rng, n):
    x, out = rng.integers(-99, 99, n).astype(np.int32), np.zeros(n, np.int32)
    load("stencils/halo1d.cu")("stencil_1d", ww.In(x), ww.Out(out), n, grid=-(-n // 128), block=128)
    assert np.array_equal(out, np.convolve(np.pad(x, 7), np.ones(15, np.int64), "valid"))


def test_wave2d(load, rng):
    h, w = 41, 53
    prev, cur = (rng.standard_normal((h, w)).astype(np.float32) for _ in range(2))
    damp = rng.random((h, w), np.float32)
    out = np.zeros_like(cur)
    load("stencils/wave2d.cu")(
        "wave_step", ww.In(prev), ww.In(cur), ww.Out(out), ww.In(damp), w, h, 0.3,
        grid=(4, 3), block=(16, 16),
    )  # fmt: skip
    c = np.pad(cur.astype(np.float64), 2, mode="edge")
    weights = {-2: -1, -1: 16, 0: -30, 1: 16, 2: -1}
    lap = sum(
        v * (c[2 + d : 2 + d + h, 2 : 2 + w] + c[2 : 2 + h, 2 + d : 2 + d + w])
        for d, v in weights.items()
    )
    want = damp * (2.0 * cur - prev + np.float32(0.3) * lap / 12)
    np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("radius", [1, 4])
def test_fd3d_constant(load, rng, radius):
    nz, ny, nx = 13, 19, 35
    u = rng.standard_normal((nz, ny, nx)).astype(np.float32)
    weight = rng.standard_normal(radius + 1).astype(np.float32)
    out = np.zeros_like(u)
    program = load("stencils/fd3d_constant.cu", f"-DRADIUS={radius}")
    program.module.get_global("c_weight").copy_from(weight)
    program("fd3d", ww.InOut(out), ww.In(u), nx, ny, nz, grid=(3, 5), block=(16, 4))
    v, r = u.astype(np.float64), radius
    inner = (slice(r, -r),) * 3
    want = np.zeros_like(v)
    want[inner] = weight[0] * v[inner]
    for k in range(1, r + 1):
        for axis in range(3):
            want[inner] += weight[k] * (np.roll(v, k, axis) + np.roll(v, -k, axis))[inner]
    np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-4)


def test_life(load, rng):
    h, w = 43, 61
    world = rng.integers(0, 2, (h, w)).astype(np.uint8)
    out = np.zeros_like(world)
    load("stencils/life.cu")("simpleLifeKernel", ww.In(world), w, h, ww.Out(out), grid=5, block=96)
    around = sum(
        np.roll(world, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx
    )
    assert np.array_equal(out, (around == 3) | ((around == 2) & (world == 1)))


def test_red_black(load, rng):
    n = 29
    u, f = (rng.standard_normal((n + 2, n + 2)) for _ in range(2))
    got, want = u.copy(), u.copy()
    program = load("stencils/red_black.cu")
    row, col = np.mgrid[: n + 2, : n + 2]
    inside = (row >= 1) & (row <= n) & (col >= 1) & (col <= n)
    for colour, name in enumerate(("RED", "BLACK")):
        program(
            f"sor<{name}, double>", ww.InOut(got), ww.In(f), n, 0.02, 1.5,
            grid=(2, 8), block=(8, 4),
        )  # fmt: skip
        gs = np.zeros_like(u)
        gs[1:-1, 1:-1] = want[1:-1, :-2] + want[1:-1, 2:] + want[:-2, 1:-1] + want[2:, 1:-1]
        gs = (gs - 0.02 * f) / 4
        chosen = inside & ((row + col) % 2 == colour)
        want[chosen] += 1.5 * (gs - want)[chosen]
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


def arrival(a, b, c, slowness):
    a, b, c = np.sort([a, b, c], axis=0)
    one = a + slowness
    two = 0.5 * (a + b + np.sqrt(np.maximum(2 * slowness**2 - (a - b) ** 2, 0)))
    total, squares = a + b + c, a * a + b * b + c * c - slowness**2
    three = (total + np.sqrt(np.maximum(total * total - 3 * squares, 0))) / 3
    return np.where(one <= b, one, np.where(two <= c, two, three))


def test_eikonal(load, rng):
    nz, ny, nx, turns = 2, 3, 4, 3
    shape = (nz, ny, nx, 4, 4, 4)
    slowness, before = 0.1 + rng.random(shape), 5 * rng.random(shape)
    is_open = rng.random(shape) < 0.8
    active = rng.permutation(nz * ny * nx)[:17].astype(np.uint32)
    after, is_settled = before.copy(), np.zeros(shape, np.bool_)
    load("stencils/eikonal.cu")(
        "relax", ww.In(slowness), ww.In(is_open), ww.In(before), ww.InOut(after),
        ww.InOut(is_settled), ww.In(active), active.size, nx, ny, nz, turns,
        grid=(6, 3), block=(4, 4, 4),
    )  # fmt: skip
    cells = np.pad(before.transpose(0, 3, 1, 4, 2, 5).reshape(4 * nz, 4 * ny, 4 * nx), 1, "edge")
    want, want_settled = before.copy(), np.zeros(shape, np.bool_)
    for block in active:
        z, y, x = place = np.unravel_index(block, shape[:3])
        s = cells[4 * z : 4 * z + 6, 4 * y : 4 * y + 6, 4 * x : 4 * x + 6].copy()
        inner, now = s[1:-1, 1:-1, 1:-1], before[place]
        for _ in range(turns):
            along = [
                np.minimum(np.roll(s, 1, axis), np.roll(s, -1, axis))[1:-1, 1:-1, 1:-1]
                for axis in range(3)
            ]
            now = np.minimum(now, arrival(*along, slowness[place]))
            inner[...] = np.where(is_open[place], now, inner)
        want[place], want_settled[place] = inner, np.abs(before[place] - now) < 1e-9
    np.testing.assert_allclose(after, want, rtol=1e-12)
    np.testing.assert_array_equal(is_settled, want_settled)
