"""Sorts, prefix sums and reductions of structs within blocks."""

from __future__ import annotations

import numpy as np
from contestants import Memory, zeros
from works import Array, Work

from .registry import random, work


@work("bitonic sort of 1024, unsigned")
def bitonic() -> Work:
    n = 1 << 20
    keys = Memory(np.random.default_rng(21).integers(0, 1 << 32, n, dtype=np.uint32))
    out = zeros(n, np.uint32)
    return Work(
        "bitonic",
        "bitonic",
        None,
        (n // 1024,),
        (512,),
        [keys, out],
        out,
        lambda: np.sort(keys.array.reshape(-1, 1024), axis=1).ravel(),
        "sort_by_network",
        [keys, out, np.int64(n)],
        tolerance=0,
        cpp_also=("sort_by_library",),
    )


@work("Blelloch scan of 512")
def tree_scan() -> Work:
    n = 1 << 22
    values = Memory(np.random.default_rng(22).integers(-99, 99, n, dtype=np.int32))
    out = zeros(n, np.int32)

    def expected() -> Array:
        parts = values.array.reshape(-1, 512)
        return (np.cumsum(parts, axis=1) - parts).ravel()

    return Work(
        "tree_scan",
        "tree_scan",
        None,
        (n // 512,),
        (256,),
        [values, out],
        out,
        expected,
        "scan_parts",
        [values, out, np.int64(n)],
        tolerance=0,
    )


@work("least and its place, structs, size_t")
def least() -> Work:
    n, blocks = 1 << 24, 256
    values, out = Memory(random(23, n)), zeros((blocks, 2), np.int32)

    def expected() -> Array:
        runs = values.array.reshape(-1, blocks, 256).transpose(1, 0, 2).reshape(blocks, -1)
        at = runs.argmin(axis=1)
        place = (at // 256 * blocks + np.arange(blocks)) * 256 + at % 256
        lowest = values.array[place].view(np.int32)
        return np.stack([lowest, place.astype(np.int32)], axis=1)

    return Work(
        "least_of_blocks",
        "least_of_blocks",
        None,
        (blocks,),
        (256,),
        [values, out, n],
        out,
        expected,
        "least_of_blocks",
        [values, out, np.int64(n), blocks],
        tolerance=0,
    )


@work("histogram of words, unsigned")
def histogram() -> Work:
    words = 1 << 23
    data = Memory(np.random.default_rng(24).integers(0, 1 << 32, words, dtype=np.uint32))
    bins = zeros(256, np.uint32)
    return Work(
        "histogram_of_words",
        "histogram_of_words",
        None,
        (64,),
        (256,),
        [data, bins, words],
        bins,
        lambda: np.bincount(data.array.view(np.uint8), minlength=256),
        "histogram_of_words",
        [data, bins, np.int64(words)],
        reset=[bins],
        tolerance=0,
    )
