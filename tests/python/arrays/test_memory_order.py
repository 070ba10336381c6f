"""How arrays lie in memory: strides of copies, `order=`, and flags are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samples import expect_equal

import warpwise as ww


def views(count: int) -> list[tuple[Any, Any]]:
    """Views of random strides: axes exchanged, stepped over, reversed and repeated."""
    random = np.random.default_rng(12)
    found = []
    for _ in range(count):
        rank = int(random.integers(1, 4))
        host = np.asarray(
            random.integers(0, 99, random.integers(1, 4, rank)), order=random.choice(["C", "F"])
        )
        axes = tuple(int(axis) for axis in random.permutation(rank))
        steps = tuple(slice(None, None, int(random.choice([1, 2, -1]))) for _ in axes)
        theirs, ours = host.transpose(axes)[steps], ww.asarray(host).transpose(axes)[steps]
        if random.random() < 0.5:
            shape = tuple(int(random.integers(1, 4)) if n == 1 else n for n in theirs.shape)
            theirs, ours = np.broadcast_to(theirs, shape), ww.broadcast_to(ours, shape)
        found.append((ours, theirs))
    return found


def steps(array: Any) -> list[int]:
    """Strides of axes with several elements; those of others mean nothing."""
    return [s for s, n in zip(array.strides, array.shape, strict=True) if n > 1]


def test_copies_lie_as_numpys() -> None:
    for ours, theirs in views(400):
        for order in "CFAK":
            assert steps(ours.copy(order)) == steps(theirs.copy(order)), (order, theirs.strides)
            expect_equal(ours.copy(order), theirs)
        assert steps(ours.astype("f4")) == steps(theirs.astype("f4"))
        assert steps(ww.zeros_like(ours)) == steps(np.zeros_like(theirs))
        assert steps(ww.empty_like(ours)) == steps(np.empty_like(theirs))


def test_likes_lie_as_numpys() -> None:
    """Of the array's shape, of as many axes, and of more; in each order."""
    for ours, theirs in views(200):
        shapes = [None, (2, 3, *theirs.shape), 4]
        if 1 not in theirs.shape:  # the steps of such axes mean nothing
            shapes.append(tuple(n + 1 for n in theirs.shape))
        for order in ("C", "F", "A", "K", None):
            for shape in shapes:
                options: dict[str, Any] = {"order": order, "shape": shape}
                for name in ("empty_like", "zeros_like", "ones_like"):
                    mine = getattr(ww, name)(ours, np.float32, **options)
                    expected = getattr(np, name)(theirs, np.float32, **options)
                    assert (mine.shape, steps(mine)) == (expected.shape, steps(expected)), options
                expect_equal(ww.full_like(ours, 7, **options), np.full_like(theirs, 7, **options))


@pytest.mark.parametrize("layout", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sorted_arrays_lie_as_numpys(layout: tuple[int, ...], axis: int) -> None:
    host = np.random.default_rng(0).random((2, 3, 4)).transpose(layout)
    own = ww.asarray(np.ascontiguousarray(host.transpose(np.argsort(layout)))).transpose(layout)
    for name in ("sort", "argsort"):
        found, expected = getattr(ww, name)(own, axis=axis), getattr(np, name)(host, axis=axis)
        expect_equal(found, expected)
        assert found.strides == expected.strides
    assert ww.partition(own, 1, axis=axis).strides == np.partition(host, 1, axis=axis).strides
    assert ww.argpartition(own, 1, axis=axis).flags.c_contiguous
    assert all(each.flags.c_contiguous for each in ww.topk(own, 2, axis=axis))


def test_parts_along_an_axis_are_contiguous() -> None:
    host = np.arange(12.0).reshape(3, 4)
    found = ww.compress(ww.asarray([True, False, True]), ww.asarray(host), axis=1)
    expect_equal(found, np.compress([True, False, True], host, axis=1))
    assert found.flags.c_contiguous


def test_long_cumulative_sums_are_contiguous() -> None:
    host = np.arange(200_000).reshape(100_000, 2)
    found = ww.cumsum(ww.asarray(host), axis=0)
    expect_equal(found, np.cumsum(host, axis=0))
    assert found.flags.c_contiguous


def test_conversions_lie_as_numpys() -> None:
    for ours, theirs in views(200):
        for order in ("C", "F", "K", None):
            mine, expected = ww.asarray(ours, order=order), np.asarray(theirs, order=order)
            expect_equal(mine, theirs)
            assert steps(mine) == steps(expected), (order, theirs.strides)
            assert (mine is ours or mine.ptr == ours.ptr) == (expected is theirs)
            if order in ("C", "F"):  # host memory in no order is packed in C order
                made = ww.asarray(theirs, np.float32, order)
                assert steps(made) == steps(np.asarray(theirs, np.float32, order))
    with pytest.raises(ValueError, match="copy=False got an array that is not in the order"):
        ww.asarray(ww.zeros((2, 3)), order="F", copy=False)


@pytest.mark.parametrize("dtype", ["int64", "float32"])
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_elements_of_another_type_lie_in_the_order_that_is_asked_for(
    dtype: str, order: Any
) -> None:
    for ours, theirs in views(100):
        mine, expected = ours.astype(dtype, order), theirs.astype(dtype, order)
        expect_equal(mine, expected)
        assert steps(mine) == steps(expected), theirs.strides
        kept = ours.astype(dtype, order, copy=False)
        assert (kept is ours or kept.ptr == ours.ptr) == (
            theirs.astype(dtype, order, copy=False) is theirs
        )


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_conversions_are_allowed_by_numpys_rules(casting: Any) -> None:
    for dtype in ("bool", "int8", "uint32", "float16", "float64", "complex64"):
        host = np.ones(2, dtype)
        for wanted in ("int8", "float32", "float64"):
            if np.can_cast(dtype, wanted, casting):
                expect_equal(
                    ww.asarray(host).astype(wanted, casting=casting), host.real.astype(wanted)
                )
            else:
                with pytest.raises(TypeError, match=f"casting='{casting}' does not allow"):
                    ww.asarray(host).astype(wanted, casting=casting)


def test_elements_are_counted_in_numpys_order() -> None:
    for ours, theirs in views(400):
        for order in "CFAKcfak":
            expect_equal(ours.ravel(order), theirs.ravel(order))
            expect_equal(ours.flatten(order), theirs.flatten(order))
        for order in "CFAcfa":
            expect_equal(
                ours.reshape(theirs.size, 1, order=order), theirs.reshape((-1, 1), order=order)
            )


def test_raveled_arrays_are_contiguous() -> None:
    for ours, theirs in views(200):
        for order in "CFAK":
            assert ours.ravel(order).flags.c_contiguous
            expect_equal(ours.ravel(order), theirs.ravel(order))
    x = ww.arange(6)
    x[::2].ravel()[0] = 9
    x.ravel()[1] = 7
    assert x.tolist() == [0, 7, 2, 3, 4, 5]


def test_flags_are_numpys() -> None:
    for ours, theirs in views(200):
        for name in ("c_contiguous", "f_contiguous", "writeable", "forc", "fnc"):
            assert getattr(ours.flags, name) == getattr(theirs.flags, name), (name, theirs.strides)
            assert ours.flags[name.upper()] == getattr(theirs.flags, name)
    x = ww.zeros((2, 3))
    assert repr(x.flags) == "ArrayFlags(c_contiguous=True, f_contiguous=False, writeable=True)"
    assert x.flags["C"] and not x.flags["F"] and x.flags["W"] and np.isfortran(x.T)
    with pytest.raises(KeyError, match="no flag of this name: OWNDATA"):
        x.flags["OWNDATA"]
