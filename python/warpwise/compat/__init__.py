"""Other packages' interfaces over Warpwise's own. install() makes their names importable."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

from .. import Error

_PROVIDED = {"pycuda": "warpwise.compat.pycuda"}


class _Alias(importlib.abc.Loader):
    """Puts the module of another name in the place of the one being imported."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self._target)


class _Refusal(importlib.abc.Loader):
    """Raises UnsupportedError for a module this version does not provide."""

    def __init__(self, name: str) -> None:
        self._name = name

    def exec_module(self, module: ModuleType) -> None:
        from .pycuda._later import refuse_module

        refuse_module(self._name)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        root, _, rest = name.partition(".")
        if root not in _PROVIDED:
            return None
        if rest in importlib.import_module(_PROVIDED[root]).LATER_MODULES:
            return importlib.machinery.ModuleSpec(name, _Refusal(rest))
        real = _PROVIDED[root] + ("." + rest if rest else "")
        if importlib.util.find_spec(real) is None:
            return None
        return importlib.machinery.ModuleSpec(name, _Alias(real), is_package=not rest)


def install() -> None:
    """Makes `import pycuda` give Warpwise's. Raises Error when the real one is imported already."""
    for root, real in _PROVIDED.items():
        loaded = sys.modules.get(root)
        if loaded is not None and loaded.__name__ != real:
            raise Error(
                f"{root} is imported already, from {loaded.__file__}; call "
                f"warpwise.compat.install() before the first import of {root}"
            )
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
