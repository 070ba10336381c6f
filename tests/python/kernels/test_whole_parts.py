"""Whole parts of floating-point numbers with 64 bits, used behind comparisons."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

N = 1024
EDGES = [0.0, -0.5, -1.0, 0.99, 1.0, 62.9, 63.0, 63.99, 64.0, 64.5, 255.0, 2.0**31 - 1, 2.0**31]
EDGES += [2.0**31 + 1, 2.0**32, 2.0**32 + 5, 2.0**33 + 63, 2.0**40 + 3, 2.0**62, 2.0**63, 2.0**70]


def edges() -> list[float]:
    return EDGES + [-one for one in EDGES] + [np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("type_", ["float", "double"])
@pytest.mark.parametrize(
    "condition",
    [
        "0 <= at && at < 64",
        "at >= 0 && at <= 2147483646",
        "0 <= at && at < 64 && at != 3",
        "(unsigned long long)at < 2147483647ull",
        "0 <= at && at < 4294967296ll",
        "at > -5 && at < 64",
        "at == 63",
        "at < -2147483647ll",
        "at > 2147483646",
        "(unsigned long long)at > 2147483646ull",
    ],
)
def test_comparisons_and_uses(rng, type_, condition):
    dtype = np.float32 if type_ == "float" else np.float64
    x = np.concatenate([edges(), rng.uniform(-100, 100, N - len(edges()))]).astype(dtype)
    rng.shuffle(x)
    source = f"""
        extern "C" __global__ void k(const {type_} *x, long long *out) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            long long at = (long long)x[i];
            long long result = -7;
            if ({condition}) result = USE;
            out[i] = result;
        }}"""
    for use in ("at + 1", "at & 15", "at < 7 ? at : 3 * at"):
        results = []
        for skipped in ([], ["--warpwise-skip-pass=narrow-conversions"]):
            options = ["--warpwise-tier=full", *skipped]
            module = ww.SourceModule(source.replace("USE", use), options=options)
            out = ww.zeros(N, np.int64)
            module["k"](ww.asarray(x), out, grid=N // 128, block=128)
            results.append(out.get())
        np.testing.assert_array_equal(*results)
    small = (x >= 0) & (x < 64)
    if condition == "0 <= at && at < 64":
        expected = np.where((x > -1) & (x < 64), np.trunc(np.where(small, x, 0)), -7)
        at = expected.astype(np.int64)
        at = np.where(at < 0, at, np.where(at < 7, at, 3 * at))
        np.testing.assert_array_equal(results[0], at)
