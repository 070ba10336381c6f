"""What there is to compare. A group is a module here: its kernels in Python, with makers of their
data marked `@twin`, and their hand-written counterparts of the same names in GROUP.cu, which stay
as they are. Data is made only when a twin is measured, from a fixed seed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
GROUPS = (
    "elementwise",
    "stencils",
    "matrices",
    "reductions",
    "sorting",
    "physics",
    "learning",
    "text",
    "numbers",
)

Extent = int | tuple[int, ...]


@dataclass
class Work:
    """One launch. The C++ takes the arguments and then `extents`, which Python reads of shapes."""

    arguments: list[Any]
    grid: Extent
    block: Extent
    extents: tuple[int, ...] = ()
    outputs: tuple[int, ...] = (-1,)  # which arguments are compared
    tolerance: float = 0.0  # of the largest result
    differing: float = 0.0  # the share of results that may differ: of counts at a limit


# Of a factor for the sizes.
Maker = Callable[[int], Work]


@dataclass(frozen=True)
class Entry:
    kernel: Any
    make: Maker
    factors: dict[str, int]  # by the kind of the device

    @property
    def name(self) -> str:
        return str(self.kernel.__name__)

    @property
    def source(self) -> Path:
        return HERE / f"{self.make.__module__.rpartition('.')[2]}.cu"


_entries: dict[str, Entry] = {}


def twin(kernel: Any, cpu: int = 1, gpu: int = 32) -> Callable[[Maker], Maker]:
    """Registers the function below as what makes the data of this kernel.

    A launch should take 0.1 to 2 ms on a few cores, and 50 us on a large GPU.
    """

    def register(make: Maker) -> Maker:
        entry = Entry(kernel, make, {"cpu": cpu, "cuda": gpu})
        if entry.name in _entries:
            raise ValueError(f"two kernels are called '{entry.name}'; rename one of them")
        _entries[entry.name] = entry
        return make

    return register


def entries(only: str) -> list[Entry]:
    """Those whose names have `only` in them."""
    for group in GROUPS:
        importlib.import_module(f"{__package__}.{group}")
    return [entry for name, entry in _entries.items() if only in name]


def seeded(number: int) -> np.random.Generator:
    return np.random.default_rng(number)


def tiles(width: int, height: int, block: tuple[int, int]) -> tuple[int, int]:
    """The grid whose blocks cover a matrix; x is its last axis."""
    return -(-width // block[0]), -(-height // block[1])
