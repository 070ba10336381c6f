"""Prices of options: by formula, on a tree, and the volatility behind a price."""

import numpy as np
import scipy.stats

import warpwise as ww


def call_and_put(s, k, t, r, v):
    d1 = (np.log(s / k) + (r + v * v / 2) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    cdf, discount = scipy.stats.norm.cdf, np.exp(-r * t)
    call = s * cdf(d1) - k * discount * cdf(d2)
    return call, call - s + k * discount


def test_black_scholes(load, rng):
    n = 1002
    s, k, t = (rng.uniform(low, high, n) for low, high in ((5, 30), (1, 100), (0.25, 10)))
    s, k, t = (x.astype(np.float32) for x in (s, k, t))
    call, put = np.zeros((n // 2, 2), np.float32), np.zeros((n // 2, 2), np.float32)
    load("options_pricing/black_scholes.cu")(
        "BlackScholesGPU", ww.Out(call), ww.Out(put),
        *(ww.In(x.reshape(-1, 2)) for x in (s, k, t)), 0.02, 0.3, n, grid=4, block=128,
    )  # fmt: skip
    want = call_and_put(*(x.astype(np.float64) for x in (s, k, t)), 0.02, 0.3)
    np.testing.assert_allclose(call.ravel(), want[0], rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(put.ravel(), want[1], rtol=1e-4, atol=2e-4)


def test_greeks(load, rng):
    n, r, v = 301, 0.03, 0.25
    s, k, t = rng.uniform(50, 150, n), rng.uniform(50, 150, n), rng.uniform(0.1, 3, n)
    names = ("price", "delta", "gamma", "vega", "theta", "rho")
    out = np.zeros(n, [(name, np.float64) for name in names])
    load("options_pricing/black_scholes.cu")(
        "greeks", ww.In(s), ww.In(k), ww.In(t), r, v, n, ww.Out(out), grid=3, block=64
    )

    def price(s=s, t=t, r=r, v=v):
        return call_and_put(s, k, t, r, v)[0]

    h = 1e-4
    want = [
        price(),
        (price(s + h) - price(s - h)) / (2 * h),
        (price(s + 1e-2) - 2 * price() + price(s - 1e-2)) / 1e-4,
        (price(v=v + h) - price(v=v - h)) / (2 * h),
        -(price(t=t + h) - price(t=t - h)) / (2 * h),
        (price(r=r + h) - price(r=r - h)) / (2 * h),
    ]
    np.testing.assert_allclose(out["price"], want[0], rtol=1e-11, atol=1e-11)
    for name, values in zip(names, want):
        np.testing.assert_allclose(out[name], values, rtol=1e-3, atol=1e-4)


def test_binomial(load, rng):
    count, steps = 6, 131
    names = ("S", "X", "T", "R", "V")
    data = np.zeros(count, [*((name, np.float32) for name in names), ("american_put", np.int32)])
    for name, low, high in zip(names, (20, 20, 0.5, 0.01, 0.1), (40, 40, 3, 0.1, 0.5)):
        data[name] = rng.uniform(low, high, count)
    data["american_put"] = np.arange(count) % 2
    value = np.zeros(count, np.float32)
    load("options_pricing/binomial.cu")(
        "binomialOptions", ww.In(data), ww.Out(value), steps, grid=count, block=48
    )
    for row, got in zip(data, value):
        s, x, t, r, v = (float(row[name]) for name in names)
        dt = t / steps
        u = np.exp(v * np.sqrt(dt))
        p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)

        def price_at(level, s=s, u=u):
            return s * u ** (2.0 * np.arange(level + 1) - level)

        sign = -1 if row["american_put"] else 1
        tree = np.maximum(sign * (price_at(steps) - x), 0)
        for level in range(steps - 1, -1, -1):
            tree = np.exp(-r * dt) * (p * tree[1:] + (1 - p) * tree[:-1])
            if row["american_put"]:
                tree = np.maximum(tree, x - price_at(level))
        np.testing.assert_allclose(got, tree[0], rtol=1e-3, atol=1e-3)


def test_implied_volatility(load, rng):
    n = 131
    strike, volatility = rng.uniform(80, 120, n), rng.uniform(0.1, 0.9, n)
    price = call_and_put(100.0, strike, 0.75, 0.02, volatility)[0]
    got, rounds = np.zeros(n), np.zeros(n, np.int32)
    load("options_pricing/implied_volatility.cu")(
        "implied_volatility<double>", ww.In(price), ww.In(strike), 100.0, 0.02, 0.75, n,
        ww.Out(got), ww.Out(rounds), grid=3, block=64,
    )  # fmt: skip
    np.testing.assert_allclose(got, volatility, rtol=1e-8)
    assert (rounds < 60).all()
