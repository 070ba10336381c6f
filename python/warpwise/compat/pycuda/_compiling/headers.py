"""Headers that PyCUDA puts on every source's include path, in our own words."""

from __future__ import annotations

from pathlib import Path

HEADERS_FOLDER = Path(__file__).resolve().parents[1] / "include"

HEADERS = {path.name: path.read_text() for path in sorted(HEADERS_FOLDER.glob("*.hpp"))}
