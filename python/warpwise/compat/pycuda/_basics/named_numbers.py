"""The base of PyCUDA's enumerations: numbers whose text is their name, as Boost.Python's."""

from __future__ import annotations

import enum
from typing import Any


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


def add_tables(kind: type[Number] | type[Flag]) -> None:
    """Gives an enumeration the tables that those of Boost.Python have: names and values."""
    members: dict[str, Any] = dict(kind.__members__)
    tables = {"names": members, "values": {int(one): one for one in members.values()}}
    for name, table in tables.items():
        if members:
            setattr(kind, name, table)
