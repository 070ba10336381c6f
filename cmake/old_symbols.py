"""Stubs of the system's shared libraries with only the symbol versions that an older system has.

    old_symbols.py FOLDER FAMILY:VERSION,... LIBRARY...

Where a library has a symbol in several versions, a stub has the newest one that is not above the
floor; a symbol that is younger is not in it at all. A program linked against the stubs therefore
asks for nothing that the older system lacks. Functions that glibc 2.34 moved into libc.so.6 are
still in libpthread, libdl or librt there: each of these gets a stub of its own.

For each library this writes NAME.s, an assembly file with all symbols, and NAME.map, its versions;
the build links both into NAME.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Where glibc before 2.34 has what is in libc.so.6 now.
MOVED = (
    ("libdl.so.2", re.compile(r"dl(open|close|sym|vsym|error|addr1?|info|mopen)$")),
    (
        "libpthread.so.0",
        re.compile(r"_?_?(pthread|sem)_|__(errno_location|libpthread_freeres)$|call_once$"),
    ),
    ("librt.so.1", re.compile(r"(aio|clock|lio|mq|shm|timer)_")),
)
MOVED_AFTER = (2, 28)


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: str
    size: int
    family: str
    version: tuple[int, ...]

    @property
    def node(self) -> str:
        return self.family + ".".join(map(str, self.version))


def parse(listing: str) -> Iterator[Symbol]:
    """The versioned symbols that a library defines, from `readelf --dyn-syms --wide`."""
    for row in map(str.split, listing.splitlines()):
        if len(row) != 8 or not row[0].endswith(":") or row[6] in ("UND", "ABS"):
            continue
        name, _, node = row[7].replace("@@", "@").partition("@")
        named = re.fullmatch(r"([A-Z_0-9]*?_)(\d+(?:\.\d+)*)", node)
        if named and row[3] in ("FUNC", "IFUNC", "OBJECT", "TLS", "NOTYPE"):
            version = tuple(int(part) for part in named.group(2).split("."))
            yield Symbol(name, row[3], int(row[2], 0), named.group(1), version)


def not_above(symbols: list[Symbol], floors: dict[str, tuple[int, ...]]) -> list[Symbol]:
    """Of each name the newest version that the floors allow; none of a family without a floor."""
    newest: dict[str, Symbol] = {}
    for symbol in symbols:
        floor = floors.get(symbol.family)
        if floor is None or symbol.version > floor:
            continue
        best = newest.get(symbol.name)
        if best is None or best.version < symbol.version:
            newest[symbol.name] = symbol
    return sorted(newest.values(), key=lambda symbol: symbol.name)


def homes(symbols: list[Symbol], kept: list[Symbol]) -> dict[str, list[Symbol]]:
    """The symbols of libc.so.6 by the library that has them on the older system."""
    moved = {symbol.name for symbol in symbols if symbol.version > MOVED_AFTER}
    by_library: dict[str, list[Symbol]] = {"libc.so.6": []}
    by_library.update({library: [] for library, _ in MOVED})
    for symbol in kept:
        home = "libc.so.6"
        if symbol.name in moved:
            home = next((library for library, names in MOVED if names.match(symbol.name)), home)
        by_library[home].append(symbol)
    return by_library


def assembly(symbols: list[Symbol]) -> str:
    sections = {"OBJECT": ".data", "TLS": '.section .tdata,"awT",@progbits'}
    kinds = {"OBJECT": "object", "TLS": "tls_object"}
    lines = []
    for symbol in symbols:
        name, size = symbol.name, max(symbol.size, 1)
        lines.append(f"{sections.get(symbol.kind, '.text')}\n.globl {name}")
        lines.append(f".type {name},@{kinds.get(symbol.kind, 'function')}\n.size {name},{size}")
        lines.append(f"{name}: .skip {size if symbol.kind in kinds else 1}")
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])


def version_script(symbols: list[Symbol]) -> str:
    nodes: dict[str, list[str]] = {}
    for symbol in sorted(symbols, key=lambda symbol: (symbol.family, symbol.version)):
        nodes.setdefault(symbol.node, []).append(symbol.name)
    rows = [f"{node} {{ global: {'; '.join(names)}; }};" for node, names in nodes.items()]
    return "\n".join([*rows, "NOTHING_ELSE { local: *; };", ""])


def write(folder: Path, library: str, symbols: list[Symbol]) -> None:
    (folder / f"{library}.s").write_text(assembly(symbols))
    (folder / f"{library}.map").write_text(version_script(symbols))


def main(words: list[str]) -> None:
    folder, limits, *libraries = words
    floors = {
        family: tuple(int(part) for part in version.split("."))
        for family, version in (limit.split(":") for limit in limits.split(","))
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    for library in map(Path, libraries):
        command = ["readelf", "--dyn-syms", "--wide", str(library)]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        symbols = list(parse(listed))
        kept = not_above(symbols, floors)
        groups = homes(symbols, kept) if library.name == "libc.so.6" else {library.name: kept}
        for name, group in groups.items():
            write(Path(folder), name, group)


if __name__ == "__main__":
    main(sys.argv[1:])
