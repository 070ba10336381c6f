"""Monte Carlo with the programs' own generators, replayed number by number in NumPy."""

import numpy as np

import warpwise as ww


def test_pi_lcg(load, rng):
    total, seed = 3001, int(rng.integers(0, 2**48))
    hits = np.zeros(1, np.uint32)
    load("monte_carlo/pi_lcg.cu")("count_hits", seed, 7, total, ww.InOut(hits), grid=7, block=64)
    state, numbers = seed, []
    for _ in range(2 * total):
        state = (state * 0x5DEECE66D + 0xB) % 2**48
        numbers.append(state / 2**48)
    points = np.array(numbers).reshape(total, 2)
    assert hits[0] == ((points**2).sum(1) < 1).sum()


def test_walk(load, rng):
    n, size, steps, seed = 101, 15, 60, int(rng.integers(0, 2**31))
    walkers = np.zeros(n, [("x", np.int16), ("y", np.int16), ("age", np.int32)])
    walkers["x"], walkers["y"] = rng.integers(0, size, (2, n))
    visits, want_visits = np.zeros((size, size), np.uint32), np.zeros((size, size), np.uint32)
    want = []
    for i, (x, y, age) in enumerate(walkers.tolist()):
        s = (seed + i) % 2**32
        s = (s ^ 61) ^ (s >> 16)
        s = s * 9 % 2**32
        s ^= s >> 4
        s = s * 0x27D4EB2D % 2**32
        s = (s ^ (s >> 15)) | 1
        while age < steps:
            s = (s ^ (s << 13)) % 2**32
            s ^= s >> 17
            s = (s ^ (s << 5)) % 2**32
            dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[s >> 30]
            x, y, age = x + dx, y + dy, age + 1
            if not (0 <= x < size and 0 <= y < size):
                break
            want_visits[y, x] += 1
        want.append((x, y, age))
    load("monte_carlo/walk.cu")(
        "walk", ww.InOut(walkers), n, size, steps, seed, ww.InOut(visits), grid=4, block=32
    )
    assert walkers.tolist() == want and np.array_equal(visits, want_visits)


def test_asian(load, rng):
    paths, steps = 77, 12
    names = ("spot", "strike", "rate", "volatility", "years")
    market = np.zeros((), [*((name, np.float32) for name in names), ("steps", np.int32)])
    for name, value in zip(names, (100.0, 95.0, 0.03, 0.25, 1.5)):
        market[name] = value
    market["steps"] = steps
    seeds = rng.integers(1, 2**31 - 1, paths).astype(np.int32)
    sums, first = np.zeros((paths, 2), np.float32), np.zeros(paths, np.float32)
    load("monte_carlo/asian.cu")(
        "asian_call", market[()], ww.In(seeds), paths, ww.Out(sums), ww.Out(first),
        grid=3, block=32,
    )  # fmt: skip
    state, uniforms = seeds.astype(np.int64), []
    for _ in range(steps):
        state = state * 16807 % (2**31 - 1)
        uniforms.append((state / (2**31 - 1)).astype(np.float32).astype(np.float64))
    r, angle = np.sqrt(-2 * np.log(uniforms[0::2])), 2 * np.pi * np.array(uniforms[1::2])
    z = np.stack([r * np.cos(angle), r * np.sin(angle)], 1).reshape(steps, paths)
    np.testing.assert_allclose(first, z[0], rtol=1e-4, atol=1e-5)
    dt = 1.5 / steps
    payoff = 0
    for sign in (1, -1):
        moves = (0.03 - 0.25**2 / 2) * dt + sign * 0.25 * np.sqrt(dt) * z
        mean = (100 * np.exp(np.cumsum(moves, 0))).mean(0)
        payoff = payoff + 0.5 * np.exp(-0.03 * 1.5) * np.maximum(mean - 95, 0)
    np.testing.assert_allclose(sums[:, 0], payoff, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(sums[:, 1], payoff**2, rtol=2e-3, atol=1e-2)
