"""Indices that were read, and count from the end where they are negative."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import warpwise as ww

N = 1000
SIGNS = {
    "none": lambda rng: np.ones(N, bool),
    "all": lambda rng: np.zeros(N, bool),
    "some": lambda rng: rng.random(N) < 0.5,
    "one": lambda rng: np.arange(N) != 417,
}


def indices(rng, sign, dtype):
    at = rng.integers(0, N, N)
    return np.where(SIGNS[sign](rng), at, at - N).astype(dtype)


def ran(source, *arguments, size=N):
    kernel = ww.SourceModule(source, options=["--warpwise-tier=full"])["k"]
    kernel(*arguments, ww.int64(N), grid=-(-size // 128), block=128)
    return [one.get() for one in arguments]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(("dtype", "type_name"), [(np.int32, "int"), (np.int64, "long long")])
def test_an_element_of_each_thread(rng, sign, dtype, type_name):
    x, index = rng.random(N), indices(rng, sign, dtype)
    out, copies = ww.zeros(N), ww.zeros(N)
    source = f"""
        extern "C" __global__ void k(const double *x, const {type_name} *index, double *out,
                                     double *copies, long long n) {{
            long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            long long at = index[i];
            out[i] = x[at < 0 ? at + n : at] + x[(at < 0 ? n : 0) + at];
            copies[at < 0 ? at + n : at] = at;
        }}"""
    ran(source, ww.asarray(x), ww.asarray(index), out, copies)
    np.testing.assert_array_equal(out.get(), 2 * x[index])
    written = copies.get()
    for place in np.unique(index % N):
        assert written[place] in index[index % N == place]


@pytest.mark.parametrize("sign", SIGNS)
def test_rows_of_a_sparse_matrix(rng, sign):
    starts = np.sort(rng.integers(0, N, N + 1)).astype(np.int32)
    columns, x = indices(rng, sign, np.int32), rng.random(N)
    counts = rng.integers(1, 9, N + 7).astype(np.int32)
    out = ww.zeros(N)
    source = """
        extern "C" __global__ void k(const int *starts, const int *columns, const double *x,
                                     const int *counts, double *out, long long n) {
            long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            double total = 0;
            for (long long e = starts[i]; e < starts[i + 1]; ++e) {
                long long at = columns[e];
                total += x[at < 0 ? at + n : at] / counts[at < 0 ? at + n + 7 : at];
            }
            out[i] = total;
        }"""
    ran(source, ww.asarray(starts), ww.asarray(columns), ww.asarray(x), ww.asarray(counts), out)
    expected = [
        sum((x[at] / counts[at] for at in columns[first:last]), start=0.0)
        for first, last in pairwise(starts)
    ]
    np.testing.assert_allclose(out.get(), expected, rtol=1e-12)
