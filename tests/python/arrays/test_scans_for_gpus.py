"""The scans that GPUs run: compiled by NVRTC, and run by the CPU device, which needs no GPU."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
ELF = b"\x7fELF"
THREADS = 256
# As scan_layout.cpp has them.
ITEMS = {"int": 16, "float": 16, "double": 8, "__ww_complex<float>": 8, "__ww_complex<double>": 4}


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
    [(1, 1), (1, 31), (1, 4097), (3, 8193), (1, 4096 * 33 + 5), (2, 2048 * 70), (1, 4096 * 1100)],
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
    x = rng.standard_normal((1, 4096 * 70 + 3)).astype(np.float32)
    seen = {scanned("float", x).tobytes() for _ in range(10)}
    assert len(seen) == 1
    np.testing.assert_allclose(
        np.frombuffer(seen.pop(), np.float32), np.cumsum(x[0], dtype=np.float64), atol=1e-2
    )
