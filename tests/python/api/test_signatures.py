"""inspect.signature() of what the extension defines."""

from __future__ import annotations

import inspect
from inspect import Parameter
from typing import Any

import warpwise as ww
from warpwise import _core

FUNCTIONS = {n: f for n, f in vars(_core).items() if type(f).__name__ == "nb_func"}
METHODS = {
    f"{n}.{name}": method
    for n, owner in vars(_core).items()
    if isinstance(owner, type)
    for name, method in vars(owner).items()
    if type(method).__name__ == "nb_method"
}


def test_a_function_has_its_parameters() -> None:
    signature = inspect.signature(ww.mean)
    expected = ["x", "axis", "dtype", "out", "keepdims", "where"]
    assert list(signature.parameters) == expected
    assert signature.parameters["x"].kind is Parameter.POSITIONAL_ONLY
    assert signature.parameters["axis"].default is None
    assert signature.parameters["keepdims"].kind is Parameter.KEYWORD_ONLY
    assert signature.parameters["keepdims"].default is False
    assert signature.return_annotation == "Array"


def test_a_bound_method_has_those_without_self() -> None:
    bound = inspect.signature(ww.zeros(3).sum)
    unbound = inspect.signature(ww.Array.sum)
    assert list(unbound.parameters) == ["self", *bound.parameters]
    assert "axis" in bound.parameters


def test_a_class_has_those_of_its_constructor() -> None:
    assert "name" in inspect.signature(ww.ElementwiseKernel).parameters


def test_defaults_are_values() -> None:
    """Those that nanobind keeps as objects and those that the signature spells."""
    assert inspect.signature(ww.Buffer.copy_to).parameters["offset"].default == 0
    assert inspect.signature(ww.Array.astype).parameters["copy"].default is True


def test_every_function_has_one() -> None:
    callables: dict[str, Any] = FUNCTIONS | METHODS
    single = [f for f in callables.values() if len(f.__nb_signature__) == 1]
    assert len(single) > 700
    assert all(inspect.signature(function).parameters is not None for function in single)


def test_functions_with_several_have_none_that_is_known() -> None:
    try:
        known = str(inspect.signature(ww.where))
    except ValueError:
        known = "none"
    assert known in ("none", "(*args, **kwargs)")  # as Python 3.11 and 3.12 have it
