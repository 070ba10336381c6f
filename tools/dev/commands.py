"""The compile commands of build/dev as other tools need them: for clang, and without precompiled
headers, which would hide that a file lacks an include.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from step import ROOT

# Of each option that names a file, the file is dropped as well.
_DROPPED = {"-o": 1, "-c": 0, "-Winvalid-pch": 0, "-fpch-preprocess": 0, "-Werror": 0}


@dataclass(frozen=True)
class Command:
    """How a source is compiled; its path is from the root."""

    file: str
    flags: tuple[str, ...]
    folder: str
    uses_pch: bool


def _flags(words: list[str], source: str) -> tuple[tuple[str, ...], bool]:
    kept: list[str] = []
    uses_pch = False
    left = iter(words)
    for word in left:
        if word in _DROPPED:
            for _ in range(_DROPPED[word]):
                next(left)
        elif word == "-include":
            included = next(left)
            if "cmake_pch" in included:
                uses_pch = True
            else:
                kept += [word, included]
        elif word != source:
            kept.append(word)
    return tuple(kept), uses_pch


def read(where: Path) -> list[Command]:
    """The sources of the project, each once, from the compile database of a build folder."""
    found: dict[str, Command] = {}
    for entry in json.loads((where / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if not path.is_relative_to(ROOT) or path.is_relative_to(ROOT / "build"):
            continue
        words = shlex.split(entry["command"])
        while Path(words[0]).name == "ccache":
            words.pop(0)
        flags, uses_pch = _flags(words[1:], entry["file"])
        name = str(path.relative_to(ROOT))
        found.setdefault(name, Command(name, flags, entry["directory"], uses_pch))
    return [found[name] for name in sorted(found) if name.endswith((".cpp", ".hpp"))]


def portable(flags: tuple[str, ...]) -> str:
    """Flags as one text that is the same in every clone."""
    return " ".join(flags).replace(str(ROOT), ".")
