"""docs/reference/array_operations.md lists the ops that there are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from op_table import rows

import warpwise as ww

ROOT = Path(__file__).parents[3]


def test_the_page_is_what_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    import op_reference

    assert op_reference.PAGE.read_text() == op_reference.page()


def test_every_op_is_on_the_page_and_in_the_package() -> None:
    text = (ROOT / "docs" / "reference" / "array_operations.md").read_text()
    for name in rows():
        assert f"| `{name}(x" in text
        assert callable(getattr(ww, name))
