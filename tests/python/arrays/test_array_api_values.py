"""The array API standard's functions: dtypes, shapes and values of array-api-strict.

Elementwise functions run over the special values of every dtype that the standard gives them, the
others over a table of calls. What strict refuses the standard leaves open.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

standard = pytest.importorskip("array_api_strict")

Call = Callable[..., Any]
Host = np.ndarray[Any, Any]

DTYPES = sorted(standard.__array_namespace_info__().dtypes())
REAL = [0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.0, -100.25, 1e-3, 2.0**40, np.inf, -np.inf, np.nan]
WHOLE = [0, 1, 2, 3, 5, 7, 11, 64, 100, 127]
# Named differently by NumPy, or given other parameters than arrays alone.
ELEMENTWISE = [
    name
    for name in standard.__all__
    if getattr(getattr(standard, name), "__module__", "")
    == "array_api_strict._elementwise_functions"
    and name not in ("clip", "round", "bitwise_left_shift", "bitwise_right_shift")
]
COMPLEX_APART = {  # infinities and NaN of complex numbers, which C leaves open in part
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "divide", "exp", "expm1",
    "log", "log10", "log1p", "log2", "multiply", "pow", "reciprocal", "sign", "sin", "sinh",
    "sqrt", "square", "tan", "tanh",
}  # fmt: skip


def special(dtype: str, function: str) -> Host:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind == "u":
        return np.array([*WHOLE, np.iinfo(dtype).max], dtype)
    if kind == "i":
        return np.array([*WHOLE, *[-n for n in WHOLE], np.iinfo(dtype).min], dtype)
    if kind == "f":
        return np.array([*REAL, -0.0], dtype)
    parts = (
        [x for x in REAL if np.isfinite(x) and abs(x) < 50] if function in COMPLEX_APART else REAL
    )
    return np.array([complex(re, im) for re in parts for im in parts], dtype)


def expect_same(ours: Any, theirs: Any, rtol: float = 0.0, signs: bool = True) -> None:
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            expect_same(one, other, rtol)
        return
    if not isinstance(theirs, type(standard.asarray(1))):
        assert ours == theirs
        return
    expected = np.asarray(theirs._array)
    assert isinstance(ours, ww.Array)
    assert ours.shape == expected.shape
    assert ours.dtype == expected.dtype
    got = ours.get()
    if not rtol or expected.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected)
    else:
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol, equal_nan=True)
    if signs and expected.dtype.kind == "f":
        zeros = (expected == 0) & (got == 0)
        np.testing.assert_array_equal(np.signbit(got[zeros]), np.signbit(expected[zeros]))


def tolerance(dtype: str) -> float:
    return 2e-5 if dtype in ("float32", "complex64") else 1e-12


def arity(name: str) -> int:
    return len(inspect.signature(getattr(standard, name)).parameters)


def operands(name: str, dtype: str) -> list[Host]:
    one = special(dtype, name)
    if arity(name) == 1:
        return [one]
    if np.dtype(dtype).kind == "c":
        one = one[:: max(1, len(one) // 24)]
    pairs = list(itertools.product(one, one))
    first, second = (np.array([pair[i] for pair in pairs], dtype) for i in (0, 1))
    if name == "pow" and np.dtype(dtype).kind in "iu":
        keep = (second >= 0) & (second < 8)
        return [first[keep], second[keep]]
    if name in ("floor_divide", "remainder") and np.dtype(dtype).kind in "iu":
        return [first[second != 0], second[second != 0]]
    return [first, second]


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_elementwise_function_over_special_values(name: str) -> None:
    tried = 0
    signs = name not in ("maximum", "minimum")  # of 0.0 and -0.0 the standard names none
    for dtype in DTYPES:
        hosts = operands(name, dtype)
        try:
            theirs = getattr(standard, name)(*map(standard.asarray, hosts))
        except TypeError:
            continue
        tried += 1
        rtol = tolerance(dtype)
        try:
            expect_same(getattr(ww, name)(*map(ww.asarray, hosts)), theirs, rtol, signs)
        except AssertionError as error:
            raise AssertionError(f"{name} of {dtype}: {error}") from None
    assert tried > 0


@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
@pytest.mark.parametrize("dtype", [d for d in DTYPES if np.dtype(d).kind in "iu"])
def test_shifts_by_fewer_bits_than_there_are(name: str, dtype: str) -> None:
    values = special(dtype, name)
    bits = (np.arange(values.size) % np.iinfo(dtype).bits).astype(dtype)
    theirs = getattr(standard, name)(standard.asarray(values), standard.asarray(bits))
    expect_same(getattr(ww, name)(ww.asarray(values), ww.asarray(bits)), theirs)


@pytest.mark.parametrize("first", DTYPES)
def test_types_are_promoted_as_the_standard_says(first: str) -> None:
    for second in DTYPES:
        try:
            expected = standard.result_type(getattr(standard, first), getattr(standard, second))
        except TypeError:
            continue
        expected = np.dtype(expected._np_dtype)
        assert ww.result_type(getattr(ww, first), getattr(ww, second)) == expected
        total = ww.ones(2, dtype=first) * ww.ones((), dtype=second)
        assert total.dtype == expected


CALLS: dict[str, Call] = {
    "arange": lambda xp, a, b, n: [xp.arange(3), xp.arange(1, 9, 3), xp.arange(5.0, 0.0, -1.5)],
    "asarray": lambda xp, a, b, n: [xp.asarray([[1, 2], [3, 4]]), xp.asarray(a, copy=True)],
    "empty": lambda xp, a, b, n: [xp.empty((2, 3)).shape, xp.empty_like(a).shape],
    "eye": lambda xp, a, b, n: [xp.eye(3), xp.eye(2, 4, k=1), xp.eye(4, 2, k=-1, dtype=xp.int8)],
    "full": lambda xp, a, b, n: [xp.full((2, 2), 7), xp.full(3, 0.5), xp.full_like(a, 4)],
    "linspace": lambda xp, a, b, n: [xp.linspace(0, 1, 5), xp.linspace(2, -1, 3, endpoint=False)],
    "meshgrid": lambda xp, a, b, n: [*xp.meshgrid(n, n), *xp.meshgrid(n, n, indexing="ij")],
    "ones": lambda xp, a, b, n: [xp.ones((2, 1)), xp.ones_like(a), xp.zeros(4), xp.zeros_like(b)],
    "tril": lambda xp, a, b, n: [xp.tril(a), xp.tril(a, k=1), xp.triu(a, k=-1), xp.triu(a)],
    "astype": lambda xp, a, b, n: [xp.astype(a, xp.float32), xp.astype(n, xp.bool, copy=False)],
    "can_cast": lambda xp, a, b, n: [
        xp.can_cast(xp.int8, xp.int64), xp.can_cast(a, xp.float32), xp.can_cast(xp.int64, xp.int8),
    ],
    "isdtype": lambda xp, a, b, n: [
        xp.isdtype(a.dtype, "real floating"), xp.isdtype(n.dtype, ("bool", "integral")),
    ],
    "clip": lambda xp, a, b, n: [xp.clip(a, -0.5, 0.5), xp.clip(a, b, None), xp.clip(n, max=3)],
    "round": lambda xp, a, b, n: [xp.round(a * 2.5), xp.round(n)],
    "where": lambda xp, a, b, n: [xp.where(a > b, a, b), xp.where(a > 0, a, 0.0)],
    "broadcast": lambda xp, a, b, n: [
        xp.broadcast_to(n, (3, *n.shape)), *xp.broadcast_arrays(a, a[:1, ...], a[:, :1]),
    ],
    "concat": lambda xp, a, b, n: [
        xp.concat([a, b]), xp.concat((a, b), axis=1), xp.concat([a, b[0, :]], axis=None),
    ],
    "expand_dims": lambda xp, a, b, n: [xp.expand_dims(a, axis=1), xp.expand_dims(a, axis=-1)],
    "flip": lambda xp, a, b, n: [xp.flip(a), xp.flip(a, axis=1), xp.flip(a, axis=(0, -1))],
    "moveaxis": lambda xp, a, b, n: [xp.moveaxis(a, 0, 1), xp.permute_dims(a, (1, 0))],
    "repeat": lambda xp, a, b, n: [
        xp.repeat(a, 2), xp.repeat(a, 3, axis=1), xp.repeat(n, xp.asarray([0, 2, 1, 3, 0, 1, 1])),
    ],
    "reshape": lambda xp, a, b, n: [xp.reshape(a, (-1,)), xp.reshape(a, (2, -1), copy=True)],
    "roll": lambda xp, a, b, n: [
        xp.roll(a, 3), xp.roll(a, -1, axis=0), xp.roll(a, (1, 2), axis=(0, 1)),
    ],
    "squeeze": lambda xp, a, b, n: [xp.squeeze(a[:1, :], axis=0), xp.squeeze(a[:1, :1], (0, 1))],
    "stack": lambda xp, a, b, n: [xp.stack([a, b]), xp.stack((a, b), axis=-1), *xp.unstack(a)],
    "tile": lambda xp, a, b, n: [xp.tile(a, (2, 1)), xp.tile(n, (2, 1, 2))],
    "argmax": lambda xp, a, b, n: [
        xp.argmax(a), xp.argmax(a, axis=0), xp.argmin(a, axis=1, keepdims=True),
    ],
    "count_nonzero": lambda xp, a, b, n: [
        xp.count_nonzero(a), xp.count_nonzero(n, axis=0), xp.count_nonzero(a, keepdims=True),
    ],
    "nonzero": lambda xp, a, b, n: [*xp.nonzero(a), *xp.nonzero(a > 0)],
    "searchsorted": lambda xp, a, b, n: [
        xp.searchsorted(xp.sort(n), n), xp.searchsorted(xp.sort(n), n, side="right"),
        xp.searchsorted(n, n, sorter=xp.argsort(n)),
    ],
    "unique": lambda xp, a, b, n: [
        xp.unique_values(n), *xp.unique_counts(n), *xp.unique_inverse(n), *xp.unique_all(n),
        *xp.unique_all(a),
    ],
    "isin": lambda xp, a, b, n: [xp.isin(n, n[:2]), xp.isin(n, n[2:5])],
    "sort": lambda xp, a, b, n: [
        xp.sort(a), xp.sort(a, axis=0, descending=True), xp.argsort(n, descending=True),
        xp.argsort(a, axis=0), xp.sort(n, stable=False),
    ],
    "sum": lambda xp, a, b, n: [
        xp.sum(a), xp.sum(n, dtype=xp.float64), xp.prod(a, axis=1), xp.sum(a, axis=(0, 1)),
        xp.sum(xp.astype(n, xp.int8)), xp.prod(xp.astype(n, xp.uint8)), xp.sum(a[:0, :]),
    ],
    "max": lambda xp, a, b, n: [xp.max(a), xp.min(a, axis=0), xp.max(n, keepdims=True)],
    "mean": lambda xp, a, b, n: [
        xp.mean(a), xp.var(a, axis=0), xp.std(a, correction=1.0), xp.mean(a, axis=1, keepdims=True),
    ],
    "cumulative": lambda xp, a, b, n: [
        xp.cumulative_sum(n), xp.cumulative_prod(a, axis=1),
        xp.cumulative_sum(a, axis=0, include_initial=True),
    ],
    "diff": lambda xp, a, b, n: [xp.diff(a), xp.diff(a, axis=0, n=2), xp.diff(n, prepend=n[:2])],
    "all": lambda xp, a, b, n: [xp.all(a), xp.any(a > 1, axis=0), xp.all(a < 9, keepdims=True)],
    "matmul": lambda xp, a, b, n: [
        a @ xp.matrix_transpose(b), xp.matmul(a, n[:3]), xp.vecdot(a, b), xp.vecdot(a, b, axis=-2),
        xp.tensordot(a, b, axes=((0,), (0,))), xp.tensordot(n, n, axes=0), a.mT, a.T,
    ],
    "take": lambda xp, a, b, n: [
        xp.take(a, xp.asarray([2, 0, 1]), axis=1), xp.take(n, xp.asarray([1, 1])),
        xp.take_along_axis(a, xp.argsort(a, axis=1), axis=1),
    ],
    "index": lambda xp, a, b, n: [
        a[0, :], a[..., -1], a[::-1, 1:], a[a > 0], n[xp.asarray([0, -1])], a[None, ..., 0],
        a[xp.asarray([0, 1]), xp.asarray([2, 0])],
    ],
    "operators": lambda xp, a, b, n: [
        a + b, a - 1.0, 2.0 * a, a / b, -a, +a, abs(a), n // 3, n % 4, n**2, ~n, n & 6, n | 1,
        n ^ 5, n << 2, n >> 1, a < b, a <= b, a == b, a != b, a > b, a >= b,
    ],
    "scalars": lambda xp, a, b, n: [
        int(n[0]), float(a[0, 0]), bool(n[1] > 0), complex(a[0, 1]), [1, 2, 3][n[3]],
    ],
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_a_call_of_the_standard(call: str, real: str, rng: np.random.Generator) -> None:
    a, b = (rng.integers(-8, 9, (4, 3)).astype(real) / 4 for _ in range(2))
    b[b == 0] = 0.5
    n = np.array([3, 1, 4, 1, 5, 0, 2], np.int64)
    ours = CALLS[call](ww, ww.asarray(a), ww.asarray(b), ww.asarray(n))
    theirs = CALLS[call](standard, *map(standard.asarray, (a, b, n)))
    expect_same(ours, theirs, tolerance(real))


def test_every_function_of_the_standard_is_called_here() -> None:
    sources = " ".join(inspect.getsource(call) for call in CALLS.values())
    other = {
        "from_dlpack", "finfo", "iinfo", "result_type", "broadcast_shapes",
        "bitwise_left_shift", "bitwise_right_shift",
    }  # fmt: skip
    left = [
        name
        for name in standard.__all__
        if inspect.isfunction(getattr(standard, name, None))
        and name not in other
        and not name.startswith("_")
        and name not in ELEMENTWISE
        and not name.endswith("strict_flags")
        and f"xp.{name}(" not in sources
    ]
    assert left == []


def test_arrays_are_exchanged_by_dlpack() -> None:
    x = ww.arange(6, dtype=ww.float32)
    np.testing.assert_array_equal(np.from_dlpack(x.to_device("cpu")), x.get())
    expect_same(ww.from_dlpack(np.arange(3.0)), standard.asarray(np.arange(3.0)))


def test_isin_inverted() -> None:
    """array-api-strict 2.6.1 forgets to pass `invert` on; these are the standard's words."""
    x, kept = ww.asarray([3, 1, 4, 1]), ww.asarray([1])
    assert ww.isin(x, kept, invert=True).get().tolist() == [True, False, True, False]
    assert ww.isin(x, kept).get().tolist() == [False, True, False, True]
