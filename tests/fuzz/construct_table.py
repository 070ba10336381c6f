"""How many of the random programs use each construct, as a table stored next to this file.

./dev python tests/fuzz/construct_table.py     writes it anew
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from random_program import Generator

TABLE = Path(__file__).parent / "constructs.md"
SHORT, LONG = 300, 20_000

HEAD = f"""# What the random programs use

Programs with the construct, of the {SHORT} of every test run and of the {LONG:,} of the long one.
Made by construct_table.py.

| construct | of {SHORT} | of {LONG:,} |
|---|---:|---:|
"""


def counts(programs: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(programs):
        program = Generator(seed)
        program.source()
        found.update(program.used.keys())
    return found


def read_table() -> dict[str, tuple[int, int]]:
    rows = [line.split("|")[1:4] for line in TABLE.read_text().splitlines() if line[:2] == "| "]
    return {name.strip(): (int(short), int(long)) for name, short, long in rows[1:]}


def write_table() -> None:
    short, long = counts(SHORT), counts(LONG)
    rows = [f"| {name} | {short[name]} | {long[name]} |\n" for name in sorted(long)]
    TABLE.write_text(HEAD + "".join(rows))


if __name__ == "__main__":
    write_table()
