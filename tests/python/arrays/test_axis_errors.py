"""Axes that an array does not have: NumPy's AxisError, which names axis and rank."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

CALLS: dict[str, Callable[[Any, int], Any]] = {
    "sum": lambda x, axis: x.sum(axis=axis),
    "argmin": lambda x, axis: ww.argmin(x, axis=axis),
    "any": lambda x, axis: ww.any(x, axis=(0, axis)),
    "sort": lambda x, axis: ww.sort(x, axis=axis),
    "cumsum": lambda x, axis: ww.cumsum(x, axis=axis),
    "concat": lambda x, axis: ww.concat([x, x], axis=axis),
    "split": lambda x, axis: ww.split(x, 1, axis=axis),
    "flip": lambda x, axis: ww.flip(x, axis=axis),
    "take": lambda x, axis: ww.take(x, ww.asarray([0]), axis=axis),
    "swapaxes": lambda x, axis: x.swapaxes(0, axis),
    "moveaxis": lambda x, axis: ww.moveaxis(x, axis, 0),
    "moveaxis to": lambda x, axis: ww.moveaxis(x, 0, axis),
    "squeeze": lambda x, axis: ww.squeeze(x, axis=axis),
    "delete": lambda x, axis: ww.delete(x, 0, axis=axis),
    "quantile": lambda x, axis: ww.quantile(x, 0.5, axis=axis),
    "diff": lambda x, axis: ww.diff(x, axis=axis),
    "vecdot": lambda x, axis: ww.vecdot(x, x, axis=axis),
    "numpy": lambda x, axis: np.sum(x, axis=axis),
    "packbits": lambda x, axis: np.packbits(x > 0, axis=axis),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("axis", [2, -3, 90])
def test_axis_errors_are_those_of_numpy(name: str, axis: int) -> None:
    with pytest.raises(np.exceptions.AxisError) as error:
        CALLS[name](ww.ones((3, 4)), axis)
    assert isinstance(error.value, ww.ArgumentAxisError)
    assert (error.value.axis, error.value.ndim) == (axis, 2)


@pytest.mark.parametrize("kind", [ValueError, IndexError, ww.ArgumentError, ww.Error])
def test_kinds_of_axis_errors(kind: type[Exception]) -> None:
    with pytest.raises(kind, match="axis 1 is out of bounds for array of dimension 1; axes are -1"):
        ww.sum(ww.ones(3), axis=1)


def test_an_added_axis_counts() -> None:
    for call in (ww.expand_dims, lambda x, axis: ww.stack([x], axis=axis)):
        with pytest.raises(np.exceptions.AxisError) as error:
            call(ww.ones((3, 4)), axis=3)
        assert (error.value.axis, error.value.ndim) == (3, 3)


def test_axis_errors_are_copied_and_pickled() -> None:
    with pytest.raises(ww.ArgumentAxisError) as error:
        ww.linspace(ww.ones(3), 1, 5, axis=7)
    for again in (copy.copy(error.value), pickle.loads(pickle.dumps(error.value))):
        assert type(again) is type(error.value) and str(again) == str(error.value)
        assert (again.axis, again.ndim) == (7, 2) and "linspace got axis 7" in str(again)
