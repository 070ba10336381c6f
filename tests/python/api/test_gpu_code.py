"""Code for GPUs, compiled by NVRTC: no GPU is needed."""

from __future__ import annotations

import os
import string
import subprocess
import sys

import pytest

import warpwise as ww

AXPY = """
#include <cstdint>
#include <math.h>
#include <stdio.h>
__constant__ float scale[2];
__global__ void axpy(float *y, const float *x, int32_t n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += scale[0] * x[i] + M_PI;
    if (i == 0 && isnan(y[0])) printf("not a number\\n");
}
"""
ELF = b"\x7fELF"


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"])
def test_a_cubin_is_an_elf_file(target: str) -> None:
    assert ww.compile(AXPY, target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "sm_100", "sm_120"])
def test_every_gpu_has_ptx(target: str) -> None:
    ptx = ww.compile(AXPY, target=target, format="ptx")
    assert f".target {target}" in ptx and ".entry" in ptx


# T is a name in NVRTC's own headers.
@pytest.mark.parametrize("macro", sorted({*string.ascii_uppercase, "n", "head", "words"} - {"T"}))
def test_macros_of_options_do_not_change_our_headers(macro: str) -> None:
    source = 'extern "C" __global__ void print(int *q) { printf("%d", *q); }'
    assert ww.compile(source, target="sm_90", format="cubin", options=[f"-D{macro}=8"])[:4] == ELF


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17", "c++20"])
def test_kernels_print_in_every_standard(standard: str) -> None:
    """By the variable that the library looks for in a module."""
    source = 'extern "C" __global__ void print(int *q) { printf("%d", *q); }'
    code = ww.compile(source, target="sm_90", format="cubin", options=[f"-std={standard}"])
    assert b"_ZZ13__ww_print_toI15__ww_print_ringEPVPT_vE6__ring" in code


def test_a_value_that_no_option_has_is_named() -> None:
    with pytest.raises(ww.CompileError, match=r"maxrregcount.* expects an integer value"):
        ww.compile(AXPY, target="sm_90", format="cubin", options=["-maxrregcount=many"])


def test_unknown_gpus_are_refused() -> None:
    for form in ("ptx", "cubin"):
        with pytest.raises(ww.ArgumentError, match="does not compile for 'sm_987'; it does for sm"):
            ww.compile(AXPY, target="sm_987", format=form)


def test_options_of_nvcc_that_nvrtc_lacks_are_passed_over() -> None:
    code = ww.compile(AXPY, target="sm_90", format="cubin", options=["-O3", "-Xcompiler", "-fPIC"])
    assert code[:4] == ELF


def test_an_option_that_no_compiler_has_is_refused() -> None:
    with pytest.raises(ww.CompileError, match=r"unrecognized option --bogus"):
        ww.compile(AXPY, target="sm_90", format="cubin", options=["--bogus"])


def test_an_architecture_among_the_options_wins() -> None:
    by_option = ww.compile(AXPY, target="sm_90", format="cubin", options=["-arch=sm_80"])
    assert by_option == ww.compile(AXPY, target="sm_80", format="cubin")


def test_what_nvcc_brings_in_unasked_is_there() -> None:
    source = "__global__ void k(uint *p, float *x) { *p = INT_MAX; *x = INFINITY * (float)M_PI; }"
    assert ww.compile(source, target="sm_90", format="cubin")[:4] == ELF


def test_shuffles_and_votes_without_sync_still_compile() -> None:
    source = """
__global__ void k(int *p)
{
    int v = p[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down(v, d);
    v += __shfl(v, 0) + __shfl_xor(v, 1, 8);
    p[threadIdx.x] = __any(v > 3) + __all(v) + __ballot(v);
}"""
    assert ww.compile(source, target="sm_90", format="cubin")[:4] == ELF


def test_headers_in_memory_are_found() -> None:
    source = '#include "mine.h"\n__global__ void put(int *p) { *p = MINE; }'
    code = ww.compile(source, target="sm_90", format="cubin", headers={"mine.h": "#define MINE 1"})
    assert code[:4] == ELF


def test_a_gpu_that_nvrtc_does_not_know_is_refused() -> None:
    with pytest.raises(ww.ArgumentError, match=r"sm_61.*sm_90"):
        ww.compile(AXPY, target="sm_61", format="cubin")


def test_a_missing_nvrtc_is_named() -> None:
    program = f"import warpwise as ww; ww.compile({AXPY!r}, target='sm_90', format='cubin')"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "WARPWISE_NVRTC": "/nowhere/libnvrtc.so", "WARPWISE_CACHE_SIZE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "DeviceError: NVRTC" in done.stderr
    assert "/nowhere/libnvrtc.so" in done.stderr


def test_an_error_in_the_source_has_its_place() -> None:
    with pytest.raises(ww.CompileError, match="expected") as caught:
        ww.compile("__global__ void k(int *p)\n{ *p = 1 }", target="sm_90", format="cubin")
    assert caught.value.line == 2


MANY = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
import warpwise as ww
def compiled(i):
    source = f"__global__ void k(float *p) {{ p[threadIdx.x] *= {i}; }}"
    return ww.compile(source, target="sm_90", format="cubin")
if len(sys.argv) > 1:
    with ThreadPoolExecutor(6) as pool:
        codes = list(pool.map(compiled, range(24)))
else:
    codes = [compiled(i) for i in range(24)]
print([hash(code) for code in codes])
"""


def test_what_threads_compile_at_once_is_what_one_compiles() -> None:
    env = {**os.environ, "WARPWISE_CACHE_SIZE": "0", "PYTHONHASHSEED": "1"}
    outputs = set()
    for more in ([], ["threads"]):
        for processes in ("3", "0"):
            command = [sys.executable, "-c", MANY, *more]
            done = subprocess.run(
                command,
                env={**env, "WARPWISE_COMPILE_PROCESSES": processes},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            outputs.add(done.stdout)
    assert len(outputs) == 1


def test_an_error_is_that_of_the_whole_compile() -> None:
    # The first attempt gets neither the header nor the type.
    with pytest.raises(ww.CompileError) as caught:
        ww.compile("__global__ void k(int *p) { *p = nothing; }", target="sm_90", format="cubin")
    assert "nothing" in str(caught.value)
    source = "#inc\\\nlude <cuda_fp16.h>\n__global__ void k(half *p) { *p = half(1); }"
    assert ww.compile(source, target="sm_90", format="cubin")[:4] == b"\x7fELF"
