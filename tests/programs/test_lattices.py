"""Time steps on lattices, against NumPy."""

import numpy as np
import pytest

import warpwise as ww


@pytest.mark.parametrize(
    ("ctype", "dtype", "near"), [("float", np.float32, 1e-5), ("double", np.float64, 1e-13)]
)
def test_lattice_boltzmann(load, rng, ctype, dtype, near):
    run = load("lattices/lattice_boltzmann.cu")
    nx, ny, omega, force = 37, 21, 1.2, 1e-3
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]
    weight = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)[:, None, None]
    f = (weight * (1 + 0.1 * rng.random((9, ny, nx)))).astype(dtype)
    want = f.astype(np.float64)
    for _ in range(4):
        out = np.zeros_like(f)
        run(
            f"stream_and_collide<{ctype}>", ww.In(f), ww.Out(out), nx, ny, omega, force,
            grid=(5, 3), block=(8, 8),
        )  # fmt: skip
        f = out
        g = np.stack([np.roll(want[q], (cy[q], cx[q]), (0, 1)) for q in range(9)])
        for q in range(9):
            if cy[q]:
                edge = 0 if cy[q] > 0 else -1
                g[q, edge] = want[opposite[q], edge]
        rho = g.sum(0)
        ux = np.tensordot(cx, g, 1) / rho + force / omega
        uy = np.tensordot(cy, g, 1) / rho
        cu = 3 * (cx[:, None, None] * ux + cy[:, None, None] * uy)
        rest = weight * rho * (1 + cu + 0.5 * cu**2 - 1.5 * (ux**2 + uy**2))
        want = g + omega * (rest - g)
    assert np.allclose(f, want, atol=near)


def life(cells):
    alive = sum(
        np.roll(cells, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy
    )
    return ((alive == 3) | ((alive == 2) & (cells == 1))).astype(np.uint8)


def test_game_of_life_in_bytes(load, rng):
    run = load("lattices/life.cu")
    h, w = 45, 67
    cells = rng.integers(0, 2, (h, w), np.uint8)
    want = cells
    for _ in range(5):
        following = np.zeros_like(cells)
        run("life_bytes", ww.In(cells), ww.Out(following), w, h, grid=(5, 6), block=(16, 8))
        cells, want = following, life(want)
    assert np.array_equal(cells, want)


def test_game_of_life_in_bits(load, rng):
    run = load("lattices/life.cu")
    h, words = 29, 5
    cells = rng.integers(0, 2, (h, 32 * words), np.uint8)
    packed = np.packbits(cells, axis=1, bitorder="little").view(np.uint32)
    for _ in range(5):
        following = np.zeros_like(packed)
        run("life_bits", ww.In(packed), ww.Out(following), words, h, grid=(1, h), block=32)
        packed, cells = following, life(cells)
    assert np.array_equal(np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little"), cells)


def test_heat_in_three_dimensions(load, rng):
    nz, ny, nx = 9, 21, 35
    u, v = rng.random((nz, ny, nx), np.float32), np.zeros((nz, ny, nx), np.float32)
    load("lattices/heat.cu")(
        "heat_step<16, 8>", ww.In(u), ww.Out(v), nx, ny, nz, 0.1, grid=(3, 3), block=(16, 8)
    )
    w, inner = u.astype(np.float64), (slice(1, -1),) * 3
    around = sum(np.roll(w, step, axis) for axis in range(3) for step in (1, -1))
    want = w.copy()
    want[inner] += 0.1 * (around - 6 * w)[inner]
    assert np.allclose(v, want, atol=1e-5)


@pytest.mark.parametrize("steps", [1, 3])
def test_hotspot_pyramid(load, rng, steps):
    rows, cols, dt = 43, 39, 0.05
    cap, rx, ry, rz, ambient = 0.5, 2.0, 3.0, 40.0, 80.0
    power, now = rng.random((rows, cols), np.float32), 80 + rng.random((rows, cols), np.float32)
    material = np.array(
        (cap, rx, ry, rz, ambient), [(x, "f4") for x in ("cap", "rx", "ry", "rz", "ambient")]
    )
    after, keep = np.zeros_like(now), 16 - 2 * steps
    load("lattices/hotspot.cu")(
        "hotspot", steps, ww.In(power), ww.In(now), ww.Out(after), cols, rows, material, dt,
        grid=(-(-cols // keep), -(-rows // keep)), block=(16, 16),
    )  # fmt: skip
    want = now.astype(np.float64)
    for _ in range(steps):
        p = np.pad(want, 1, "edge")
        flow = power + (p[2:, 1:-1] + p[:-2, 1:-1] - 2 * want) / ry
        flow = flow + (p[1:-1, 2:] + p[1:-1, :-2] - 2 * want) / rx + (ambient - want) / rz
        want = want + dt / cap * flow
    assert np.allclose(after, want, rtol=1e-5)
