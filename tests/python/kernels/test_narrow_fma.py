"""Fused multiply-add of 16-bit numbers rounds once: against exact fractions, in every executor."""

from fractions import Fraction

import numpy as np
import pytest

import warpwise as ww

SOURCE = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void by_ptx(const unsigned *a, const unsigned *b, const unsigned *c,
                                  unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) asm("fma.rn.NAMEx2 %0, %1, %2, %3;" : "=r"(out[i]) : "r"(a[i]), "r"(b[i]), "r"(c[i]));
}
extern "C" __global__ void by_function(const unsigned *a, const unsigned *b, const unsigned *c,
                                       unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ((TYPE2 *)out)[i] = __hfma2(((TYPE2 *)a)[i], ((TYPE2 *)b)[i], ((TYPE2 *)c)[i]);
}
"""
# CUDA's name in PTX, its pair in C++, bits of the significand, the least exponent of a normal
# number, bits of the fraction.
HALF = ("f16", "__half2", 11, -14)
BFLOAT = ("bf16", "__nv_bfloat162", 8, -126)


def value(bits: int, form) -> Fraction:
    """The number that 16 bits stand for."""
    precision, least = form[2:]
    fraction_bits = precision - 1
    field = bits >> fraction_bits & ((1 << (15 - fraction_bits)) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if field:
        fraction |= 1 << fraction_bits
    size = fraction * Fraction(2) ** (least + max(field, 1) - 1 - fraction_bits)
    return -size if bits & 0x8000 else size


def nearest(exact: Fraction, form) -> int:
    """The bits of the number nearest to a fraction, ties to even; infinity beyond the largest."""
    precision, least = form[2:]
    size = abs(exact)
    exponent = least
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    units = round(size / Fraction(2) ** (exponent - precision + 1))  # round() is to even
    bits = units + ((exponent - least) << (precision - 1))  # a carry moves on to the exponent
    infinity = 0x7FFF >> (precision - 1) << (precision - 1)
    return min(bits, infinity) | (0x8000 if exact < 0 else 0)


def triples(form, rng) -> np.ndarray:
    """Finite operands: any; a product close to half a unit of the addend, so that only its lowest
    bits decide; and a product in the middle between two numbers with a tiny addend."""
    count, fraction_bits, infinity = 2048, form[2] - 1, 0x7FFF >> (form[2] - 1)
    bias = infinity // 2
    fields = rng.integers(0, infinity, (3, count))
    fractions = rng.integers(0, 1 << fraction_bits, (3, count))
    signs = rng.integers(0, 2, (3, count)) << 15
    wild = fields << fraction_bits | fractions | signs
    # (1 + i u) (1 - i u) = 1 - i^2 u^2, scaled to half a unit of c.
    i = rng.integers(0, 4, count)
    exponent = rng.integers(bias, infinity, count)
    a = bias << fraction_bits | i
    below_one = (bias - 1 << fraction_bits) + (1 << fraction_bits) - 2 * i
    b = below_one + (exponent - bias - form[2] << fraction_bits)
    ties = np.stack([a, b, exponent << fraction_bits | fractions[2]]) | signs
    # (1 + (2 i + 1) u) 1.5 lies in the middle between two numbers: a tiny addend decides.
    middle = np.stack([bias << fraction_bits | 2 * i + 1, np.full(count, bias << fraction_bits)])
    middle[1] |= 1 << fraction_bits - 1
    tiny = rng.integers(1, bias - 2 * form[2] << fraction_bits if bias > 15 else 16, count)
    decided = np.concatenate([middle, tiny[None]]) | signs
    return np.concatenate([wild, ties, decided], axis=1).astype(np.uint16)


@pytest.mark.parametrize("executor", ["reference", "gang", "auto"])
@pytest.mark.parametrize("form", [HALF, BFLOAT], ids=["half", "bfloat"])
def test_a_fused_multiply_add_of_16_bits_rounds_once(form, executor, rng):
    a, b, c = triples(form, rng)
    exact = [
        value(x, form) * value(y, form) + value(z, form)
        for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    ]
    expected = np.array([nearest(number, form) for number in exact], np.uint16)
    matters = np.array([number != 0 for number in exact])  # signs of zeros are another matter
    source = SOURCE.replace("NAME", form[0]).replace("TYPE2", form[1])
    module = ww.SourceModule(source, options=[f"--warpwise-executor={executor}"])
    for name in ("by_ptx", "by_function"):
        out = np.zeros_like(a)
        pairs = [ww.In(x.view(np.uint32)) for x in (a, b, c)]
        words = len(out) // 2
        module[name](*pairs, ww.Out(out.view(np.uint32)), words, grid=words // 128, block=128)
        np.testing.assert_array_equal(out[matters], expected[matters], err_msg=name)
