"""Pickles and copies of the extension's functions, as worker processes need them."""

from __future__ import annotations

import copy
import functools
import pickle

import pytest

import warpwise as ww
from warpwise import _core

FUNCTIONS = [f for f in vars(_core).values() if type(f).__name__ == "nb_func"]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_functions_are_pickled_by_name(protocol: int) -> None:
    assert len(FUNCTIONS) > 100
    for function in FUNCTIONS:
        assert pickle.loads(pickle.dumps(function, protocol)) is function


def test_methods_of_classes_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(ww.Array.sum)) is ww.Array.sum


def test_a_bound_method_takes_its_object_along() -> None:
    total = pickle.loads(pickle.dumps(ww.asarray([1, 2, 4]).sum))
    assert int(total()) == 7


def test_copies_of_functions_are_the_functions() -> None:
    held = copy.deepcopy(functools.partial(ww.mean, axis=0))
    assert held.func is ww.mean
    assert copy.copy(ww.Array.sum) is ww.Array.sum
