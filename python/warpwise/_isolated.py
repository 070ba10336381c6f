"""Functions run in a process of their own, so that failures are contained there."""

from __future__ import annotations

import functools
import importlib
import pickle
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from ._core import value_text
from ._errors import ArgumentTypeError, DeviceError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Isolated(Generic[_P, _R]):
    """A function that runs in a child process at each call. See isolated()."""

    def __init__(self, function: Callable[_P, _R]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        import multiprocessing  # not at the top: keeps importing warpwise fast

        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        place = (self._function.__module__, self._function.__qualname__)
        child = context.Process(target=_run, args=(sender, place, args, kwargs))
        child.start()
        sender.close()
        try:
            succeeded, result = receiver.recv()
        except EOFError:
            child.join()
            raise DeviceError(
                f"the process of {place[1]}() ended without a result ({_ending(child.exitcode)}); "
                "a script calls it under `if __name__ == '__main__':`"
            ) from None
        finally:
            receiver.close()
        child.join()
        if not succeeded:
            raise result
        return pickle.loads(result)  # type: ignore[no-any-return]


def isolated(function: Callable[_P, _R]) -> Isolated[_P, _R]:
    """The function, run in a fresh child process at each call.

    A crash there, or an error that leaves a GPU unusable, does not touch the caller's process;
    what the function raises is raised again here. Arguments and result are pickled, and the
    function must be importable: no lambda, none defined inside another function. As with
    `multiprocessing`, a script calls it under `if __name__ == "__main__":`.
    """
    name = getattr(function, "__qualname__", "")
    if not name or "<" in name:
        raise ArgumentTypeError(
            "isolated() expects a function at the top level of a module, got "
            f"{name or value_text(function)}; a child process could not find it"
        )
    return Isolated(function)


def _run(sender: Connection, place: tuple[str, str], args: Any, kwargs: Any) -> None:
    try:
        function = functools.reduce(getattr, place[1].split("."), importlib.import_module(place[0]))
        function = getattr(function, "_function", function)  # used as a decorator
        message = (True, _pickled(function(*args, **kwargs)))  # type: ignore[operator]
    except Exception as error:
        message = (False, _portable(error, place[1]))
    sender.send(message)


def _pickled(result: Any) -> Any:
    try:
        return pickle.dumps(result)
    except Exception as error:
        raise ArgumentTypeError(
            f"isolated() got {value_text(result)} as the result, which cannot be pickled "
            f"({error}); return a NumPy array or a number of it"
        ) from None


def _portable(error: Exception, name: str) -> Exception:
    """The error, or its text where another process cannot recreate it."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return DeviceError(f"{name}() raised {type(error).__name__}: {error}")
    return error


def _ending(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"signal {signal.Signals(-exit_code).name}"
    return f"exit code {exit_code}"
