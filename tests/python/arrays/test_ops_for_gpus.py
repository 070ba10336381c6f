"""All ops in all kinds, compiled by NVRTC for every architecture: no GPU is needed."""

from __future__ import annotations

import pytest
from op_table import TYPES, kernel_source, rows, source_of_casts, source_of_kind

import warpwise as ww

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
ELF = b"\x7fELF"


# One kernel with everything would take NVRTC longer than kinds apart; architectures differ in the
# conversions of 16-bit floats only.
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "int64"])
def test_ops_compile_for_every_architecture(kind: str, target: str) -> None:
    assert ww.compile(source_of_kind(kind), target=target, format="cubin")[:4] == ELF


# What is compiled in the background of programs with many expressions.
@pytest.mark.parametrize("target", ["sm_75", "sm_120"])
def test_the_interpreter_of_all_ops_compiles(target: str) -> None:
    source = "#define __WW_ALL_FUNCTIONS\n#include <warpwise_interpreter.h>\n"
    assert ww.compile(source, target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_ops_and_conversions_compile(kind: str) -> None:
    for source in (source_of_kind(kind), source_of_casts(kind)):
        assert ww.compile(source, target="sm_90", format="cubin")[:4] == ELF


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ("", "float32"),
        ("SIXTEEN_BITS", "float16"),
        ("COMPLEX", "complex64"),
    ],
)
def test_arithmetic_needs_its_part_only(parts: str, kind: str) -> None:
    row = rows()["multiply"]
    kernel = kernel_source("k", row.operands(kind), kind, row.spelling)
    asked = f"#define __WW_ARRAY_{parts}\n" if parts else ""
    source = "#define __WW_ARRAY_PARTS\n" + asked + "#include <warpwise_array.h>\n" + kernel
    assert ww.compile(source, target="sm_75", format="cubin")[:4] == ELF


# Contraction would make the sum of a product differ between a kernel of ours and one of the user's.
def test_arithmetic_is_never_contracted() -> None:
    source = "#include <warpwise_array.h>\n" + kernel_source(
        "k", ["float32"] * 3, "float32", "__ww_add(__ww_multiply(a, b), c)"
    )
    ptx = ww.compile(source, target="sm_90", format="ptx", options=["-fmad=true"])
    assert "mul.rn.f32" in ptx and "add.rn.f32" in ptx and "fma" not in ptx
