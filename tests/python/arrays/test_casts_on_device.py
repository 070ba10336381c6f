"""Conversions between all kinds, as NumPy's astype where that is defined."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from op_inputs import elements
from op_table import BOOL, COMPLEX, INTEGERS, TYPES, cast, dtype, kernel_source, run

PAIRS = [(source, target) for source in TYPES for target in TYPES]
INTO_INTEGERS = [(s, t) for s, t in PAIRS if t in INTEGERS and s not in INTEGERS | BOOL]
OTHERS = [pair for pair in PAIRS if pair not in INTO_INTEGERS]


def converted(values: np.ndarray, target: str) -> np.ndarray:
    """NumPy's astype; ml_dtypes refuses complex numbers, which are cut to their real part first."""
    if values.dtype.kind == "c" and target not in COMPLEX | BOOL:
        values = values.real
    if target in COMPLEX and values.dtype == ml_dtypes.bfloat16:
        values = values.astype(np.float32)
    return values.astype(dtype(target))


@pytest.mark.parametrize(("source", "target"), OTHERS)
def test_conversions_are_numpys(source: str, target: str) -> None:
    values = elements(source, np.random.default_rng())
    result = cast(values, source, target)
    with np.errstate(all="ignore"):
        expected = converted(values, target)
        right = (result == expected) | ((result != result) & (expected != expected))
    at = int(np.argmin(right))
    assert right.all(), f"{values[at]} -> {result[at]}, not {expected[at]}"


@pytest.mark.parametrize(("source", "target"), INTO_INTEGERS)
def test_floats_become_integers_towards_zero_and_saturate(source: str, target: str) -> None:
    values = elements(source, np.random.default_rng())
    result = cast(values, source, target)
    info = np.iinfo(target)
    for value, got in zip(values.real, result, strict=True):
        number = float(value)
        if np.isnan(number):
            assert got == 0
        elif np.isinf(number):
            assert got == (info.max if number > 0 else info.min)
        else:
            assert int(got) == min(max(int(number), info.min), info.max), number


def test_every_double_beside_a_tie_becomes_the_nearest_half() -> None:
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    ties = (halves[:-1] + halves[1:]) / 2
    values = np.concatenate([ties, np.nextafter(ties, 0), np.nextafter(ties, np.inf)])
    values = np.concatenate([values, -values])
    result = cast(values, "float64", "float16")
    assert np.array_equal(result.view(np.uint16), values.astype(np.float16).view(np.uint16))


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_every_16_bit_float_survives_float32(kind: str) -> None:
    values = np.arange(1 << 16, dtype=np.uint16).view(dtype(kind))
    values = values[~np.isnan(values.astype(np.float32))]
    wide = cast(values, kind, "float32")
    assert np.array_equal(wide, values.astype(np.float32))
    assert np.array_equal(cast(wide, "float32", kind).view(np.uint16), values.view(np.uint16))


@pytest.mark.parametrize("size", [1, 2, 31, 128, 129])
def test_any_number_of_elements(size: int) -> None:
    values = elements("float32", np.random.default_rng(), size)
    assert np.array_equal(cast(values, "float32", "float64"), values, equal_nan=True)


def test_bytes_other_than_0_are_true() -> None:
    values = np.arange(256, dtype=np.uint8)
    source = "#include <warpwise_array.h>\n" + kernel_source("k", ["bool"], "uint8", "a")
    assert np.array_equal(run(source, "k", [values], "uint8"), values != 0)
