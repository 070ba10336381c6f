"""Exceptions of kernels compiled with debug=True: what a thread raised, made on the host."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ._errors import RaisedInKernel
from ._script_source import find_source


def exception_of(error: RaisedInKernel, functions: Iterable[types.FunctionType]) -> BaseException:
    """The exception of the program's statement.

    Its first argument begins with the function, the line, the thread and the block, from the last
    axis to the first as under Numba-CUDA. The attributes `thread` and `block` are (x, y, z).
    """
    made = _made(error, functions)
    thread, block = list(reversed(error.thread or ())), list(reversed(error.block or ()))
    place = (
        f"In function {error.function!r}, file {Path(error.file).absolute()}, line {error.line}, "
        f"tid={thread} ctaid={block}"
    )
    made.args = (f"{place}: {made.args[0]}", *made.args[1:]) if made.args else (place,)
    for name, value in (("thread", error.thread), ("block", error.block)):
        if not hasattr(made, name):
            setattr(made, name, value)
    return made


def _made(error: RaisedInKernel, functions: Iterable[types.FunctionType]) -> BaseException:
    for function in functions:
        if function.__code__.co_filename != error.file:
            continue
        source = find_source(function)
        for node in ast.walk(source.node):
            if not isinstance(node, ast.Raise | ast.Assert):
                continue
            if (node.lineno + source.line_offset, node.col_offset) == (error.line, error.column):
                return _raised_by(node, function)
    # An index or a divisor, or a statement without an exception.
    is_singular = error.exception == "LinAlgError"
    kind = np.linalg.LinAlgError if is_singular else getattr(builtins, error.exception)
    assert issubclass(kind, Exception)
    arguments = [error.message] if error.message else []
    made: BaseException = kind(*arguments)
    return made


def _raised_by(node: ast.Raise | ast.Assert, function: types.FunctionType) -> BaseException:
    if isinstance(node, ast.Assert):
        message = [] if node.msg is None else [_value(node.msg, function)]
        return AssertionError(*message)
    if node.exc is None:
        return RuntimeError("No active exception to reraise")
    raised = _value(node.exc, function)
    if isinstance(raised, type):
        raised = raised()
    if not isinstance(raised, BaseException):
        return TypeError("exceptions must derive from BaseException")
    return raised


def _value(node: ast.expr, function: types.FunctionType) -> Any:
    """What the expression is on the host: the front end has seen that it uses no thread's value."""
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        names[name] = cell.cell_contents
    code = compile(ast.Expression(node), function.__code__.co_filename, "eval")
    return eval(code, names)
