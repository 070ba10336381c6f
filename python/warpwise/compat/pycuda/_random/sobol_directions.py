"""Direction vectors of Sobol sequences, and constants that scramble them.

Dimension 0 is van der Corput's sequence. Dimension k has the k-th primitive polynomial over GF(2),
by degree, and first direction numbers from a hash: each dimension is a (0, 1)-sequence in base 2,
as every choice of odd numbers gives (I. M. Sobol, 1967). cuRAND's are those of Joe and Kuo.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

_Words = npt.NDArray[np.uint64]

# Polynomials of degree 18 and below; after these the dimensions repeat, as cuRAND's do.
MOST_DIMENSIONS = 20000
_MOST_DEGREE = 18


def _hash(seed: Any) -> _Words:
    """splitmix64 (S. Vigna), of each number."""
    with np.errstate(over="ignore"):
        word = np.asarray(seed, np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(word ^ (word >> np.uint64(31)))


def _prime_factors(number: int) -> list[int]:
    factors, divisor = [], 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            factors.append(divisor)
            while number % divisor == 0:
                number //= divisor
        divisor += 1
    return [*factors, number] if number > 1 else factors


def _power_of_x(exponent: int, polynomials: Any, degree: int) -> Any:
    """x**exponent modulo each polynomial over GF(2)."""
    top, result = 1 << degree, np.ones_like(polynomials)
    for bit in bin(exponent)[2:]:
        square = np.zeros_like(polynomials)
        for power in reversed(range(degree)):  # Horner's rule
            square <<= 1
            square ^= np.where(square & top, polynomials, 0)
            square ^= np.where(result >> power & 1, result, 0)
        result = square
        if bit == "1":
            result = result << 1
            result ^= np.where(result & top, polynomials, 0)
    return result


@functools.cache
def _primitive(degree: int) -> Any:
    """All primitive polynomials of the degree, as bits."""
    if degree == 1:
        return np.array([3])
    candidates = np.arange((1 << degree) + 1, 2 << degree, 2)
    order = (1 << degree) - 1
    candidates = candidates[_power_of_x(order, candidates, degree) == 1]
    for prime in _prime_factors(order):
        if prime < order:
            candidates = candidates[_power_of_x(order // prime, candidates, degree) != 1]
    return candidates


def _first_numbers(dimensions: Any, degree: int) -> list[_Words]:
    """m[0], m[1], ...: odd, m[k] below 2**(k+1)."""
    return [
        _hash(dimensions * 64 + k) & np.uint64((1 << (k + 1)) - 1) | np.uint64(1)
        for k in range(degree)
    ]


def _directions(first: int, polynomials: Any, degree: int, bits: int) -> _Words:
    """Of consecutive dimensions whose polynomials have one degree."""
    numbers = _first_numbers(np.arange(first, first + len(polynomials), dtype=np.uint64), degree)
    for k in range(degree, bits):
        number = numbers[k - degree] ^ (numbers[k - degree] << np.uint64(degree))
        for back in range(1, degree):
            is_set = (polynomials >> (degree - back) & 1).astype(bool)
            number ^= np.where(is_set, numbers[k - back] << np.uint64(back), np.uint64(0))
        numbers.append(number)
    columns = [one << np.uint64(bits - 1 - k) for k, one in enumerate(numbers)]
    return np.stack(columns, axis=1)


@functools.cache
def _all(count: int, bits: int) -> _Words:
    powers = np.uint64(1) << np.arange(bits - 1, -1, -1, dtype=np.uint64)
    parts = [powers[np.newaxis, :]]
    known = 1
    for degree in range(1, _MOST_DEGREE + 1):
        if known >= count:
            break
        polynomials = _primitive(degree)[: count - known]
        parts.append(_directions(known, polynomials, degree, bits))
        known += len(polynomials)
    return np.concatenate(parts)[:count]


def _scrambled(vectors: _Words) -> _Words:
    """Each dimension's vectors times a lower triangular matrix of random bits (Matousek, 1998),
    here one with eight diagonals below the main one."""
    dimensions = np.arange(len(vectors), dtype=np.uint64)
    result = vectors.copy()
    for shift in range(1, 9):
        kept = _hash(dimensions * np.uint64(64) + np.uint64(shift + (1 << 40)))[:, np.newaxis]
        result ^= (vectors & kept) >> np.uint64(shift)
    return result


def directions(count: int, bits: int, scrambled: bool) -> Any:
    """The vectors of `count` dimensions, a row of 32 or 64 words for each."""
    known = _all(min(count, MOST_DIMENSIONS), bits)
    if scrambled:
        known = _scrambled(known)
    rows = known[np.arange(count) % MOST_DIMENSIONS]
    return rows.astype(np.uint32 if bits == 32 else np.uint64)


def scramble_constants(count: int, bits: int) -> Any:
    """A word for each dimension, which is combined with its numbers by exclusive or."""
    words = _hash(np.arange(count, dtype=np.uint64) + np.uint64(1 << 50))
    return (words >> np.uint64(32)).astype(np.uint32) if bits == 32 else words
