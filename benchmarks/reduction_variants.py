"""Which form of a column sum reaches the bandwidth of a copy: columns a thread reads at once, and
loads in flight. For GPUs; decides what src/codegen/emit/reduction.cpp emits.

The sums are those of the generated kernel, bit by bit: each column in batches of 8 rows, the parts
merged in order. Only how threads share the columns differs.

    ./dev bench reduction_variants [--side N]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import warpwise as ww
from arrays import copy_bandwidth, timed
from report import comparison

SOURCE = """
#define BATCH 8
// Part `blockIdx.y` of COLUMNS neighbouring columns a thread; BATCHES of 8 rows in flight.
template <int COLUMNS, int BATCHES>
__global__ void __launch_bounds__(256) part(const float *x, float *parts, int rows, int columns,
                                            int length) {
    struct alignas(4 * COLUMNS) Few { float of[COLUMNS]; };
    const int k = (blockIdx.x * blockDim.x + threadIdx.x) * COLUMNS;
    if (k >= columns) return;
    const int first = blockIdx.y * length;
    const int end = first + length < rows ? first + length : rows;
    float state[COLUMNS];
    for (int j = 0; j < COLUMNS; ++j) state[j] = 0;
    for (int base = first; base < end; base += BATCH * BATCHES) {
        Few loaded[BATCH * BATCHES];
#pragma unroll
        for (int i = 0; i < BATCH * BATCHES; ++i) {
            loaded[i] = *(const Few *)(x + (size_t)(base + i) * columns + k);
        }
#pragma unroll
        for (int b = 0; b < BATCHES; ++b) {
#pragma unroll
            for (int j = 0; j < COLUMNS; ++j) {
                float batch = 0;
#pragma unroll
                for (int i = 0; i < BATCH; ++i) {
                    batch = __fadd_rn(batch, loaded[b * BATCH + i].of[j]);
                }
                state[j] = __fadd_rn(state[j], batch);
            }
        }
    }
    for (int j = 0; j < COLUMNS; ++j) parts[(size_t)blockIdx.y * columns + k + j] = state[j];
}
__global__ void __launch_bounds__(256) merged(const float *parts, float *sums, int count,
                                              int columns) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= columns) return;
    float state = 0;
    for (int p = 0; p < count; ++p) state = __fadd_rn(state, parts[(size_t)p * columns + k]);
    sums[k] = state;
}
"""
FORMS = [(columns, batches) for columns in (1, 2, 4) for batches in (1, 2, 4)]
WIDTHS = (64, 128, 256)


def variant(
    module: Any, x: Any, columns: int, batches: int, width: int
) -> tuple[Any, dict[str, Any]]:
    """A turn, and where its result goes."""
    side = int(x.shape[0])
    tiles = (side + 255) // 256
    count = max(1, -(-1024 // tiles))
    length = max(-(-side // count), 64)
    count = -(-side // length)
    parts = ww.empty((count, side), dtype=ww.float32)
    sums = ww.empty(side, dtype=ww.float32)
    kernel = module.get_function(f"part<{columns}, {batches}>")
    merge = module.get_function("merged")
    grid = (-(-side // (width * columns)), count)

    def turn() -> None:
        kernel(x, parts, side, side, length, grid=grid, block=width)
        merge(parts, sums, count, side, grid=-(-side // 256), block=256)

    return turn, {"sums": sums, "length": length}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int)
    options = parser.parse_args()
    on_gpu = ww.Device().kind != "cpu"
    side = options.side or (1 << 14 if on_gpu else 1 << 11)
    x = ww.asarray(np.random.default_rng(3).random((side, side), np.float32))
    wait = ww.Device().synchronize
    copied = 4 * side * side / copy_bandwidth(side * side, wait)
    ours = timed(lambda: ww.evaluate(x.sum(axis=0)), wait)
    expected = x.sum(axis=0).get()
    comparison("generated", ours, {"a copy of its bytes": copied}, "a copy of its bytes")
    module = ww.SourceModule(SOURCE, name="reduction_variants.cu")
    for columns, batches in FORMS:
        for width in WIDTHS:
            turn, made = variant(module, x, columns, batches, width)
            turn()
            assert made["length"] % (8 * batches) == 0
            same = bool((made["sums"].get() == expected).all())
            name = f"{columns} columns a thread, {8 * batches} rows in flight, blocks of {width}"
            took = timed(turn, wait)
            comparison(
                name, took, {"a copy of its bytes": copied}, "a copy of its bytes", same=same
            )


if __name__ == "__main__":
    main()
