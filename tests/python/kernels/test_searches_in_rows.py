"""Searches in rows of each thread's own length, which end with what was found or without it, run
one lane after the other: the values of both ends."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

SOURCE = """
__global__ void kernel(const int *first, const int *value, const int *table, int wanted, int *place,
                       int *steps, float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int e = first[i];
    float sum = 0;
    for (; e < first[i + 1]; ++e) {
        if (table[value[e]] == wanted) {
            place[i] = e;
            sums[i] = sum + 1;
            break;
        }
        sum += value[e];
    }
    steps[i] = e - first[i];
}
"""


@pytest.mark.parametrize("options", [[], ["--warpwise-block=128"], ["--warpwise-tier=quick"]])
def test_of_a_row_ends_where_something_is_found_or_with_the_row(run, options):
    random = np.random.default_rng(5)
    n = 1000
    lengths = random.integers(0, 12, n)
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    value = random.integers(0, 64, first[-1]).astype(np.int32)
    table = random.integers(0, 8, 64).astype(np.int32)
    place, steps, sums = np.full(n, -1, np.int32), np.zeros(n, np.int32), np.zeros(n, np.float32)
    run(
        SOURCE, ww.In(first), ww.In(value), ww.In(table), 3, ww.InOut(place), ww.InOut(steps),
        ww.InOut(sums), n, grid=-(-n // 128), block=128, options=options,
    )  # fmt: skip
    for i in range(n):
        row = value[first[i] : first[i + 1]]
        found = np.flatnonzero(table[row] == 3)
        at = found[0] if found.size else row.size
        assert steps[i] == at
        assert place[i] == (first[i] + at if found.size else -1)
        assert sums[i] == (row[:at].sum() + 1 if found.size else 0)
