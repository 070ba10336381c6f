"""Random elements of every kind: bit patterns, the usual range, and what is special."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from op_table import COMPLEX, INTEGERS, dtype

SIZE = 1027  # no multiple of anything


def _mixed(random: np.random.Generator, *choices: np.ndarray) -> np.ndarray:
    """Each element from one of the arrays."""
    which = random.integers(len(choices), size=choices[0].size)
    result = choices[0].copy()
    for number, choice in enumerate(choices):
        result[which == number] = choice[which == number]
    return result


def integers(kind: str, random: np.random.Generator, size: int) -> np.ndarray:
    info = np.iinfo(kind)
    any_bits = random.integers(info.min, info.max, size, dtype=kind, endpoint=True)
    small = random.integers(max(info.min, -9), 70, size).astype(kind)
    ends = np.array([0, 1, 2, info.max, info.max - 1, info.min, max(info.min, -1)], dtype=kind)
    return _mixed(random, any_bits, small, random.choice(ends, size))


def specials(kind: str) -> np.ndarray:
    """Zeros, ones, infinities, NaN, the extremes and subnormal numbers, of both signs."""
    info = ml_dtypes.finfo(dtype(kind))
    extremes = [info.max, info.tiny, info.smallest_subnormal, info.eps]
    values = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, np.inf, np.nan, *(float(x) for x in extremes)]
    return np.array([*values, *(-x for x in values)]).astype(dtype(kind))


def reals(kind: str, random: np.random.Generator, size: int) -> np.ndarray:
    bits = random.integers(0, 256, size * dtype(kind).itemsize, dtype=np.uint8)
    usual = random.normal(0, 4, size).astype(dtype(kind))
    whole = random.integers(-20, 20, size).astype(dtype(kind))
    special = specials(kind)[random.integers(specials(kind).size, size=size)]
    any_bits = bits.view(dtype(kind)).copy()
    with np.errstate(invalid="ignore"):  # quiet NaNs only: C libraries tell the others apart
        any_bits[np.isnan(any_bits)] = np.nan
    return _mixed(random, any_bits, usual, usual, whole, special)


def moderate(kind: str, random: np.random.Generator, size: int) -> np.ndarray:
    """Numbers whose products and squares are normal, half of them near 1."""
    most = np.log2(float(ml_dtypes.finfo(dtype(kind)).max)) / 5
    sizes = np.where(
        random.random(size) < 0.5,
        np.exp2(random.uniform(-most, most, size)),
        random.uniform(0.25, 4, size),
    )
    return (sizes * random.choice([-1.0, 1.0], size)).astype(dtype(kind))


def complexes(kind: str, random: np.random.Generator, size: int) -> np.ndarray:
    part = "float32" if kind == "complex64" else "float64"
    result = np.empty(size, kind)
    result.real, result.imag = (moderate(part, random, size) for _ in range(2))
    return result


def elements(kind: str, random: np.random.Generator, size: int = SIZE) -> np.ndarray:
    if kind == "bool":
        return random.integers(0, 2, size).astype(bool)
    if kind in INTEGERS:
        return integers(kind, random, size)
    return (complexes if kind in COMPLEX else reals)(kind, random, size)
