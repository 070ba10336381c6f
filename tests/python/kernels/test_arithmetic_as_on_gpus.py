"""Conversions, shifts, bit fields, division, minima and rounded arithmetic, bit for bit as an H200
computed them (tests/golden/arithmetic): on every executor and processor level, for values that
differ between threads and for values that all threads share."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import warpwise as ww

TABLE = Path(__file__).resolve().parents[2] / "golden" / "arithmetic"
sys.path.insert(0, str(TABLE))

import operations  # noqa: E402

BY_NAME = {operation.name: operation for operation in operations.OPERATIONS}
PER_MODULE = 24
BLOCK = 64
WARP = 32
GROUPS = [
    operations.OPERATIONS[i : i + PER_MODULE]
    for i in range(0, len(operations.OPERATIONS), PER_MODULE)
]


@functools.cache
def recorded() -> dict[str, np.ndarray]:
    with np.load(TABLE / "results.npz") as results:
        return dict(results)


def as_numbers(kind: str, bits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bits with every NaN's replaced by zero, and where NaNs are: their payloads are free."""
    halves = {"f16": (0x7C00, 16), "bf16": (0x7F80, 16), "h2": (0x7C00, 32), "bf2": (0x7F80, 32)}
    if kind in halves:
        infinity, width = halves[kind]
        lanes = bits.view(np.uint16) if width == 32 else bits
        is_nan = (lanes & 0x7FFF) > infinity
        return np.where(is_nan, 0, lanes), is_nan
    if kind in operations.FLOATS:
        is_nan = np.isnan(bits)
        return np.where(is_nan, 0, bits.view(f"u{bits.itemsize}")), is_nan
    return bits, np.zeros(bits.shape, bool)


def differences(operation: operations.Operation, got: np.ndarray) -> str:
    """The first operands for which the device answers otherwise than the GPU did; else nothing."""
    expected = recorded()[operation.name]
    mine, my_nans = as_numbers(operation.result, got)
    theirs, their_nans = as_numbers(operation.result, expected)
    wrong = ((mine != theirs) | (my_nans != their_nans)).reshape(len(got), -1).any(axis=1)
    if not wrong.any():
        return ""
    shown = np.flatnonzero(wrong)[:4]
    columns = operations.operands(operation)
    cases = [
        f"({', '.join(str(c[i]) for c in columns)}) -> {got[i]}, GPU {expected[i]}" for i in shown
    ]
    return f"{operation.name}: {wrong.sum()} of {len(wrong)} differ: {'; '.join(cases)}"


def launch(kernel: ww.Kernel, operation: operations.Operation, grid: int, block: int) -> np.ndarray:
    columns = operations.operands(operation)
    result = np.zeros(len(columns[0]), operations.STORED[operation.result])
    kernel(*map(ww.In, columns), ww.Out(result), len(result), grid=grid, block=block)
    return result


def source_of(group: tuple[operations.Operation, ...]) -> str:
    rows = (operations.kernel(operation, i) for i, operation in enumerate(group))
    return operations.PRELUDE + "".join(rows)


@pytest.mark.parametrize("executor", ["auto", "reference"])
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0].name)
def test_values_that_differ_between_threads(group, executor):
    options = [] if executor == "auto" else [f"--warpwise-executor={executor}"]
    module = ww.SourceModule(source_of(group), options=["-fmad=false", *options])
    found = []
    for i, operation in enumerate(group):
        count = len(operations.operands(operation)[0])
        got = launch(module[f"k{i}"], operation, (count + BLOCK - 1) // BLOCK, BLOCK)
        found.append(differences(operation, got))
    assert not [text for text in found if text], "\n".join(filter(None, found))


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0].name)
def test_values_that_all_threads_of_a_block_share(group):
    options = ["-fmad=false", "-DELEMENT=blockIdx.x"]
    module = ww.SourceModule(source_of(group), options=options)
    found = []
    for i, operation in enumerate(group):
        got = launch(module[f"k{i}"], operation, len(operations.operands(operation)[0]), WARP)
        found.append(differences(operation, got))
    assert not [text for text in found if text], "\n".join(filter(None, found))


@pytest.mark.cpu_only("NVRTC leaves shifts by constants of the width and more undefined")
def test_counts_that_the_compiler_sees_shift_as_others_do():
    source = """__global__ void kernel(int *r, long long *s, int x) {
        r[0] = x << 32; r[1] = x >> 33; r[2] = (unsigned)x >> 40; s[0] = (long long)x >> 64; }"""
    narrow, wide = np.ones(3, np.int32), np.ones(1, np.int64)
    module = ww.SourceModule(source, options=["-w"])
    module["kernel"](ww.Out(narrow), ww.Out(wide), -5, block=1)
    assert [*narrow, *wide] == [0, -1, 0, -1]


# As clang's code generator would fold them they were 0, whatever the operands.
CONSTANTS = {
    "5 << 33": 0,
    "-5 >> 40": -1,
    "5u >> 32": 0,
    "5ll << 64": 0,
    "1 << -1": 0,
    "5 << 4294967297ll": 10,
    "mask<32>()": 0xFFFFFFFF,
    "mask<8>()": 0xFF,
    "Shifts::all()": 0,
    "Shifts().some<long long>()": 0,
    "[] { return -3 >> 32; }()": -1,
    "folded": 0,
    "(int)1e20f": 0x7FFFFFFF,
    "(int)-1e20": -0x80000000,
    "(unsigned)-1.5f": 0,
    "(unsigned)1e20f": 0xFFFFFFFF,
    "(long long)1e30": 0x7FFFFFFFFFFFFFFF,
    "(unsigned char)300.0f": 44,
    "(signed char)-200.0f": 56,
    "(unsigned short)-5.0f": 0,
    "(int)(0.0f / 0.0f)": 0,
    "(int)(0.0 / 0.0)": -0x80000000,
    "(int)(1.0f / 0.0f)": 0x7FFFFFFF,
    "converted": 0x7FFFFFFF,
}


@pytest.mark.cpu_only("NVRTC folds constants as C++ leaves it to")
@pytest.mark.parametrize("executor", ["reference", "gang"])
def test_constants_are_what_values_would_be(executor: str) -> None:
    lines = [f"r[{i}] = {text};" for i, text in enumerate(CONSTANTS)]
    source = (
        "template <int B> __device__ unsigned mask() { return (1u << B) - 1u; }\n"
        "struct Shifts { __device__ static int all() { return 7 >> 40; }\n"
        " template <class T> __device__ T some() { return T(3) << 65; } };\n"
        "__global__ void kernel(long long *r) {\n"
        " const int folded = 5 << 33, converted = (int)1e20f;\n"
        f"{' '.join(lines)} }}"
    )
    results = np.full(len(lines), 77, np.int64)
    module = ww.SourceModule(source, options=["-w", f"--warpwise-executor={executor}"])
    module["kernel"](ww.Out(results), block=1)
    assert dict(zip(CONSTANTS, results.tolist(), strict=True)) == CONSTANTS


@pytest.mark.cpu_only("levels of processors are the CPU device's")
@pytest.mark.skipif("WARPWISE_CPU" in os.environ, reason="runs this file at one level")
@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3"])
def test_every_level_of_processors(level):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", __file__, "-k", "not reference and not recorded"],
        env={**os.environ, "WARPWISE_CPU": level},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


def test_every_operation_is_recorded():
    assert set(recorded()) == set(BY_NAME)
