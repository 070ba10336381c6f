"""The page of promises names tests that exist, with their files."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "reference" / "engine_promises.md"
# Of a cell: a file, a colon, and the tests in it up to the next semicolon; or a file alone.
PROMISED = re.compile(r"`(?P<file>[\w/]+\.(?:py|cpp|cmake))`(?:: (?P<names>[^;]*))?(?:; |$)")


def promised(page: str) -> dict[str, list[str]]:
    """The names that each row of the tables gives, by file."""
    found: dict[str, list[str]] = {}
    for line in page.splitlines():
        if not line.startswith("| ") or line.startswith("| promise"):
            continue
        cell = line.rstrip(" |").rsplit(" | ", 1)[1]
        parts = list(PROMISED.finditer(cell))
        assert "".join(part[0] for part in parts) == cell, f"names no tests: {line}"
        for part in parts:
            names = re.findall(r"`([^`]+)`", part["names"] or "")
            found.setdefault(part["file"], []).extend(names)
    return found


def names_in(path: Path) -> set[str]:
    text = path.read_text()
    if path.suffix == ".py":
        return {n.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)}
    pairs = re.findall(r"\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text)
    return {f"{suite}.{test}" for suite, test in pairs}


def missing(page: str, tests: Path) -> list[str]:
    """What the page names and `tests` does not have."""
    gone = []
    for file, names in promised(page).items():
        path = tests / file
        if not path.is_file():
            gone.append(file)
            continue
        gone += [f"{file}: {name}" for name in names if name not in names_in(path)]
    return gone


def test_every_promise_names_tests_that_exist() -> None:
    page = PAGE.read_text()
    assert sum(map(len, promised(page).values())) > 80
    assert missing(page, TESTS) == []


def test_a_test_or_file_that_is_gone_is_found(tmp_path: Path) -> None:
    (tmp_path / "test_kept.py").write_text("def test_kept(): ...\n")
    (tmp_path / "kept_test.cpp").write_text("TEST(Suite, Kept) {\n")
    page = (
        "| a | `test_kept.py`: `test_kept`, `test_gone`; `test_gone.py`: `test_kept` |\n"
        "| b | `kept_test.cpp`: `Suite.Kept`, `Suite.Gone` |\n"
    )
    expected = ["test_kept.py: test_gone", "test_gone.py", "kept_test.cpp: Suite.Gone"]
    assert missing(page, tmp_path) == expected
