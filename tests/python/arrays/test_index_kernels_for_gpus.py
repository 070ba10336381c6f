"""Kernels that read and write through indices, compiled by NVRTC for every architecture."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
ELF = b"\x7fELF"

SCATTER = """
#include <warpwise_library_index.h>
extern "C" __global__ void __launch_bounds__(256) scatter(
    const void *a0, const void *a1, void *a2, void *a3, long long a4, long long a5, long long a6,
    long long a7, int phase) {
    const __ww_scatter<UNIT, TURN> step = {
        (const long long *)a0, (const UNIT *)a1, a2, (TURN *)a3, a4, a5, a6, a7};
    if (phase == 0) step.clear();
    if (phase == 1) step.contend();
    if (phase == 2) step.write(true);
}
"""


def sources(array: ww.Array) -> list[str]:
    """The texts of the kernels that would compute the array."""
    return ["#define" + text for text in ww.explain(array).split("#define", 1)[1:]]


@pytest.mark.parametrize("target", TARGETS)
def test_selections_compile_for_every_architecture(target: str) -> None:
    x = ww.asarray(np.arange(60, dtype=np.float32).reshape(3, 4, 5))
    rows, columns = ww.asarray([0, 2, -1]), ww.asarray([[1], [3]])
    for array in (x[rows], x[:, columns, rows] + 1, x[rows, ..., rows].sum(axis=0)):
        (source,) = sources(array)
        assert "__ww_bounded" in source
        assert ww.compile(source, target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "complex64", "complex128"])
def test_selections_of_every_type_compile(dtype: str) -> None:
    x = ww.asarray(np.ones((70, 70)).astype(dtype))
    (source,) = sources(x[:, ww.asarray([0, 5])])
    assert ww.compile(source, target="sm_90", format="cubin")[:4] == ELF


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("unit", ["unsigned char", "unsigned long long"])
@pytest.mark.parametrize("turn", ["int", "long long"])
def test_writes_compile_for_every_architecture(target: str, unit: str, turn: str) -> None:
    source = SCATTER.replace("UNIT", unit).replace("TURN", turn)
    assert ww.compile(source, target=target, format="cubin")[:4] == ELF
