"""Particles and walkers, against NumPy."""

import numpy as np
import pytest

import warpwise as ww


@pytest.mark.parametrize(
    ("ctype", "dtype", "near"), [("float", np.float32, 1e-4), ("double", np.float64, 1e-7)]
)
def test_gravity(load, rng, ctype, dtype, near):
    run = load("particles/nbody.cu")
    n, dt = 151, 0.01
    run.module.get_global("softening2").copy_from(np.float32([0.01]))
    bodies, velocity = rng.random((n, 4)).astype(dtype), rng.random((n, 4)).astype(dtype)
    want_x, want_v = bodies.astype(np.float64), velocity.astype(np.float64)
    for _ in range(2):
        after = np.zeros_like(bodies)
        run(
            f"advance<{ctype}>", ww.Out(after), ww.In(bodies), ww.InOut(velocity), n, dt, grid=5,
            block=32, shared=32 * 4 * bodies.itemsize,
        )  # fmt: skip
        bodies = after
        apart = want_x[None, :, :3] - want_x[:, None, :3]
        pull = want_x[None, :, 3] * ((apart**2).sum(2) + np.float64(np.float32(0.01))) ** -1.5
        want_v[:, :3] += dt * (pull[..., None] * apart).sum(1)
        want_x[:, :3] += dt * want_v[:, :3]
    assert np.allclose(bodies, want_x, atol=near)
    assert np.allclose(velocity, want_v, rtol=10 * near, atol=10 * near)


def test_lennard_jones_with_cell_lists(load, rng):
    run = load("particles/cell_lists.cu")
    edge, side, cells, cutoff = 6, 9.0, 4, 2.25
    n = edge**3
    lattice = np.stack(np.mgrid[:edge, :edge, :edge], -1).reshape(-1, 3) * (side / edge)
    pos = ((lattice + rng.uniform(0.1, 0.5, (n, 3))) % side).astype(np.float32)
    box = np.array((side, cells, cutoff**2), [("side", "f4"), ("cells", "i4"), ("cutoff2", "f4")])
    head, following = np.full(cells**3, -1, np.int32), np.zeros(n, np.int32)
    run("fill_cells", ww.In(pos), n, box, ww.InOut(head), ww.Out(following), grid=3, block=32)
    force, energy = np.zeros_like(pos), np.zeros(1, np.float32)
    run(
        "forces", ww.In(pos), n, box, ww.In(head), ww.In(following), ww.Out(force),
        ww.InOut(energy), grid=4, block=64,
    )  # fmt: skip
    apart = pos.astype(np.float64)[:, None] - pos
    apart -= side * np.rint(apart / side)
    r2 = (apart**2).sum(2) + np.where(np.eye(n), np.inf, 0)
    inverse = np.where(r2 < cutoff**2, 1 / r2, 0)
    want = (24 * inverse * inverse**3 * (2 * inverse**3 - 1))[..., None] * apart
    scale = np.abs(want).sum(1)
    assert (np.abs(force - want.sum(1)) <= 1e-4 * scale + 1e-4).all()
    terms = 2 * inverse**3 * (inverse**3 - 1)
    assert np.isclose(energy[0], terms.sum(), atol=1e-4 * np.abs(terms).sum())


def test_random_walks(load, rng):
    run = load("particles/random_walks.cu")
    walkers, side, limit = 203, 21, 150
    seed = int(rng.integers(0, 2**63))
    visits, steps = np.zeros((side, side), np.int32), np.zeros(walkers, np.int32)
    last = np.zeros((walkers, 2), np.int32)
    run(
        "walk", walkers, side, limit, seed, ww.InOut(visits), ww.Out(steps), ww.Out(last), grid=4,
        block=64,
    )  # fmt: skip
    u64 = np.uint64
    inc = np.arange(walkers, dtype=u64) * u64(2) + u64(1)
    state = np.zeros(walkers, u64)

    def draw():
        nonlocal state
        old = state
        state = old * u64(6364136223846793005) + inc
        word = (((old >> u64(18)) ^ old) >> u64(27)).astype(np.uint32)
        turn = (old >> u64(59)).astype(np.uint32)
        return (word >> turn) | (word << ((32 - turn) & 31))

    draw()
    state = state + u64(seed)
    draw()
    at, alive = np.full((walkers, 2), side // 2), np.ones(walkers, bool)
    want_visits, want_steps = np.zeros_like(visits), np.zeros(walkers, int)
    moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    for _ in range(limit):
        move = moves[draw() >> 30]
        at[alive] += move[alive]
        want_steps += alive
        alive &= ((at >= 0) & (at < side)).all(1)
        np.add.at(want_visits, (at[alive, 1], at[alive, 0]), 1)
    assert np.array_equal(steps, want_steps)
    assert np.array_equal(last, at)
    assert np.array_equal(visits, want_visits)
