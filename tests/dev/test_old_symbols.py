"""cmake/old_symbols.py: which versions of a library's symbols a stub for an older system has."""

from __future__ import annotations

import sys

import pytest

from step import ROOT

sys.path.insert(0, str(ROOT / "cmake"))

import old_symbols
from old_symbols import Symbol

LISTING = """
Symbol table '.dynsym' contains 7 entries:
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     1: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND _dl_find_dso_for_object@GLIBC_PRIVATE
     2: 0000000000089380  3821 FUNC    GLOBAL DEFAULT   16 pthread_create@GLIBC_2.2.5
     3: 0000000000089380  3821 FUNC    GLOBAL DEFAULT   16 pthread_create@@GLIBC_2.34
     4: 00000000000f7d10    49 FUNC    WEAK   DEFAULT   16 stat@@GLIBC_2.33
     5: 0000000000098a40   121 IFUNC   GLOBAL DEFAULT   16 memcpy@@GLIBC_2.14
     6: 0000000000098a00    49 FUNC    GLOBAL DEFAULT   16 memcpy@GLIBC_2.2.5
     7: 00000000001d3868     8 OBJECT  GLOBAL DEFAULT   34 stdin@@GLIBC_2.2.5
"""


@pytest.fixture
def kept() -> dict[str, Symbol]:
    symbols = list(old_symbols.parse(LISTING))
    return {s.name: s for s in old_symbols.not_above(symbols, {"GLIBC_": (2, 28)})}


def test_a_symbol_younger_than_the_floor_is_left_out(kept: dict[str, Symbol]) -> None:
    assert "stat" not in kept


def test_the_newest_version_that_the_floor_allows_is_taken(kept: dict[str, Symbol]) -> None:
    assert (kept["memcpy"].node, kept["pthread_create"].node) == ("GLIBC_2.14", "GLIBC_2.2.5")


def test_what_a_library_only_refers_to_is_left_out(kept: dict[str, Symbol]) -> None:
    assert "_dl_find_dso_for_object" not in kept


def test_versions_are_compared_as_numbers() -> None:
    symbols = [Symbol("f", "FUNC", 1, "GLIBC_", version) for version in ((2, 9), (2, 10))]
    assert old_symbols.not_above(symbols, {"GLIBC_": (2, 28)})[0].version == (2, 10)


def test_a_function_that_moved_to_libc_later_stays_where_it_was(kept: dict[str, Symbol]) -> None:
    symbols = list(old_symbols.parse(LISTING))
    homes = old_symbols.homes(symbols, list(kept.values()))
    assert [s.name for s in homes["libpthread.so.0"]] == ["pthread_create"]
    assert sorted(s.name for s in homes["libc.so.6"]) == ["memcpy", "stdin"]


def test_every_symbol_stands_under_its_version(kept: dict[str, Symbol]) -> None:
    script = old_symbols.version_script(list(kept.values()))
    assert "GLIBC_2.2.5 { global: pthread_create; stdin; };" in script
    assert "GLIBC_2.14 { global: memcpy; };" in script


def test_data_keeps_its_type_and_size(kept: dict[str, Symbol]) -> None:
    text = old_symbols.assembly([kept["stdin"]])
    assert ".type stdin,@object\n.size stdin,8\nstdin: .skip 8" in text
