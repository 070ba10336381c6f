"""The pictures of the pages are drawn from the records: no picture says what its table does not."""

from __future__ import annotations

import re

import pytest

import draw
from pages import ROOT
from records import parse

PAGE = """# Page

## Speeds

| Work | Ours, ms | Theirs |
| --- | ---: | ---: |
| saxpy | 1,234.5 | |
| sum | 2 us | 3 |

## Empty
"""


@pytest.mark.parametrize("path", draw.PICTURES)
def test_a_committed_picture_is_what_its_record_gives(path: str) -> None:
    committed = (ROOT / path).read_text(encoding="utf-8")
    assert committed == draw.PICTURES[path](), f"{path} is stale: run ./dev docs --draw"


def test_the_front_page_shows_the_figures_of_the_tables() -> None:
    drawn = draw.front_page()
    cpu = (ROOT / "docs/benchmarks/cpu.md").read_text(encoding="utf-8")
    first_row = re.search(r"^\| (saxpy[^|]*) \|[^|]*\|[^|]*\| (\d+ %)", cpu, re.MULTILINE)
    assert first_row
    assert first_row.group(1) in drawn
    assert f">{first_row.group(2)}<" in drawn


def test_numbers_are_read_without_separators_and_units() -> None:
    speeds = parse("page", PAGE, "Speeds")
    assert speeds.number("saxpy", "Ours, ms") == 1234.5
    assert speeds.number("sum", "Ours, ms") == 2


def test_an_empty_cell_is_no_number() -> None:
    assert parse("page", PAGE, "Speeds").number("saxpy", "Theirs") is None


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        ("saxpy", "Mine", "page: there is no column 'Mine'; there are Work, Ours, ms, Theirs"),
        ("dot", "Theirs", "page: there is no row 'dot'"),
    ],
)
def test_a_cell_that_is_not_there_is_named(row: str, column: str, message: str) -> None:
    with pytest.raises(LookupError, match=re.escape(message)):
        parse("page", PAGE, "Speeds").number(row, column)


@pytest.mark.parametrize("heading", ["Empty", "Page"])
def test_a_heading_without_a_table_is_named(heading: str) -> None:
    with pytest.raises(LookupError, match="no table below this heading"):
        parse("page", PAGE, heading)


def test_a_heading_that_is_not_there_is_named() -> None:
    with pytest.raises(LookupError, match="there is no such heading"):
        parse("page", PAGE, "Costs")
