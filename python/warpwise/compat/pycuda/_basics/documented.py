"""Parameters that PyCUDA's documentation names otherwise than its source does."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def documented(**names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """documented(queue="stream"): the parameter `stream` may be given as `queue=`, too."""

    def decorated(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            for name in names.keys() & kwargs.keys():
                if names[name] in kwargs:
                    raise TypeError(
                        f"{function.__name__}() got {name}= and {names[name]}=, which are one "
                        "parameter"
                    )
                kwargs[names[name]] = kwargs.pop(name)
            return function(*args, **kwargs)

        return call

    return decorated
