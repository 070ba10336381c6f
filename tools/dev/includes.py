"""Which files a C++ file includes, directly and through others, read from its text.

The layout rules make every quoted include relative to the root or to include/, so that no compiler
is needed to follow them. What stands in angle brackets is the system's and only named.
"""

from __future__ import annotations

import functools
import hashlib
import re

from step import ROOT

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


@functools.cache
def _direct(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The project's files and the system's headers that a file names, in order."""
    text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
    own, system = [], []
    for quoted, bracketed in _INCLUDE.findall(text):
        if bracketed:
            system.append(bracketed)
            continue
        found = [path for path in (quoted, f"include/{quoted}") if (ROOT / path).is_file()]
        own += found[:1]
    return tuple(own), tuple(system)


def first(name: str) -> str:
    """The file of the project that a file includes before any other header, or nothing."""
    text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
    match = _INCLUDE.search(text)
    return _direct(name)[0][0] if match and match.group(1) and _direct(name)[0] else ""


@functools.cache
def closure(name: str) -> frozenset[str]:
    """A file and all of the project's that it includes."""
    found = {name}
    left = [name]
    while left:
        for other in _direct(left.pop())[0]:
            if other not in found:
                found.add(other)
                left.append(other)
    return frozenset(found)


def has_llvm(name: str) -> bool:
    """Whether a file includes headers of LLVM or clang, which take seconds to read."""
    named = (header for file in closure(name) for header in _direct(file)[1])
    return any(header.startswith(("llvm/", "llvm-c/", "clang/")) for header in named)


@functools.cache
def _digest(name: str) -> bytes:
    return hashlib.sha256((ROOT / name).read_bytes()).digest()


def fingerprint(name: str, *others: str) -> str:
    """A hash of a file, of all that it includes, and of `others`."""
    total = hashlib.sha256("\0".join([name, *others]).encode())
    for file in sorted(closure(name)):
        total.update(file.encode() + _digest(file))
    return total.hexdigest()
