"""What inspect.signature() shows of the extension's functions.

The extension calls signature_of() where `__signature__` of a function or bound method is read.
"""

from __future__ import annotations

import ast
import inspect
from inspect import Parameter
from typing import Any

from ._calls import DEFAULT, QUALIFIERS

_KEPT = "kept_default_"  # stands for a default that nanobind keeps as an object


def signature_of(function: Any) -> inspect.Signature:
    """Of a function with one signature; annotations are texts, as the stub has them."""
    signatures = function.__nb_signature__
    if len(signatures) != 1:
        raise AttributeError(f"{function.__name__} has {len(signatures)} signatures")
    text, _, values = signatures[0]
    plain = DEFAULT.sub(rf"{_KEPT}\1", QUALIFIERS.sub("", text))
    parsed = ast.parse(plain + ": ...").body[0]
    assert isinstance(parsed, ast.FunctionDef)
    given = parsed.args
    positional = [*given.posonlyargs, *given.args]
    missing = len(positional) - len(given.defaults)
    defaults = [*[None] * missing, *given.defaults]
    kinds: list[Any] = [Parameter.POSITIONAL_ONLY] * len(given.posonlyargs)
    kinds += [Parameter.POSITIONAL_OR_KEYWORD] * len(given.args)
    parameters = [
        _parameter(each, kind, default, values)
        for each, kind, default in zip(positional, kinds, defaults, strict=True)
    ]
    if given.vararg is not None:
        parameters.append(_parameter(given.vararg, Parameter.VAR_POSITIONAL, None, values))
    parameters += [
        _parameter(each, Parameter.KEYWORD_ONLY, default, values)
        for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg is not None:
        parameters.append(_parameter(given.kwarg, Parameter.VAR_KEYWORD, None, values))
    is_bound = type(function).__name__ == "nb_bound_method"
    returns = inspect.Signature.empty if parsed.returns is None else ast.unparse(parsed.returns)
    return inspect.Signature(parameters[is_bound:], return_annotation=returns)


def _parameter(given: ast.arg, kind: Any, default: ast.expr | None, values: Any) -> Parameter:
    annotation = Parameter.empty if given.annotation is None else ast.unparse(given.annotation)
    return Parameter(given.arg, kind, default=_value(default, values), annotation=annotation)


def _value(default: ast.expr | None, values: Any) -> Any:
    if default is None:
        return Parameter.empty
    if isinstance(default, ast.Name):
        return values[int(default.id.removeprefix(_KEPT))]
    return ast.literal_eval(default)
