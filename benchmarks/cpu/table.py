"""Writes the rows of a record of `./dev bench --json RECORD` as a table of Markdown: of `cpu` the
times and the share of C++, of `cpu_passes` how much longer a kernel takes without each pass.

./dev python benchmarks/cpu/table.py RECORD
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Row = dict[str, Any]

NOISE = "again"  # the rival of `cpu_passes` that is the unchanged kernel once more
PAYS = 1.05


def lines(cells: list[list[str]], texts: tuple[int, ...]) -> str:
    rule = ["---" if column in texts else "---:" for column in range(len(cells[0]))]
    return "".join(f"| {' | '.join(line)} |\n" for line in [cells[0], rule, *cells[1:]])


def shares(works: list[Row]) -> str:
    rivals = sorted({who for row in works for who in row["rivals"]})
    head = ["Work", "Warpwise, ms", *(f"{who}, ms" for who in rivals), "share of C++", "executor"]
    head = [name.replace("cpp", "C++") for name in head]
    cells = [head]
    for row in works:
        times = [f"{row['rivals'][who]:.3g}" if who in row["rivals"] else "" for who in rivals]
        share = f"{100 * row['ratio_to_cpp']:.0f} %"
        cells.append([row["work"], f"{row['ours_ms']:.3g}", *times, share, row["executor"]])
    return lines(cells, (0, len(head) - 1))


def ratios(works: list[Row]) -> str:
    """Time without a pass divided by the time with it; `=` where the pass changes no code. The
    better of two measurements of the unchanged kernel is the base, their ratio the noise."""
    passes = list(dict.fromkeys(name for row in works for name in named(row) if name != NOISE))
    cells = [["Kernel", "ms", "noise", *passes]]
    changes, pays = dict.fromkeys(passes, 0), dict.fromkeys(passes, 0)
    for row in works:
        both = sorted([row["ours_ms"], row["rivals"][NOISE]])
        noise = both[1] / both[0]
        found = {name: ms / both[0] for name, ms in row["rivals"].items() if name != NOISE}
        for name, ratio in found.items():
            changes[name] += 1
            pays[name] += ratio > max(PAYS, noise)
        texts = [cell(row, name, found) for name in passes]
        cells.append([row["work"], f"{both[0]:.3g}", f"{noise:.2f}", *texts])
    cells.append(["kernels whose code it changes", "", "", *(str(changes[p]) for p in passes)])
    cells.append([f"pays by more than {PAYS} and noise", "", "", *(str(pays[p]) for p in passes)])
    return lines(cells, (0,))


def named(row: Row) -> list[str]:
    return [*row["rivals"], *row["same"], *row["refused"]]


def cell(row: Row, name: str, found: dict[str, float]) -> str:
    if name in found:
        return f"{found[name]:.2f}"
    return "fails" if name in row["refused"] else "=" if name in row["same"] else ""


def table(record: Path) -> str:
    results = json.loads(record.read_text())["results"]
    for name, form in (("cpu", shares), ("cpu_passes", ratios)):
        if name in results:
            return form([row for row in results[name] if "work" in row])
    raise SystemExit(f"{record}: it has no results of cpu or cpu_passes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(table(Path(sys.argv[1])), end="")
