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
from types import ModuleType

from .. import ArgumentValueError, Error
from ._alias import Alias
from ._numba_finder import NUMBA_NAMES_FOLDER as NUMBA_NAMES_FOLDER
from ._numba_finder import install_numba

_PROVIDED = {
    "pycuda": "warpwise.compat.pycuda",
    "pydotcompute": "warpwise.compat.pydotcompute",
}

# On the path of child processes, its packages do what install() does here.
NAMES_FOLDER = Path(__file__).resolve().parent / "names"


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
        real = package + ("." + rest if rest else "")
        if importlib.util.find_spec(real) is None:
            return None
        return importlib.machinery.ModuleSpec(name, Alias(real), is_package=not rest)


def install(name: str = "pycuda", *, override: bool = False) -> None:
    """Makes `import pycuda` and `import pydotcompute`, or another name, give Warpwise's.

    Parameters
    ----------
    name : str
        "pycuda"; or "numba.cuda": `numba.cuda` is warpwise.cuda, and where Numba is not installed,
        `numba` has what programs for it import beside: types, settings, errors.
    override : bool
        Of "pycuda": hide an installed PyCUDA.

    Raises Error when the real PyCUDA is imported already, and, without `override`, when it is
    installed; a real PyDotCompute is then left in place. Does nothing when called again.
    """
    if name in ("numba", "numba.cuda"):
        install_numba(_installed("numba"))
        return
    if name != "pycuda":
        raise ArgumentValueError(f"install got '{name}'; it knows 'pycuda' and 'numba.cuda'")
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
    """The folder of the library of that name; None where there is none but ours."""
    for entry in sys.path:
        spec = PathFinder.find_spec(root, [entry or "."])
        if spec is None or spec.origin is None:
            continue
        folder = Path(spec.origin).parent
        if not (folder / "_warpwise.py").is_file():
            return folder
        if root == "pycuda":
            return None
    return None
