"""The enlarged suite of the CPU benchmark: its register of works, and the tables of its records."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import table

from cpu_suite import registry


def record(folder: Path, name: str, *rows: dict[str, object]) -> Path:
    path = folder / "record.json"
    path.write_text(json.dumps({"results": {name: list(rows)}}))
    return path


@pytest.mark.parametrize("group", registry.GROUPS)
def test_a_group_has_kernels_and_their_counterparts(group: str) -> None:
    for entry in registry.entries(group):
        assert entry.kernels.is_file()
        assert entry.reference.is_file()


def test_works_are_chosen_by_a_part_of_their_name() -> None:
    names = [entry.name for entry in registry.entries("SHA-256")]
    assert names == ["SHA-256, local array, unsigned"]


def test_half_of_the_works_index_by_unsigned_types() -> None:
    entries = registry.entries()
    kernels = "".join((registry.HERE / f"{group}.cu").read_text() for group in registry.GROUPS)
    bodies = [part for part in kernels.split("__global__") if "void" in part]
    unsigned = [body for body in bodies if re.search(r"\b(unsigned|size_t) \w+ =", body)]
    assert 2 * len(unsigned) >= len(entries)


def test_two_works_of_one_name_are_refused() -> None:
    first = registry.entries()[0]
    with pytest.raises(ValueError, match=f"two works are called '{first.name}'; give one of them"):
        registry.work(first.name)(first.make)


def test_a_table_of_shares_has_a_column_for_each_rival(tmp_path: Path) -> None:
    row = {
        "work": "sum",
        "ours_ms": 2.0,
        "rivals": {"cpp": 1.0, "numpy": 8.0},
        "ratio_to_cpp": 0.5,
        "executor": "gang",
    }
    assert table.table(record(tmp_path, "cpu", row)).splitlines() == [
        "| Work | Warpwise, ms | C++, ms | numpy, ms | share of C++ | executor |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
        "| sum | 2 | 1 | 8 | 50 % | gang |",
    ]


def passes_row(work: str, again: float, **more: object) -> dict[str, object]:
    row: dict[str, object] = {"work": work, "ours_ms": 1.0, "same": [], "refused": {}}
    return {**row, "rivals": {"again": again}, **more}


def test_a_pass_pays_where_the_ratio_exceeds_the_noise(tmp_path: Path) -> None:
    rows = [
        passes_row("quiet", 1.01, rivals={"again": 1.01, "licm": 1.2}),
        passes_row("noisy", 1.3, rivals={"again": 1.3, "licm": 1.2}),
    ]
    last = table.table(record(tmp_path, "cpu_passes", *rows)).splitlines()[-1]
    assert last == "| pays by more than 1.05 and noise |  |  | 1 |"


def test_a_kernel_that_does_not_compile_without_a_pass_fails_in_the_table(tmp_path: Path) -> None:
    row = passes_row("a", 1.0, refused={"licm": "internal error"})
    assert "| a | 1 | 1.00 | fails |" in table.table(record(tmp_path, "cpu_passes", row))


def test_a_pass_that_changes_no_code_has_no_ratio(tmp_path: Path) -> None:
    row = passes_row("a", 1.0, same=["licm"])
    assert "| a | 1 | 1.00 | = |" in table.table(record(tmp_path, "cpu_passes", row))


def test_a_record_of_another_benchmark_has_no_table(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="it has no results of cpu or cpu_passes"):
        table.table(record(tmp_path, "pool"))
