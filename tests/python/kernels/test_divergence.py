"""Threads of one gang that go different ways."""

import numpy as np

import warpwise as ww


def test_a_value_of_the_column_reaches_rows_whose_first_row_went_elsewhere(run, rng):
    # One vector holds what all rows of a tile load; bytes have no gather, so lanes load one by one.
    table = rng.integers(1, 255, 16, dtype=np.uint8)
    out = np.zeros((16, 16), np.int32)
    run(
        """__global__ void kernel(const unsigned char *table, int *out) {
            int sum = 0;
            if (threadIdx.y != 0) sum = 2 * table[(threadIdx.x * 5) & 15];
            out[16 * threadIdx.y + threadIdx.x] = sum;
        }""",
        ww.In(table),
        ww.Out(out),
        block=(16, 16),
        options=["--warpwise-executor=gang"],
    )
    want = np.tile(2 * table[(5 * np.arange(16)) & 15].astype(np.int32), (16, 1))
    want[0] = 0
    assert np.array_equal(out, want)
