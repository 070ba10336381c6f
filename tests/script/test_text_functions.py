"""Strings of bytes and dynamic programming."""

from __future__ import annotations

import binascii
import difflib
import zlib

import numpy as np
import pytest
from launching import over

from warpwise import cuda
from warpwise.cuda.types import int32, int64, uint8, uint32

TEXT = b"The quick brown fox jumps over the lazy dog, and the dog sleeps; THE END. 0123456789"


def bytes_of(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8).copy()


@cuda.jit
def rotate(text, shift, out):
    i = cuda.grid(1)
    if i < text.size:
        c = text[i]
        if ord("a") <= c <= ord("z"):
            out[i] = (c - 97 + shift) % 26 + 97
        elif 65 <= c <= 90:
            out[i] = (c - 65 + shift) % 26 + 65
        else:
            out[i] = c


def test_caesars_cipher():
    import codecs

    out = np.empty(len(TEXT), np.uint8)
    over(rotate, len(TEXT), bytes_of(TEXT), 13, out)
    assert out.tobytes() == codecs.encode(TEXT.decode(), "rot13").encode()


@cuda.jit
def upper(text):
    i = cuda.grid(1)
    if i < text.size and 97 <= text[i] <= 122:
        text[i] -= 32


def test_upper_case():
    text = bytes_of(TEXT)
    over(upper, text.size, text)
    assert text.tobytes() == TEXT.upper()


@cuda.jit
def count_words(text, count):
    i = cuda.grid(1)
    if i < text.size:
        is_letter = text[i] != 32
        starts = is_letter and (i == 0 or text[i - 1] == 32)
        if starts:
            cuda.atomic.add(count, 0, 1)


def test_counting_words():
    count = np.zeros(1, np.int32)
    over(count_words, len(TEXT), bytes_of(TEXT), count)
    assert count[0] == len(TEXT.split())


@cuda.jit
def find_all(text, pattern, found):
    i = cuda.grid(1)
    if i + pattern.size <= text.size:
        for j in range(pattern.size):
            if text[i + j] != pattern[j]:
                return
        found[i] = True


def test_finding_a_pattern():
    found = np.zeros(len(TEXT), np.bool_)
    over(find_all, len(TEXT), bytes_of(TEXT), bytes_of(b"the"), found)
    expected = [i for i in range(len(TEXT)) if TEXT.startswith(b"the", i)]
    assert np.flatnonzero(found).tolist() == expected


@cuda.jit
def kmp(text, pattern, row_length, counts):
    row = cuda.grid(1)
    if row >= counts.size:
        return
    fail = cuda.local.array(16, int32)
    fail[0] = 0
    k = 0
    for i in range(1, pattern.size):
        while k > 0 and pattern[k] != pattern[i]:
            k = fail[k - 1]
        if pattern[k] == pattern[i]:
            k += 1
        fail[i] = k
    k, count = 0, 0
    for i in range(row * row_length, (row + 1) * row_length):
        while k > 0 and (k == pattern.size or pattern[k] != text[i]):
            k = fail[k - 1]
        if pattern[k] == text[i]:
            k += 1
        if k == pattern.size:
            count += 1
    counts[row] = count


def test_knuth_morris_pratt(rng):
    text = rng.integers(97, 99, 400).astype(np.uint8)
    counts = np.zeros(10, np.int64)
    over(kmp, 10, text, bytes_of(b"aba"), 40, counts)
    rows = [text[i : i + 40].tobytes() for i in range(0, 400, 40)]
    assert counts.tolist() == [sum(r.startswith(b"aba", i) for i in range(40)) for r in rows]


@cuda.jit
def palindromes(words, out):
    i = cuda.grid(1)
    if i < words.shape[0]:
        n = words.shape[1]
        out[i] = True
        for j in range(n // 2):
            if words[i, j] != words[i, -1 - j]:
                out[i] = False
                break


def test_palindromes(rng):
    words = rng.integers(97, 99, (80, 5)).astype(np.uint8)
    out = np.empty(80, np.bool_)
    over(palindromes, 80, words, out)
    assert np.array_equal(out, (words == words[:, ::-1]).all(axis=1))


@cuda.jit
def parse_integers(text, starts, out):
    i = cuda.grid(1)
    if i < starts.size:
        at, sign, value = starts[i], 1, 0
        if text[at] == 45:
            sign = -1
            at += 1
        while at < text.size and 48 <= text[at] <= 57:
            value = 10 * value + (text[at] - 48)
            at += 1
        out[i] = sign * value


def test_parsing_integers(rng):
    numbers = rng.integers(-(10**9), 10**9, 40)
    words = [str(v).encode() for v in numbers]
    starts = np.cumsum([0] + [len(w) + 1 for w in words[:-1]])
    out = np.empty(40, np.int64)
    over(parse_integers, 40, bytes_of(b" ".join(words)), starts, out)
    assert np.array_equal(out, numbers)


@cuda.jit
def hexadecimal(data, out):
    digits = cuda.const.array_like(HEX_DIGITS)
    i = cuda.grid(1)
    if i < data.size:
        out[2 * i] = digits[data[i] >> 4]
        out[2 * i + 1] = digits[data[i] & 15]


HEX_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)


def test_hexadecimal_digits(rng):
    data = rng.integers(0, 256, 50).astype(np.uint8)
    out = np.empty(100, np.uint8)
    over(hexadecimal, 50, data, out)
    assert out.tobytes() == data.tobytes().hex().encode()


@cuda.jit
def base64(data, alphabet, out):
    i = cuda.grid(1)
    if 3 * i < data.size:
        bits = (int32(data[3 * i]) << 16) | (int32(data[3 * i + 1]) << 8) | data[3 * i + 2]
        for j in range(4):
            out[4 * i + j] = alphabet[(bits >> (18 - 6 * j)) & 63]


def test_base64(rng):
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    data = rng.integers(0, 256, 60).astype(np.uint8)
    out = np.empty(80, np.uint8)
    over(base64, 20, data, bytes_of(letters), out)
    assert out.tobytes() == binascii.b2a_base64(data.tobytes(), newline=False)


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


def test_checksums_crc32(rng):
    rows = rng.integers(0, 256, (20, 33)).astype(np.uint8)
    out = np.empty(20, np.uint32)
    over(crc32, 20, rows, out)
    assert out.tolist() == [zlib.crc32(row.tobytes()) for row in rows]


@cuda.jit
def adler32(rows, out):
    row = cuda.grid(1)
    if row < rows.shape[0]:
        a, b = 1, 0
        for byte in rows[row]:
            a = (a + byte) % 65521
            b = (b + a) % 65521
        out[row] = (b << 16) | a


def test_checksums_adler32(rng):
    rows = rng.integers(0, 256, (20, 70)).astype(np.uint8)
    out = np.empty(20, np.int64)
    over(adler32, 20, rows, out)
    assert out.tolist() == [zlib.adler32(row.tobytes()) for row in rows]


@cuda.jit
def fnv1a(rows, out):
    row = cuda.grid(1)
    if row < rows.shape[0]:
        value = uint32(2166136261)
        for byte in rows[row]:
            value = uint32((value ^ byte) * uint32(16777619))
        out[row] = value


def test_hashes_fnv(rng):
    rows = rng.integers(0, 256, (30, 17)).astype(np.uint8)
    out = np.empty(30, np.uint32)
    over(fnv1a, 30, rows, out)

    def fnv(row):
        value = 2166136261
        for byte in row.tolist():
            value = (value ^ byte) * 16777619 % 2**32
        return value

    assert out.tolist() == [fnv(row) for row in rows]


@cuda.jit
def run_lengths(text, lengths):
    i = cuda.grid(1)
    if i < text.size and (i == 0 or text[i] != text[i - 1]):
        j = i
        while j < text.size and text[j] == text[i]:
            j += 1
        lengths[i] = j - i


def test_run_lengths(rng):
    import itertools

    text = rng.integers(97, 99, 120).astype(np.uint8)
    lengths = np.zeros(120, np.int64)
    over(run_lengths, 120, text, lengths)
    expected = [len(list(group)) for _, group in itertools.groupby(text.tolist())]
    assert lengths[lengths > 0].tolist() == expected


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


def levenshtein(a: bytes, b: bytes) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        old, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            old, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, old + (x != y))
    return row[-1]


def test_edit_distances(rng):
    words = rng.integers(97, 100, (40, 9)).astype(np.uint8)
    target = rng.integers(97, 100, 11).astype(np.uint8)
    out = np.empty(40, np.int64)
    over(edit_distances, 40, words, target, out)
    assert out.tolist() == [levenshtein(w.tobytes(), target.tobytes()) for w in words]


@cuda.jit
def longest_common_subsequence(a, b, table):
    t = cuda.threadIdx.x
    for wave in range(a.size + b.size - 1):
        i, j = t, wave - t
        if i < a.size and 0 <= j < b.size:
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
        cuda.syncthreads()


def test_longest_common_subsequences(rng):
    a, b = rng.integers(97, 101, 25).astype(np.uint8), rng.integers(97, 101, 30).astype(np.uint8)
    table = np.zeros((26, 31), np.int32)
    longest_common_subsequence[1, 32](a, b, table)
    expected = np.zeros((26, 31), int)
    for i in range(25):
        for j in range(30):
            longest = max(expected[i, j + 1], expected[i + 1, j])
            expected[i + 1, j + 1] = expected[i, j] + 1 if a[i] == b[j] else longest
    assert np.array_equal(table, expected)
    matcher = difflib.SequenceMatcher(None, a.tobytes(), b.tobytes())
    assert table[-1, -1] >= sum(block.size for block in matcher.get_matching_blocks())


@cuda.jit
def knapsack(weights, values, table):
    t = cuda.threadIdx.x
    for item in range(weights.size):
        for capacity in range(t, table.shape[1], cuda.blockDim.x):
            best = table[item, capacity]
            if weights[item] <= capacity:
                best = max(best, table[item, capacity - weights[item]] + values[item])
            table[item + 1, capacity] = best
        cuda.syncthreads()


def test_the_knapsack(rng):
    weights, values = rng.integers(1, 12, 10), rng.integers(1, 50, 10)
    table = np.zeros((11, 41), np.int64)
    knapsack[1, 16](weights, values, table)
    best = 0
    for chosen in range(1024):
        picked = [i for i in range(10) if chosen >> i & 1]
        if weights[picked].sum() <= 40:
            best = max(best, values[picked].sum())
    assert table[-1, -1] == best


@cuda.jit
def coin_change(amounts, coins, out):
    i = cuda.grid(1)
    if i < amounts.size:
        ways = cuda.local.array(64, int64)
        for a in range(64):
            ways[a] = 0
        ways[0] = 1
        for coin in coins:
            for a in range(coin, amounts[i] + 1):
                ways[a] += ways[a - coin]
        out[i] = ways[amounts[i]]


def test_coin_change():
    amounts, coins = np.arange(64), np.array([1, 2, 5, 10, 20, 50])
    out = np.empty(64, np.int64)
    over(coin_change, 64, amounts, coins, out)
    expected = np.array([1] + [0] * 63)
    for coin in coins:
        for a in range(coin, 64):
            expected[a] += expected[a - coin]
    assert np.array_equal(out, expected)


@cuda.jit
def best_runs(rows, out):
    row = cuda.grid(1)
    if row < rows.shape[0]:
        best = current = rows[row, 0]
        for j in range(1, rows.shape[1]):
            current = max(rows[row, j], current + rows[row, j])
            best = max(best, current)
        out[row] = best


def test_best_sums_of_runs(rng):
    rows = rng.integers(-20, 20, (25, 12))
    out = np.empty(25, np.int64)
    over(best_runs, 25, rows, out)
    assert out.tolist() == [
        max(row[i:j].sum() for i in range(12) for j in range(i + 1, 13)) for row in rows
    ]


@cuda.jit
def longest_increasing(rows, out):
    row = cuda.grid(1)
    if row < rows.shape[0]:
        lengths = cuda.local.array(20, int32)
        best = 0
        for i in range(rows.shape[1]):
            lengths[i] = 1
            for j in range(i):
                if rows[row, j] < rows[row, i]:
                    lengths[i] = max(lengths[i], lengths[j] + 1)
            best = max(best, lengths[i])
        out[row] = best


def test_longest_increasing_subsequences(rng):
    import bisect

    rows = rng.integers(0, 100, (30, 20))
    out = np.empty(30, np.int64)
    over(longest_increasing, 30, rows, out)

    def length(row):
        tails = []
        for v in row.tolist():
            at = bisect.bisect_left(tails, v)
            tails[at : at + 1] = [v]
        return len(tails)

    assert out.tolist() == [length(row) for row in rows]


@cuda.jit
def align(a, b, scores):
    t = cuda.threadIdx.x
    n, m = a.size, b.size
    for d in range(2, n + m + 1):
        i = t + 1
        j = d - i
        if i <= n and 1 <= j <= m:
            same = scores[i - 1, j - 1] + (2 if a[i - 1] == b[j - 1] else -1)
            gap = max(scores[i - 1, j], scores[i, j - 1]) - 2
            scores[i, j] = max(0, same, gap)
        cuda.syncthreads()


def test_local_alignment(rng):
    a, b = rng.integers(0, 4, 20).astype(np.int8), rng.integers(0, 4, 28).astype(np.int8)
    scores = np.zeros((21, 29), np.int32)
    align[1, 32](a, b, scores)
    expected = np.zeros((21, 29), int)
    for i in range(1, 21):
        for j in range(1, 29):
            same = expected[i - 1, j - 1] + (2 if a[i - 1] == b[j - 1] else -1)
            expected[i, j] = max(0, same, expected[i - 1, j] - 2, expected[i, j - 1] - 2)
    assert np.array_equal(scores, expected)


@cuda.jit
def vowels(text, out):
    i = cuda.grid(1)
    if i < text.size:
        out[i] = text[i] in (97, 101, 105, 111, 117)


def test_membership_in_a_tuple():
    out = np.empty(len(TEXT), np.bool_)
    over(vowels, len(TEXT), bytes_of(TEXT), out)
    assert out.tolist() == [c in b"aeiou" for c in TEXT]


@cuda.jit
def hamming(a, b, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        distance = 0
        for j in range(a.shape[1]):
            distance += cuda.popc(uint8(a[i, j] ^ b[i, j]))
        out[i] = distance


@pytest.mark.parametrize("length", [1, 9])
def test_hamming_distances(rng, length):
    a, b = rng.integers(0, 256, (2, 25, length)).astype(np.uint8)
    out = np.empty(25, np.int32)
    over(hamming, 25, a, b, out)
    assert np.array_equal(out, np.bitwise_count(a ^ b).sum(axis=1))
