"""Random numbers compiled by NVRTC, which needs no GPU: every draw, and generated kernels."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
ELF = b"\x7fELF"
DRAWS_DEF = Path(__file__).parents[3] / "src" / "ir" / "draws.def"
ROW = re.compile(r'WARPWISE_DRAW\(\w+, (\w+), (\d), "(\w+)"\)')
WHOLE = {
    "below": ("unsigned int", "unsigned long long"),
    "permuted": ("long long",),
    **dict.fromkeys(
        ("geometric", "poisson", "binomial", "zipf", "logseries", "hypergeometric"),
        ("long long",),
    ),
}
OWN_PARAMETERS = {"below", "lognormal", "weibull", "pareto", "power", "hypergeometric"}


def source_of_draws() -> str:
    kernels = []
    for name, parameters, spelling in ROW.findall(DRAWS_DEF.read_text()):
        for kind in WHOLE.get(name, ("float", "double")):
            own = kind if name in OWN_PARAMETERS else "double"
            own = "unsigned long long" if name == "permuted" else own
            values = "".join(f", p{i}" for i in range(int(parameters)))
            kernels.append(
                f"__global__ void k{len(kernels)}({kind} *out, __ww_source s, {own} p0, {own} p1) "
                "{ const long long i = blockIdx.x * 256ll + threadIdx.x; "
                f"out[i] = {spelling}<{kind}>(__ww_element_of(i), s{values}); }}\n"
            )
    assert len(kernels) > 25
    head = "#define __WW_ARRAY_PARTS\n#define __WW_ARRAY_RARE_DRAWS\n#include <warpwise_array.h>\n"
    return head + "".join(kernels)


@pytest.mark.parametrize("target", TARGETS)
def test_draws_compile_for_every_architecture(target: str) -> None:
    assert ww.compile(source_of_draws(), target=target, format="cubin")[:4] == ELF


def source_of_xorwow() -> str:
    """The kernels that keep states, as src/random/xorwow_numbers.cpp writes them."""
    kernels = [
        "__global__ void start(void *s, long long a, long long b, long long c)\n"
        "{ __ww_xorwow_start(s, a, b, c); }\n"
    ]
    for name, parameters, spelling in ROW.findall(DRAWS_DEF.read_text()):
        if name == "permuted":
            continue
        for kind in WHOLE.get(name, ("float", "double")):
            own = kind if name in OWN_PARAMETERS else "double"
            values = "".join(f", p{i}" for i in range(int(parameters)))
            kernels.append(
                f"__global__ void k{len(kernels)}(void *s, {kind} *out, {own} p0, {own} p1) {{\n"
                "__ww_xorwow_stream stream(s); stream.load();\n"
                "const __ww_drawn_words words = stream.next();\n"
                f"out[__ww_xorwow_element(0, 1u, 0u)] = {spelling}<{kind}>("
                f"__ww_element{{0ull, threadIdx.x, 0u}}, words{values});\nstream.store(); }}\n"
            )
    head = "#define __WW_ARRAY_PARTS\n#include <warpwise_library_random.h>\n"
    return head + "".join(kernels)


@pytest.mark.parametrize("target", TARGETS)
def test_xorwow_compiles_for_every_architecture(target: str) -> None:
    assert ww.compile(source_of_xorwow(), target=target, format="cubin")[:4] == ELF


# Products and sums that round apart on the CPU may not be fused on a GPU.
def test_normal_numbers_are_fused_only_as_written() -> None:
    source = source_of_draws()
    fused = ww.compile(source, target="sm_90", format="ptx", options=["-fmad=false"])
    again = ww.compile(source, target="sm_90", format="ptx", options=["-fmad=false"])
    assert fused == again and "fma.rn.f32" in fused and "fma.rn.f64" in fused
    assert not re.search(r"\b(lg2|ex2|sin|cos|rcp|sqrt)\.approx", fused)


@pytest.mark.parametrize("target", ["sm_75", "sm_120"])
def test_generated_kernels_compile(target: str) -> None:
    rng = ww.random.default_rng(1)
    rows = ww.ones((30, 70), dtype=np.float32)
    works = [
        rng.normal(1, 2, 5000, np.float32),
        rng.random((40, 70), np.float32).T + rows[0, 0],
        rng.random(5000).sum(),
        rng.standard_normal((30, 70), np.float32).sum(axis=0) + rows[0],
        rng.gamma(ww.asarray(np.ones((30, 1))), size=(30, 70)) + rows,
        rng.integers(0, 10, 5000, np.int8),
    ]
    for work in works:
        for text in re.split(r"^kernel \d+ over .*$", ww.explain(work), flags=re.MULTILINE)[1:]:
            if "#include" in text:
                assert ww.compile(text, target=target, format="cubin")[:4] == ELF


def test_functions_of_cuda_are_not_defined_again() -> None:
    """In a namespace that has `using ::log`, a `double log(double)` would be CUDA's own, and call
    itself without an end; NVRTC then leaves out what is computed with it."""
    device = Path(__file__).parents[3] / "src" / "codegen" / "device"
    brought = re.findall(r"using ::(\w+);", (device / "nvrtc" / "functions.cuh").read_text())
    own = (device / "random" / "gpu_functions.cuh").read_text()
    assert brought and not [name for name in brought if re.search(rf"\b{name}\(\w+ ", own)]
