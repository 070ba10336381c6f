"""New arrays: constants, ranges, host memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import EXACT, Pair, expect_equal, pairs, shapes

import warpwise as ww

finite = st.floats(-1e3, 1e3)


@pytest.mark.parametrize("value", [np.float32(2.5), np.arange(3), np.arange(4)[:, None] + 0.5])
@pytest.mark.parametrize("dtype", [None, "int16", "float64"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_filled_with_arrays(value: Any, dtype: Any, order: str) -> None:
    given = ww.asarray(value)
    expect_equal(
        ww.full((4, 3), given, dtype, order), np.full((4, 3), value, dtype, order), strides=True
    )
    like = np.zeros((4, 3), np.float32, order)
    expect_equal(
        ww.full_like(ww.asarray(like), given, dtype=dtype),
        np.full_like(like, value, dtype=dtype),
        strides=True,
    )


def test_arrays_that_do_not_broadcast_fill_nothing() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        ww.full((4, 3), ww.zeros(4))


@given(shapes, st.sampled_from(EXACT), st.sampled_from(["C", "F"]))
def test_constants(shape: tuple[int, ...], dtype: Any, order: Any) -> None:
    expect_equal(ww.zeros(shape, dtype, order), np.zeros(shape, dtype, order), strides=True)
    expect_equal(ww.ones(shape, dtype, order), np.ones(shape, dtype, order), strides=True)
    expect_equal(ww.full(shape, 1, dtype, order), np.full(shape, 1, dtype, order), strides=True)
    assert ww.empty(shape, dtype, order).shape == shape


@given(pairs())
def test_likes_keep_shape_type_and_order(pair: Pair) -> None:
    ours, theirs = pair
    expect_equal(ww.zeros_like(ours), np.zeros_like(theirs), strides=True)
    expect_equal(ww.full_like(ours, 1), np.full_like(theirs, 1), strides=True)
    assert ww.empty_like(ours, dtype=ww.int8).dtype == np.int8


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-7, 7).filter(bool))
def test_ranges_of_integers(start: int, stop: int, step: int) -> None:
    expect_equal(ww.arange(start, stop, step), np.arange(start, stop, step))
    expect_equal(
        ww.arange(start, stop, step, dtype=ww.float32),
        np.arange(start, stop, step, dtype=np.float32),
    )


@given(finite, st.floats(-50, 50), st.floats(0.3, 5), st.sampled_from([np.float32, np.float64]))
def test_ranges_of_reals(start: float, length: float, step: float, dtype: Any) -> None:
    stop = start + length
    expect_equal(
        ww.arange(start, stop, step, dtype=dtype), np.arange(start, stop, step, dtype=dtype)
    )


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_ranges_end_where_an_array_says(dtype: Any) -> None:
    start, stop, step = (dtype(n) for n in (1, 9, 2))
    as_arrays = ww.arange(ww.asarray(start), ww.asarray(stop), ww.asarray(step))
    expect_equal(as_arrays, np.arange(start, stop, step))
    expect_equal(ww.arange(1, ww.asarray(stop) + 1), np.arange(1, stop + 1))


def test_arguments_stand_where_numpy_takes_them() -> None:
    host = np.arange(6, dtype=np.int16).reshape(2, 3)
    ours = ww.asarray(host, np.float32)
    expect_equal(ours, np.asarray(host, np.float32))
    expect_equal(ww.asarray(host, np.int8, "F"), np.asarray(host, np.int8, "F"), strides=True)
    expect_equal(ww.zeros_like(ours, np.int8), np.zeros_like(host, np.int8))
    expect_equal(ww.full_like(ours, 3, np.int8, "F"), np.full_like(host, 3, np.int8, "F"))
    expect_equal(ww.arange(1, 9, 2, np.float32), np.arange(1, 9, 2, np.float32))
    expect_equal(ww.arange(1, 9, None), np.arange(1, 9, None))
    for order in (None, "c", "f"):
        for name in ("zeros", "ones"):
            expect_equal(
                getattr(ww, name)((2, 3), np.int8, order),
                getattr(np, name)((2, 3), np.int8, order),
                strides=True,
            )


@pytest.mark.parametrize("ndmin", [0, 1, 2, 4])
def test_arrays_have_as_many_axes_as_asked(ndmin: int) -> None:
    for host in (np.float32(3), np.arange(3), np.zeros((2, 3), order="F")):
        expect_equal(ww.array(host, ndmin=ndmin), np.array(host, ndmin=ndmin))
    x = ww.arange(3)
    assert ww.array(x, copy=False, ndmin=ndmin).ptr == x.ptr


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_ranges_of_complex_types(dtype: Any) -> None:
    expect_equal(ww.arange(0.1, 2, 0.3, dtype=dtype), np.arange(0.1, 2, 0.3, dtype=dtype))


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.uint64, np.float16, np.float32])
def test_ranges_have_the_type_that_numpy_gives(dtype: Any) -> None:
    expect_equal(ww.arange(dtype(1)), np.arange(dtype(1)))
    expect_equal(ww.arange(0, dtype(1)), np.arange(0, dtype(1)))


def test_arrays_without_axes_are_numbers() -> None:
    host = np.array([3.0, 1.0, 2.5])
    x = ww.asarray(host)
    counts, edges = ww.histogram(x, bins=4, range=(x.min(), x.max()))
    expected, expected_edges = np.histogram(host, bins=4, range=(host.min(), host.max()))
    expect_equal(counts, expected)
    expect_equal(edges, expected_edges)
    expect_equal(ww.max(x[1:], initial=x[0]), np.max(host[1:], initial=host[0]))
    x.fill(x[1] + 1)
    expect_equal(x, np.full(3, 2.0))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_second_of_a_range_is_not_rounded_twice(
    rng: np.random.Generator, dtype: type[Any]
) -> None:
    for start, step in zip(rng.normal(size=40), rng.uniform(0.3, 5, 40), strict=True):
        stop = start + 3.5 * step
        expect_equal(
            ww.arange(start, stop, step, dtype=dtype), np.arange(start, stop, step, dtype=dtype)
        )
    start = -1.3087887346072193
    expect_equal(
        ww.arange(start, start + 2, dtype=np.float32), np.arange(start, start + 2, dtype=np.float32)
    )


@given(finite, finite, st.integers(0, 60), st.booleans(), st.sampled_from(["f4", "f8", "i4"]))
def test_linspace(start: float, stop: float, num: int, endpoint: bool, dtype: str) -> None:
    expect_equal(
        ww.linspace(start, stop, num, endpoint=endpoint, dtype=dtype),
        np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype),
    )


@given(
    st.integers(0, 9),
    st.booleans(),
    st.sampled_from(["f4", "f8", "i4"]),
    st.sampled_from(["f4", "f8", "i8", None]),
    st.integers(-2, 1),
    st.integers(0, 2**32),
)
def test_linspace_between_arrays(
    num: int, endpoint: bool, dtype: str, result: str | None, axis: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    start = (rng.normal(size=4) * 9).astype(dtype)
    stop = (rng.normal(size=(3, 1)) * 9).astype(dtype)
    options: dict[str, Any] = {"endpoint": endpoint, "dtype": result, "axis": axis}
    ours = ww.linspace(ww.asarray(start), ww.asarray(stop), num, **options)
    expect_equal(ours, np.linspace(start, stop, num, **options))


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("number", [0, 0.5, -3, np.float32(1.5), 2j])
def test_linspace_between_a_number_and_an_array(
    rng: np.random.Generator, dtype: type[Any], number: Any
) -> None:
    """Python's numbers are of the array's type where that holds them."""
    ends = rng.integers(5, 90, 3).astype(dtype)
    if np.dtype(dtype).kind == "u" and number == -3:
        number = 3
    for num in (1, 2, 50):
        for order in (1, -1):
            theirs = np.linspace(*(number, ends)[::order], num)
            ours = ww.linspace(*(number, ww.asarray(ends))[::order], num)
            assert ours.dtype == theirs.dtype
            # A product of complex numbers may round otherwise.
            tolerance = 400 * np.finfo(theirs.dtype).eps if theirs.dtype.kind == "c" else 0
            np.testing.assert_allclose(ours.get(), theirs, rtol=0, atol=tolerance)


def test_linspace_gives_the_distance() -> None:
    values, distance = ww.linspace(0, 1, 5, retstep=True)
    assert (values.shape, distance) == ((5,), 0.25)
    stop = ww.asarray([2.0, 4.0])
    assert np.linspace(0, stop, 5, endpoint=False, retstep=True)[1].tolist() == [0.4, 0.8]
    assert np.isnan(ww.linspace(0, 1, 1, retstep=True)[1])


@given(st.integers(0, 9), st.booleans(), st.sampled_from([2.0, 10.0]))
def test_logspace(num: int, endpoint: bool, base: float) -> None:
    theirs = np.logspace(-3, 2, num, endpoint, base)
    np.testing.assert_allclose(ww.logspace(-3, 2, num, endpoint, base).get(), theirs, rtol=1e-14)
    ends = np.array([[0.0, 1.0], [2.0, -1.0]], np.float32)
    ours = np.logspace(*(ww.asarray(end) for end in ends), num, endpoint, base, axis=1)
    theirs = np.logspace(*ends, num, endpoint, base, axis=1)
    assert ours.dtype == theirs.dtype == np.float32
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)


@pytest.mark.parametrize(
    ("start", "stop"), [(1, 1000), (-1000, -1), (1j, 1000j), (-1 + 0j, 1), (256, 1)]
)
@given(st.integers(0, 9), st.booleans())
def test_geomspace(start: complex, stop: complex, num: int, endpoint: bool) -> None:
    theirs = np.geomspace(start, stop, num, endpoint)
    ours = ww.geomspace(start, stop, num, endpoint)
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-13, atol=1e-13)
    start_array = ww.asarray(np.array([start, start]))
    ours = np.geomspace(start_array, stop, num, endpoint, axis=-1)
    np.testing.assert_allclose(ours.get(), [theirs, theirs], rtol=1e-13, atol=1e-13)


@given(st.integers(0, 6), st.integers(0, 6), st.integers(-7, 7))
def test_eye_and_triangles(rows: int, columns: int, k: int) -> None:
    expect_equal(ww.eye(rows, columns, k), np.eye(rows, columns, k))
    expect_equal(
        ww.eye(rows, columns, k, np.int8, "F"),
        np.eye(rows, columns, k, np.int8, "F"),
        strides=True,
    )
    host = np.arange(2.0 * rows * columns).reshape(2, rows, columns)
    expect_equal(ww.tril(ww.asarray(host), k=k), np.tril(host, k))
    expect_equal(ww.tril(ww.asarray(host), k), np.tril(host, k))
    expect_equal(np.triu(ww.asarray(host), k), np.triu(host, k))
    expect_equal(ww.triu(ww.asarray(host), k=k), np.triu(host, k))


@given(pairs())
def test_a_numpy_array_comes_back(pair: Pair) -> None:
    ours, theirs = pair
    expect_equal(ours, theirs)
    out = np.empty(theirs.shape, theirs.dtype)
    assert ours.get(out) is out
    np.testing.assert_array_equal(out, theirs)
    assert ours.tolist() == theirs.tolist()


@given(pairs())
def test_set_writes_through_views(pair: Pair) -> None:
    ours, theirs = pair
    base = ww.zeros_like(ours)
    base.set(np.ascontiguousarray(theirs).reshape(theirs.shape))
    expect_equal(base, theirs)


def test_python_objects_become_arrays() -> None:
    assert ww.asarray(3).dtype == np.int64
    assert ww.asarray(2.5).dtype == np.float64
    assert ww.asarray([[1, 2], [3, 4]], dtype=ww.float32).shape == (2, 2)
    x = ww.asarray([1, 2])
    assert ww.asarray(x) is not x
    assert ww.array(x).tolist() == [1, 2]
    assert ww.array([1.5, 2], order="F").dtype == np.float64


@given(pairs(), st.sampled_from(EXACT))
def test_astype(pair: Pair, dtype: Any) -> None:
    ours, theirs = pair
    with np.errstate(all="ignore"):
        if np.dtype(dtype).kind == "u":
            ours, theirs = abs(ours) if theirs.dtype != np.bool_ else ours, np.abs(theirs)
        expect_equal(ours.astype(dtype), theirs.astype(dtype))


@pytest.mark.parametrize("name", ["?", "i1", "u2", "i4", "q", "Q", "e", "f4", "f8", "c8", "c16"])
def test_a_dtype_may_be_a_type_a_name_or_a_dtype(name: str) -> None:
    dtype = np.dtype(name)
    assert ww.zeros(1, dtype).dtype == ww.zeros(1, dtype.type).dtype == dtype
    assert ww.zeros(1, name).dtype == dtype


def test_types() -> None:
    assert ww.float32 is np.float32
    assert ww.result_type(ww.zeros(1, ww.int8), ww.uint8) == np.int16
    assert ww.result_type(ww.zeros(1, ww.float32), 1) == np.float32
    assert ww.can_cast(ww.int8, ww.int16)
    assert not ww.can_cast(ww.float64, ww.float32)
    assert ww.isdtype(ww.float32, "real floating")
    assert ww.isdtype(ww.int8, ("bool", "integral"))
    with pytest.raises(ValueError, match="kind got"):
        ww.isdtype(ww.int8, "whole")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ww.zeros(-1), "negative extent"),
        (lambda: ww.zeros((2,) * 17), "at most 16"),
        (lambda: ww.zeros("3"), "shape expects"),  # type: ignore[arg-type]
        (lambda: ww.zeros(3, "nonsense"), "dtype expects"),
        (lambda: ww.zeros(3, object), "no CUDA C\\+\\+ type"),
        (lambda: ww.zeros(3, order="K"), "order expects"),
        (lambda: ww.zeros(3, device="nowhere"), "nowhere"),
        (lambda: ww.full(3, 300, ww.uint8), "out of bounds"),
        (lambda: ww.asarray([[1], [1, 2]]), "asarray cannot"),
        (lambda: ww.asarray(2**70), "no 64-bit integer"),
        (lambda: ww.asarray(1, copy=False), "copy=False"),
        (lambda: ww.arange(0, 10, 0), "step 0"),
        (lambda: ww.arange(300, dtype=ww.uint8), "wider dtype"),
        (lambda: ww.arange(0, np.inf), "finite"),
        (lambda: ww.arange(1j), "no order"),
        (lambda: ww.arange(ww.ones(1)), r"shape \(1,\); take one of its elements"),
        (lambda: ww.linspace(0, 1, -1), "0 or more"),
        (lambda: ww.linspace(ww.asarray([0.0]), 1, -1), "0 or more"),
        (lambda: ww.linspace(ww.asarray([0.0]), 1, 3, axis=2), "axis 2"),
        (lambda: ww.logspace(0, 1, -1), "0 or more"),
        (lambda: ww.geomspace(0, 1), "no zero"),
        (lambda: ww.geomspace(1, 2, -1), "0 or more"),
        (lambda: ww.linspace(ww.asarray([0.0]), 1, 3, device="cpu"), "device="),
        (lambda: ww.zeros(3).set(np.zeros(4)), "both must be equal"),
        (lambda: ww.zeros(3).set([1, 2, 3]), "expects a NumPy array"),
        (lambda: ww.zeros((2, 2)).get(np.zeros((2, 2), order="F")), "C order"),
        (lambda: ww.zeros(3).item(), "one element"),
    ],
)
def test_wrong_arguments_are_refused_at_once(call: Any, words: str) -> None:
    with pytest.raises(ww.Error, match=words):
        call()
