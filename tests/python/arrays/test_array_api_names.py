"""The array API standard 2025.12: every name, signature, attribute and method of its main part.

array-api-strict has the standard's signatures and nothing else; Warpwise may add to them what is
optional. docs/reference/array_api.md lists what differs.
"""

from __future__ import annotations

import ast
import inspect
from typing import Any, NamedTuple

import numpy as np
import pytest

import warpwise as ww

standard = pytest.importorskip("array_api_strict")

# docs/reference/array_api.md gives the reasons.
EXTENSIONS = {"fft", "linalg"}
OF_STRICT_ALONE = {
    "ArrayAPIStrictFlags",
    "get_array_api_strict_flags",
    "reset_array_api_strict_flags",
    "set_array_api_strict_flags",
}
NAMES = sorted(set(standard.__all__) - EXTENSIONS - OF_STRICT_ALONE)
FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(standard, name))]
OF_PYTHON = {"__array__", "__buffer__"}  # NumPy's and Python's protocols
METHODS = sorted(
    name
    for name, value in vars(type(standard.asarray(1))).items()
    if name not in OF_PYTHON
    if inspect.isfunction(value) and (name == "to_device" or name.startswith("__"))
)
ATTRIBUTES = ("dtype", "device", "mT", "ndim", "shape", "size", "T")


Kind = inspect.Parameter


class Parameter(NamedTuple):
    """One parameter, wherever its signature is written."""

    name: str
    kind: Any
    optional: bool


def of_python(function: Any) -> list[Parameter]:
    return [
        Parameter(each.name, each.kind, each.default is not each.empty)
        for each in inspect.signature(function).parameters.values()
    ]


def of_text(line: str) -> list[Parameter]:
    """Of "sum(x: Array, /, axis: int = 0) -> Array", as functions of the extension show it."""
    arguments = ast.parse(f"def {line}: ...").body[0].args  # type: ignore[attr-defined]
    given = [*arguments.posonlyargs, *arguments.args]
    optional = len(given) - len(arguments.defaults)
    found = [
        Parameter(
            each.arg,
            Kind.POSITIONAL_ONLY if i < len(arguments.posonlyargs) else Kind.POSITIONAL_OR_KEYWORD,
            i >= optional,
        )
        for i, each in enumerate(given)
    ]
    if arguments.vararg:
        found.append(Parameter(arguments.vararg.arg, Kind.VAR_POSITIONAL, False))
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(Parameter(each.arg, Kind.KEYWORD_ONLY, default is not None))
    return found


def overloads(function: Any) -> list[list[Parameter]]:
    """The signatures of a function of either kind."""
    if inspect.isfunction(function) or inspect.isclass(function):
        return [of_python(function)]
    lines = [line.removeprefix("def ") for line, *_ in function.__nb_signature__]
    return [of_text(line.replace("\\", "_")) for line in lines]


def missing(asked: list[Parameter], has: list[Parameter]) -> list[str]:
    """What a caller that knows the standard alone could not write."""
    wrong = []
    places = [each for each in has if each.kind not in (Kind.KEYWORD_ONLY,)]
    by_name = {each.name: each for each in has if each.kind is not Kind.POSITIONAL_ONLY}
    for place, each in enumerate(asked):
        if each.kind is Kind.VAR_POSITIONAL:
            found: Parameter | None = next((p for p in has if p.kind is each.kind), None)
        elif each.kind is Kind.KEYWORD_ONLY:
            found = by_name.get(each.name)
        else:
            found = places[place] if place < len(places) else None
            if each.kind is Kind.POSITIONAL_OR_KEYWORD and each.name not in by_name:
                found = None
        if found is None or (each.optional and not found.optional):
            wrong.append(f"{each.name} ({each.kind.description})")
    known = {each.name for each in asked}
    extra = has[len(asked) :]
    wrong += [
        f"{each.name} is not optional"
        for each in extra
        if not each.optional and each.name not in known and each.kind is not Kind.VAR_POSITIONAL
    ]
    return wrong


def expect_signature(asked: list[Parameter], function: Any) -> None:
    differences = [missing(asked, has) for has in overloads(function)]
    assert [] in differences, differences


@pytest.mark.parametrize("name", NAMES)
def test_the_name_is_there(name: str) -> None:
    assert hasattr(ww, name)
    assert name.startswith("__") or name in dir(ww)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_function_takes_what_the_standard_says(name: str) -> None:
    if name in ("finfo", "iinfo"):  # classes of NumPy, called with one value by place
        assert getattr(ww, name)(np.float32 if name == "finfo" else np.int32).bits == 32
        return
    expect_signature(of_python(getattr(standard, name)), getattr(ww, name))


@pytest.mark.parametrize("name", METHODS)
def test_arrays_have_the_method(name: str) -> None:
    asked = of_python(getattr(type(standard.asarray(1)), name))
    if name == "to_device":  # the standard's `stream` is named alone, strict's is not
        asked[-1] = asked[-1]._replace(kind=Kind.KEYWORD_ONLY)
    method = getattr(ww.Array, name)
    if hasattr(method, "__nb_signature__"):
        expect_signature(asked, method)
    else:
        assert callable(method)  # a slot of the type: its signature is Python's


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_arrays_have_the_attribute(name: str) -> None:
    assert hasattr(ww.zeros((2, 2)), name)


def test_the_version_is_the_standards() -> None:
    assert ww.__array_api_version__ == standard.__array_api_version__


@pytest.mark.parametrize("version", [None, "2021.12", "2024.12", "2025.12"])
def test_an_array_names_its_namespace(version: str | None) -> None:
    assert ww.zeros(1).__array_namespace__(api_version=version) is ww


def test_versions_that_are_not_known_are_refused() -> None:
    with pytest.raises(ww.ArgumentValueError, match=r"'2030\.12'.*2025\.12"):
        ww.zeros(1).__array_namespace__(api_version="2030.12")
    with pytest.raises(ww.ArgumentTypeError, match="api_version"):
        ww.zeros(1).__array_namespace__(api_version=2025)  # type: ignore[arg-type]


def test_what_the_inspection_functions_say() -> None:
    ours, theirs = ww.__array_namespace_info__(), standard.__array_namespace_info__()
    assert set(ours.capabilities()) == set(theirs.capabilities())
    assert ww.zeros((1,) * ours.capabilities()["max dimensions"]).ndim > 8
    assert ours.default_device() == ww.Device()
    assert ours.default_device() in ours.devices()
    defaults = ours.default_dtypes(device="cpu")
    assert set(defaults) == set(theirs.default_dtypes())
    assert ww.zeros(1).dtype == defaults["real floating"]
    assert ww.asarray(1).dtype == defaults["integral"]
    assert ww.asarray(1j).dtype == defaults["complex floating"]
    assert ww.argmax(ww.zeros(1)).dtype == defaults["indexing"]


@pytest.mark.parametrize(
    "kind",
    [None, "bool", "signed integer", "unsigned integer", "integral", "real floating",
     "complex floating", "numeric", ("bool", "integral")],
)  # fmt: skip
def test_dtypes_of_a_kind(kind: Any) -> None:
    ours = ww.__array_namespace_info__().dtypes(kind=kind)
    assert set(ours) == set(standard.__array_namespace_info__().dtypes(kind=kind))
    assert all(ww.zeros(1, dtype=dtype).dtype == np.dtype(name) for name, dtype in ours.items())


def test_inspection_refuses_what_is_no_device_or_kind() -> None:
    with pytest.raises(ww.DeviceError, match="nowhere"):
        ww.__array_namespace_info__().dtypes(device="nowhere")
    with pytest.raises(ww.ArgumentTypeError, match="device"):
        ww.__array_namespace_info__().default_dtypes(device=3)  # type: ignore[arg-type]
    with pytest.raises(ww.ArgumentValueError, match="kind"):
        ww.__array_namespace_info__().dtypes(kind="wide")


def test_broadcast_shapes() -> None:
    assert ww.broadcast_shapes((2, 1), (3,), ()) == np.broadcast_shapes((2, 1), (3,), ())
    assert ww.broadcast_shapes() == ()
    assert ww.broadcast_shapes((0, 1), 4) == (0, 4)
    with pytest.raises(ww.ArgumentError, match=r"\(2,\).*\(3,\)"):
        ww.broadcast_shapes((2,), (3,))
    with pytest.raises(ww.ArgumentError, match="shape"):
        ww.broadcast_shapes("abc")  # type: ignore[arg-type]
