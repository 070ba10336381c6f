"""Monte Carlo and finance."""

from __future__ import annotations

import math

import numpy as np
from launching import over

from warpwise import cuda
from warpwise.cuda.random import (
    create_xoroshiro128p_states,
    xoroshiro128p_normal_float64,
    xoroshiro128p_uniform_float32,
    xoroshiro128p_uniform_float64,
)
from warpwise.cuda.types import float64, int32, uint64

RSQRT2PI = 0.39894228040143267794


@cuda.jit(device=True)
def normal_distribution(d):
    a1, a2, a3, a4, a5 = 0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429
    k = 1.0 / (1.0 + 0.2316419 * math.fabs(d))
    value = RSQRT2PI * math.exp(-0.5 * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))))
    if d > 0:
        value = 1.0 - value
    return value


@cuda.jit
def black_scholes(call, put, price, strike, years, rate, volatility):
    i = cuda.grid(1)
    if i >= price.size:
        return
    root = math.sqrt(years[i])
    d1 = (math.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (
        volatility * root
    )
    d2 = d1 - volatility * root
    n1, n2 = normal_distribution(d1), normal_distribution(d2)
    discount = math.exp(-rate * years[i])
    call[i] = price[i] * n1 - strike[i] * discount * n2
    put[i] = strike[i] * discount * (1.0 - n2) - price[i] * (1.0 - n1)


def exact_call(s, k, t, r, v):
    def phi(d):
        return 0.5 * math.erfc(-d / math.sqrt(2))

    d1 = (math.log(s / k) + (r + v * v / 2) * t) / (v * math.sqrt(t))
    return s * phi(d1) - k * math.exp(-r * t) * phi(d1 - v * math.sqrt(t))


def test_black_scholes(rng):
    price, strike, years = (
        5 + 25 * rng.random(200),
        1 + 99 * rng.random(200),
        0.25 + 9 * rng.random(200),
    )
    call, put = np.empty((2, 200))
    over(black_scholes, 200, call, put, price, strike, years, 0.02, 0.3)
    expected = [exact_call(*args, 0.02, 0.3) for args in zip(price, strike, years)]
    np.testing.assert_allclose(call, expected, atol=1e-5)
    np.testing.assert_allclose(call - put, price - strike * np.exp(-0.02 * years), atol=1e-9)


@cuda.jit
def implied_volatility(price, strike, target, out):
    i = cuda.grid(1)
    if i < price.size:
        low, high = 0.001, 3.0
        while high - low > 1e-10:
            v = 0.5 * (low + high)
            d1 = (math.log(price[i] / strike[i]) + 0.5 * v * v) / v
            call = price[i] * 0.5 * math.erfc(-d1 / math.sqrt(2.0))
            call -= strike[i] * 0.5 * math.erfc(-(d1 - v) / math.sqrt(2.0))
            if call < target[i]:
                low = v
            else:
                high = v
        out[i] = low


def test_implied_volatilities(rng):
    price, strike, v = 90 + 20 * rng.random(60), 80 + 40 * rng.random(60), 0.2 + rng.random(60)
    target = np.array([exact_call(s, k, 1.0, 0.0, w) for s, k, w in zip(price, strike, v)])
    out = np.empty(60)
    over(implied_volatility, 60, price, strike, target, out)
    np.testing.assert_allclose(out, v, rtol=1e-6)


@cuda.jit
def binomial_tree(price, strike, rate, volatility, steps, out):
    i = cuda.grid(1)
    if i >= price.size:
        return
    values = cuda.local.array(65, float64)
    dt = 1.0 / steps
    up = math.exp(volatility * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1 / up) / (up - 1 / up)
    discount = math.exp(-rate * dt)
    for j in range(steps + 1):
        values[j] = max(strike - price[i] * up ** (2 * j - steps), 0.0)
    for step in range(steps - 1, -1, -1):
        for j in range(step + 1):
            held = discount * (p * values[j + 1] + (1 - p) * values[j])
            values[j] = max(held, strike - price[i] * up ** (2 * j - step))
    out[i] = values[0]


def test_american_puts_by_trees(rng):
    price = 80 + 40 * rng.random(20)
    out = np.empty(20)
    over(binomial_tree, 20, price, 100.0, 0.05, 0.3, 40, out)
    dt = 1 / 40
    up = math.exp(0.3 * math.sqrt(dt))
    p = (math.exp(0.05 * dt) - 1 / up) / (up - 1 / up)
    for s, found in zip(price, out):
        values = np.maximum(100 - s * up ** np.arange(-40.0, 41, 2), 0)
        for step in range(39, -1, -1):
            held = math.exp(-0.05 * dt) * (p * values[1:] + (1 - p) * values[:-1])
            values = np.maximum(held, 100 - s * up ** np.arange(-float(step), step + 1, 2))
        assert math.isclose(found, values[0], rel_tol=1e-9)


@cuda.jit
def bond_yields(price, coupon, years, out):
    i = cuda.grid(1)
    if i < price.size:
        y = 0.05
        for _ in range(50):
            value, slope = 0.0, 0.0
            for t in range(1, years[i] + 1):
                flow = coupon[i] + (100.0 if t == years[i] else 0.0)
                value += flow * (1 + y) ** -t
                slope -= t * flow * (1 + y) ** (-t - 1)
            step = (value - price[i]) / slope
            y -= step
            if abs(step) < 1e-13:
                break
        out[i] = y


def test_bond_yields_by_newton(rng):
    y, coupon, years = 0.01 + 0.1 * rng.random(40), 1 + 5 * rng.random(40), rng.integers(1, 20, 40)
    price = np.array([
        sum(c * (1 + r) ** -t for t in range(1, n + 1)) + 100 * (1 + r) ** -float(n)
        for r, c, n in zip(y, coupon, years.tolist())
    ])  # fmt: skip
    out = np.empty(40)
    over(bond_yields, 40, price, coupon, years, out)
    np.testing.assert_allclose(out, y, rtol=1e-9)


@cuda.jit
def circle_hits(states, draws, hits):
    i = cuda.grid(1)
    if i < hits.size:
        inside = 0
        for _ in range(draws):
            x = xoroshiro128p_uniform_float32(states, i)
            y = xoroshiro128p_uniform_float32(states, i)
            if x * x + y * y <= 1.0:
                inside += 1
        hits[i] = inside


def test_pi_by_random_points():
    states = create_xoroshiro128p_states(128, seed=3)
    hits = np.zeros(128, np.int32)
    over(circle_hits, 128, states, 200, hits)
    assert abs(4 * hits.sum() / (128 * 200) - math.pi) < 0.05


MASK = 2**64 - 1


def xoroshiro(s0: int, s1: int) -> tuple[int, int, int]:
    result = (s0 + s1) & MASK
    s1 ^= s0
    turned = (s0 << 55 | s0 >> 9) & MASK
    return result, turned ^ s1 ^ (s1 << 14) & MASK, (s1 << 36 | s1 >> 28) & MASK


@cuda.jit
def draw(states, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        for j in range(out.shape[1]):
            out[i, j] = xoroshiro128p_uniform_float64(states, i)


def test_random_numbers_are_xoroshiros():
    states = create_xoroshiro128p_states(5, seed=1234, subsequence_start=2)
    before = states.copy_to_host()
    out = np.empty((5, 7))
    over(draw, 5, states, out)
    for row, state in zip(out, before):
        s0, s1 = int(state["s0"]), int(state["s1"])
        for value in row:
            result, s0, s1 = xoroshiro(s0, s1)
            assert value == (result >> 11) / 2**53


@cuda.jit
def walk(states, steps, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0.0
        for _ in range(steps):
            total += xoroshiro128p_normal_float64(states, i)
        out[i] = total


def test_random_walks():
    states = create_xoroshiro128p_states(400, seed=9)
    out = np.empty(400)
    over(walk, 400, states, 25, out)
    assert abs(out.mean()) < 1.2 and 4.2 < out.std() < 5.8


@cuda.jit
def lcg_asian_option(seeds, steps, drift, sigma, out):
    i = cuda.grid(1)
    if i < seeds.size:
        state = seeds[i]
        price, total = 100.0, 0.0
        for _ in range(steps):
            state = state * uint64(6364136223846793005) + uint64(1442695040888963407)
            u = float64(state >> uint64(11)) / 9007199254740992.0
            price *= math.exp(drift + sigma * (2 * u - 1))
            total += price
        out[i] = max(total / steps - 100.0, 0.0)


def test_asian_options(rng):
    seeds = rng.integers(0, 2**63, 80).astype(np.uint64)
    out = np.empty(80)
    over(lcg_asian_option, 80, seeds, 12, 0.001, 0.1, out)
    for seed, found in zip(seeds.tolist(), out):
        price, total = 100.0, 0.0
        for _ in range(12):
            seed = (seed * 6364136223846793005 + 1442695040888963407) & MASK
            price *= math.exp(0.001 + 0.1 * (2 * ((seed >> 11) / 2**53) - 1))
            total += price
        assert math.isclose(found, max(total / 12 - 100, 0), rel_tol=1e-9, abs_tol=1e-9)


@cuda.jit
def ising(spins, uniform, beta, colour):
    j, i = cuda.grid(2)
    n, m = spins.shape
    if i < n and j < m and (i + j) % 2 == colour:
        around = spins[i - 1, j] + spins[(i + 1) % n, j] + spins[i, j - 1] + spins[i, (j + 1) % m]
        energy = 2 * spins[i, j] * around
        if energy <= 0 or uniform[i, j] < math.exp(-beta * energy):
            spins[i, j] = -spins[i, j]


def test_a_metropolis_step_of_the_ising_model(rng):
    spins = rng.choice(np.array([-1, 1], np.int32), (10, 12))
    uniform = rng.random((10, 12))
    expected = spins.copy()
    ising[(2, 2), (8, 8)](spins, uniform, 0.4, 0)
    around = sum(np.roll(expected, d, a) for d in (-1, 1) for a in (0, 1))
    energy = 2 * expected * around
    flips = (np.add.outer(np.arange(10), np.arange(12)) % 2 == 0) & (
        uniform < np.exp(-0.4 * energy)
    )
    assert np.array_equal(spins, np.where(flips, -expected, expected))


@cuda.jit
def rejection(uniform, out, counts):
    i = cuda.grid(1)
    if i < out.size:
        tries = int32(0)
        for k in range(uniform.shape[1] // 2):
            x, y = 2 * uniform[i, 2 * k] - 1, 2 * uniform[i, 2 * k + 1] - 1
            tries += 1
            s = x * x + y * y
            if 0 < s < 1:
                out[i] = x * math.sqrt(-2 * math.log(s) / s)
                break
        counts[i] = tries


def test_normal_numbers_by_the_polar_method(rng):
    uniform = rng.random((100, 24))
    out, counts = np.zeros(100), np.zeros(100, np.int32)
    over(rejection, 100, uniform, out, counts)
    for row, value, count in zip(uniform, out, counts):
        pairs = 2 * row.reshape(-1, 2) - 1
        s = (pairs**2).sum(axis=1)
        k = int(np.argmax((s > 0) & (s < 1)))
        assert count == k + 1
        assert math.isclose(
            value, pairs[k, 0] * math.sqrt(-2 * math.log(s[k]) / s[k]), rel_tol=1e-12
        )


@cuda.jit
def drawdowns(paths, out):
    i = cuda.grid(1)
    if i < paths.shape[0]:
        peak, worst = paths[i, 0], 0.0
        for price in paths[i]:
            peak = max(peak, price)
            worst = max(worst, 1 - price / peak)
        out[i] = worst


def test_the_deepest_drawdown(rng):
    paths = np.exp(rng.normal(scale=0.1, size=(30, 50)).cumsum(axis=1))
    out = np.empty(30)
    over(drawdowns, 30, paths, out)
    peaks = np.maximum.accumulate(paths, axis=1)
    np.testing.assert_allclose(out, (1 - paths / peaks).max(axis=1), rtol=1e-12)
