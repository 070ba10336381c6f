"""What each op should compute, one row an op, and how near a result has to come.

Exact ops are compared bit by bit with NumPy in the same kind, others with a function computed in a
wider kind, in units in the last place.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import devices
import mpmath
import numpy as np
import scipy.special
from op_table import COMPLEX, INTEGERS, dtype

Function = Callable[..., Any]
ACCURACY = Path(__file__).parents[3] / "docs" / "reference" / "math_accuracy.md"
WIDER = {
    "float16": np.float64,
    "bfloat16": np.float64,
    "float32": np.float64,
    "float64": np.longdouble,
    "complex64": np.complex128,
    "complex128": np.clongdouble,
}


@dataclass(frozen=True)
class Oracle:
    function: Function  # of NumPy arrays
    # In units in the last place of float32 and float64; None: the table of math_accuracy.md, by
    # this name or the op's. 0: exact.
    bound: float | None = 0
    documented_as: str = ""
    # What the unit is of where that is more than the result: where terms may cancel.
    scale: Function | None = None
    # Of complex results, in eps of their absolute value.
    complex_bound: float = 8
    # What is added to that for each element.
    complex_growth: Function | None = None


@functools.cache
def documented_bounds() -> dict[str, tuple[float, float]]:
    """Function -> bounds in float and double."""
    rows = re.findall(
        r"^\| `(\w+)` \| [^|]* \| ([^|]*) \| [^|]* \| [^|]* \| ([^|]*) \|",
        ACCURACY.read_text(),
        re.MULTILINE,
    )
    return {name: (float(single), float(double)) for name, single, double in rows}


# What CUDA's programming guide states for functions of float and double, where that is more than 1.
# It counts from the correctly rounded result.
OF_CUDA = {
    "acos": (2, 2),
    "acosh": (4, 3),
    "asin": (2, 2),
    "asinh": (3, 3),
    "atan": (2, 2),
    "atan2": (3, 2),
    "atanh": (3, 2),
    "cos": (2, 2),
    "cosh": (2, 1),
    "erf": (2, 2),
    "erfc": (4, 5),
    "exp": (2, 1),
    "exp2": (2, 1),
    "hypot": (3, 2),
    "lgamma": (6, 4),
    "log10": (2, 1),
    "pow": (4, 2),
    "sin": (2, 2),
    "sinh": (3, 2),
    "tan": (4, 2),
    "tanh": (2, 1),
    "tgamma": (5, 10),
}


def ulps_allowed(name: str, oracle: Oracle, kind: str) -> float:
    bound = oracle.bound
    if bound is None:
        single, double = documented_bounds()[oracle.documented_as or name]
        bound = double if kind == "float64" else single
        if not devices.IS_CPU:
            single, double = OF_CUDA.get(oracle.documented_as or name, (1, 1))
            bound = max(bound, 0.5 + (double if kind == "float64" else single))
    # Rounding a float to 16 bits adds half a unit to what little is left of the float's error.
    return 0.5 + bound * 2.0**-12 if dtype(kind).itemsize == 2 else bound


def reciprocal(a: np.ndarray) -> np.ndarray:
    """Of integers 1, -1 or 0, of zero too, which NumPy leaves undefined."""
    if a.dtype.kind not in "iu":
        return np.reciprocal(a)
    return np.where(np.abs(a) == 1, a, 0).astype(a.dtype)


def rounded(a: np.ndarray) -> np.ndarray:
    return a if a.dtype.kind in "iu" else np.rint(a)


def integer_power(base: int, exponent: int, bits: int) -> int:
    if exponent >= 0:
        return pow(base, exponent, 1 << bits)
    return base ** (exponent & 1) if base in (1, -1) else 0


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind not in "iu":
        return np.power(a, b)
    bits = 8 * a.dtype.itemsize
    values = [integer_power(int(x), int(y), bits) % (1 << bits) for x, y in zip(a, b, strict=True)]
    return np.array(values, f"uint{bits}").view(a.dtype)


def by_mpmath(function: Function) -> Function:
    """Element by element, as longdouble or clongdouble."""

    def digits(x: Any) -> int:
        # Of tiny arguments, formulas by the logarithm keep what lies beside 1.
        parts = [abs(float(part)) for part in (np.real(x), np.imag(x)) if part != 0]
        return 40 - int(np.log10(min([1.0, *parts])))

    def one(x: Any) -> Any:
        if not np.isfinite(x):
            return None
        with mpmath.workdps(digits(x)):
            # A double is exact in either; a longdouble here is a widened double or float.
            point = mpmath.mpmathify(complex(x) if np.iscomplexobj(x) else float(x))
            return function(point)

    def widened(value: Any) -> Any:
        high = float(value)
        return np.longdouble(high) + np.longdouble(float(value - high))

    def evaluate(a: np.ndarray) -> np.ndarray:
        values = [one(x) for x in a]
        if np.iscomplexobj(a):
            out = np.empty(a.shape, np.clongdouble)
            out.real = [np.nan if v is None else widened(mpmath.re(v)) for v in values]
            out.imag = [np.nan if v is None else widened(mpmath.im(v)) for v in values]
            return out
        return np.array([np.nan if v is None else widened(v) for v in values], np.longdouble)

    return evaluate


def special(of_double: Function, of_numbers: Function) -> Function:
    """scipy for float32 and narrower, whose wider kind is double; mpmath for double itself."""
    exact = by_mpmath(of_numbers)

    def evaluate(a: np.ndarray) -> np.ndarray:
        result = of_double(a.astype(np.float64)).astype(a.dtype)
        if a.dtype == np.longdouble:
            ordinary = np.isfinite(result) & (np.abs(a) < 1e4) & (np.abs(a) > 1e-300)
            result[ordinary] = exact(a[ordinary])
        return result

    return evaluate


def log_gamma(a: np.ndarray) -> np.ndarray:
    """As C has it at -inf, and without scipy's overflow beside 0."""
    beside_zero = np.where(np.abs(a) < 1e-300, -np.log(np.abs(a)), scipy.special.gammaln(a))
    return np.where(np.isneginf(a), np.inf, beside_zero)


def greater_size(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.maximum(np.abs(a), np.abs(b))


def wide_complex(of_reals: Function, of_numbers: Function) -> Function:
    """Where NumPy's function of complex numbers is less accurate than ours."""
    exact = by_mpmath(of_numbers)
    return lambda a: exact(a) if np.iscomplexobj(a) else of_reals(a)


def rsqrt(a: np.ndarray) -> np.ndarray:
    return 1 / np.sqrt(a)


def clip(a: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.minimum(np.maximum(a, low), high)


def exponent_size(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """An error of the exponent in exp(b log(a)) is one of the result, as many times as its size."""
    return 2 * np.abs(b) * (1 + np.abs(np.log(a)))


ORACLES: dict[str, Oracle] = {
    "add": Oracle(np.add),
    "subtract": Oracle(np.subtract),
    "multiply": Oracle(np.multiply, complex_bound=4),
    "divide": Oracle(np.divide, complex_bound=4),
    "floor_divide": Oracle(np.floor_divide),
    "remainder": Oracle(np.remainder),
    "fmod": Oracle(np.fmod),
    "pow": Oracle(power, None, complex_growth=exponent_size),
    "negative": Oracle(np.negative),
    "positive": Oracle(np.positive),
    "abs": Oracle(np.abs, 0, complex_bound=3),
    "sign": Oracle(np.sign, complex_bound=4),
    "square": Oracle(np.square, complex_bound=4),
    "reciprocal": Oracle(reciprocal, complex_bound=4),
    "minimum": Oracle(np.minimum),
    "maximum": Oracle(np.maximum),
    "fmin": Oracle(np.fmin),
    "fmax": Oracle(np.fmax),
    "clip": Oracle(clip),
    "ceil": Oracle(np.ceil),
    "floor": Oracle(np.floor),
    "trunc": Oracle(np.trunc),
    "round": Oracle(rounded),
    "exp": Oracle(np.exp, None),
    "exp2": Oracle(np.exp2, None),
    "expm1": Oracle(np.expm1, None),
    "log": Oracle(wide_complex(np.log, mpmath.log), None),
    "log1p": Oracle(wide_complex(np.log1p, mpmath.log1p), None),
    "log2": Oracle(wide_complex(np.log2, lambda z: mpmath.log(z, 2)), None),
    "log10": Oracle(wide_complex(np.log10, mpmath.log10), None),
    "logaddexp": Oracle(np.logaddexp, 4, scale=greater_size),
    "logaddexp2": Oracle(np.logaddexp2, 4, scale=greater_size),
    "sqrt": Oracle(np.sqrt),
    "cbrt": Oracle(np.cbrt, None),
    "rsqrt": Oracle(rsqrt, None),
    "hypot": Oracle(np.hypot, None),
    "sin": Oracle(np.sin, None),
    "cos": Oracle(np.cos, None),
    "tan": Oracle(np.tan, None),
    "asin": Oracle(wide_complex(np.arcsin, mpmath.asin), None),
    "acos": Oracle(wide_complex(np.arccos, mpmath.acos), None),
    "atan": Oracle(np.arctan, None),
    "atan2": Oracle(np.arctan2, None),
    "sinh": Oracle(np.sinh, None),
    "cosh": Oracle(np.cosh, None),
    "tanh": Oracle(np.tanh, None),
    "asinh": Oracle(np.arcsinh, None),
    "acosh": Oracle(np.arccosh, None),
    "atanh": Oracle(np.arctanh, None),
    "deg2rad": Oracle(np.deg2rad, 1.5),
    "rad2deg": Oracle(np.rad2deg, 1.5),
    "erf": Oracle(special(scipy.special.erf, mpmath.erf), None),
    "erfc": Oracle(special(scipy.special.erfc, mpmath.erfc), None),
    "lgamma": Oracle(special(log_gamma, lambda x: mpmath.re(mpmath.loggamma(x))), 6),
    "tgamma": Oracle(special(scipy.special.gamma, mpmath.gamma), 11),
    "heaviside": Oracle(np.heaviside),
    "copysign": Oracle(np.copysign),
    "nextafter": Oracle(np.nextafter),
    "signbit": Oracle(np.signbit),
    "isfinite": Oracle(np.isfinite),
    "isinf": Oracle(np.isinf),
    "isnan": Oracle(np.isnan),
    "real": Oracle(np.real),
    "imag": Oracle(lambda a: np.imag(a) if np.iscomplexobj(a) else np.zeros_like(a)),
    "conj": Oracle(lambda a: np.conj(a) if np.iscomplexobj(a) else a),
    "equal": Oracle(np.equal),
    "not_equal": Oracle(np.not_equal),
    "less": Oracle(np.less),
    "less_equal": Oracle(np.less_equal),
    "greater": Oracle(np.greater),
    "greater_equal": Oracle(np.greater_equal),
    "logical_and": Oracle(np.logical_and),
    "logical_or": Oracle(np.logical_or),
    "logical_xor": Oracle(np.logical_xor),
    "logical_not": Oracle(np.logical_not),
    "where": Oracle(np.where),
    "bitwise_and": Oracle(np.bitwise_and),
    "bitwise_or": Oracle(np.bitwise_or),
    "bitwise_xor": Oracle(np.bitwise_xor),
    "bitwise_invert": Oracle(np.bitwise_invert),
    "bitwise_left_shift": Oracle(np.left_shift),
    "bitwise_right_shift": Oracle(np.right_shift),
    "bitwise_count": Oracle(np.bitwise_count),
    "gcd": Oracle(np.gcd),
    "lcm": Oracle(np.lcm),
}


def is_exact(oracle: Oracle, kind: str) -> bool:
    return oracle.bound == 0 or kind in INTEGERS or kind == "bool"


def complex_is_exact(name: str) -> bool:
    """Of complex operands: what rounds each part once, or nothing."""
    rounded = {"multiply", "divide", "square", "reciprocal", "sign", "abs", "sqrt"}
    return ORACLES[name].bound == 0 and name not in rounded


__all__ = ["COMPLEX", "ORACLES", "Oracle", "complex_is_exact", "is_exact", "ulps_allowed"]
