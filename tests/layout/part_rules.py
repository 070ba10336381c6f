"""Inside a component: which of its folders may include which, and how large a folder may be.

The layers order components; these tables order the parts of the largest ones. A part may include
itself and what its row names; "." is the folder of the component itself. Rows say what the code
needs today: a new include that they do not name is a decision, made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from sources import includes

Table = dict[str, str]  # part -> the parts it may include, by name

PARTS: dict[str, Table] = {
    # Every table lists a part after those it may include. "." has the contracts, and Context, which
    # all parts are given; what makes a context's pools and streams is above them, in device/.
    "src/runtime/": {
        ".": "",
        "queue": ".",
        "pool": ". queue",
        "record": ". pool queue",
        "stream": ". pool queue record",
        "device": ". pool stream",
        "image": ". pool stream",
        "memory": ". pool stream",
        "profile": ". stream",
        "module": ". image pool",
        "launch": ". image module pool stream",
        "graph": ". launch record stream",
    },
    "src/backends/cuda/": {
        ".": "blas compiler device driver graph image link memory module profile stream",
        "blas": "device driver stream",
        "driver": "",
        "device": "driver",
        "nvrtc": "device driver",
        "link": "driver nvrtc",
        "compiler": "driver link nvrtc",
        "copy": "device driver",
        "module": "device driver link",
        "stream": "copy device driver module",
        "image": "device stream",
        "memory": "device driver stream",
        "graph": "copy device driver module stream",
        "profile": "device driver nvrtc",
    },
    "src/backends/cpu/": {
        ".": "blas host image ipc launch memory module",
        "blas": "launch",
        "compiler": ".",
        "host": ".",
        "memory": "host",
        "module": ". host",
        "execute": ". host memory module",
        "launch": "execute host",
        "image": "launch memory",
        "ipc": "launch memory",
        "services": ". execute host image memory",
    },
    "src/backends/cpu/compiler/gang/": {
        ".": "analysis context emit passes target",
        "layout": "",
        "target": "",
        "analysis": "layout target",
        "context": "analysis target",
        "elements": "analysis target",
        "widths": "analysis",
        "passes": "analysis context elements target widths",
        "emit": "analysis context target",
    },
    "src/backends/cpu/compiler/lowering/": {
        ".": "scalar threads",
        "ptx": ". services threads",
        "scalar": ". services",
        "services": ". threads",
        "threads": ". scalar services",
    },
    "python/bindings/": {
        ".": "holders interpreter",
        "interpreter": ".",
        "memory": ". interpreter",
        "arrays": ". interpreter memory",
        "holders": ". arrays interpreter memory",
        "interop": ". arrays interpreter memory",
        "random": ". arrays interpreter",
        "sparse": ". arrays interpreter",
        "kernels": ". arrays holders interpreter memory",
        "device": ". interpreter kernels memory",
        "algorithms": ". arrays interpreter kernels",
        "functions": ". algorithms interpreter kernels",
    },
}

# Cycles that stay, each with the reason: parts that may include each other.
CYCLES: dict[str, tuple[frozenset[str], str]] = {
    "src/backends/cpu/compiler/lowering/": (
        frozenset({"scalar", "services", "threads"}),
        "a call of a service passes the thread's state, which services fill and passes look for",
    ),
}

FOLDER_LIMIT = 25
# Folders that may have more source files, each with the most and the reason.
LARGE_FOLDERS: dict[str, tuple[int, str]] = {
    "src/base": (30, "small ideas without parts: what every component stands on"),
    "src/codegen/device/include": (120, "one file for each header of CUDA's or of C++"),
    "src/codegen/device/include/thrust": (60, "one file for each header of Thrust"),
    "src/backends/cpu/compiler/gang/analysis": (30, "two files for each question"),
    "src/backends/cpu/compiler/gang/passes": (30, "one file for each pass of the vectoriser"),
    "python/warpwise": (30, "the modules that make the public names"),
}
SOURCE_SUFFIXES = (".hpp", ".cpp", ".h", ".cuh", ".def", ".S", ".py", "")
SOURCE_FOLDERS = ("src/", "python/bindings/", "python/warpwise/")


def part_of(component: str, path: str) -> str:
    """The part of `component` that a path under it lies in."""
    parts = PurePosixPath(path).relative_to(component).parts
    return parts[0] if len(parts) > 1 else "."


def part_order(path: str, text: str) -> Iterator[str]:
    """A part includes what the table of its component names."""
    for component, table in PARTS.items():
        if not path.startswith(component):
            continue
        here = part_of(component, path)
        if here not in table:
            yield f"{path}: {component} has no part {here} in PARTS of tests/layout/part_rules.py"
            continue
        for line, _, included in includes(text):
            if not included.startswith(component):
                continue
            there = part_of(component, included)
            if there != here and there not in table[here].split():
                yield f"{path}:{line}: {here} of {component} may not include {included} ({there})"


def cyclic_parts(table: Table) -> frozenset[str]:
    """The parts of a table that include each other in a circle. "." does not count: the folder of a
    component has both the contracts that its parts use and the top that uses them."""
    left = {part: set(allowed.split()) for part, allowed in table.items() if part != "."}
    while lowest := [part for part, allowed in left.items() if not allowed & left.keys()]:
        for part in lowest:
            del left[part]
    # What only stands above a circle is no part of it.
    while highest := [p for p in left if not any(p in allowed for allowed in left.values())]:
        for part in highest:
            del left[part]
    return frozenset(left)


def part_cycles() -> Iterator[str]:
    """The parts of a component have an order, but for what CYCLES names."""
    for component, table in PARTS.items():
        found = cyclic_parts(table)
        allowed, _ = CYCLES.get(component, (frozenset(), ""))
        if found - allowed:
            yield f"{component}: {', '.join(sorted(found))} include each other; move what both need"
        if allowed - found:
            yield f"{component}: CYCLES names {', '.join(sorted(allowed - found))} without need"


def unused_rows(texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A table allows nothing that no file needs: it would hide the next wrong include."""
    needed = {component: {part: set[str]() for part in table} for component, table in PARTS.items()}
    for path, text in texts:
        for component, rows in needed.items():
            if path.startswith(component) and (here := part_of(component, path)) in rows:
                inside = (i for _, _, i in includes(text) if i.startswith(component))
                rows[here] |= {part_of(component, included) for included in inside}
    for component, table in PARTS.items():
        for part, allowed in table.items():
            for other in allowed.split():
                if other not in needed[component][part]:
                    yield f"{component}: no file of {part} includes {other}; take it from its row"


def source_counts(names: Iterable[str]) -> dict[str, int]:
    """How many source files each folder has."""
    counts: dict[str, int] = {}
    for name in names:
        path = PurePosixPath(name)
        is_source = name.startswith(SOURCE_FOLDERS) and path.suffix in SOURCE_SUFFIXES
        if is_source and path.name != "CMakeLists.txt":
            counts[str(path.parent)] = counts.get(str(path.parent), 0) + 1
    return counts


def folder_size(names: Iterable[str]) -> Iterator[str]:
    """A folder of sources has few enough files to be read as one list."""
    for folder, count in source_counts(names).items():
        limit, _ = LARGE_FOLDERS.get(folder, (FOLDER_LIMIT, ""))
        if count > limit:
            yield f"{folder}: {count} source files, the limit is {limit}: split it by concept"


def unneeded_exceptions(names: Iterable[str]) -> Iterator[str]:
    """LARGE_FOLDERS names no folder that is within the limit."""
    counts = source_counts(names)
    for folder in LARGE_FOLDERS:
        if counts.get(folder, 0) <= FOLDER_LIMIT:
            yield f"{folder}: LARGE_FOLDERS of tests/layout/part_rules.py has it without need"


def part_folders(names: Iterable[str]) -> Iterator[str]:
    """Every folder of a component with parts says in a README.md what belongs there."""
    every = frozenset(names)
    folders = {
        component if part == "." else f"{component}{part}/"
        for component, table in PARTS.items()
        for part in table
    }
    for name in every:
        path = PurePosixPath(name)
        if name.startswith(tuple(PARTS)) and path.suffix in (".hpp", ".cpp"):
            folders.add(f"{path.parent}/")
    for folder in sorted(folders):
        if f"{folder}README.md" not in every:
            yield f"{folder} needs a README.md"


DESCRIBED = (
    "src/runtime/",
    "src/backends/cuda/",
    "src/backends/cpu/",
    "src/backends/cpu/compiler/gang/",
)


def undescribed_parts(text: str) -> Iterator[str]:
    """The page of the architecture names every part of the components whose parts it lists."""
    for component in DESCRIBED:
        for part in PARTS[component]:
            if part != "." and f"{part}/" not in text:
                yield f"docs/explanation/architecture.md does not name {component}{part}/"
