"""The syntax tree of the code that a Python function runs, from its source."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import sys
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ._compiled_texts import keep_texts, texts_of
from ._errors import CompileError, UnsupportedError
from ._program.private_names import with_private_names

keep_texts()


class Source(NamedTuple):
    node: ast.FunctionDef | ast.Lambda
    file: str
    first_line: int
    line_offset: int  # what is added to the lines of the node
    lines: list[str]


def find_source(function: types.FunctionType) -> Source:
    """The tree of the code that the function runs; CompileError where there is none."""
    code = function.__code__
    file = code.co_filename
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise UnsupportedError(
            f"{file}:{code.co_firstlineno}: '{function.__name__}' is a generator or a coroutine, "
            "which kernels cannot be"
        )
    try:
        all_lines = _lines_of_file(function)
    except (OSError, TypeError) as error:
        all_lines = _command_lines(code)
        if not all_lines:
            source = _compiled_source(code)
            if source is not None:
                return source
            raise CompileError(
                f"{file}:{code.co_firstlineno}: the source of '{function.__name__}' is not "
                f"available ({error}); write it in a file, or give its text to linecache"
            ) from None
    candidates: list[tuple[ast.FunctionDef | ast.Lambda, int]] = []
    for block, offset in _blocks(all_lines, code):
        try:
            tree = ast.parse(block)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)) and _is_of(node, code, offset):
                candidates.append((with_private_names(node, code), offset))
        if candidates:
            break
    candidates = [one for one in candidates if _runs(one[0], function, one[1])]
    if len(candidates) > 1:
        candidates = [one for one in candidates if _lies_at(one[0], code, one[1])] or candidates
    if len(candidates) != 1:
        reason = "there are several like it on its line" if candidates else "its file has changed"
        raise CompileError(
            f"{file}:{code.co_firstlineno}: the source of '{function.__name__}' is not known: "
            f"{reason} since it was loaded; "
            + ("give each a line of its own" if candidates else "load the module again")
        )
    node, offset = candidates[0]
    first = node.lineno + offset
    last = (node.end_lineno or node.lineno) + offset
    lines = [line.rstrip("\n") for line in all_lines[first - 1 : last]]
    return Source(node, file, first, offset, lines)


def _lines_of_file(function: types.FunctionType) -> list[str]:
    """The lines of the function's file; OSError or TypeError where there are none.

    inspect looks for the file's module among all that are loaded first, which takes 9 ms beside
    NumPy; the function has its globals.
    """
    file = function.__code__.co_filename
    if file in linecache.cache or Path(file).exists():
        linecache.checkcache(file)
        lines = linecache.getlines(file, function.__globals__)
        if lines:
            return lines
    return inspect.findsource(function.__code__)[0]


def _compiled_source(code: types.CodeType) -> Source | None:
    """The source of a function of a text that exec() or compile() was given; None without one.

    It is the text whose compiled code is equal to the function's.
    """
    for text in texts_of(code.co_filename):
        try:
            tree = ast.parse(text)
            whole = compile(text, code.co_filename, "exec", code.co_flags & _FUTURE, True)
        except (SyntaxError, ValueError):
            continue
        if not _has_code(whole, code):
            continue
        nodes = [one for one in ast.walk(tree) if _is_of(one, code, 0)]
        if len(nodes) != 1:
            continue
        node = nodes[0]
        assert isinstance(node, ast.FunctionDef | ast.Lambda)
        lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
        node = with_private_names(node, code)
        return Source(node, code.co_filename, node.lineno, 0, lines)
    return None


def _has_code(whole: types.CodeType, wanted: types.CodeType) -> bool:
    inner = [one for one in whole.co_consts if isinstance(one, types.CodeType)]
    return any(one == wanted or _has_code(one, wanted) for one in inner)


def _command_lines(code: types.CodeType) -> list[str]:
    """The program of `python -c`, which Python keeps nowhere else; empty without one."""
    words = sys.orig_argv
    if code.co_filename != "<string>" or "-c" not in words[1:-1]:
        return []
    return words[words.index("-c", 1) + 1].splitlines(keepends=True)


def _blocks(lines: list[str], code: types.CodeType) -> Iterable[tuple[str, int]]:
    """Texts that may hold the function, with what their lines lack: its block, then the file."""
    first = code.co_firstlineno
    if code.co_name != "<lambda>":
        block = inspect.getblock(lines[first - 1 :])
        text = "".join(block)
        if text[:1] in " \t":
            # In a block of its own, so that columns stay.
            yield "if 1:\n" + text, first - 2
        else:
            yield text, first - 1
    yield "".join(lines), 0


def _is_of(node: ast.AST, code: types.CodeType, offset: int) -> bool:
    if code.co_name == "<lambda>":
        return isinstance(node, ast.Lambda) and node.lineno + offset == code.co_firstlineno
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return False
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return first + offset == code.co_firstlineno


def _lies_at(node: ast.FunctionDef | ast.Lambda, code: types.CodeType, offset: int) -> bool:
    """Whether all of the code is that of the node, of several like it on a line."""
    start = (node.lineno + offset, node.col_offset)
    end = ((node.end_lineno or node.lineno) + offset, node.end_col_offset or 0)
    places = [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in code.co_positions()
        if None not in (line, end_line, column, end_column) and end_column
    ]
    return bool(places) and all(start <= first and last <= end for first, last in places)


_FUTURE = 0x1FFF000  # flags of code objects that come of the __future__


def _runs(node: ast.AST, function: types.FunctionType, offset: int) -> bool:
    """Whether compiling the node gives the function's code."""
    code = function.__code__
    if any(name.startswith("@py_") for name in code.co_varnames):
        return True  # pytest has rewritten its assertions
    return _fingerprint(_compiled(node, code)) == _fingerprint(code)


def _compiled(node: ast.AST, code: types.CodeType) -> types.CodeType:
    # Free variables are those of a function around it.
    inner: ast.stmt
    if isinstance(node, ast.Lambda):
        inner = ast.Expr(node)
    else:
        assert isinstance(node, ast.FunctionDef)
        fields: dict[str, Any] = {name: getattr(node, name, None) for name in node._fields}
        inner = ast.FunctionDef(**fields)
        inner.decorator_list = []
        inner.returns = None
        ast.copy_location(inner, node)
    names: list[ast.stmt] = [
        ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in code.co_freevars
    ]
    if code.co_name not in code.co_freevars and isinstance(inner, ast.FunctionDef):
        names.insert(0, ast.Global([code.co_name]))
    outer = ast.parse("def outer(): pass")
    body = outer.body[0]
    assert isinstance(body, ast.FunctionDef)
    body.body = [*names, inner]
    ast.fix_missing_locations(outer)
    whole = compile(outer, code.co_filename, "exec", code.co_flags & _FUTURE, True)
    return _code_named(_code_named(whole, "outer"), code.co_name)


def _code_named(code: types.CodeType, name: str) -> types.CodeType:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name == name:
            return constant
    return code


# The compiler chooses among these by what is imported where.
_CHOSEN = {"LOAD_METHOD", "PUSH_NULL", "PRECALL", "CALL", "CACHE", "EXTENDED_ARG", "COPY_FREE_VARS"}
_OF_NAMES = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_NAME"}


def _fingerprint(code: types.CodeType) -> list[Any]:
    """What the code does, apart from how the compiler spells accesses and calls."""
    found: list[Any] = [code.co_varnames, code.co_freevars]
    for one in dis.get_instructions(code):
        if one.opname in _OF_NAMES:
            found.append(one.argval)
        elif one.opname in _CHOSEN:
            continue
        elif one.opcode in dis.hasjrel or one.opcode in dis.hasjabs:
            found.append(one.opname)
        elif isinstance(one.argval, types.CodeType):
            found.append(_fingerprint(one.argval))
        elif not (one.opname == "LOAD_CONST" and isinstance(one.argval, str)):
            found.append((one.opname, repr(one.argval)))
    return found
