#!/usr/bin/env python3
"""Computes how far the generators of <curand_kernel.h> jump and writes random/jumps.cuh.

    tools/curand_jumps.py

A generator's linear step A obeys its characteristic polynomial c, so A^n = p(A) for p = x^n mod c:
a jump is a polynomial instead of a matrix. XORWOW's c (degree 160 over GF(2)) is found from its own
output by Berlekamp and Massey's algorithm; MRG32k3a's are its two recurrences.
"""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADER = ROOT / "src/codegen/device/random/jumps.cuh"
DEGREE = 160
WORD = 0xFFFFFFFF
# cuRAND's distances between subsequences and, for MRG32k3a, between sequences.
XORWOW_SUBSEQUENCE = 67
MRG_SUBSEQUENCE, MRG_SEQUENCE = 76, 127
MODULI = (4294967087, 4294944443)
# x^3 = a + b x + c x^2, from L'Ecuyer's recurrences.
RECURRENCES = ((-810728, 1403580, 0), (-1370589, 0, 527612))

HEAD = """\
// How the generators of curand_kernel.h jump: A^n = p(A), for a polynomial p of lower degree than
// the characteristic one of the step A. Written by tools/curand_jumps.py.
#pragma once

namespace __ww {

"""


def xorwow_bits(count: int) -> list[int]:
    """One bit of the linear part of XORWOW, from a state that is not special."""
    v = [123456789, 362436069, 521288629, 88675123, 5783321]
    bits = []
    for _ in range(count):
        bits.append(v[0] & 1)
        t = v[0] ^ (v[0] >> 2)
        new = v[4] ^ (v[4] << 4 & WORD) ^ t ^ (t << 1 & WORD)
        v = [*v[1:], new]
    return bits


def characteristic_polynomial(bits: list[int]) -> int:
    """The shortest linear recurrence of a sequence of bits; bit k is the coefficient of x^k."""
    current, before, length, since = 1, 1, 0, 1
    window = 0  # bit i: the sequence i steps ago
    for n, bit in enumerate(bits):
        window = window << 1 | bit
        if (current & window).bit_count() & 1 == 0:
            since += 1
            continue
        current, old = current ^ before << since, current
        if 2 * length <= n:
            before, length, since = old, n + 1 - length, 1
        else:
            since += 1
    assert length == DEGREE
    # The connection polynomial, coefficients reversed.
    return sum((current >> k & 1) << (length - k) for k in range(length + 1))


def times(a: int, b: int, modulus: int) -> int:
    product = 0
    while b:
        if b & 1:
            product ^= a
        b >>= 1
        a <<= 1
        if a >> DEGREE:
            a ^= modulus
    return product


def xorwow_table(name: str, log2_distance: int, modulus: int) -> str:
    """x^(digit * 16^place * 2^log2_distance) for every digit of a 64-bit number of jumps."""
    unit = 2
    for _ in range(log2_distance):
        unit = times(unit, unit, modulus)
    words = []
    for _ in range(16):
        power = 1
        for _ in range(15):
            power = times(power, unit, modulus)
            words += [f"0x{power >> 32 * i & WORD:08x}u" for i in range(5)]
        unit = times(power, unit, modulus)
    rows = [", ".join(words[i : i + 8]) for i in range(0, len(words), 8)]
    return (
        f"// Places of 16 from the lowest; in each the digits 1 to 15, 5 words of coefficients.\n"
        f"static __device__ const unsigned int {name}[{len(words)}] = {{\n    "
        + ",\n    ".join(rows)
        + "};\n"
    )


def mrg_power(log2_distance: int, which: int) -> list[int]:
    m, (a, b, c) = MODULI[which], RECURRENCES[which]
    p = [0, 1, 0]
    for _ in range(log2_distance):
        product = [0] * 5
        for i in range(3):
            for j in range(3):
                product[i + j] += p[i] * p[j]
        for top in (4, 3):
            for k, factor in enumerate((a, b, c)):
                product[top - 3 + k] += product[top] * factor
        p = [value % m for value in product[:3]]
    return p


def mrg_polynomial(name: str, log2_distance: int) -> str:
    values = [f"{v}u" for which in (0, 1) for v in mrg_power(log2_distance, which)]
    return (
        f"// 2^{log2_distance} steps of MRG32k3a's two recurrences, 3 coefficients each.\n"
        f"static __device__ const unsigned int {name}[6] = {{\n    {', '.join(values)}}};\n"
    )


def main() -> None:
    modulus = characteristic_polynomial(xorwow_bits(4 * DEGREE))
    text = HEAD
    text += xorwow_table("xorwow_offsets", 0, modulus) + "\n"
    text += xorwow_table("xorwow_subsequences", XORWOW_SUBSEQUENCE, modulus) + "\n"
    text += mrg_polynomial("mrg_offset", 0)
    text += mrg_polynomial("mrg_subsequence", MRG_SUBSEQUENCE)
    text += mrg_polynomial("mrg_sequence", MRG_SEQUENCE)
    HEADER.write_text(text + "\n}  // namespace __ww\n")
    subprocess.run(["clang-format-19", "-i", str(HEADER)], check=True)
    print(f"{HEADER.relative_to(ROOT)}: characteristic polynomial {modulus:#x}")


if __name__ == "__main__":
    main()
