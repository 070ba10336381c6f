"""Hashes, alignments, hash tables, searches and transforms in shared memory."""

from __future__ import annotations

import hashlib

import numpy as np
from contestants import Memory, zeros
from works import BLOCK, Array, Work, blocks_for

from .registry import random, work


@work("SHA-256, local array, unsigned")
def sha256() -> Work:
    n = 1 << 18
    words = np.arange(8, dtype=np.uint32)
    shared, digest = Memory(words), zeros((8, n), np.uint32)

    def expected() -> Array:
        head = words.astype(">u4").tobytes()
        own = np.arange(n, dtype=">u4").tobytes()
        whole = [hashlib.sha256(head + own[4 * i : 4 * i + 4]).digest() for i in range(n)]
        return np.frombuffer(b"".join(whole), ">u4").reshape(n, 8).T.astype(np.uint32)

    return Work(
        "sha256",
        "sha256",
        None,
        blocks_for(n),
        (BLOCK,),
        [shared, digest, n],
        digest,
        expected,
        "sha256",
        tolerance=0,
        cpp_also=("sha256_one",),
    )


@work("Needleman-Wunsch by diagonals")
def align() -> Work:
    pairs, length, match, mismatch, gap = 2048, 128, 2, -1, -2
    draw = np.random.default_rng(81)
    a, b = (Memory(draw.integers(65, 69, (pairs, length), dtype=np.int8)) for _ in range(2))
    score = zeros(pairs, np.int32)

    def expected() -> Array:
        rows = np.zeros((length + 1, pairs), np.int32)
        rows += np.arange(length + 1, dtype=np.int32)[:, None] * gap
        for i in range(length):
            above, rows = rows, np.empty_like(rows)
            rows[0] = (i + 1) * gap
            for j in range(length):
                same = np.where(a.array[:, i] == b.array[:, j], match, mismatch)
                sides = np.maximum(above[j + 1], rows[j]) + gap
                rows[j + 1] = np.maximum(above[j] + same, sides)
        return rows[length]

    return Work(
        "align",
        "align",
        None,
        (pairs,),
        (length,),
        [a, b, score, match, mismatch, gap],
        score,
        expected,
        "align",
        [a, b, score, match, mismatch, gap, pairs],
        tolerance=0,
        cpp_also=("align_by_rows",),
    )


@work("hash table, look-ups, unsigned")
def look_up() -> Work:
    n, slots = 1 << 20, 1 << 19
    draw = np.random.default_rng(82)
    known = draw.choice(np.arange(1, 1 << 24, dtype=np.uint32), slots // 2, replace=False)
    keys, values = zeros(slots, np.uint32), zeros(slots, np.uint32)
    left = known
    place = (left * np.uint32(2654435761)) >> 7 & (slots - 1)
    while len(left):
        free = keys.array[place] == 0
        keys.array[place[free]] = left[free]  # of several for one slot the last one has it
        lost = keys.array[place] != left
        left, place = left[lost], (place[lost] + 1) & (slots - 1)
    values.array[...] = keys.array ^ 0x5A5A5A5A
    queries = draw.integers(1, 1 << 24, n, dtype=np.uint32)
    queries[::2] = draw.choice(known, n // 2)
    asked, found = Memory(queries), zeros(n, np.uint32)

    return Work(
        "look_up",
        "look_up",
        None,
        blocks_for(n),
        (BLOCK,),
        [keys, values, slots - 1, asked, found, n],
        found,
        lambda: np.where(np.isin(queries, known), queries ^ 0x5A5A5A5A, 0),
        "look_up",
        tolerance=0,
    )


@work("string search, size_t")
def search() -> Work:
    length, word = 1 << 24, b"abacab"
    text = Memory(np.random.default_rng(83).integers(97, 100, length, dtype=np.uint8))
    pattern, count = Memory(np.frombuffer(word, np.uint8)), zeros(1, np.uint32)

    def expected() -> Array:
        windows = np.lib.stride_tricks.sliding_window_view(text.array, len(word))
        same = np.ones(len(windows), bool)
        for k, letter in enumerate(word):
            same &= windows[:, k] == letter
        return np.array([same.sum()])

    return Work(
        "search",
        "search",
        None,
        blocks_for(length),
        (BLOCK,),
        [text, length, pattern, len(word), count],
        count,
        expected,
        "search",
        [text, np.int64(length), pattern, len(word), count],
        reset=[count],
        tolerance=0,
        cpp_also=("search_scalar",),
    )


@work("FFT of 1024, radix 2, shared")
def fft() -> Work:
    transforms = 2048
    values = random(84, (transforms, 1024, 2), -1, 1)
    angles = -2 * np.pi * np.arange(512) / 1024
    roots = Memory(np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32))
    x, z = Memory(values), zeros((transforms, 1024, 2))

    def expected() -> Array:
        wide = values.astype(np.float64)
        result = np.fft.fft(wide[..., 0] + 1j * wide[..., 1])
        return np.stack([result.real, result.imag], axis=2)

    return Work(
        "fft_1024",
        "fft_1024",
        None,
        (transforms,),
        (512,),
        [x, z, roots],
        z,
        expected,
        "fft_1024",
        [x, z, roots, transforms],
    )
