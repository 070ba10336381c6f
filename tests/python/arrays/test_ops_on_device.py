"""Every op in every kind against NumPy, over fresh random and special numbers."""

from __future__ import annotations

import devices
import ml_dtypes
import numpy as np
import pytest
from op_inputs import elements
from op_oracles import COMPLEX, ORACLES, WIDER, complex_is_exact, is_exact, ulps_allowed
from op_table import apply, dtype, rows

PAIRS = [(name, kind) for name, row in rows().items() for kind in row.kinds()]
EXACT = [
    (name, kind)
    for name, kind in PAIRS
    if (complex_is_exact(name) if kind in COMPLEX else is_exact(ORACLES[name], kind))
]
REAL = [(name, kind) for name, kind in PAIRS if (name, kind) not in EXACT and kind not in COMPLEX]
# Where the oracle is one of finite numbers.
SPECIAL_VALUES = {
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "asin": np.arcsin,
    "acos": np.arccos,
}
OF_COMPLEX = [(name, kind) for name, kind in PAIRS if (name, kind) not in EXACT and kind in COMPLEX]


@pytest.fixture
def random(request: pytest.FixtureRequest) -> np.random.Generator:
    seed = np.random.SeedSequence().entropy
    request.node.add_report_section("call", "seed", str(seed))
    return np.random.default_rng(seed)


def operands_of(name: str, kind: str, random: np.random.Generator) -> list[np.ndarray]:
    return [elements(one, random) for one in rows()[name].operands(kind)]


# Which of two equal zeros is the lesser one, no standard says. ml_dtypes' sign and NumPy's
# nextafter of float16 differ from the other kinds'.
ZEROS_OF_EITHER_SIGN = {"minimum", "maximum", "fmin", "fmax", "clip"}
ZEROS_OF_ANOTHER_SIGN = {("sign", "bfloat16"), ("nextafter", "float16")}


def same(a: np.ndarray, b: np.ndarray, zeros_too: bool = True) -> np.ndarray:
    """Equal but for the bits of NaN, and with zeros of equal signs."""
    if a.dtype.kind == "c":
        return same(a.real, b.real, zeros_too) & same(a.imag, b.imag, zeros_too)
    with np.errstate(invalid="ignore"):
        equal = (a == b) | ((a != a) & (b != b))
        if a.dtype.kind in "biu" or not zeros_too:
            return equal
        return equal & ((a != 0) | (np.signbit(a) == np.signbit(b)))


def first_wrong(right: np.ndarray, operands: list[np.ndarray], *results: np.ndarray) -> str:
    at = int(np.argmin(right))
    shown = ", ".join(str(one[at]) for one in operands)
    return f"{np.sum(~right)} of {right.size} wrong, such as ({shown}) -> " + ", not ".join(
        str(one[at]) for one in results
    )


def ulp(value: np.ndarray, kind: str) -> np.ndarray:
    """The distance of neighbours near each value, below the least normal number that there."""
    info = ml_dtypes.finfo(dtype(kind))
    _, exponent = np.frexp(np.where(np.isfinite(value), value, 1))
    exponent = np.maximum(exponent - 1, int(info.minexp))
    return np.ldexp(np.ones_like(value), exponent - int(info.nmant))


def ulps_off(
    result: np.ndarray, expected: np.ndarray, kind: str, scale: np.ndarray | float = 0
) -> np.ndarray:
    """Infinity counts as the first number beyond the range; NaN as right where it is expected."""
    wide = result.astype(expected.dtype)
    beyond = np.ldexp(np.ones((), expected.dtype), int(ml_dtypes.finfo(dtype(kind)).maxexp))
    limited = np.clip(expected, -beyond, beyond)
    error = np.abs(np.clip(wide, -beyond, beyond) - limited)
    error = error / ulp(np.fmax(np.abs(limited), np.clip(scale, -beyond, beyond)), kind)
    error = np.where(np.isinf(expected) & (wide != expected), np.inf, error)
    is_nan = np.isnan(expected)
    return np.where(is_nan | np.isnan(wide), np.where(is_nan == np.isnan(wide), 0, np.inf), error)


def test_every_op_has_an_oracle() -> None:
    assert set(ORACLES) == set(rows())


@pytest.mark.parametrize(("name", "kind"), EXACT)
def test_exact_ops_are_numpys(name: str, kind: str, random: np.random.Generator) -> None:
    operands = operands_of(name, kind, random)
    result = apply(name, kind, operands)
    with np.errstate(all="ignore"):
        expected = np.asarray(ORACLES[name].function(*operands)).astype(result.dtype)
    zeros_too = name not in ZEROS_OF_EITHER_SIGN and (name, kind) not in ZEROS_OF_ANOTHER_SIGN
    right = same(result, expected, zeros_too)
    assert right.all(), first_wrong(right, operands, result, expected)


@pytest.mark.parametrize(("name", "kind"), REAL)
def test_functions_are_near_the_truth(name: str, kind: str, random: np.random.Generator) -> None:
    oracle = ORACLES[name]
    operands = operands_of(name, kind, random)
    result = apply(name, kind, operands)
    with np.errstate(all="ignore"):
        wide = [one.astype(WIDER[kind]) for one in operands]
        expected = oracle.function(*wide)
        scale = oracle.scale(*wide) if oracle.scale else 0
        if name == "lgamma" and not devices.IS_CPU:  # CUDA's, between its zeros
            scale = np.where(wide[0] < -2, 1, 0).astype(expected.dtype)
        error = ulps_off(result, expected, kind, scale)
    right = error <= ulps_allowed(name, oracle, kind)
    assert right.all(), f"{error.max():.3} ulp; " + first_wrong(right, operands, result, expected)


@pytest.mark.parametrize(("name", "kind"), OF_COMPLEX)
def test_complex_functions_are_near_the_truth(
    name: str, kind: str, random: np.random.Generator
) -> None:
    oracle = ORACLES[name]
    operands = operands_of(name, kind, random)
    if name == "pow":  # its error grows with the logarithm of the result
        operands[1] = (random.normal(0, 2, (2, operands[1].size)) * [[1], [1j]]).sum(0).astype(kind)
    if name == "exp2":  # the angle is the imaginary part times log(2), which has few digits left
        operands[0].imag %= 1000
    result = apply(name, kind, operands)
    with np.errstate(all="ignore"):
        wide = [one.astype(WIDER[kind]) for one in operands]
        expected = oracle.function(*wide)
        growth = oracle.complex_growth(*wide) if oracle.complex_growth else 0
        part = np.float32 if kind == "complex64" else np.float64
        info = np.finfo(part)
        allowed = (oracle.complex_bound + growth) * info.eps * np.abs(expected)
        error = np.abs(result.astype(expected.dtype) - expected)
        right = (error <= allowed + 4 * info.smallest_subnormal) | (np.abs(expected) > info.max / 4)
        worst = np.nanmax(error / (info.eps * np.abs(expected)))
    assert right.all(), f"{worst:.3} eps; " + first_wrong(right, operands, result, expected)


# C's Annex G, as NumPy computes it: results where a part is zero, infinite or NaN. It leaves open
# powers, and the sign of an infinity beside NaN.
@pytest.mark.parametrize("kind", sorted(COMPLEX))
@pytest.mark.parametrize("name", sorted({name for name, _ in OF_COMPLEX} - {"pow"}))
def test_complex_functions_of_special_numbers(name: str, kind: str) -> None:
    parts = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan])
    grid = np.empty((parts.size, parts.size), kind)
    grid.real, grid.imag = parts[:, None], parts
    flat = grid.ravel()
    arity = rows()[name].arity
    operands = [flat] if arity == 1 else [np.repeat(flat, flat.size), np.tile(flat, flat.size)]
    result = apply(name, kind, operands)
    with np.errstate(all="ignore"):
        expected = SPECIAL_VALUES.get(name, ORACLES[name].function)(*operands)
    right = np.ones(result.shape, bool)
    for got, part in ((result.real, expected.real), (result.imag, expected.imag)):
        known = np.isfinite(part) & np.isfinite(expected)
        is_open = np.isnan(expected.real) | np.isnan(expected.imag)
        limit = np.where(is_open, np.abs(got), got) == np.where(is_open, np.abs(part), part)
        right &= np.where(np.isinf(part), limit, True)
        right &= np.isfinite(got) | ~np.isfinite(part)
        right &= np.where(known, np.isclose(got, part, rtol=1e-5, atol=1e-6), True)
    assert right.all(), first_wrong(right, operands, result, expected)
