"""Writes the rows of a record of `./dev bench cpu --json RECORD` as a table of Markdown.

./dev python benchmarks/cpu/table.py RECORD
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def cells(row: dict[str, object], rivals: list[str]) -> list[str]:
    times = row["rivals"]
    assert isinstance(times, dict)
    share = f"{100 * float(str(row['ratio_to_cpp'])):.0f} %"
    others = [f"{times[who]:.3g}" if who in times else "" for who in rivals]
    return [str(row["work"]), f"{row['ours_ms']:.3g}", *others, share, str(row["executor"])]


def table(record: Path) -> str:
    works = [row for row in json.loads(record.read_text())["results"]["cpu"] if "work" in row]
    rivals = sorted({who for row in works for who in row["rivals"]})
    columns = [
        "Work",
        "Warpwise, ms",
        *(f"{who}, ms" for who in rivals),
        "share of C++",
        "executor",
    ]
    numbers = len(columns) - 2
    lines = [columns, ["---", *numbers * ["---:"], "---"], *(cells(row, rivals) for row in works)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(table(Path(sys.argv[1])), end="")
