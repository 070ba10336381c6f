"""NumPy's functions without a name of their own here, over arrays, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samples import expect_equal

import warpwise as ww

RANDOM = np.random.default_rng(8)
PLANE = RANDOM.normal(size=(4, 5))
LINE = np.array([1.0, -np.inf, np.inf, np.nan, -0.0, 2.5])


def test_kinds_of_numbers_are_numpys() -> None:
    z = LINE + 1j * np.arange(6)
    for host in (LINE, z, np.arange(3)):
        x = ww.asarray(host)
        expect_equal(np.isreal(x), np.isreal(host))
        expect_equal(np.iscomplex(x), np.iscomplex(host))
        assert np.iscomplexobj(x) is np.iscomplexobj(host)
        assert np.isrealobj(x) is np.isrealobj(host)
    expect_equal(np.isposinf(ww.asarray(LINE)), np.isposinf(LINE))
    expect_equal(np.isneginf(ww.asarray(LINE)), np.isneginf(LINE))
    expect_equal(np.float_power(ww.asarray([1, 2]), 2), np.float_power([1, 2], 2))


def written(function: Any, host: np.ndarray[Any, Any], *given: Any, **options: Any) -> None:
    """What the function makes of equal arrays, here and in NumPy."""
    ours, theirs = ww.asarray(host), host.copy()
    function(ours, *(ww.asarray(g) if isinstance(g, np.ndarray) else g for g in given), **options)
    function(theirs, *given, **options)
    expect_equal(ours, theirs)


def test_writing_functions_are_numpys() -> None:
    written(np.copyto, PLANE, PLANE[0])
    written(np.copyto, PLANE, 3)
    written(np.copyto, PLANE.astype("f4"), np.arange(5.0))
    written(np.putmask, PLANE, PLANE > 0, -1)
    written(np.putmask, PLANE, PLANE > 0, PLANE * 2)
    written(np.putmask, PLANE, PLANE > 0, np.arange(3.0))
    written(np.place, PLANE, PLANE > 0, [1.0, 2.0])
    written(np.place, PLANE, PLANE > 9, [1.0])
    for shape in ((4, 4), (7, 3), (3, 7), (3, 3, 3)):
        written(np.fill_diagonal, np.zeros(shape), 3)
        written(np.fill_diagonal, np.zeros(shape), [1, 2])
        written(np.fill_diagonal, np.zeros(shape), 1, wrap=True)
    x = ww.asarray(PLANE)
    np.copyto(x, 0, where=x > 0)
    expect_equal(x, np.where(PLANE > 0, 0, PLANE))
    with pytest.raises(TypeError, match="copyto got float64 for an array of int64"):
        np.copyto(ww.zeros(5, dtype=np.int64), x[0])
    with pytest.raises(TypeError, match=r"copyto expects a ww\.Array to write to"):
        np.copyto(np.zeros(5), x[0])
    with pytest.raises(ValueError, match="got no values for"):
        np.putmask(x, x < 9, [])
    with pytest.raises(ValueError, match="fill_diagonal got an array of shape"):
        np.fill_diagonal(ww.zeros((2, 3, 2)), 1)


@pytest.mark.parametrize("function", [np.place, np.putmask])
@pytest.mark.parametrize("size", [2, 9])
def test_masks_have_as_many_elements_as_what_is_written(function: Any, size: int) -> None:
    x = ww.arange(6)
    with pytest.raises(ValueError, match=f"got a mask of {size} elements for an array of 6"):
        function(x, ww.asarray([True, False, *[True] * (size - 2)]), [1])
    expect_equal(x, np.arange(6))


def test_putmask_converts_arrays_as_numpy_allows() -> None:
    x = ww.arange(3, dtype=np.float32)
    with pytest.raises(TypeError, match="putmask got float64 for an array of float32"):
        np.putmask(x, x > 0, ww.ones(3))
    np.putmask(x, x > 0, [2.5])
    expect_equal(x, np.asarray([0, 2.5, 2.5], np.float32))


@pytest.mark.parametrize("casting", ["no", "safe", "same_kind"])
def test_numbers_are_copied_where_numpy_allows(casting: Any) -> None:
    for dtype in ("?", "i1", "u4", "f2", "f8", "c8"):
        for number in (True, 3, 3.5, 1 + 2j, np.int16(3), np.float32(0.5)):
            theirs = np.zeros(2, dtype)
            try:
                np.copyto(theirs, number, casting)
            except TypeError:
                with pytest.raises(TypeError, match="copyto got"):
                    np.copyto(ww.zeros(2, dtype), number, casting)  # type: ignore[arg-type]
            else:
                ours = ww.zeros(2, dtype)
                np.copyto(ours, number, casting)  # type: ignore[arg-type]
                expect_equal(ours, theirs)


def test_copies_take_no_numbers_for_a_mask() -> None:
    with pytest.raises(TypeError, match="copyto got where= of int64"):
        np.copyto(ww.zeros(3), 1, where=ww.arange(3))  # type: ignore[arg-type]


def test_joined_arrays_are_cast_to_out_as_numpy_allows() -> None:
    parts = [ww.asarray(PLANE), ww.asarray(PLANE)]
    for join, shape in ((np.concatenate, (8, 5)), (np.stack, (2, 4, 5))):
        narrow, whole = ww.zeros(shape, np.float32), ww.zeros(shape, np.int64)
        assert join(parts, out=narrow) is narrow
        expect_equal(narrow, join([PLANE, PLANE]).astype(np.float32))
        with pytest.raises(TypeError, match="float64 for one of int64"):
            join(parts, out=whole)
        join(parts, out=whole, casting="unsafe")
        expect_equal(whole, join([PLANE, PLANE]).astype(np.int64))


def test_functions_of_several_results_write_to_out() -> None:
    host = np.array([1.5, -2.25, 7.0, 0.125])
    for ufunc, *more in ((np.divmod, 2), (np.modf,), (np.frexp,), (np.ldexp, 3)):
        theirs = ufunc(host, *more)
        several = theirs if isinstance(theirs, tuple) else (theirs,)
        out = tuple(ww.zeros(4, each.dtype) for each in several)
        ours = ufunc(ww.asarray(host), *more, out=out if len(out) > 1 else out[0])
        for own, target, expected in zip(
            ours if isinstance(theirs, tuple) else (ours,), out, several, strict=True
        ):
            assert own is target
            expect_equal(own, expected)
    first, second = np.modf(ww.asarray(host), out=(None, out[0]))
    assert second is out[0]
    expect_equal(first, np.modf(host)[0])
    with pytest.raises(TypeError, match="out= got float64 for an array of int8"):
        np.modf(ww.asarray(host), out=(ww.zeros(4, np.int8), None))
    with pytest.raises(ValueError, match="out= has the shape"):
        np.modf(ww.asarray(host), out=(ww.zeros(3), None))


def test_new_arrays_are_numpys() -> None:
    x, line = ww.asarray(PLANE), ww.asarray(np.arange(1, 4))
    for shape in ((3, 3), 30, (2, 1)):
        expect_equal(np.resize(x, shape), np.resize(PLANE, shape))
    for options in ({}, {"N": 2}, {"N": 5, "increasing": True}, {"N": 0}):
        expect_equal(np.vander(line, **options), np.vander(np.arange(1, 4), **options))
        assert np.vander(line, **options).flags.c_contiguous
    for shape in ((), (2, 3)):
        with pytest.raises(ValueError, match="vander got an array of shape"):
            np.vander(ww.zeros(shape))
    expect_equal(np.block([[x, x], [x * 2, x]]), np.block([[PLANE, PLANE], [PLANE * 2, PLANE]]))
    expect_equal(np.block([line, line]), np.block([np.arange(1, 4)] * 2))
    functions = [-1.0, lambda v: v * 2]
    expect_equal(
        np.piecewise(x, [x < -1, x > 1], functions),
        np.piecewise(PLANE, [PLANE < -1, PLANE > 1], functions),
    )
    three = [*functions, 7.0]
    expect_equal(
        np.piecewise(x, [x < -1, x > 1], three),
        np.piecewise(PLANE, [PLANE < -1, PLANE > 1], three),
    )


def test_histograms_of_two_are_numpys() -> None:
    a, b = RANDOM.normal(size=(2, 500))
    x, y = ww.asarray(a), ww.asarray(b)
    weights = np.abs(a)
    for options in ({}, {"bins": (5, 4)}, {"range": [[-1, 1], [0, 2]]}, {"density": True}):
        ours, theirs = np.histogram2d(x, y, **options), np.histogram2d(a, b, **options)
        for own, their in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(own.get(), their, rtol=1e-12)
    ours = np.histogram2d(x, y, [-2.0, 0, 2], weights=ww.asarray(weights))
    theirs = np.histogram2d(a, b, [-2.0, 0, 2], weights=weights)
    for own, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own.get(), their, rtol=1e-12)


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_histograms_of_many_variables_are_numpys(rank: int) -> None:
    points = RANDOM.normal(size=(200, rank))
    weights = RANDOM.random(200)
    edges = [[-1.0, 0.0, 0.5, 2.0], *[3] * (rank - 1)]
    for options in (
        {},
        {"bins": 4, "density": True},
        {"bins": edges},
        {"bins": 3, "range": [(-1.0, 1.5)] * rank, "density": True},
    ):
        for columns in (False, True):
            host = list(points.T) if columns else points
            ours = [ww.asarray(c) for c in host] if columns else ww.asarray(points)
            for of in (None, weights):
                counts, borders = np.histogramdd(
                    ours, weights=None if of is None else ww.asarray(of), **options
                )
                theirs, their_borders = np.histogramdd(host, weights=of, **options)
                np.testing.assert_allclose(counts.get(), theirs, rtol=1e-12)
                for own, their in zip(borders, their_borders, strict=True):
                    np.testing.assert_allclose(own.get(), their, rtol=1e-14)
    with pytest.raises(ValueError, match="histogramdd got 7 bins for"):
        np.histogramdd(ww.asarray(points), bins=[3] * 7)


BYTES = RANDOM.integers(0, 256, (3, 11), dtype=np.uint8)
SIGNED = RANDOM.integers(-9, 9, (4, 6))


def same(function: Any, *given: Any, **options: Any) -> None:
    """What the function returns of equal arrays, here and in NumPy."""

    def here(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(here(each) for each in value)
        return ww.asarray(value) if isinstance(value, np.ndarray) else value

    ours, theirs = function(*here(given), **here_of(options, here)), function(*given, **options)
    if not isinstance(theirs, tuple):
        ours, theirs = (ours,), (theirs,)
    assert len(ours) == len(theirs)
    for own, their in zip(ours, theirs, strict=True):
        if isinstance(their, np.ndarray):
            assert isinstance(own, ww.Array)
            expect_equal(own, their)
        else:
            assert own == their


def here_of(options: dict[str, Any], here: Any) -> dict[str, Any]:
    return {name: here(value) for name, value in options.items()}


@pytest.mark.parametrize("kind", ["?", "b", "H", "i", "Q", "e", "f", "d"])
def test_fabs_and_rint_are_floating(kind: str) -> None:
    values = np.array([0, 1, 3]).astype(kind)
    same(np.fabs, values)
    same(np.rint, values)
    same(np.fabs, np.array([-128, 127], np.int8))


def test_degrees_and_radians_are_numpys() -> None:
    x = ww.asarray(PLANE)
    np.testing.assert_allclose(np.degrees(x).get(), np.degrees(PLANE), rtol=1e-15)
    np.testing.assert_allclose(np.radians(x).get(), np.radians(PLANE), rtol=1e-15)


def test_joined_arrays_take_a_type_and_a_target() -> None:
    for joined in (np.concatenate, np.stack):
        same(joined, [PLANE, PLANE], axis=1)
        same(joined, [PLANE, PLANE], axis=-1, dtype=np.float32)
        target = ww.zeros(joined([PLANE, PLANE]).shape)
        assert joined([ww.asarray(PLANE)] * 2, out=target) is target
        expect_equal(target, joined([PLANE, PLANE]))
        with pytest.raises(ValueError, match=r"out= of shape \(1,\)"):
            joined([ww.asarray(PLANE)] * 2, out=ww.zeros(1))
    same(np.concatenate, [PLANE, PLANE], axis=None)
    same(np.vstack, [PLANE, PLANE], dtype=np.float32)
    same(np.hstack, [PLANE, SIGNED[:, :2]], dtype=np.complex64)
    with pytest.raises(TypeError, match="got an array of float64 for dtype=int32"):
        np.vstack([ww.asarray(PLANE)] * 2, dtype=np.int32)


def test_bits_are_packed_as_numpys() -> None:
    for order in ("big", "little"):
        for axis in (None, 0, 1, -1):
            same(np.packbits, BYTES > 99, axis=axis, bitorder=order)
            same(np.packbits, SIGNED, axis=axis, bitorder=order)
            for count in (None, 5, -3, 100):
                same(np.unpackbits, BYTES, axis=axis, count=count, bitorder=order)
    same(np.packbits, np.zeros((2, 0), bool), axis=1)
    with pytest.raises(TypeError, match="packbits got an array of float64"):
        np.packbits(ww.asarray(PLANE))
    with pytest.raises(TypeError, match="unpackbits got an array of int64"):
        np.unpackbits(ww.asarray(SIGNED))
    with pytest.raises(ValueError, match="bitorder is 'big' or 'little'"):
        np.packbits(ww.asarray(BYTES), bitorder="middle")


def test_indices_of_places_are_numpys() -> None:
    same(np.ix_, np.array([0, 2]), np.array([True, False, True]), np.arange(2))
    for k in (-1, 0, 2):
        same(np.tril_indices_from, PLANE, k)
        same(np.triu_indices_from, PLANE, k)
    same(np.diag_indices_from, np.zeros((3, 3, 3)))
    x = ww.asarray(SIGNED)
    rows, columns = np.ix_(ww.asarray([0, 2]), ww.asarray([1, 3]))
    expect_equal(x[rows, columns], SIGNED[np.ix_([0, 2], [1, 3])])
    with pytest.raises(ValueError, match="ix_ got an array of shape"):
        np.ix_(x)
    with pytest.raises(ValueError, match="diag_indices_from got an array of shape"):
        np.diag_indices_from(x)
    with pytest.raises(ValueError, match="tril_indices_from got an array of shape"):
        np.tril_indices_from(x[0])


def test_sets_take_numpys_options() -> None:
    a, b = SIGNED[0], SIGNED[1]
    same(np.intersect1d, a, b, return_indices=True)
    same(np.setdiff1d, np.array([5, 3, 1]), np.array([3]), assume_unique=True)
    same(np.setdiff1d, a, b)
    same(np.setxor1d, np.unique(a), np.unique(b), assume_unique=True)


def test_questions_about_arrays_are_answered_as_by_numpy() -> None:
    for other in (SIGNED, SIGNED[:1], SIGNED + 1, np.zeros(5)):
        same(np.array_equiv, SIGNED, other)
    same(np.array_equiv, np.ones((3, 2)), np.ones(2))
    for axis in (None, 0, -1, (0, 1)):
        same(np.size, SIGNED, axis)
    same(np.real_if_close, PLANE + 1e-15j)
    same(np.real_if_close, PLANE + 1j)
    same(np.real_if_close, PLANE)
    same(np.sort_complex, SIGNED)
    same(np.sort_complex, BYTES)
    with pytest.raises(IndexError, match="axis 2 is out of bounds for array of dimension 2"):
        np.size(ww.asarray(SIGNED), 2)


def test_zeros_are_trimmed_as_by_numpy() -> None:
    line = np.array([0, 0, 1, 0, 2, 0])
    for trim in ("fb", "f", "B"):
        same(np.trim_zeros, line, trim)
        same(np.trim_zeros, np.zeros(4), trim)
    with pytest.raises(ValueError, match="trim_zeros got trim='x'"):
        np.trim_zeros(ww.asarray(line), "x")


def test_functions_of_rows_are_applied_along_an_axis() -> None:
    cube = RANDOM.normal(size=(2, 3, 4))
    for axis in (0, 1, -1):
        same(np.apply_along_axis, lambda row: row[::-1] * 2, axis, cube)
        same(np.apply_along_axis, lambda row: row[:2, None] + row[:3], axis, cube[:, :, :3])
        same(np.apply_along_axis, lambda row: row.max() - row.min(), axis, cube)
    with pytest.raises(ValueError, match="apply_along_axis got an array of shape"):
        np.apply_along_axis(lambda row: row, 0, ww.zeros((3, 0)))


def test_windows_are_views() -> None:
    windows = np.lib.stride_tricks.sliding_window_view
    cube = RANDOM.normal(size=(3, 4, 5))
    for host in (cube, cube.T, cube[:, ::-1]):
        x = ww.asarray(host)
        for shape, axis in (((2, 2, 2), None), (3, 1), ((2, 5), (0, 2)), (1, -1)):
            if axis is not None and np.any(np.array(host.shape)[[axis]] < shape):
                continue
            expect_equal(windows(x, shape, axis), windows(host, shape, axis))
    line = np.arange(9.0)
    x = ww.asarray(line)
    view = ww.sliding_window_view(x, 4)
    assert view.is_read_only and view.strides == (8, 8)
    expect_equal(view.mean(axis=-1), windows(line, 4).mean(axis=-1))
    x[4] = 100
    assert view[4, 0].item() == 100
    with pytest.raises(ValueError, match="got a window of 10 along axis 0 of size 9"):
        ww.sliding_window_view(x, 10)
    with pytest.raises(ValueError, match="got 2 extents of a window for 1 axes"):
        ww.sliding_window_view(x, (2, 2))
