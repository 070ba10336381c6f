"""Casts of half and bfloat16 to integers of 8 and 16 bits saturate, and make 0 of NaN, as on GPUs."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

KERNEL = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void cast(const unsigned short *bits, {integer} *y)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    {half}_raw raw;
    raw.x = bits[i];
    y[i] = ({integer}){half}(raw);
}}
"""
INTEGERS = {
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "short": np.int16,
    "unsigned short": np.uint16,
}


def as_float64(bits: np.ndarray, half: str) -> np.ndarray:
    if half == "__half":
        with np.errstate(invalid="ignore"):
            return bits.view(np.float16).astype(np.float64)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


@pytest.mark.parametrize("half", ["__half", "__nv_bfloat16"])
@pytest.mark.parametrize("integer", INTEGERS)
def test_every_number(integer: str, half: str) -> None:
    bits = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    y = np.zeros(1 << 16, INTEGERS[integer])
    module = ww.SourceModule(KERNEL.format(integer=integer, half=half))
    module["cast"](ww.In(bits), ww.Out(y), grid=256, block=256)
    ends = np.iinfo(INTEGERS[integer])
    want = np.clip(np.trunc(np.nan_to_num(as_float64(bits, half), nan=0)), ends.min, ends.max)
    np.testing.assert_array_equal(y, want.astype(INTEGERS[integer]))


@pytest.mark.parametrize("integer", ["s32", "u32", "s64", "u64"])
@pytest.mark.parametrize("real", ["f32", "f64"])
def test_inline_conversions_of_special_numbers(integer: str, real: str) -> None:
    """As the functions: NaN gives 0, and the highest bit alone where either side has 64 bits."""
    word = {"s32": "int", "u32": "unsigned", "s64": "long long", "u64": "unsigned long long"}[
        integer
    ]
    name = {"s32": "int", "u32": "uint", "s64": "ll", "u64": "ull"}[integer]
    kind, letter = ("float", "f") if real == "f32" else ("double", "d")
    module = ww.SourceModule(f"""
    __global__ void convert(const {kind} *x, {word} *written, {word} *called)
    {{
        const int i = threadIdx.x;
        asm("cvt.rzi.{integer}.{real} %0, %1;"
            : "={"r" if integer.endswith("32") else "l"}"(written[i]) : "{letter}"(x[i]));
        called[i] = __{kind}2{name}_rz(x[i]);
    }}""")
    x = np.array(
        [np.nan, np.inf, -np.inf, 1e30, -1e30, 2.5, -2.5, 0],
        np.float32 if real == "f32" else np.float64,
    )
    dtype = np.dtype(f"{integer[0].replace('s', 'i')}{int(integer[1:]) // 8}")
    written, called = np.ones(8, dtype), np.ones(8, dtype)
    module["convert"](ww.In(x), ww.Out(written), ww.Out(called), block=8)
    np.testing.assert_array_equal(written, called)
    highest = 1 << (int(integer[1:]) - 1)
    is_wide = "64" in integer or real == "f64"
    assert written.view(f"u{written.itemsize}")[0] == (highest if is_wide else 0)
