"""Differences, tolerances, parts of numbers, filters and products, against NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from samples import expect_equal
from test_shape_functions import compare, same

import warpwise as ww

RANDOM = np.random.default_rng(11)
PLANE = RANDOM.normal(size=(5, 6))
LINE = RANDOM.normal(size=9)
WHOLE = RANDOM.integers(-9, 10, size=(4, 5)).astype(np.int32)
SPECIAL = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 5e-324, -1e308, 0.1])


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def close(ours: Any, theirs: Any, tolerance: float = 1e-12) -> None:
    if isinstance(theirs, list | tuple):
        for own, their in zip(ours, theirs, strict=True):
            close(own, their, tolerance)
        return
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.get(), theirs, rtol=tolerance, atol=tolerance)


def test_differences_are_numpys() -> None:
    x, line = ww.asarray(PLANE), ww.asarray(LINE)
    for axis in (0, 1, -1):
        expect_equal(ww.diff(x, axis=axis, n=2), np.diff(PLANE, n=2, axis=axis))
        expect_equal(ww.diff(x, axis=axis, prepend=1.0), np.diff(PLANE, axis=axis, prepend=1.0))
        piece = PLANE[:2] if axis == 0 else PLANE[:, :2]
        ours = ww.diff(x, axis=axis, prepend=ww.asarray(piece), append=ww.asarray(piece))
        expect_equal(ours, np.diff(PLANE, axis=axis, prepend=piece, append=piece))
    assert ww.diff(x, n=0, prepend=1.0) is not None
    expect_equal(ww.ediff1d(x), np.ediff1d(PLANE))
    expect_equal(ww.ediff1d(line, 3.0, -1.0), np.ediff1d(LINE, 3.0, -1.0))
    expect_equal(ww.ediff1d(line, ww.asarray(LINE[:2])), np.ediff1d(LINE, LINE[:2]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "int16", "complex64"])
@pytest.mark.parametrize("spacing", ["float32", "float64", "int64"])
def test_gradients_have_the_type_of_the_values(dtype: str, spacing: str) -> None:
    host, at = np.arange(7).astype(dtype) ** 2, np.arange(1, 8).astype(spacing)
    for order in (1, 2):
        found = ww.gradient(ww.asarray(host), ww.asarray(at), edge_order=order)
        expected = np.gradient(host, at, edge_order=order)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=2e-3)


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradients_are_numpys(edge_order: int) -> None:
    x = ww.asarray(PLANE)
    uneven = np.cumsum(RANDOM.random(6) + 0.1)
    close(ww.gradient(x, edge_order=edge_order), np.gradient(PLANE, edge_order=edge_order))
    close(
        ww.gradient(x, 0.5, axis=0, edge_order=edge_order),
        np.gradient(PLANE, 0.5, axis=0, edge_order=edge_order),
    )
    close(
        ww.gradient(x, 2.0, ww.asarray(uneven), edge_order=edge_order),
        np.gradient(PLANE, 2.0, uneven, edge_order=edge_order),
        1e-10,
    )
    close(ww.gradient(ww.asarray(WHOLE)), np.gradient(WHOLE))
    close(
        ww.gradient(ww.asarray(LINE.astype(np.float32))), np.gradient(LINE.astype(np.float32)), 1e-6
    )
    close(np.gradient(x, axis=1), np.gradient(PLANE, axis=1))


def test_integrals_and_phases_are_numpys() -> None:
    x = np.sort(RANDOM.random(6))
    close(ww.trapezoid(ww.asarray(PLANE)), np.trapezoid(PLANE))
    close(ww.trapezoid(ww.asarray(PLANE), dx=0.1, axis=0), np.trapezoid(PLANE, dx=0.1, axis=0))
    close(ww.trapezoid(ww.asarray(PLANE), ww.asarray(x)), np.trapezoid(PLANE, x))
    phases = np.cumsum(RANDOM.normal(size=(3, 40)) * 3, axis=1) % (2 * np.pi)
    close(ww.unwrap(ww.asarray(phases)), np.unwrap(phases))
    close(ww.unwrap(ww.asarray(phases), 5.0, 0), np.unwrap(phases, 5.0, 0))
    steps = np.array([0, 1, 2, -1, 0])
    compare(ww.unwrap(ww.asarray(steps), period=4), np.unwrap(steps, period=4))


def test_tolerances_are_numpys() -> None:
    a = np.concatenate([SPECIAL, [1.0, 1.0 + 1e-9, 1e10]])
    b = np.concatenate([SPECIAL[::-1], [1.0 + 1e-6, 1.0, 1.00001e10]])
    for equal_nan in (False, True):
        for left, right in ((a, b), (a, a)):
            x, y = ww.asarray(left), ww.asarray(right)
            expect_equal(
                ww.isclose(x, y, equal_nan=equal_nan), np.isclose(left, right, equal_nan=equal_nan)
            )
            assert ww.allclose(x, y, equal_nan=equal_nan) is bool(
                np.allclose(left, right, equal_nan=equal_nan)
            )
            assert ww.array_equal(x, y, equal_nan) is np.array_equal(left, right, equal_nan)
    expect_equal(ww.isclose(ww.asarray(WHOLE), 3), np.isclose(WHOLE, 3))
    expect_equal(ww.isclose(2, ww.asarray(WHOLE), atol=1), np.isclose(2, WHOLE, atol=1))
    assert not ww.array_equal(ww.zeros(3), ww.zeros((1, 3)))
    assert ww.allclose(ww.zeros(0), ww.zeros(0))


def test_parts_of_numbers_are_numpys() -> None:
    wild = np.ldexp(RANDOM.normal(size=300), RANDOM.integers(-1074, 1023, 300))
    for dtype in ("float64", "float32", "float16", "int16"):
        host = (SPECIAL if dtype != "int16" else np.arange(-4, 5)).astype(dtype)
        if dtype.startswith("float"):
            host = np.concatenate([host, wild.astype(dtype)])
        x = ww.asarray(host)
        compare(ww.modf(x), np.modf(host))
        fraction, exponent = ww.frexp(x)
        expect_equal(fraction, np.frexp(host)[0])
        expect_equal(exponent, np.where(np.isfinite(host), np.frexp(host)[1], 0).astype(np.int32))
        back = ww.ldexp(fraction, exponent)
        expect_equal(back, host.astype(fraction.dtype))
    exponents = RANDOM.integers(-2200, 2200, 300).astype(np.int32)
    expect_equal(ww.ldexp(ww.asarray(wild), ww.asarray(exponents)), np.ldexp(wild, exponents))
    expect_equal(ww.ldexp(ww.asarray(wild), -1060), np.ldexp(wild, -1060))
    x = ww.asarray(SPECIAL)
    compare(np.modf(x), np.modf(SPECIAL))
    with pytest.raises(TypeError, match="exponents of float64"):
        ww.ldexp(x, 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give real numbers"):
        ww.frexp(ww.zeros(2, dtype=ww.complex64))


def test_single_functions_are_numpys() -> None:
    z = PLANE + 1j * PLANE[::-1]
    for deg in (False, True):
        close(ww.angle(ww.asarray(z), deg), np.angle(z, deg))
        close(ww.angle(ww.asarray(PLANE), deg), np.angle(PLANE, deg))
    close(ww.sinc(ww.asarray(PLANE)), np.sinc(PLANE))
    close(ww.sinc(ww.asarray(np.arange(-2, 3))), np.sinc(np.arange(-2, 3)))
    expect_equal(ww.fix(ww.asarray(PLANE * 3)), np.fix(PLANE * 3))
    for dtype in ("float64", "float32", "complex64"):
        host = SPECIAL.astype(dtype)
        expect_equal(ww.nan_to_num(ww.asarray(host)), np.nan_to_num(host))
        options = {"nan": 7.0, "posinf": 8.0, "neginf": 9.0}
        expect_equal(ww.nan_to_num(ww.asarray(host), **options), np.nan_to_num(host, **options))
    expect_equal(ww.nan_to_num(ww.asarray(WHOLE)), WHOLE)
    x = ww.asarray(SPECIAL)
    assert ww.nan_to_num(x, copy=False).shape == x.shape
    assert bool(ww.all(ww.isfinite(x)))
    for decimals in (-1, 0, 2):
        close(ww.round(ww.asarray(PLANE * 100), decimals), np.round(PLANE * 100, decimals))
        expect_equal(ww.round(ww.asarray(WHOLE * 7), decimals), np.round(WHOLE * 7, decimals))
    close(np.round(ww.asarray(PLANE), 1), np.round(PLANE, 1))
    with pytest.raises(ValueError, match="without decimals only"):
        ww.round(ww.asarray(PLANE), 2, dtype=ww.float32)
    larger = ww.zeros((2, *PLANE.shape))
    with pytest.raises(ValueError, match="must have that shape"):
        ww.round(ww.asarray(PLANE), 2, out=larger)
    assert not bool(ww.any(larger))


def test_choices_are_numpys() -> None:
    conditions = [PLANE > 1, PLANE > 0, PLANE < -1]
    choices = [PLANE, PLANE * 2, np.arange(6)]
    ours = ww.select([ww.asarray(c) for c in conditions], [ww.asarray(c) for c in choices], -7)
    expect_equal(ours, np.select(conditions, choices, -7))
    index = RANDOM.integers(0, 3, (5, 6))
    ours = ww.choose(ww.asarray(index), [ww.asarray(c) for c in choices])
    expect_equal(ours, np.choose(index, choices))
    wild = RANDOM.integers(-9, 9, (5, 6))
    for mode in ("wrap", "clip"):
        ours = ww.choose(ww.asarray(wild), [ww.asarray(c) for c in choices], mode=mode)
        expect_equal(ours, np.choose(wild, choices, mode=mode))  # type: ignore[call-overload]
    rows = np.stack([np.broadcast_to(c, (5, 6)) for c in choices])  # of one array
    expect_equal(ww.choose(ww.asarray(index), ww.asarray(rows)), np.choose(index, rows))
    with pytest.raises(IndexError, match=r"choose at .* got index 5"):
        ww.choose(ww.asarray([5]), [ww.zeros(1), ww.ones(1)]).get()
    with pytest.raises(TypeError, match="must be bool"):
        ww.select([ww.zeros(2)], [ww.zeros(2)])
    with pytest.raises(ValueError, match="2 conditions for 1 choices"):
        ww.select([ww.zeros(2, dtype=ww.bool)] * 2, [ww.zeros(2)])


def test_filters_are_numpys() -> None:
    short = RANDOM.normal(size=4)
    for mode in ("full", "same", "valid"):
        for a, v in ((LINE, short), (short, LINE), (LINE, LINE), (LINE, short[:1])):
            for x, y in (
                (a, v),
                (a + 1j * a[::-1], v * 1j),
                (a.astype(np.float32), v.astype(np.float32)),
            ):
                tolerance = 1e-5 if x.dtype == np.float32 else 1e-12
                close(
                    ww.convolve(ww.asarray(x), ww.asarray(y), mode),
                    np.convolve(x, y, mode),
                    tolerance,
                )  # type: ignore[call-overload]
                close(
                    ww.correlate(ww.asarray(x), ww.asarray(y), mode),
                    np.correlate(x, y, mode),
                    tolerance,
                )  # type: ignore[arg-type]
                assert ww.correlate(ww.asarray(x), ww.asarray(y), mode).flags.c_contiguous
    expect_equal(
        ww.convolve(ww.asarray(np.arange(5)), ww.asarray([1, 2])), np.convolve(np.arange(5), [1, 2])
    )
    close(ww.polyval(ww.asarray(short), ww.asarray(PLANE)), np.polyval(short, PLANE))
    with pytest.raises(ValueError, match="mode 'all'"):
        ww.convolve(ww.zeros(2), ww.zeros(2), "all")
    with pytest.raises(ValueError, match="one axis with elements"):
        ww.convolve(ww.zeros(0), ww.zeros(2))
    expect_equal(ww.convolve(ww.asarray(3.0), ww.arange(4)), np.convolve(3.0, np.arange(4)))
    with pytest.raises(ValueError, match="coefficients of shape"):
        ww.polyval(ww.zeros((2, 2)), ww.zeros(2))


def test_interpolation_is_numpys() -> None:
    xp = np.sort(RANDOM.random(12)) * 10
    fp = RANDOM.normal(size=12)
    x = np.concatenate([RANDOM.random(50) * 14 - 2, xp, [np.nan, np.inf, -np.inf]]).reshape(5, 13)
    points = ww.asarray(xp), ww.asarray(fp)
    close(ww.interp(ww.asarray(x), *points), np.interp(x, xp, fp))
    close(
        ww.interp(ww.asarray(x), *points, left=-5, right=9), np.interp(x, xp, fp, left=-5, right=9)
    )
    finite = x[np.isfinite(x)]
    close(ww.interp(ww.asarray(finite), *points, period=4), np.interp(finite, xp, fp, period=4))
    z = fp + 1j * fp[::-1]
    close(ww.interp(ww.asarray(x), points[0], ww.asarray(z)), np.interp(x, xp, z))
    close(
        ww.interp(ww.asarray(x), ww.asarray(xp[:1]), ww.asarray(fp[:1])),
        np.interp(x, xp[:1], fp[:1]),
    )
    with pytest.raises(ValueError, match="points of shapes"):
        ww.interp(points[0], points[0], ww.zeros(3))
    with pytest.raises(ValueError, match="period=0"):
        ww.interp(points[0], *points, period=0)


@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_interpolation_beside_infinite_points_is_numpys(kind: str) -> None:
    special = np.array([np.inf, -np.inf, np.nan, 0.0, 1.0, 2.0])
    for _ in range(60):
        xp = np.arange(1.0, 10.0, 2.0)
        fp = RANDOM.choice(special, 5).astype(kind)
        if kind == "complex128":
            fp.imag = RANDOM.choice(special, 5)
        if RANDOM.random() < 0.3:
            xp[-1] = np.inf
        x = np.concatenate([np.arange(0.0, 11.0), [np.nan, np.inf]])
        close(ww.interp(ww.asarray(x), ww.asarray(xp), ww.asarray(fp)), np.interp(x, xp, fp))


A = RANDOM.normal(size=(2, 3, 4))
B = RANDOM.normal(size=(4, 5))


def test_products_are_numpys() -> None:
    for name, a, b in [
        ("dot", A, B), ("dot", LINE, LINE), ("dot", A, B[:, 0]), ("dot", np.float64(2), A),
        ("inner", A, B.T), ("inner", LINE, LINE), ("outer", A[0], LINE),
        ("vdot", A * 1j, A * (2 + 1j)),
        ("kron", A, B), ("kron", LINE, B), ("kron", WHOLE, WHOLE),
    ]:  # fmt: skip
        x, y = ww.asarray(np.asarray(a)), ww.asarray(np.asarray(b))
        close(getattr(ww, name)(x, y), getattr(np, name)(a, b))
    u, v = RANDOM.normal(size=(2, 5, 3))
    close(ww.cross(ww.asarray(u), ww.asarray(v)), np.cross(u, v))
    close(
        ww.cross(ww.asarray(u.T), ww.asarray(v), axisa=0, axisc=0),
        np.cross(u.T, v, axisa=0, axisc=0),
    )
    close(ww.cross(ww.asarray(u), ww.asarray(v[0])), np.cross(u, v[0]))
    with pytest.raises(ValueError, match="must have 3 elements"):
        ww.cross(ww.zeros(2), ww.zeros(3))
    with pytest.raises(ValueError, match="vdot got arrays of 2 and 3"):
        ww.vdot(ww.zeros(2), ww.zeros(3))
    with pytest.raises(ValueError, match="kron got arrays of 9 axes"):
        ww.kron(ww.zeros((1,) * 9), ww.zeros(1))


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ij->ji", [(2, 3)]),
        ("ba", [(2, 3)]),
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("iji->j", [(3, 2, 3)]),
        ("i,i->", [(4,), (4,)]),
        ("i,j->ij", [(4,), (3,)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (3, 4)]),
        ("...ij,...jk", [(1, 2, 3), (5, 3, 4)]),
        ("i...->...", [(3, 2, 2)]),
        ("...i->...", [(3, 2, 2)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 3)]),
        ("i j , j k -> i k", [(2, 3), (3, 4)]),
        ("ab,ab->", [(3, 1), (3, 1)]),
        ("ijk->", [(2, 3, 4)]),
        ("AzZ,Za->aAz", [(2, 3, 4), (4, 5)]),
        ("ij->ji", [(2, 3)]),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_einsum_is_numpys(subscripts: str, shapes: list[tuple[int, ...]], dtype: str) -> None:
    operands = [(RANDOM.normal(size=shape) * 5).astype(dtype) for shape in shapes]
    close(ww.einsum(subscripts, *map(ww.asarray, operands)), np.einsum(subscripts, *operands))


@pytest.mark.parametrize(
    ("subscripts", "message"),
    [
        ("ij,jk->ik", "got 1 operands"),
        ("i", "1 labels for operand 0 with 2 axes"),
        ("ij->ik", "'k' in the result"),
        ("ij->ii", "twice in the result"),
        ("i1->i", "labels are letters"),
        ("ii->i", "extents 2 and 3"),
    ],
)
def test_wrong_subscripts_are_refused(subscripts: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ww.einsum(subscripts, ww.zeros((2, 3)))


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="points of shapes"):
        ww.interp(ww.zeros(3), ww.zeros(0), ww.zeros(0))
    with pytest.raises(ValueError, match="extents 3 and 2 for one label"):
        ww.einsum("ij,jk", ww.zeros((2, 3)), ww.zeros((2, 3)))
    with pytest.raises(ValueError, match="axis 0 with size 1"):
        ww.gradient(ww.zeros((1, 3)))
    with pytest.raises(ValueError, match="coordinates of shape"):
        ww.gradient(ww.zeros(4), ww.zeros(3))
    with pytest.raises(ValueError, match="2 spacings for 1 axes"):
        ww.gradient(ww.zeros(4), 1.0, 2.0)
    with pytest.raises(ValueError, match="edge_order=3"):
        ww.gradient(ww.zeros(4), edge_order=3)
    same(ww.fliplr, PLANE)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "int16", "bool"])
def test_long_filters(mode: str, dtype: str) -> None:
    rng = np.random.default_rng(11)
    for n, m in [(1000, 33), (700, 700), (40, 900), (2000, 513)]:
        x, y = (rng.integers(-3, 4, count).astype(dtype) for count in (n, m))
        if np.dtype(dtype).kind == "f":
            x, y = x / x.dtype.type(8), y / y.dtype.type(8)
        for name in ("convolve", "correlate"):
            found = getattr(ww, name)(ww.asarray(x), ww.asarray(y[::-1]), mode)
            wide = np.float64 if dtype in ("float16", "float32") else x.dtype
            expected = getattr(np, name)(x.astype(wide), y[::-1].astype(wide), mode)
            assert found.dtype == x.dtype and found.shape == expected.shape
            near = 2e-3 if dtype == "float16" else 1e-5
            np.testing.assert_allclose(found.get(), expected.astype(x.dtype), near, near)


@pytest.mark.parametrize(
    "subscripts",
    ["ij,jk->ik", "ij,kj->ki", "abc,abd->cd", "abc,adc->abd", "bij,bjk->bik", "ijk,klj->il",
     "ij,jk,kl->il", "abq,bcq->acq", "i...j,j...k->...ik", "ij,jk,l->ik", "ij,jkl->ik"],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int32", "float16"])
def test_pairs_that_are_products_of_matrices(subscripts: str, dtype: str) -> None:
    rng = np.random.default_rng(3)
    extents = dict(zip("abcdijklq", (5, 4, 6, 3, 7, 5, 4, 6, 3), strict=True))
    operands = []
    for part in subscripts.split("->")[0].split(","):
        shape: list[int] = []
        for letter in part.replace("...", "."):
            shape += [2, 3] if letter == "." else [extents[letter]]
        operands.append(rng.integers(-4, 5, shape).astype(dtype))
    found = ww.einsum(subscripts, *map(ww.asarray, operands))
    expected = np.einsum(subscripts, *operands)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, 1e-3)
