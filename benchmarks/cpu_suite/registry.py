"""What the suite consists of. A group is a module here with its kernels in NAME.cu and their
hand-written counterparts in NAME.cpp; its functions marked `@work` each make one work. Data is
made only when a work is made, so that listing names costs nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from works import Work

HERE = Path(__file__).parent
GROUPS = (
    "indices",
    "images",
    "sorting",
    "sparse",
    "learning",
    "physics",
    "text",
    "irregular",
    "items",
    "tensors",
)

Maker = Callable[[], Work]


@dataclass(frozen=True)
class Entry:
    name: str
    group: str
    make: Maker

    @property
    def kernels(self) -> Path:
        return HERE / f"{self.group}.cu"

    @property
    def reference(self) -> Path:
        return HERE / f"{self.group}.cpp"


_entries: dict[str, Entry] = {}


def work(name: str) -> Callable[[Maker], Maker]:
    """Registers the function below as what makes the work of this name."""

    def register(make: Maker) -> Maker:
        if name in _entries:
            raise ValueError(f"two works are called '{name}'; give one of them another name")
        _entries[name] = Entry(name, make.__module__.rpartition(".")[2], make)
        return make

    return register


def entries(only: str = "") -> list[Entry]:
    """The works whose name or group has `only` in it, in the order of the groups."""
    for group in GROUPS:
        importlib.import_module(f"cpu_suite.{group}")
    return [e for e in _entries.values() if only in e.name or only == e.group]


def random(seed: int, shape: Any, low: float = 0, high: float = 1) -> np.ndarray[Any, Any]:
    values = np.random.default_rng(seed).random(shape, np.float32)
    return (low + (high - low) * values).astype(np.float32)
