"""The scans and the compaction that GPUs run: compiled by NVRTC, and run by the CPU device, which
needs no GPU."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
ELF = b"\x7fELF"
THREADS = 256
# As scan_layout.cpp has them.
ITEMS = {"int": 32, "float": 32, "double": 16, "__ww_complex<float>": 16, "__ww_complex<double>": 8}


def source(kind: str, previous: bool = False) -> str:
    store = "out[row * length + i] = item;"
    if previous:
        store = "out[row * length + i] = has ? before : __ww_cast<T>(-1);"
    return f"""
#include <warpwise_library_scan.h>
typedef {kind} T;
struct Load {{
    const T *in; long long length;
    __device__ T operator()(long long row, long long i) const {{ return in[row * length + i]; }}
}};
struct Store {{
    T *out; long long length;
    __device__ void operator()(
        long long row, long long i, const T &item, bool has, const T &before) const {{ {store} }}
}};
extern "C" __global__ void __launch_bounds__({THREADS}) scan(
    const T *in, T *out, long long length, long long tiles, long long rows, void *workspace) {{
    const Load load = {{in, length}};
    const Store store = {{out, length}};
    const __ww_scan_work work = {{length, tiles, rows, workspace}};
    __ww_scan<T, false, {THREADS}, {ITEMS[kind]}, {str(previous).lower()}>::run(
        work, load, store, __ww_joined_sum());
}}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_scans_compile_for_every_architecture(target: str) -> None:
    assert ww.compile(source("float"), target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("kind", ["double", "__ww_complex<double>"])
def test_scans_of_wide_values_compile(kind: str) -> None:
    assert ww.compile(source(kind, True), target="sm_90", format="cubin")[:4] == ELF


def scanned(kind: str, x: np.ndarray, previous: bool = False) -> np.ndarray:
    rows, length = x.shape
    tiles = -(-length // (THREADS * ITEMS[kind]))
    states = rows * (tiles + -(-tiles // 32) + -(-tiles // 1024))
    workspace = ww.zeros(16 + states * 24, dtype=np.uint8)
    out = ww.empty(x.shape, dtype=x.dtype)
    module = ww.SourceModule(source(kind, previous))
    module["scan"](
        ww.asarray(x), out, length, tiles, rows, workspace, grid=rows * tiles, block=THREADS
    )
    return out.get()


@pytest.mark.parametrize("kind", ["int", "double"])
@pytest.mark.parametrize(
    "shape",
    [(1, 1), (1, 31), (1, 8193), (3, 16385), (1, 8192 * 33 + 5), (2, 4096 * 70), (1, 8192 * 1100)],
)
def test_look_back_over_tiles_groups_and_groups_of_groups(
    rng: np.random.Generator, kind: str, shape: tuple[int, int]
) -> None:
    x = rng.integers(-50, 50, shape).astype({"int": np.int32, "double": np.float64}[kind])
    np.testing.assert_array_equal(scanned(kind, x), np.cumsum(x, axis=1, dtype=x.dtype))
    before = np.full(shape, -1, x.dtype)
    before[:, 1:] = np.cumsum(x, axis=1)[:, :-1]
    np.testing.assert_array_equal(scanned(kind, x, previous=True), before)


def test_the_same_bits_each_time(rng: np.random.Generator) -> None:
    x = rng.standard_normal((1, 8192 * 70 + 3)).astype(np.float32)
    seen = {scanned("float", x).tobytes() for _ in range(10)}
    assert len(seen) == 1
    np.testing.assert_allclose(
        np.frombuffer(seen.pop(), np.float32), np.cumsum(x[0], dtype=np.float64), atol=1e-2
    )


# Tiles that are summed ahead: small ones, so that few elements make many.
AHEAD_THREADS, STEPS, AHEAD = 64, 2, 3
AHEAD_TILE = {4: AHEAD_THREADS * 4 * STEPS, 8: AHEAD_THREADS * 2 * STEPS}
WHOLE = (512, 8, 192)  # as scan_layout.cpp has them


def summed_ahead(
    kinds: tuple[str, str, str], sizes: tuple[int, int, int] = (AHEAD_THREADS, STEPS, AHEAD)
) -> str:
    """Rows of the first kind, joined in the second, written as the third."""
    read, joined, written = kinds
    threads, steps, ahead = sizes
    return f"""
#include <warpwise_library_scan.h>
extern "C" __global__ void __launch_bounds__({threads}, 2) scan(
    const void *in, void *out, long long in_stride, long long out_stride, long long length,
    long long tiles, long long rows, void *workspace) {{
    const __ww_cumulative_load<{read}, {joined}, {joined}> load = {{
        (const __ww_memory<{read}>::type *)in, in_stride}};
    const __ww_cumulative_store<{written}, {joined}> store = {{
        (__ww_memory<{written}>::type *)out, out_stride}};
    const __ww_scan_work work = {{length, tiles, rows, workspace}};
    __ww_scan_ahead<{joined}, {threads}, {steps}, false, {ahead}>::run(
        work, load, store, __ww_joined_sum());
}}
"""


KINDS = {
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "long long": np.int64,
    "signed char": np.int8,
    "bool": np.bool_,
    "__ww_half": np.float16,
}
TRIPLES = [
    ("float", "float", "float"),
    ("double", "double", "double"),
    ("int", "long long", "long long"),
    ("signed char", "long long", "long long"),
    ("bool", "long long", "long long"),
    ("__ww_half", "float", "__ww_half"),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kinds", TRIPLES)
def test_tiles_summed_ahead_compile(target: str, kinds: tuple[str, str, str]) -> None:
    text = summed_ahead(kinds, WHOLE)
    assert ww.compile(text, target=target, format="cubin")[:4] == ELF


def scanned_ahead(
    kinds: tuple[str, str, str], x: np.ndarray, first: int = 0, in_place: bool = False
) -> np.ndarray:
    """Scans rows that start `first` elements behind a multiple of 16 bytes."""
    rows, length = x.shape
    stride = length + first
    tiles = -(-length // AHEAD_TILE[np.dtype(KINDS[kinds[1]]).itemsize])
    states = rows * (tiles + -(-tiles // 32) + -(-tiles // 1024))
    workspace = ww.zeros(16 + states * 24, dtype=np.uint8)
    laid = np.zeros((rows, stride), KINDS[kinds[0]])
    laid[:, first:] = x
    source = ww.asarray(laid)
    out = source if in_place else ww.zeros((rows, stride), dtype=KINDS[kinds[2]])
    rows_in, rows_out = source.reshape(-1)[first:], out.reshape(-1)[first:]
    ww.SourceModule(summed_ahead(kinds))["scan"](
        rows_in, rows_out, stride, stride, length, tiles, rows, workspace,
        grid=2 * (rows * tiles + AHEAD), block=AHEAD_THREADS,
    )  # fmt: skip
    result = out.get()
    assert in_place or not result[:, :first].any()
    return result[:, first:]


@pytest.mark.parametrize("kinds", TRIPLES)
@pytest.mark.parametrize("shape", [(1, 1), (1, 511), (3, 1024), (2, 512 * 35 + 5), (1, 512 * 1100)])
@pytest.mark.parametrize("first", [0, 1, 3])
def test_tiles_summed_ahead_are_scanned(
    rng: np.random.Generator, kinds: tuple[str, str, str], shape: tuple[int, int], first: int
) -> None:
    least = 0 if kinds[0] == "bool" else -1
    x = rng.integers(least, 2, shape).astype(KINDS[kinds[0]])
    wanted = np.cumsum(x, axis=1, dtype=KINDS[kinds[1]]).astype(KINDS[kinds[2]])
    np.testing.assert_array_equal(scanned_ahead(kinds, x, first), wanted)


def test_tiles_summed_ahead_in_place(rng: np.random.Generator) -> None:
    x = rng.integers(-9, 9, (2, 512 * 40 + 7)).astype(np.float32)
    result = scanned_ahead(("float",) * 3, x, in_place=True)
    np.testing.assert_array_equal(result, np.cumsum(x, axis=1))


def test_alignment_leaves_the_bits_of_tiles_summed_ahead(rng: np.random.Generator) -> None:
    x = rng.standard_normal((1, 512 * 70 + 3)).astype(np.float32)
    seen = {scanned_ahead(("float",) * 3, x, first).tobytes() for first in (0, 0, 1, 2)}
    assert len(seen) == 1


# As compaction.cpp has them.
COMPACTED_THREADS, GROUPS = 128, 2
COMPACTED_TILE = COMPACTED_THREADS * 32 * GROUPS
WRITTEN = {
    "items": "const __ww_written_item<T> written = {(const T *)values};",
    "places": "const __ww_written_place written = {};",
}


def compaction(kind: str, index: str, written: str) -> str:
    return f"""
#include <warpwise_library_scan.h>
typedef {kind} T;
extern "C" __global__ void __launch_bounds__({COMPACTED_THREADS}) compact(
    const void *mask, const void *values, void *out, long long length, long long tiles,
    void *workspace) {{
    {WRITTEN[written]}
    const __ww_scan_work work = {{length, tiles, 1, workspace}};
    __ww_compact_blocks<{index}, {COMPACTED_THREADS}, {GROUPS}>(work, mask, written, out);
}}
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["unsigned char", "double", "__ww_both_words"])
def test_compaction_compiles_for_every_architecture(target: str, kind: str) -> None:
    for index in ("int", "long long"):
        for written in WRITTEN:
            text = compaction(kind, index, written)
            assert ww.compile(text, target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("index", ["int", "long long"])
@pytest.mark.parametrize("length", [1, 33, 8192, 8193, 100_003, 8192 * 33 + 7])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_what_a_mask_selects_comes_in_order(
    rng: np.random.Generator, index: str, length: int, share: float
) -> None:
    # Any byte but 0 is true.
    mask = np.where(rng.random(length) < share, rng.integers(1, 256, length), 0).astype(np.uint8)
    tiles = -(-length // COMPACTED_TILE)
    for written, kind in (("items", "float"), ("places", "float")):
        values = rng.random(length, np.float32)
        selected = np.flatnonzero(mask) if written == "places" else values[mask != 0]
        out = ww.zeros(len(selected) + 1, dtype=selected.dtype)
        workspace = ww.zeros(
            16 + (tiles + -(-tiles // 32) + -(-tiles // 1024)) * 12, dtype=np.uint8
        )
        ww.SourceModule(compaction(kind, index, written))["compact"](
            ww.asarray(mask), ww.asarray(values), out, length, tiles, workspace,
            grid=tiles, block=COMPACTED_THREADS,
        )  # fmt: skip
        np.testing.assert_array_equal(out.get()[:-1], selected)
        assert out.get()[-1] == 0
