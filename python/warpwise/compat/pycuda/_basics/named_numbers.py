"""The base of PyCUDA's enumerations: numbers whose text is their name, as Boost.Python's."""

from __future__ import annotations

import enum


class _Named:
    name: str
    value: int

    def __str__(self) -> str:
        return self.name or str(int(self.value))

    def __format__(self, spec: str) -> str:
        return format(int(self.value), spec) if spec else str(self)

    def __repr__(self) -> str:
        return f"pycuda._driver.{type(self).__name__}.{self}"


class Number(_Named, enum.IntEnum):
    """One of several numbers."""


class Flag(_Named, enum.IntFlag):
    """Bits that may be joined."""
