"""Other packages' interfaces over Warpwise's own. install() makes their names importable."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import CodeType, ModuleType

from .. import Error

_PROVIDED = {
    "pycuda": "warpwise.compat.pycuda",
    "pydotcompute": "warpwise.compat.pydotcompute",
}

# On the path of child processes, its packages do what install() does here.
NAMES_FOLDER = Path(__file__).resolve().parent / "names"


class _Alias(importlib.abc.Loader):
    """Puts the module of another name in the place of the one being imported."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self._target)

    def get_code(self, name: str) -> CodeType | None:
        """For `python -m`."""
        spec = importlib.util.find_spec(self._target)
        loader = spec.loader if spec is not None else None
        if not isinstance(loader, importlib.abc.InspectLoader):
            return None
        return loader.get_code(self._target)


class _Refusal(importlib.abc.Loader):
    """Raises UnsupportedError for a module this version does not provide."""

    def __init__(self, name: str) -> None:
        self._name = name

    def exec_module(self, module: ModuleType) -> None:
        from .pycuda._later import refuse_module

        refuse_module(self._name)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, provided: dict[str, str]) -> None:
        self._provided = provided

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        root, _, rest = name.partition(".")
        if root not in self._provided:
            return None
        package = self._provided[root]
        if rest in getattr(importlib.import_module(package), "LATER_MODULES", ()):
            return importlib.machinery.ModuleSpec(name, _Refusal(rest))
        real = package + ("." + rest if rest else "")
        if importlib.util.find_spec(real) is None:
            return None
        return importlib.machinery.ModuleSpec(name, _Alias(real), is_package=not rest)


def install(*, override: bool = False) -> None:
    """Makes `import pycuda` and `import pydotcompute` give Warpwise's.

    Raises Error when the real PyCUDA is imported already, and, without `override`, when it is
    installed; a real PyDotCompute is then left in place. Does nothing when called again.
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    provided = dict(_PROVIDED)
    for root, real in _PROVIDED.items():
        loaded = sys.modules.get(root)
        is_other = loaded is not None and loaded.__name__ != real
        if root != "pycuda" and (is_other or (not override and _installed(root) is not None)):
            del provided[root]
            continue
        if loaded is not None and is_other:
            raise Error(
                f"{root} is imported already, from {loaded.__file__}; call "
                f"warpwise.compat.install() before the first import of {root}"
            )
        installed = _installed(root)
        if installed is not None and not override:
            raise Error(
                f"the library {root} is installed, in {installed}; warpwise.compat.install("
                f"override=True) makes `import {root}` give Warpwise's in this process"
            )
    sys.meta_path.insert(0, _Finder(provided))


def _installed(root: str) -> Path | None:
    """The folder of the library of that name; None where there is none, or it is of ours."""
    spec = PathFinder.find_spec(root)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    return None if (folder / "_warpwise.py").is_file() else folder
