"""Loops whose body loads from a place that stays: it may be loaded before the loop, unless there is
no turn or the loop writes it."""

from __future__ import annotations

import numpy as np

import warpwise as ww

N = 300

LOOP = """
    extern "C" __global__ void kernel(const float *x, const float *w, float *y, int n, int m) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        float sum = 0;
        for (int j = 0; j < m; ++j) { %s }
        y[i] = sum;
    }"""


def ran(run, body, x, w, y, turns):
    full = ["--warpwise-tier=full"]
    run(LOOP % body, x, w, y, ww.int32(N), ww.int32(turns), grid=3, block=128, options=full)
    return y.get()


def test_a_load_before_the_loop(run, rng):
    x, w = rng.random(N, np.float32), rng.random(17, np.float32)
    got = ran(
        run, "sum = fmaxf(sum, w[j] * x[i]);", ww.In(x), ww.In(w), ww.zeros(N, np.float32), 17
    )
    np.testing.assert_array_equal(got, x * w.max())


def test_no_turn_reads_nothing(run):
    got = ran(run, "sum += w[j] * x[i];", None, None, ww.full(N, 7, np.float32), 0)
    assert not got.any()


def test_turns_of_some_threads_alone(run, rng):
    x, w = rng.random(N, np.float32), rng.random(N, np.float32)
    body = "if (j >= i) break; sum = fmaxf(sum, w[j] * x[i]);"
    got = ran(run, body, ww.In(x), ww.In(w), ww.zeros(N, np.float32), N)
    most = np.maximum.accumulate(np.concatenate([[np.float32(0)], w[:-1]]))
    np.testing.assert_array_equal(got, x * most)


def test_what_the_loop_writes_is_loaded_again(run):
    y = ww.ones(N, np.float32)
    got = ran(run, "sum = 2 * x[i]; y[i] = sum;", y, y, y, 10)
    np.testing.assert_array_equal(got, np.full(N, 1024, np.float32))


def test_inner_loops_with_and_without_turns(run, rng):
    x, w = rng.random(N, np.float32), rng.random(20, np.float32)
    body = "for (int k = j % 3; k < 2; ++k) sum = fmaxf(sum, w[j] * x[i] * (k + 1));"
    got = ran(run, body, ww.In(x), ww.In(w), ww.zeros(N, np.float32), 20)
    turns = np.arange(20) % 3 < 2
    expected = (w[turns, None] * x).max(axis=0) * np.float32(2)
    np.testing.assert_array_equal(got, expected)
