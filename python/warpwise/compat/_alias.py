"""A module under the name of another one."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import CodeType, ModuleType


class Alias(importlib.abc.Loader):
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
