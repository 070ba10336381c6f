"""Methods, options and arguments that NumPy has beside the standard's, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samples import expect_equal, filled

import warpwise as ww

PLANE = filled((4, 6), np.dtype("float64"), 1) * 1.37
WHOLE = filled((4, 6), np.dtype("int32"), 2)
VIEWS = {"floats": PLANE, "integers": WHOLE, "F order": PLANE.T, "view": PLANE[::2, ::-1]}
CALLS: dict[str, list[tuple[Any, ...]]] = {
    "clip": [(-1, 1), (None, 2), (-2,)],
    "round": [(), (1,), (-1,)],
    "take": [([0, 3],), ([1, 0], 1), (2,)],
    "repeat": [(2,), (2, 1)],
    "trace": [(), (1,), (0, 1, 0)],
    "diagonal": [(), (-1,)],
    "conjugate": [()],
    "ravel": [(), ("F",), ("A",), ("K",)],
    "flatten": [(), ("F",), ("A",), ("K",)],
    "compress": [([True, False],), ([False, True], 1)],
}


@pytest.mark.parametrize("host", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("name", CALLS)
def test_methods_are_numpys(name: str, host: np.ndarray[Any, Any]) -> None:
    if name == "trace":
        host = host // 1  # sums of these are exact
    for given in CALLS[name]:
        expect_equal(getattr(ww.asarray(host), name)(*given), getattr(host, name)(*given))


def test_methods_write_as_numpys() -> None:
    x = ww.asarray(PLANE)
    expect_equal(x.clip(), PLANE)
    expect_equal(x.clip(x * 0, [5] * 6), PLANE.clip(PLANE * 0, [5] * 6))
    for name, given in (("clip", (-1, 1)), ("round", (1,)), ("take", ([[1, 0]], 0))):
        theirs = getattr(PLANE, name)(*given)
        out = ww.zeros(theirs.shape)
        assert getattr(x, name)(*given, out=out) is out
        expect_equal(out, theirs)
        with pytest.raises(ValueError, match=f"{name} got out= of shape"):
            getattr(x, name)(*given, out=ww.zeros(3))
    expect_equal(ww.asarray(WHOLE).dot(ww.asarray(WHOLE.T)), WHOLE.dot(WHOLE.T))
    line, host = ww.asarray(PLANE[0]), PLANE[0].copy()
    line.put([0, -1], [7, 8])
    host.put([0, -1], [7, 8])
    expect_equal(line, host)
    line.partition(2)
    assert line[2].item() == np.sort(host)[2]
    assert sorted(line.argpartition(1).tolist()) == list(range(6))
    choices = [WHOLE[0], WHOLE[1]]
    index = np.array([0, 1, 1, 0, 1, 0])
    ours = ww.asarray(index).choose([ww.asarray(each) for each in choices])
    expect_equal(ours, index.choose(choices))


@pytest.mark.parametrize("host", VIEWS.values(), ids=VIEWS)
def test_elements_are_counted_in_an_order(host: np.ndarray[Any, Any]) -> None:
    x = ww.asarray(host.base).T if host is VIEWS["F order"] else ww.asarray(host)
    for order in ("C", "F", "A"):
        theirs = host.reshape((-1, 2), order=order)
        expect_equal(x.reshape((-1, 2), order=order), theirs)
        expect_equal(ww.reshape(x, (-1, 2), order), theirs)
        expect_equal(np.reshape(x, (-1, 2), order=order), theirs)
        expect_equal(np.ravel(x, order), host.ravel(order))
    with pytest.raises(ValueError, match="order expects 'C', 'F' or 'A', got 'K'"):
        x.reshape(-1, order="K")
    flat = x.ravel("K")
    flat[0] = 99
    assert (x == 99).sum().item() == (1 if x.is_c_contiguous or x.is_f_contiguous else 0)


def test_products_are_written_to_out() -> None:
    a, b = (np.random.default_rng(8).integers(-5, 5, (4, 4)) for _ in range(2))
    x, y = ww.asarray(a), ww.asarray(b)
    for product in (ww.dot, np.dot, ww.Array.dot):
        out = ww.zeros((4, 4), np.int64)
        assert product(x, y, out) is out  # type: ignore[operator]
        expect_equal(out, np.dot(a, b))
    with pytest.raises(ValueError, match=r"dot got out= of shape \(4,\)"):
        ww.dot(x, y, out=ww.zeros(4))


def test_bytes_are_those_of_an_order() -> None:
    for host in (np.arange(6).reshape(2, 3), np.arange(6.0).reshape(3, 2).T):
        for order in ("C", "F", "A", None):
            assert ww.asarray(host).tobytes(order) == host.tobytes(order)


def test_views_of_nothing_may_have_gaps() -> None:
    host = np.ones((3, 20), np.int16)
    expect_equal(ww.asarray(host)[:0, ::2].view(np.int32), host[:0, ::2].view(np.int32))


def test_degrees_of_freedom_have_both_names() -> None:
    x = ww.asarray(PLANE)
    for ddof in (0, 1, 2.5):
        np.testing.assert_allclose(x.std(ddof=ddof).item(), PLANE.std(ddof=ddof))
        np.testing.assert_allclose(ww.var(x, 0, ddof=ddof).get(), PLANE.var(0, ddof=ddof))
        assert x.var(ddof=ddof).item() == x.var(correction=ddof).item()
    np.testing.assert_allclose(np.std(x, ddof=1).item(), np.std(PLANE, ddof=1))
    with pytest.raises(ValueError, match="var got correction= and ddof="):
        x.var(correction=1, ddof=1)


def test_axes_are_positional_as_in_numpy() -> None:
    x = ww.asarray(WHOLE)
    expect_equal(ww.flip(x, 0), np.flip(WHOLE, 0))
    expect_equal(ww.roll(x, 2, 1), np.roll(WHOLE, 2, 1))
    expect_equal(ww.concat([x, x], 1), np.concat([WHOLE, WHOLE], 1))
    expect_equal(ww.stack([x, x], 2), np.stack([WHOLE, WHOLE], 2))
    expect_equal(ww.repeat(x, 2, 1), np.repeat(WHOLE, 2, 1))
    expect_equal(ww.tensordot(x, x.T, 1), np.tensordot(WHOLE, WHOLE.T, 1))


def test_lists_are_arguments_beside_arrays() -> None:
    x, line = ww.asarray(WHOLE), ww.asarray(PLANE[0])
    host = WHOLE.copy()
    x[0, :3], host[0, :3] = [7, 8, 9], [7, 8, 9]
    x[[1, 2]], host[[1, 2]] = [[1], [2]], [[1], [2]]
    x[x > 7], host[host > 7] = (5,), (5,)
    expect_equal(x, host)
    expect_equal(ww.isin(x, [1, 5]), np.isin(host, [1, 5]))
    expect_equal(ww.digitize(line, [-1.0, 0, 1]), np.digitize(PLANE[0], [-1.0, 0, 1]))
    expect_equal(ww.compress([True, False, True], x, 0), np.compress([True, False, True], host, 0))
    expect_equal(ww.extract([[True] * 6] * 4, x), np.extract([[True] * 6] * 4, host))
    expect_equal(ww.polyval([1, 2, 3], line), np.polyval([1, 2, 3], PLANE[0]))
    expect_equal(ww.append(x, 5), np.append(host, 5))
    expect_equal(ww.append(line.astype("f4"), [5]), np.append(PLANE[0].astype("f4"), [5]))
    expect_equal(ww.insert(line, 1, [5, 6]), np.insert(PLANE[0], 1, [5, 6]))
    expect_equal(ww.interp(line, [0, 1, 2], [3.0, 2, 4]), np.interp(PLANE[0], [0, 1, 2], [3, 2, 4]))
    expect_equal(ww.searchsorted(ww.sort(line), [0.5, 1]), np.sort(PLANE[0]).searchsorted([0.5, 1]))
    np.testing.assert_allclose(
        ww.average(x, 0, [1, 2, 3, 4]).get(), np.average(host, 0, [1, 2, 3, 4])
    )
    counts, edges = ww.histogram(line, [-9.0, 0, 2])
    expect_equal(counts, np.histogram(PLANE[0], [-9.0, 0, 2])[0])
    expect_equal(edges, np.array([-9.0, 0, 2]))
    with pytest.raises(TypeError, match=r"lies in the host's memory; make it an array once"):
        x[0] = np.arange(6)  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"bins expects an int, or edges in .*, got 'auto'"):
        ww.histogram(line, "auto")


def test_parts_of_complex_numbers_are_set() -> None:
    host = np.zeros(4, np.complex64)
    z = ww.asarray(host)
    z.real, host.real = 3, 3
    z.imag, host.imag = [1, 2, 3, 4], [1, 2, 3, 4]
    z.imag[1:] += 1
    host.imag[1:] += 1
    expect_equal(z, host)
    x = ww.zeros(3)
    x.real = 2
    expect_equal(x, np.full(3, 2.0))
    with pytest.raises(TypeError, match="imag of float64 cannot be set"):
        x.imag = 1


def test_operations_on_sets_are_numpys() -> None:
    random = np.random.default_rng(3)
    nan = np.array([1.0, np.nan, np.nan, 2])
    for a, b in (
        (random.integers(0, 9, 20), random.integers(4, 14, (3, 5))),
        (random.integers(0, 9, 20).astype("i4"), random.integers(0, 9, 4) / 2),
        (np.zeros(0), np.arange(3.0)),
        (np.array([True, False]), np.array([3, 1])),
        (nan, np.array([np.nan, 2, 3])),
    ):
        x, y = ww.asarray(a), ww.asarray(b)
        for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d"):
            theirs = getattr(np, name)(a, b)
            expect_equal(getattr(ww, name)(x, y), theirs)
            expect_equal(getattr(np, name)(x, y), theirs)
            if a is not nan:
                expect_equal(getattr(ww, name)(x, b.tolist()), getattr(np, name)(a, b.tolist()))


WEIGHTED = [
    (PLANE, None), (PLANE, 0), (PLANE, 1), (PLANE.astype("f4"), 1), (WHOLE, 0),
    (np.where(PLANE > 4, np.nan, PLANE), 0), (PLANE[:, :, None] * [1, -1], (0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("host", "axis"), WEIGHTED, ids=str)
def test_weighted_quantiles_are_numpys(host: np.ndarray[Any, Any], axis: Any) -> None:
    random = np.random.default_rng(4)
    weights = random.integers(0, 4, host.shape) + (random.random(host.shape) < 0.2)
    weights[..., -1] += 1
    weights[-1] += 1
    options: dict[str, Any] = {"axis": axis, "method": "inverted_cdf"}
    x, w = ww.asarray(host), ww.asarray(weights)
    for q in (0, 0.25, 0.5, 1.0, [0.1, 0.4, 0.9]):
        for keepdims in (False, True):
            theirs = np.quantile(host, q, weights=weights, keepdims=keepdims, **options)
            ours = ww.quantile(x, q, weights=w, keepdims=keepdims, **options)
            expect_equal(ours, theirs)
    percents = np.percentile(host, [10, 50], weights=weights, **options)
    expect_equal(np.percentile(x, [10, 50], weights=w, **options), percents)
    if isinstance(axis, int):
        line = list(range(host.shape[axis]))
        theirs = np.quantile(host, 0.3, weights=line, **options)
        expect_equal(ww.quantile(x, 0.3, weights=line, **options), theirs)


def test_weights_that_weigh_nothing_are_refused() -> None:
    x = ww.arange(4.0)
    options: dict[str, Any] = {"method": "inverted_cdf"}
    with pytest.raises(ValueError, match="negative weights"):
        ww.quantile(x, 0.5, weights=[1, -1, 0, 0], **options)
    with pytest.raises(ValueError, match="whose sum is 0 or not finite"):
        ww.quantile(x, 0.5, weights=ww.zeros(4), **options)
    with pytest.raises(ValueError, match=r"weights of shape \(3,\) for an array of shape \(4,\)"):
        ww.quantile(x, 0.5, weights=[1, 2, 3], **options)
    with pytest.raises(ValueError, match="weights are for method='inverted_cdf'"):
        ww.quantile(x, 0.5, weights=ww.ones(4))


def test_an_out_of_another_shape_is_refused() -> None:
    x, out = ww.asarray(PLANE), ww.zeros(3)
    for call in (
        lambda: ww.median(x, out=out),
        lambda: ww.nanmedian(x, axis=0, out=out),
        lambda: ww.quantile(x, 0.5, out=out),
        lambda: ww.nanpercentile(x, [1, 2], out=out),
        lambda: ww.take(x, [1], out=out),
    ):
        with pytest.raises(ValueError, match=r"out= of shape \(3,\)"):
            call()
    with pytest.raises(TypeError, match="median gives float64, which is not converted to int32"):
        ww.median(x, out=ww.zeros((), dtype=np.int32))
