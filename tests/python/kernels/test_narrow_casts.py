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
