"""Reading the tree: which files are ours, and C++ text without comments and literals.

The rules work on (path, text) pairs alone, so that each can be fed a bad sample.
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CXX_SUFFIXES = (".hpp", ".cpp", ".h", ".cuh", ".cu", ".def", ".S")


@functools.cache
def files() -> tuple[str, ...]:
    """Every file of the project, as git lists it: tracked ones and new ones not ignored."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    return tuple(sorted(name for name in set(names) if name and (ROOT / name).is_file()))


@functools.cache
def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def sources(*suffixes: str, under: tuple[str, ...] = ("",)) -> Iterator[tuple[str, str]]:
    for name in files():
        if name.endswith(suffixes) and name.startswith(under):
            yield name, read(name)


_TOKEN = re.compile(
    r"""
    //[^\n]*                                   # comment to the end of the line
  | /\*.*?\*/                                  # comment over lines
  | R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)" # raw string
  | "(?:\\.|[^"\\\n])*"                        # string
  | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'        # character, not the mark inside 1'000'000
    """,
    re.VERBOSE | re.DOTALL,
)


def _blank(match: re.Match[str]) -> str:
    text = match.group(0)
    lines = "\n" * text.count("\n")
    return lines if text.startswith("/") else f'""{lines}'


def bare_cxx(text: str) -> str:
    """The text with comments dropped and literals emptied; line numbers stay."""
    return _TOKEN.sub(_blank, text)


_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


# A macro that stands for a whole declaration: a line of its own, no body after it.
_MACRO_ROW = re.compile(r"^[ \t]*_*[A-Z][A-Z0-9_]*\([^{}\n]*\)(?=[ \t]*\n\s*[^\s{:])", re.MULTILINE)


def declarations(bare: str) -> str:
    """Text with preprocessor lines emptied, continued ones too, and macro rows ended by `;`."""
    plain = _DIRECTIVE.sub(lambda match: "\n" * match.group(0).count("\n"), bare)
    return _MACRO_ROW.sub(lambda match: match.group(0) + ";", plain)


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, '<' or '"', what) of every include directive outside of raw strings."""
    raw = re.compile(r'R"([^()\\\s]{0,16})\(.*?\)\1"', re.DOTALL)
    plain = raw.sub(lambda match: "\n" * match.group(0).count("\n"), text)
    for match in _INCLUDE.finditer(plain):
        yield plain.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)
