"""A test that asserts nothing cannot fail for the reason it is there: each must reach an assertion.

What counts: `assert`, `pytest.raises`, `warns` and `fail`, a call of a function named `assert...`
or `expect...`, such as NumPy's, and a call of a function of the tests that reaches one of these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

_CHECKS = ("raises", "warns", "deprecated_call", "fail")
_NAMED = ("assert", "expect")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _called(node: ast.Call) -> str:
    """The last part of what is called: `raises` of `pytest.raises(...)`."""
    target = node.func
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _asserts(function: Function, helpers: frozenset[str]) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = _called(node)
            if name in _CHECKS or name in helpers or name.lstrip("_").startswith(_NAMED):
                return True
    return False


def _imported(tree: ast.AST) -> set[str]:
    """The last part of the name of every module that a file imports."""
    names = {"conftest"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[-1] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[-1])
    return names


def asserting_helpers(texts: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For each file the functions, of its own and of the tests' modules that it imports, that reach
    an assertion through any number of calls."""
    trees = {path: ast.parse(text) for path, text in texts.items()}
    helpers = {
        path: [f for f in _functions(tree) if not f.name.startswith("test_")]
        for path, tree in trees.items()
    }
    modules = {
        path: [path, *(other for other in texts if PurePosixPath(other).stem in imported)]
        for path, imported in ((path, _imported(tree)) for path, tree in trees.items())
    }
    own: dict[str, frozenset[str]] = {path: frozenset() for path in texts}
    while True:
        seen = {path: frozenset().union(*(own[m] for m in modules[path])) for path in texts}
        grown = {
            path: frozenset(f.name for f in helpers[path] if _asserts(f, seen[path]))
            for path in texts
        }
        if grown == own:
            return seen
        own = grown


def tests_assert(path: str, text: str, helpers: frozenset[str] = frozenset()) -> Iterator[str]:
    """The tests of a file that assert nothing."""
    for function in _functions(ast.parse(text)):
        if function.name.startswith("test_") and not _asserts(function, helpers):
            yield (
                f"{path}:{function.lineno}: {function.name} asserts nothing, so it passes whatever "
                "the code computes: assert what it is about, or use pytest.raises"
            )
