"""How the programs of this folder ran: which executor each of their launches got, and the share of
instructions done lane by lane. Runs them all, prints the exceptions and the totals, and exits
with 1 when more than BOUND of the launches are exceptions.

    ./dev python tests/programs/report.py [--all]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

BOUND = 0.10  # of the launches may need executor reference, or run mostly lane by lane
MOSTLY = 0.50

Row = dict[str, Any]


def is_exception(row: Row) -> bool:
    return row["executor"] == "reference" or (row["lane_by_lane"] or 0.0) > MOSTLY


def line(row: Row) -> str:
    share = row["lane_by_lane"]
    lanes = "not counted" if share is None else f"{share:.0%} lane by lane"
    return f"{row['program']:40} {row['kernel']:36} {row['executor']:10} {lanes}"


def launches() -> list[Row]:
    """Every launch of a run of all programs, as users would make them: not the ones that insist
    on an executor."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "launches.json"
        command = [sys.executable, "-m", "pytest", "-q", Path(__file__).parent, "--launches", file]
        subprocess.run(command, stdout=sys.stderr, check=True)
        rows: list[Row] = json.loads(file.read_text(encoding="utf-8"))
    return [row for row in rows if row["asked"] == "auto"]


def main() -> int:
    parser = argparse.ArgumentParser(description="how the programs' launches were run")
    parser.add_argument(
        "--all", action="store_true", help="print every kernel, not only exceptions"
    )
    wants_all = parser.parse_args().all
    rows = launches()
    count = Counter(line(row) for row in rows if wants_all or is_exception(row))
    for text, times in sorted(count.items()):
        print(f"{times:4} x  {text}")
    for name, times in sorted(Counter(row["executor"] for row in rows).items()):
        print(f"{times:5} launches by executor {name}")
    share = sum(map(is_exception, rows)) / max(len(rows), 1)
    print(f"{share:.1%} of {len(rows)} launches by reference or mostly lane by lane", end=", ")
    print(f"{'within' if share <= BOUND else 'above'} the bound of {BOUND:.0%}")
    return 0 if rows and share <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
