"""Operators and elementwise functions against NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import EXACT, INTEGERS, REALS, SIGNED, Pair, expect_equal, filled, pairs, seeds

import warpwise as ww

ARITHMETIC = [operator.add, operator.mul, operator.sub]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@st.composite
def broadcasting(draw: st.DrawFn) -> tuple[Pair, Pair]:
    """Two arrays whose shapes broadcast."""
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    arrays = []
    for _ in range(2):
        own = [draw(st.sampled_from([extent, 1])) for extent in shape]
        own = own[draw(st.integers(0, len(own))) :]
        host = filled(tuple(own), draw(st.sampled_from(EXACT)), draw(seeds))
        arrays.append((ww.asarray(host), host))
    return arrays[0], arrays[1]


@given(broadcasting(), st.sampled_from(ARITHMETIC + COMPARISONS))
def test_operators_of_arrays(
    arrays: tuple[Pair, Pair], function: Callable[[Any, Any], Any]
) -> None:
    (ours1, theirs1), (ours2, theirs2) = arrays
    if function is operator.sub and theirs1.dtype == theirs2.dtype == np.bool_:
        with pytest.raises(TypeError):
            function(ours1, ours2)
        return
    expect_equal(function(ours1, ours2), function(theirs1, theirs2))


@given(pairs(INTEGERS + REALS), st.sampled_from(ARITHMETIC), st.booleans())
def test_python_numbers_are_weak(
    pair: Pair, function: Callable[[Any, Any], Any], is_reflected: bool
) -> None:
    ours, theirs = pair
    arguments = (3, ours) if is_reflected else (ours, 3)
    expected = (3, theirs) if is_reflected else (theirs, 3)
    expect_equal(function(*arguments), function(*expected))


@given(pairs(INTEGERS + REALS), st.sampled_from([np.int8(3), np.float32(0.5), np.float64(2)]))
def test_numpy_scalars_have_their_type(pair: Pair, scalar: Any) -> None:
    ours, theirs = pair
    expect_equal(ours + scalar, theirs + scalar)
    expect_equal(scalar * ours, scalar * theirs)


@given(pairs(INTEGERS + REALS), st.sampled_from(["int8", "float32", "float64"]))
def test_numpy_arrays_without_axes_are_numpy_scalars(pair: Pair, dtype: str) -> None:
    ours, theirs = pair
    number = np.full((), 3, dtype)
    expect_equal(ours + number, theirs + number)
    expect_equal(number * ours, number * theirs)


@given(pairs(INTEGERS + REALS))
def test_division_and_remainder(pair: Pair) -> None:
    ours, theirs = pair
    with np.errstate(all="ignore"):
        expect_equal(ours / 4, theirs / 4)
        expect_equal(ours // 4, theirs // 4)
        expect_equal(ours % 4, theirs % 4)
        quotient, rest = divmod(ours, 4)
        expect_equal(quotient, theirs // 4)
        expect_equal(rest, theirs % 4)


@pytest.mark.parametrize("number", [7, np.int64(7), np.float32(-7.5)])
def test_quotients_of_numbers_by_arrays(number: Any) -> None:
    host = np.asarray([2, 3, -4])
    for ours, theirs in zip(divmod(number, ww.asarray(host)), divmod(number, host), strict=True):
        expect_equal(ours, theirs)


@given(pairs(INTEGERS + REALS), st.integers(0, 4))
def test_powers(pair: Pair, exponent: int) -> None:
    ours, theirs = pair
    if theirs.dtype.kind != "f" or exponent == 2:
        expect_equal(ours**exponent, theirs**exponent)
    else:
        result = (ours**exponent).get()
        np.testing.assert_allclose(result, theirs**exponent, rtol=1e-6)


@given(pairs(INTEGERS))
def test_bits(pair: Pair) -> None:
    ours, theirs = pair
    expect_equal(~ours, ~theirs)
    expect_equal(ours & 5, theirs & 5)
    expect_equal(ours | 5, theirs | 5)
    expect_equal(ours ^ 5, theirs ^ 5)
    expect_equal(ours << 2, theirs << 2)
    expect_equal(ours >> 1, theirs >> 1)


@given(pairs(SIGNED + REALS))
def test_signs(pair: Pair) -> None:
    ours, theirs = pair
    expect_equal(-ours, -theirs)
    expect_equal(+ours, +theirs)
    expect_equal(abs(ours), abs(theirs))


@given(pairs(REALS))
def test_results_keep_the_order_of_axes(pair: Pair) -> None:
    ours, theirs = pair
    ours, theirs = ours.copy(order="K"), theirs.copy(order="K")
    expect_equal(ours, theirs, strides=True)
    expect_equal(ours + 1, theirs + 1, strides=True)


@given(pairs(REALS), st.sampled_from(["sin", "cos", "exp", "sqrt", "log1p", "tanh", "arctan"]))
def test_functions_of_numpy_stay_here(pair: Pair, name: str) -> None:
    ours, theirs = pair
    theirs = np.abs(theirs)
    result = getattr(np, name)(abs(ours))
    assert isinstance(result, ww.Array)
    np.testing.assert_allclose(result.get(), getattr(np, name)(theirs), rtol=1e-6)


@given(pairs(REALS))
def test_in_place_operators_write_the_memory(pair: Pair) -> None:
    ours, theirs = pair
    base, host = ours.copy(), theirs.copy()
    view, part = base[...], host[...]
    view *= 2
    part *= 2
    view += view
    part += part
    expect_equal(base, host)


@given(st.integers(2, 30), st.integers(1, 10), seeds)
def test_overlapping_in_place_operators(count: int, shift: int, seed: int) -> None:
    host = filled((count + shift,), np.dtype(np.float64), seed)
    ours = ww.asarray(host)
    host = host.copy()
    host[shift:] += host[:-shift].copy()
    part = ours[shift:]
    part += ours[:-shift]
    expect_equal(ours, host)


@given(pairs(REALS))
def test_out_where_and_dtype(pair: Pair) -> None:
    ours, theirs = pair
    out, host = ww.zeros(ours.shape, ours.dtype), np.zeros(theirs.shape, theirs.dtype)
    assert ww.add(ours, 1, out=out, where=ours > 0) is out
    np.add(theirs, 1, out=host, where=theirs > 0)
    expect_equal(out, host)
    expect_equal(ww.multiply(ours, 2, dtype=ww.float64), np.multiply(theirs, 2, dtype=np.float64))


@given(pairs(REALS))
def test_where_and_clip(pair: Pair) -> None:
    ours, theirs = pair
    expect_equal(ww.where(ours > 0, ours, 0), np.where(theirs > 0, theirs, 0).astype(theirs.dtype))
    expect_equal(ww.clip(ours, -1, 1), np.clip(theirs, -1, 1))
    expect_equal(ww.clip(ours, None, 1), np.minimum(theirs, 1))


def test_results_of_more_axes_than_out_are_refused() -> None:
    out = ww.zeros(3)
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        ww.add(ww.ones((2, 3)), 1, out=out)
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        out[...] = ww.ones((2, 3))
    assert out.get().tolist() == [0, 0, 0]


def test_a_plan_for_two_arrays_is_not_taken_where_both_are_one() -> None:
    rng = np.random.default_rng()
    for shared in (False, True, False, True):
        host = rng.random(1000)
        other = host.copy()
        x = ww.asarray(host)
        y = x if shared else ww.asarray(other)
        ww.evaluate(x, y)
        total = x[:-1] + x[1:]
        y[1:] = y[1:] * 2 + total
        total += 1
        kept = host[:-1] + host[1:]
        target = host if shared else other
        target[1:] = target[1:] * 2 + kept
        ww.evaluate(y, total)
        assert np.array_equal(y.get(), target) and np.array_equal(total.get(), kept + 1)
        assert np.array_equal(x.get(), host)


def test_lazy_is_eager() -> None:
    host = np.linspace(0, 5, 1000, dtype=np.float32)
    x = ww.asarray(host)
    lazy = (5 * x + 6 * x - ww.sin(x) * ww.sqrt(x)).get()
    with ww.lazy(False):
        eager = (5 * x + 6 * x - ww.sin(x) * ww.sqrt(x)).get()
    np.testing.assert_array_equal(lazy, eager)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: x + ww.zeros(4), "could not be broadcast together"),
        (lambda x: x + np.zeros(3), "ww.asarray"),
        (lambda x: np.zeros(3) + x, "ww.asarray"),
        (lambda x: ww.add(x, "3"), "operands are arrays and numbers"),  # type: ignore[arg-type]
        (lambda x: x == [1, 1, 1], "ww.asarray"),
        (lambda x: (1, 1, 1) != x, "ww.asarray"),  # noqa: SIM300
        (lambda x: x & 1.5, "bitwise_and"),
        (lambda x: ww.add(x, 1, out=ww.zeros(3, ww.int32)), "astype"),
        (lambda x: ww.add(x, 1, out=ww.zeros(2)), "shape"),
        (lambda x: ww.add(x, 1, where=x), "must be bool"),
        (lambda x: ww.zeros(3, ww.uint8) + 300, "300"),
        (lambda x: ww.ones(3, ww.int32) ** -1, "floating type"),
        (lambda x: ww.zeros(3, ww.int32).__iadd__(1.5), "astype"),
        (lambda x: ww.zeros(2, [("a", "f4")]) + 1, "one of its fields"),
        (lambda x: ww.sin(x, dtype="no such type"), "dtype expects"),
        (lambda x: bool(x), "ww.any"),
        (lambda x: float(x), "one element"),
        (lambda x: hash(x), "unhashable"),
    ],
)
def test_a_wrong_operand_is_refused_at_once(call: Callable[[Any], Any], words: str) -> None:
    with pytest.raises((ww.ArgumentError, TypeError), match=words):
        call(ww.ones(3))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.subtract.accumulate(x),
        lambda x: np.linalg.norm(x),
        lambda x: np.spacing(x),
        lambda x: np.add(x, 1, casting="unsafe"),
    ],
)
def test_what_numpy_functions_lack_here_says_so(call: Callable[[Any], Any]) -> None:
    with pytest.raises(ww.UnsupportedError, match="numpy"):
        call(ww.ones(3))


def test_membership_is_whether_any_element_is_equal():
    x = ww.asarray(np.arange(12.0).reshape(3, 4))
    assert 7 in x and 7.5 not in x and np.float64(11) in x.T and -1 not in x[::2]
    assert (
        ww.asarray([4.0, 5.0, 6.0, 7.0]) in x and 0 not in ww.zeros((0, 3)) and 2 in ww.asarray(2)
    )
    assert "a" not in x and None not in x
    with pytest.raises(TypeError, match=r"ww\.asarray"):
        assert np.zeros(4) in x
    with ww.profile() as p:
        assert 99999 in ww.arange(100_000)
    assert len([one for one in p.records if one.kind == "kernel"]) <= 2
