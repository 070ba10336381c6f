"""`import numba.cuda` gives warpwise.cuda; where Numba is not installed, `import numba` gives
warpwise.compat.numba."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from .. import Error, UnsupportedModuleError
from ._alias import Alias

NUMBA_NAMES_FOLDER = Path(__file__).resolve().parent / "numba_names"

# Modules of Numba that have another name here.
_RENAMED = {
    "numba.types": "warpwise.cuda.types",
    "numba.core.types": "warpwise.cuda.types",
    "numba.cuda.api": "warpwise.cuda",
    "numba.cuda.decorators": "warpwise.cuda",
    "numba.cuda.stubs": "warpwise.cuda",
    "numba.cuda.intrinsics": "warpwise.cuda",
    "numba.cuda.device_init": "warpwise.cuda",
    # Where the package numba-cuda has them.
    "numba.cuda.core": "numba.core",
    "numba.cuda.core.config": "numba.core.config",
    "numba.cuda.core.errors": "numba.core.errors",
    "numba.cuda.np": "numba.np",
    "numba.cuda.np.numpy_support": "numba.np.numpy_support",
}


class NumbaFinder(importlib.abc.MetaPathFinder):
    """Finds `numba.cuda` and what is below it, and all of `numba` without Numba."""

    def __init__(self, installed: Path | None) -> None:
        self._installed = installed

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] != "numba":
            return None
        if name == "numba" and self._installed is not None:
            return PathFinder.find_spec("numba", [str(self._installed.parent)])
        if name == "numba.cuda" or name.startswith("numba.cuda."):
            return self._in_cuda(name)
        if self._installed is not None:
            return None
        return _alias(name, _RENAMED.get(name, f"warpwise.compat.{name}"))

    def _in_cuda(self, name: str) -> ModuleSpec | None:
        if name.startswith("numba.cuda.tests") and self._installed is not None:
            # Numba's own tests are no part of numba.cuda.
            parent = name.rpartition(".")[0].split(".")[1:]
            return PathFinder.find_spec(name, [str(self._installed.joinpath(*parent))])
        real = _RENAMED.get(name, "warpwise" + name.removeprefix("numba"))
        found = _alias(name, real)
        if found is None and self._installed is not None:
            known = self._installed.joinpath(*name.split(".")[1:])
            if known.is_dir() or known.with_suffix(".py").is_file():
                return ModuleSpec(name, _Missing(name))
        return found


class _Missing(importlib.abc.Loader):
    """Raises for a module of Numba's that belongs to its compiler."""

    def __init__(self, name: str) -> None:
        self._name = name

    def exec_module(self, module: ModuleType) -> None:
        raise UnsupportedModuleError(
            f"{self._name} is a part of Numba's compiler, which Warpwise replaces by its own"
        )


def _alias(name: str, real: str) -> ModuleSpec | None:
    try:
        found = importlib.util.find_spec(real)
    except ModuleNotFoundError:
        found = None
    if found is None:
        return None
    is_package = found.submodule_search_locations is not None
    return ModuleSpec(name, Alias(real), is_package=is_package)


def install_numba(installed: Path | None) -> None:
    """Puts the finder in front; does nothing when it is there."""
    if any(isinstance(finder, NumbaFinder) for finder in sys.meta_path):
        return
    loaded = sys.modules.get("numba.cuda")
    if loaded is not None and loaded.__name__ != "warpwise.cuda":
        raise Error(
            f"numba.cuda is imported already, from {loaded.__file__}; call "
            "warpwise.compat.install('numba.cuda') before its first import"
        )
    whole = sys.modules.get("numba")
    if whole is not None and installed is None and whole.__name__ != "warpwise.compat.numba":
        raise Error(
            f"numba is imported already, from {whole.__file__}; call "
            "warpwise.compat.install('numba.cuda') before its first import"
        )
    sys.meta_path.insert(0, NumbaFinder(installed))
