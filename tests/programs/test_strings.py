"""Search, alignment and coding of sequences, against plain Python."""

import heapq
import re

import numpy as np
import pytest

import warpwise as ww


def letters(rng, n, alphabet=b"ACGT"):
    return np.frombuffer(alphabet, np.uint8)[rng.integers(0, len(alphabet), n)]


@pytest.mark.parametrize("length", [1, 4, 9])
def test_search_of_one_pattern(load, rng, length):
    run = load("strings/search.cu")
    n = 3001
    text = letters(rng, n, b"ab").view(np.int8)
    at = int(rng.integers(0, n - length))
    pattern = text[at : at + length].copy()
    word = re.escape(pattern.tobytes())
    want = [m.start() for m in re.finditer(b"(?=" + word + b")", text.tobytes())]
    where, count = np.zeros(n, np.int32), np.zeros(1, np.int32)
    run(
        "search_naive", ww.In(text), n, ww.In(pattern), length, ww.Out(where), ww.InOut(count),
        grid=47, block=64,
    )  # fmt: skip
    assert sorted(where[: count[0]].tolist()) == want
    count[0] = 0
    run(
        "search_kmp", ww.In(text), n, ww.In(pattern), length, 50, ww.Out(where), ww.InOut(count),
        grid=2, block=32, shared=3 * length,
    )  # fmt: skip
    assert sorted(where[: count[0]].tolist()) == want


def trie(patterns):
    """(next state by state and symbol, pattern that ends in a state), -1 for none."""
    following, output = [[-1] * 4], [-1]
    for index, pattern in enumerate(patterns):
        state = 0
        for letter in pattern:
            symbol = b"ACGT".index(letter)
            if following[state][symbol] < 0:
                following[state][symbol] = len(following)
                following.append([-1] * 4)
                output.append(-1)
            state = following[state][symbol]
        output[state] = index
    return np.array(following, np.int16), np.array(output, np.int16)


def test_search_of_many_patterns(load, rng):
    run = load("strings/aho_corasick.cu")
    text = letters(rng, 2003, b"ACGTACGTN")
    patterns = {letters(rng, size).tobytes() for size in rng.integers(2, 8, 40)}
    patterns = sorted(patterns)
    following, output = trie(patterns)
    symbols = np.full(256, 4, np.uint8)
    symbols[list(b"ACGT")] = range(4)
    run.module.get_global("symbol_of").copy_from(symbols)
    match = np.zeros(text.size, np.int16)
    run(
        "pfac", ww.In(text), text.size, ww.In(following), ww.In(output), ww.Out(match), grid=32,
        block=64,
    )  # fmt: skip
    plain = text.tobytes()
    for i in range(text.size):
        starting = [k for k, pattern in enumerate(patterns) if plain.startswith(pattern, i)]
        assert match[i] == max(starting, key=lambda k: len(patterns[k]), default=-1)


def test_needleman_wunsch(load, rng):
    run = load("strings/alignment.cu")
    tiles, penalty = 4, 3
    n = 16 * tiles
    reference = rng.integers(-4, 8, (n + 1, n + 1)).astype(np.int32)
    score = np.zeros_like(reference)
    score[0], score[:, 0] = -penalty * np.arange(n + 1), -penalty * np.arange(n + 1)
    want = score.copy()
    for diagonal in range(2 * tiles - 1):
        run(
            "needle_diagonal", ww.In(reference), ww.InOut(score), n + 1, penalty, diagonal, tiles,
            grid=tiles - abs(diagonal - tiles + 1), block=16,
        )  # fmt: skip
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            want[i, j] = max(
                want[i - 1, j - 1] + reference[i, j],
                want[i, j - 1] - penalty,
                want[i - 1, j] - penalty,
            )
    assert np.array_equal(score, want)


@pytest.mark.parametrize(("n", "m"), [(45, 83), (83, 45), (1, 7)])
def test_smith_waterman_with_affine_gaps(load, rng, n, m):
    run = load("strings/alignment.cu")
    a, b = letters(rng, n), letters(rng, m)
    penalties = np.array((3, 2, 4, 1), [(x, "i2") for x in ("match", "mismatch", "open", "extend")])
    best = np.zeros(1, np.int32)
    run(
        "smith_waterman", ww.In(a.view(np.int8)), n, ww.In(b.view(np.int8)), m, penalties,
        ww.Out(best), block=32, shared=4 * 6 * (n + 1),
    )  # fmt: skip
    h, e, f = np.zeros((n + 1, m + 1)), *np.full((2, n + 1, m + 1), -1e4)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            e[i, j] = max(e[i, j - 1] - 1, h[i, j - 1] - 4)
            f[i, j] = max(f[i - 1, j] - 1, h[i - 1, j] - 4)
            same = 3 if a[i - 1] == b[j - 1] else -2
            h[i, j] = max(0, h[i - 1, j - 1] + same, e[i, j], f[i, j])
    assert best[0] == h.max()


@pytest.mark.parametrize(("ctype", "dtype"), [("unsigned char", np.uint8), ("int", np.int32)])
def test_run_lengths_there_and_back(load, rng, ctype, dtype):
    run = load("strings/run_lengths.cu")
    n = 1011
    data = np.repeat(rng.integers(0, 3, n), rng.integers(1, 7, n))[:n].astype(dtype)
    symbols, starts = np.zeros(n, dtype), np.zeros(n + 1, np.int32)
    runs, out = np.zeros(1, np.int32), np.zeros(n, dtype)
    run(
        f"rle_encode<{ctype}>", ww.In(data), n, ww.Out(symbols), ww.Out(starts), ww.Out(runs),
        block=256,
    )  # fmt: skip
    heads = np.flatnonzero(np.diff(data, prepend=data[0] + 1))
    assert starts[: runs[0] + 1].tolist() == [*heads, n]
    assert np.array_equal(symbols[: runs[0]], data[heads])
    run(
        f"rle_decode<{ctype}>", ww.In(symbols), ww.In(starts), int(runs[0]), ww.Out(out), grid=3,
        block=64,
    )  # fmt: skip
    assert np.array_equal(out, data)


def code_lengths(counts):
    """Huffman's lengths for the symbols that occur."""
    heap = [(count, symbol, (symbol,)) for symbol, count in enumerate(counts) if count]
    heapq.heapify(heap)
    lengths = dict.fromkeys((symbol for _, symbol, _ in heap), 0)
    while len(heap) > 1:
        (a, first, left), (b, _, right) = heapq.heappop(heap), heapq.heappop(heap)
        for symbol in left + right:
            lengths[symbol] += 1
        heapq.heappush(heap, (a + b, first, left + right))
    return lengths


TABLE = np.dtype(
    [("first_code", "u4", 17), ("first_index", "u4", 17), ("count", "u4", 17),
     ("symbols", "u1", 256)]
)  # fmt: skip


def huffman_code(data):
    """The canonical table, and the code of every symbol as a string of bits."""
    lengths = code_lengths(np.bincount(data, minlength=256).tolist())
    table, codes, code, last = np.zeros((), TABLE), {}, 0, 0
    for index, symbol in enumerate(sorted(lengths, key=lambda s: (lengths[s], s))):
        length = lengths[symbol]
        code <<= length - last
        if length != last:
            table["first_code"][length], table["first_index"][length] = code, index
        table["count"][length] += 1
        table["symbols"][index] = symbol
        codes[symbol] = format(code, f"0{length}b")
        code, last = code + 1, length
    return table, codes


@pytest.mark.parametrize("kernel", ["huffman_by_bits", "huffman_by_peek"])
def test_huffman_decoding(load, rng, kernel):
    run = load("strings/huffman.cu")
    n, per_block = 1501, 32
    data = np.minimum(rng.geometric(0.12, n), 60).astype(np.uint8)
    table, codes = huffman_code(data)
    sizes = np.array([len(codes[symbol]) for symbol in data.tolist()])
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1:per_block].astype(np.uint32)
    bits = "".join(codes[symbol] for symbol in data.tolist())
    bits += "0" * (64 - len(bits) % 32)
    words = np.array([int(bits[i : i + 32], 2) for i in range(0, len(bits), 32)], np.uint32)
    out = np.zeros(n, np.uint8)
    run(
        kernel, ww.In(words), ww.In(starts), starts.size,
        table if kernel == "huffman_by_bits" else ww.In(table.reshape(1)), ww.Out(out), per_block,
        n, grid=2, block=32,
    )  # fmt: skip
    assert np.array_equal(out, data)


def test_longest_match(load, rng):
    n = 401
    data = letters(rng, n)
    result = np.zeros((n, 2), np.uint8)
    load("strings/longest_match.cu")(
        "longest_match", ww.In(data), n, ww.Out(result), grid=101, block=128
    )
    plain = data.tobytes()
    for i in range(n):
        want = (0, 0)
        for back in range(1, min(i, 64) + 1):
            size = 0
            while size < 18 and i + size < n and plain[i + size] == plain[i - back + size]:
                size += 1
            if size > want[0]:
                want = (size, back)
        assert tuple(result[i]) == want
