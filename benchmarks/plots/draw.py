"""Draws the pictures of the pages from the records beside them: `./dev docs --draw`.

A picture has no data of its own. tests/docs compares the committed files with what this draws.
"""

from __future__ import annotations

from collections.abc import Callable

from bars import INK, OURS, PEERS, Bar, Group, Series, groups, legend, picture, shares, text
from records import ROOT, Table, table

CPU_PAGE = "cpu.md"
CPU_TABLE = "The CPU device compared with hand-written C++, PoCL and NumPy"


def _share(works: Table, work: str, column: str) -> float | None:
    """In percent: the record's own figure for Warpwise, else from the times."""
    if column == "share of C++":
        return works.number(work, column)
    took, cpp = works.number(work, column), works.number(work, "C++, ms")
    return 100 * cpp / took if took and cpp else None


def _cpu(x: float, y: float, label: float, width: float) -> list[str]:
    works = table(CPU_PAGE, CPU_TABLE)
    names = [row[0] for row in works.rows]
    contestants = (
        ("Warpwise", "share of C++", OURS, 11.0),
        ("PoCL", "PoCL, ms", PEERS[0], 4.0),
        ("NumPy", "NumPy, ms", PEERS[1], 4.0),
    )
    series = [
        Series(name, colour, thickness, tuple(_share(works, work, column) for work in names))
        for name, column, colour, thickness in contestants
    ]
    parts = [text(x, y, "CPU: speed as a share of hand-written C++", font_size="14", fill=INK)]
    parts += legend(x, y + 20, [(name, colour) for name, _, colour, _ in contestants])
    parts += shares(x, y + 32, label, width, names, series)
    return parts


def _launches(row: str, title: str, peers: dict[str, float]) -> Group:
    calls = table("gpu.md", "Launches")
    columns = {"Warpwise": "Ours", "cuda.core": "cuda.core", "CuPy": "CuPy"}
    found = {name: calls.number(row, column) for name, column in columns.items()}
    values = {name: value for name, value in found.items() if value is not None} | peers
    return Group(title, _compared(values, lambda value: f"{value:.2f}"))


def _compared(values: dict[str, float], form: Callable[[float], str]) -> tuple[Bar, ...]:
    colours = (OURS if name == "Warpwise" else PEERS[0] for name in values)
    return tuple(
        Bar(name, value, form(value), colour)
        for (name, value), colour in zip(values.items(), colours, strict=True)
    )


def _pycuda_launch() -> float:
    """PyCUDA's prepared call, as a multiple of the driver's in the same run."""
    row = "launch, 4 arguments: bound, prepared"
    beside = table("gpu.md", "PyCUDA")
    driver, took = beside.number(row, "Driver"), beside.number(row, "PyCUDA")
    if driver is None or took is None:
        raise LookupError(f"{beside.where}: '{row}' lacks a figure")
    return took / driver


def _allocation() -> Group:
    memory = table("gpu.md", "Memory from the pool")
    columns = {
        "Warpwise": "released",
        "CuPy's pool": "CuPy's pool",
        "the driver's pool": "`cuMemAllocAsync` and `cuMemFreeAsync`",
        "torch.empty": "`torch.empty`",
    }
    found = {name: memory.number("1 kB, first run", column) for name, column in columns.items()}
    values = {name: value for name, value in found.items() if value is not None}
    return Group("Allocate and release 1 kB, ns", _compared(values, lambda ns: f"{ns:,.0f}"))


def _copies() -> Group:
    ratio = table("gpu.md", "Blocking copies").number("1 GiB", "Up, pageable, arrived")
    if ratio is None:
        raise LookupError("gpu.md, 'Blocking copies': '1 GiB' lacks a figure")
    values = {"Warpwise": ratio, "the driver": 1.0}
    title = "Copy 1 GiB of pageable memory, speed"
    return Group(title, _compared(values, lambda times: f"{times:.1f}"))


def _gpu(x: float, y: float, label: float, width: float) -> list[str]:
    title = "GPU (H200): what a call costs from Python"
    parts = [text(x, y, title, font_size="14", fill=INK)]
    rows = [
        _launches(
            "4 arguments, bound outside the loop",
            "Launch, 4 arguments (driver's own call: 1)",
            {"PyCUDA": _pycuda_launch()},
        ),
        _launches("16 arguments, bound outside", "Launch, 16 arguments (driver: 1)", {}),
        _allocation(),
        _copies(),
    ]
    parts += groups(x, y + 8, label, width, rows)
    return parts


def front_page() -> str:
    """The README's picture: both devices at a glance."""
    parts = [*_cpu(16, 26, 204, 236), *_gpu(530, 26, 98, 200)]
    return picture(880, 432, "Speed of the CPU device and of calls on a GPU", parts)


def cpu() -> str:
    """The CPU device's page: the same shares, wider."""
    return picture(760, 432, "Share of hand-written C++ for each work", _cpu(16, 26, 204, 482))


def cpu_suite() -> str:
    """The enlarged suite's page: the share of each of its kernels."""
    works = table("cpu_suite.md", "The enlarged suite of the CPU device")
    names = [row[0] for row in works.rows]
    values = tuple(works.number(name, "share of C++") for name in names)
    parts = [*shares(16, 16, 250, 440, names, [Series("Warpwise", OURS, 14.0, values)])]
    return picture(760, 27 * len(names) + 48, "Share of hand-written C++ for each kernel", parts)


# Where each picture lies, from the root.
PICTURES: dict[str, Callable[[], str]] = {
    "docs/benchmarks/front_page.svg": front_page,
    "docs/benchmarks/cpu.svg": cpu,
    "docs/benchmarks/cpu_suite.svg": cpu_suite,
}

if __name__ == "__main__":
    for path, drawn in PICTURES.items():
        (ROOT / path).write_text(drawn(), encoding="utf-8")
        print(path)
