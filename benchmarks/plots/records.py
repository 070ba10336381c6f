"""Reading the records of docs/benchmarks/: the tables of a Markdown page, by heading and column.

The pages are the records: what a picture shows is what its page's table says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "docs" / "benchmarks"
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Table:
    """One table of a page; `where` names it in errors."""

    where: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def number(self, row: str, column: str) -> float | None:
        """The first number of a cell, None where the cell is empty."""
        if column not in self.columns:
            raise LookupError(
                f"{self.where}: there is no column '{column}'; there are {', '.join(self.columns)}"
            )
        for cells in self.rows:
            if cells[0] == row:
                found = _NUMBER.search(cells[self.columns.index(column)])
                return float(found.group().replace(",", "")) if found else None
        raise LookupError(f"{self.where}: there is no row '{row}'")


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def table(page: str, heading: str) -> Table:
    """The first table below a heading of docs/benchmarks/PAGE."""
    return parse(f"{page}, '{heading}'", (RECORDS / page).read_text(encoding="utf-8"), heading)


def parse(where: str, text: str, heading: str) -> Table:
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.lstrip("#").strip() == heading]
    if not starts:
        raise LookupError(f"{where}: there is no such heading")
    rows: list[tuple[str, ...]] = []
    for line in lines[starts[0] + 1 :]:
        if line.startswith("|"):
            rows.append(_cells(line))
        elif rows or line.startswith("#"):
            break
    if len(rows) < 3:
        raise LookupError(f"{where}: there is no table below this heading")
    return Table(where, rows[0], tuple(rows[2:]))
