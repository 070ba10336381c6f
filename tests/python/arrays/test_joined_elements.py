"""ufunc.accumulate, reduceat, reduce and outer of NumPy's functions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samples import expect_equal, filled

import warpwise as ww

REAL = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64"]
JOINING = [np.maximum, np.minimum, np.fmax, np.fmin, np.logical_and, np.logical_or, np.logical_xor]
BITS = [np.bitwise_and, np.bitwise_or, np.bitwise_xor]
SHAPES = [(7,), (1,), (3, 5), (40, 3), (2, 3, 4), (3, 2000), (1500, 3), (20000,)]


def values(dtype: str, shape: tuple[int, ...], seed: int = 1) -> np.ndarray[Any, Any]:
    host = filled(shape, np.dtype(dtype), seed)
    if host.dtype.kind == "f" and host.size > 5:
        host.reshape(-1)[host.size // 2] = np.nan
        host.reshape(-1)[host.size // 3] = np.inf
    return host


@pytest.mark.parametrize("ufunc", JOINING + BITS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("dtype", REAL)
def test_accumulating_is_numpys(ufunc: np.ufunc, dtype: str) -> None:
    for shape in SHAPES:
        host = values(dtype, shape)
        if host.dtype.kind == "f" and ufunc in BITS:
            with pytest.raises(TypeError, match=ufunc.__name__):
                ufunc.accumulate(ww.asarray(host))
            continue
        for axis in range(len(shape)):
            expect_equal(ufunc.accumulate(ww.asarray(host), axis), ufunc.accumulate(host, axis))


def test_accumulating_takes_numpys_options() -> None:
    host = values("int32", (4, 6))
    x = ww.asarray(host)
    out = ww.zeros((4, 6), dtype=np.int32)
    assert ww.accumulate("maximum", x, axis=1, out=out) is out
    expect_equal(out, np.maximum.accumulate(host, axis=1))
    np.minimum.accumulate(x, axis=0, out=out)
    expect_equal(out, np.minimum.accumulate(host, axis=0))
    expect_equal(
        np.maximum.accumulate(x, dtype=np.float64), np.maximum.accumulate(host, dtype=np.float64)
    )
    expect_equal(ww.accumulate("add", x.T, axis=1), np.add.accumulate(host.T, axis=1))
    expect_equal(ww.accumulate("multiply", x), np.multiply.accumulate(host))


def test_what_does_not_accumulate_is_refused() -> None:
    x = ww.arange(6.0)
    with pytest.raises(ValueError, match=r"function 'subtract'; it takes add, multiply, maximum"):
        ww.accumulate("subtract", x)
    with pytest.raises(ww.UnsupportedError, match=r"numpy\.subtract\.accumulate"):
        np.subtract.accumulate(x)
    with pytest.raises(TypeError, match="complex"):
        np.maximum.accumulate(ww.asarray([1j]))
    with pytest.raises(TypeError, match=r"logical_or\.accumulate got dtype=int64"):
        np.logical_or.accumulate(x > 2, dtype=np.int64)
    with pytest.raises(ValueError, match="out= of shape"):
        ww.accumulate("maximum", x, out=ww.zeros(5))


@pytest.mark.parametrize(
    "ufunc",
    [np.add, np.multiply, np.maximum, np.minimum, np.logical_or, np.bitwise_xor],
    ids=lambda each: each.__name__,
)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "int64", "float32", "float64"])
def test_segments_are_numpys(ufunc: np.ufunc, dtype: str) -> None:
    if ufunc is np.bitwise_xor and dtype.startswith("float"):
        pytest.skip("no bits of floats")
    for shape, axis, indices in (
        ((8,), 0, [0, 4, 1, 5, 2, 6, 3, 7]),
        ((8,), 0, [3]),
        ((5, 3), 0, [0, 2, 2, 4]),
        ((5, 7), 1, [0, 3, 6, 1]),
        ((2, 6, 3), 1, [5, 0, 2]),
        ((400, 5), 0, [*range(0, 400, 7)]),
    ):
        host = filled(shape, np.dtype(dtype), 3)
        theirs = ufunc.reduceat(host, indices, axis=axis)
        expect_equal(ufunc.reduceat(ww.asarray(host), indices, axis=axis), theirs)
        places = ww.asarray(np.array(indices))
        expect_equal(ww.reduceat(ufunc.__name__, ww.asarray(host), places, axis), theirs)
    flipped = filled((4, 6), np.dtype(dtype), 5)
    ours = ww.asarray(flipped).T[::-1]
    expect_equal(ufunc.reduceat(ours, [1, 3]), ufunc.reduceat(flipped.T[::-1], [1, 3]))


def test_segments_outside_are_refused() -> None:
    x = ww.arange(6.0)
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 with size 6"):
        ww.reduceat("add", x, [0, 6])
    with pytest.raises(ValueError, match=r"add\.reduceat got indices of shape \(1, 2\)"):
        ww.reduceat("add", x, [[0, 1]])
    assert ww.reduceat("add", x, []).shape == (0,)


@pytest.mark.parametrize(
    "ufunc",
    [np.logical_xor, *BITS, np.fmax, np.fmin],
    ids=lambda each: each.__name__,
)
def test_other_reductions_are_numpys(ufunc: np.ufunc) -> None:
    kind = "float64" if ufunc in (np.fmax, np.fmin) else "int32"
    host = filled((3, 4, 5), np.dtype(kind), 2)
    x = ww.asarray(host)
    for axis in (0, 1, -1, None, (0, 2), (2, 0)):
        for keepdims in (False, True):
            theirs = ufunc.reduce(host, axis=axis, keepdims=keepdims)
            ours = ufunc.reduce(x, axis=axis, keepdims=keepdims)
            assert (ours.shape, ours.dtype) == (np.shape(theirs), theirs.dtype)
            np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)
    nothing = host[:0]
    if ufunc.identity is not None:
        expect_equal(ufunc.reduce(ww.asarray(nothing)), ufunc.reduce(nothing))
    else:
        with pytest.raises(ValueError, match="over no elements"):
            ufunc.reduce(ww.asarray(nothing))
    with pytest.raises(ww.UnsupportedError, match="takes axis=, dtype= and keepdims="):
        ufunc.reduce(x, where=x > 0)


def test_outer_is_numpys() -> None:
    a, b = filled((3,), np.dtype("float64"), 1), filled((2, 4), np.dtype("int32"), 2)
    x, y = ww.asarray(a), ww.asarray(b)
    for ufunc in (np.add, np.subtract, np.multiply, np.less, np.maximum):
        for left, right, own_left, own_right in ((a, b, x, y), (b, a, y, x), (a, 2, x, 2)):
            expect_equal(ufunc.outer(own_left, own_right), ufunc.outer(left, right))
        expect_equal(ufunc.outer(2, y), ufunc.outer(2, b))
    np.testing.assert_allclose(np.hypot.outer(x, y).get(), np.hypot.outer(a, b), rtol=1e-15)
    quotient, rest = np.divmod(y, 3)
    expect_equal(quotient, b // 3)
    expect_equal(rest, b % 3)
