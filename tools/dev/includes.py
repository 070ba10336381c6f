"""Which files a C++ file includes, directly and through others, read from its text.

The layout rules make every quoted include relative to the root or to include/, so that no compiler
is needed to follow them. What stands in angle brackets is the system's.
"""

from __future__ import annotations

import functools
import hashlib
import re

from step import ROOT

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


@functools.cache
def _direct(name: str) -> tuple[str, ...]:
    """The project's files that a file names, in order."""
    text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
    own: list[str] = []
    for quoted, _ in _INCLUDE.findall(text):
        places = [quoted, f"include/{quoted}"] if quoted else []
        own += [path for path in places if (ROOT / path).is_file()][:1]
    return tuple(own)


def first(name: str) -> str:
    """The file of the project that a file includes before any other header, or nothing."""
    text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
    match = _INCLUDE.search(text)
    return _direct(name)[0] if match and match.group(1) and _direct(name) else ""


@functools.cache
def closure(name: str) -> frozenset[str]:
    """A file and all of the project's that it includes."""
    found = {name}
    left = [name]
    while left:
        for other in _direct(left.pop()):
            if other not in found:
                found.add(other)
                left.append(other)
    return frozenset(found)


@functools.cache
def _digest(name: str) -> bytes:
    return hashlib.sha256((ROOT / name).read_bytes()).digest()


def fingerprint(name: str, *others: str) -> str:
    """A hash of a file, of all that it includes, and of `others`."""
    total = hashlib.sha256("\0".join([name, *others]).encode())
    for file in sorted(closure(name)):
        total.update(file.encode() + _digest(file))
    return total.hexdigest()
