"""The device code behind PyCUDA's arrays, compiled by NVRTC: no GPU is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycuda.driver as drv  # noqa: F401
import pytest

import warpwise as ww
from warpwise.compat.pycuda import cumath, elementwise, reduction
from warpwise.compat.pycuda._compiling.headers import HEADERS
from warpwise.compat.pycuda._gpuarray import subsets
from warpwise.compat.pycuda._kernels import elementwise_modules
from warpwise.compat.pycuda._random import source as curandom_source

ELF = b"\x7fELF"
TARGETS = ["sm_75", "sm_90", "sm_120"]
STATES = [
    "curandStateXORWOW", "curandStateMRG32k3a", "curandStateSobol32_t",
    "curandStateScrambledSobol32_t", "curandStateSobol64_t", "curandStateScrambledSobol64_t",
]  # fmt: skip


def compiled(source: str, target: str = "sm_90") -> bytes:
    return bytes(ww.compile(source, target=target, format="cubin", headers=HEADERS)[:4])


def instances(word: str) -> str:
    lines = [
        f"template __global__ void fill_uniform<{kind}>(State *, {kind} *, size_t);"
        for kind in ("float", "double", word)
    ]
    for kind in ("float", "double"):
        lines += [
            f"template __global__ void fill_normal<{kind}>(State *, {kind} *, size_t);",
            f"template __global__ void fill_log_normal<{kind}>(State *, {kind} *, size_t, {kind}, "
            f"{kind});",
        ]
    for kind in ("float", "double", "int", "unsigned int"):
        lines += [
            f"template __global__ void fill_poisson<{kind}>(State *, {kind} *, size_t, double);",
            f"template __global__ void fill_poisson_in_place<{kind}>(State *, {kind} *, size_t);",
        ]
    return "\n".join(lines)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("state", STATES)
def test_generators(state: str, target: str) -> None:
    word = "unsigned long long" if "64_t" in state else "unsigned int"
    assert compiled(curandom_source.source_of(state) + instances(word), target) == ELF


class _Texts:
    """In the place of SourceModule: the sources of kernels that are built."""

    def __init__(self, text: str, **options: Any) -> None:
        self.text = text
        raise _Seen(text)


class _Seen(Exception):
    pass


def text_of(build: Any, *args: Any) -> str:
    with pytest.raises(_Seen) as seen:
        build.__wrapped__.__wrapped__(*args)
    return str(seen.value)


KINDS: list[Any] = [np.dtype(one) for one in "bfdFD"]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_builders(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise_modules, "SourceModule", _Texts)
    builders: list[tuple[Any, ...]] = [
        (elementwise.get_axpbyz_kernel, kind, kind, kind),
        (elementwise.get_binary_op_kernel, kind, np.dtype("f4"), np.result_type(kind, "f4"), "*"),
        (elementwise.get_pow_array_kernel, kind, kind, kind, True, True),
        (elementwise.get_where_kernel, kind, kind),
        (elementwise.get_logical_not_kernel, kind, np.dtype(bool)),
        (elementwise.get_arange_kernel, kind),
    ]
    if kind.kind == "c":
        builders += [
            (elementwise.get_real_kernel, kind, np.dtype(f"f{kind.itemsize // 2}")),
            (elementwise.get_conj_kernel, kind, kind),
            (elementwise.get_unary_func_kernel, "exp", kind),
        ]
    if kind.kind == "f":
        builders += [
            (elementwise.get_modf_kernel, kind), (elementwise.get_frexp_kernel, kind),
            (elementwise.get_ldexp_kernel, kind), (elementwise.get_fmod_kernel, kind),
        ]  # fmt: skip
    for build, *args in builders:
        assert compiled(text_of(build, *args)) == ELF


def test_kernels_over_arrays() -> None:
    sources = [
        subsets._mover(np.dtype(np.complex64), np.dtype(np.int32), "take_put").source,
        subsets._mover(np.dtype(np.int8), np.dtype(np.uint8), "take").source,
        *(cumath._split(name, kind).source
          for name in ("frexp", "modf", "ldexp") for kind in ("float", "double")),
        reduction.get_any_kernel(np.dtype(bool), np.dtype(np.complex64))._kernel.source,
        reduction.get_minmax_kernel("max", np.dtype(np.float32))._kernel.source,
    ]  # fmt: skip
    for source in sources:
        assert compiled(source) == ELF
