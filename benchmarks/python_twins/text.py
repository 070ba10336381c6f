"""Strings of bytes: ciphers, searches, checksums, distances."""

from __future__ import annotations

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import int32, uint32

from .registry import Work, seeded, twin

BLOCK = 256


def letters(number: int, shape: int | tuple[int, int], last: int = 122) -> np.ndarray:
    return seeded(number).integers(97, last + 1, shape).astype(np.uint8)


def words(number: int, n: int) -> np.ndarray:
    """A text of capitals and small letters and blanks."""
    rng = seeded(number)
    choice = np.frombuffer(b"aeinrstTHE  ,.", np.uint8)
    return choice[rng.integers(0, len(choice), n)]


@cuda.jit
def caesar(text, shift, out):
    i = cuda.grid(1)
    if i < text.size:
        c = text[i]
        if ord("a") <= c <= ord("z"):
            out[i] = (c - 97 + shift) % 26 + 97
        elif 65 <= c <= 90:
            out[i] = (c - 65 + shift) % 26 + 65
        else:
            out[i] = c


@twin(caesar, cpu=4, gpu=256)
def caesar_work(scale: int) -> Work:
    text = words(80, scale << 18)
    return Work([text, 13, np.zeros_like(text)], text.size // BLOCK, BLOCK, (text.size,))


@cuda.jit
def upper(text, out):
    i = cuda.grid(1)
    if i < text.size:
        c = text[i]
        out[i] = c - 32 if 97 <= c <= 122 else c


@twin(upper, cpu=2)
def upper_work(scale: int) -> Work:
    text = words(81, scale << 22)
    return Work([text, np.zeros_like(text)], text.size // BLOCK, BLOCK, (text.size,))


@cuda.jit
def count_words(text, count):
    i = cuda.grid(1)
    if i < text.size:
        is_letter = text[i] != 32
        starts = is_letter and (i == 0 or text[i - 1] == 32)
        if starts:
            cuda.atomic.add(count, 0, 1)


@twin(count_words, cpu=4, gpu=16)
def count_words_work(scale: int) -> Work:
    text = words(82, scale << 21)
    return Work([text, np.zeros(1, np.int32)], text.size // BLOCK, BLOCK, (text.size,))


@cuda.jit
def find_all(text, pattern, found):
    i = cuda.grid(1)
    if i + pattern.size <= text.size:
        for j in range(pattern.size):
            if text[i + j] != pattern[j]:
                return
        found[i] = True


@twin(find_all, cpu=2)
def find_all_work(scale: int) -> Work:
    n = scale << 21
    text, pattern = letters(83, n, 98), np.frombuffer(b"abbab", np.uint8).copy()
    arguments = [text, pattern, np.zeros(n, np.bool_)]
    return Work(arguments, n // BLOCK, BLOCK, (n, pattern.size))


@cuda.jit
def crc32(rows, out):
    row = cuda.grid(1)
    if row < rows.shape[0]:
        crc = uint32(0xFFFFFFFF)
        for byte in rows[row]:
            crc ^= byte
            for _ in range(8):
                if crc & 1:
                    crc = uint32(crc >> 1) ^ uint32(0xEDB88320)
                else:
                    crc = uint32(crc >> 1)
        out[row] = ~crc


@twin(crc32, cpu=4, gpu=256)
def crc32_work(scale: int) -> Work:
    rows = letters(84, (4096 * scale, 32))
    arguments = [rows, np.zeros(len(rows), np.uint32)]
    return Work(arguments, len(rows) // 128, 128, rows.shape)


@cuda.jit
def edit_distances(words, target, out):
    i = cuda.grid(1)
    if i >= words.shape[0]:
        return
    row = cuda.local.array(17, int32)
    n, m = words.shape[1], target.size
    for j in range(m + 1):
        row[j] = j
    for a in range(1, n + 1):
        diagonal, row[0] = row[0], a
        for b in range(1, m + 1):
            cost = 0 if words[i, a - 1] == target[b - 1] else 1
            best = min(row[b] + 1, row[b - 1] + 1, diagonal + cost)
            diagonal = row[b]
            row[b] = best
    out[i] = row[m]


@twin(edit_distances, gpu=128)
def edit_distances_work(scale: int) -> Work:
    n = 4096 * scale
    arguments = [letters(85, (n, 16), 100), letters(86, 16, 100), np.zeros(n, np.int32)]
    return Work(arguments, n // 128, 128, (n, 16, 16))


@cuda.jit
def alignments(a, b, gap, out):
    best = cuda.shared.array((3, 65), int32)
    t = cuda.threadIdx.x
    pair = cuda.blockIdx.x
    n = a.shape[1]
    for k in range(3):
        best[k, t] = 0
        if t == 0:
            best[k, n] = 0
    cuda.syncthreads()
    for diagonal in range(2, 2 * n + 1):
        current, before, earlier = diagonal % 3, (diagonal - 1) % 3, (diagonal - 2) % 3
        i, j = t + 1, diagonal - t - 1
        if 1 <= j <= n:
            score = 2 if a[pair, i - 1] == b[pair, j - 1] else -1
            value = best[earlier, i - 1] + score
            value = max(value, best[before, i - 1] - gap, best[before, i] - gap)
            best[current, i] = max(value, 0)
        cuda.syncthreads()
    out[pair, t] = best[(2 * n) % 3, t + 1]


@twin(alignments, gpu=64)
def alignments_work(scale: int) -> Work:
    pairs = 128 * scale
    a, b = letters(87, (pairs, 64), 100), letters(88, (pairs, 64), 100)
    return Work([a, b, 1, np.zeros((pairs, 64), np.int32)], pairs, 64)
