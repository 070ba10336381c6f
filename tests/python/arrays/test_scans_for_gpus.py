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
