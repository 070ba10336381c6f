"""Kernels that reduce, compiled by NVRTC."""

from __future__ import annotations

import re

import numpy as np
import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_120"]
ELF = b"\x7fELF"


def expect_to_compile(each: list[ww.Array]) -> None:
    """The sum of all of them, in a few kernels."""
    total = each[0] * 1
    for one in each[1:]:
        total = total + one
    sources = re.split(r"(?m)^kernel \d+ over .*$", ww.explain(total))[1:]
    kernels = [text for text in sources if "WwState shared[256]" in text]
    assert kernels
    for source in kernels:
        for target in TARGETS:
            assert ww.compile(source, target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("dtype", ["float64", "complex128", "int8"])
@pytest.mark.parametrize("name", ["sum", "max", "argmax", "var", "any"])
def test_many_reductions_fit_into_shared_memory(name: str, dtype: str) -> None:
    if dtype == "complex128" and name in ("max", "argmax"):
        pytest.skip("complex numbers have no order")
    x = ww.asarray(np.ones((40, 3000), dtype))
    each = [getattr(x[row], name)() for row in range(40)]
    expect_to_compile(each)


def test_reductions_of_different_alignment_fit_into_shared_memory() -> None:
    x = ww.asarray(np.ones((40, 3000)))
    z = ww.asarray(np.ones((40, 3000), np.complex128))
    expect_to_compile([(z if row % 2 else x)[row].sum() for row in range(40)])
