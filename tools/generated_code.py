"""Writes the code that the CPU device's compiler makes of kernels, to compare two builds.

./dev python tools/generated_code.py write FOLDER [--every N] [--format llvm]
./dev python tools/generated_code.py diff FOLDER OTHER

The kernels are those of benchmarks/cpu and tests/programs, for several processors, shapes of blocks
and executors. A change that only moves code leaves every file as it was; `diff` names those that
differ and fails if there are any. Attribute groups are left out: they do not change the code.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Name, target, options.
FORMS = (
    ("v4", "x86-64-v4", ("--warpwise-tier=full",)),
    ("v4-128", "x86-64-v4", ("--warpwise-tier=full", "--warpwise-block=128")),
    ("v3-16x16", "x86-64-v3", ("--warpwise-tier=full", "--warpwise-block=16,16")),
    ("v4-gang", "x86-64-v4", ("--warpwise-executor=gang", "--warpwise-tier=full")),
    ("v2-quick", "x86-64-v2", ("--warpwise-tier=quick",)),
)


def sources(every: int) -> list[Path]:
    programs = sorted((ROOT / "tests" / "programs").rglob("*.cu"))
    return [ROOT / "benchmarks" / "cpu" / "kernels.cu", *programs[::every]]


def without_attributes(text: str) -> str:
    lines = (line for line in text.splitlines() if not line.startswith("attributes #"))
    return re.sub(r" #\d+", "", "\n".join(lines))


def code_of(path: Path, target: str, options: tuple[str, ...], form: str) -> str:
    import warpwise as ww

    try:
        made = ww.compile(
            path.read_text(encoding="utf-8"),
            target=target,
            format=form,
            options=[*options, "-std=c++17"],
            name=path.name,
            include_dirs=[path.parent],
        )
    except ww.Error as error:  # some programs need options of their own
        return f"{type(error).__name__}: {error}"
    return without_attributes(made if isinstance(made, str) else made.decode())


def write(folder: Path, every: int, form: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in sources(every):
        for name, target, options in FORMS:
            label = "-".join(path.relative_to(ROOT).with_suffix("").parts)
            text = code_of(path, target, options, form)
            (folder / f"{label}.{name}.{form}").write_text(text, encoding="utf-8")


def diff(one: Path, other: Path) -> int:
    differ = []
    for path in sorted(other.iterdir()):
        before = one / path.name
        if not before.exists() or before.read_bytes() != path.read_bytes():
            differ.append(path.name)
    print(f"{len(list(other.iterdir()))} files, {len(differ)} differ", *differ, sep="\n")
    return 1 if differ else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    modes = parser.add_subparsers(dest="mode", required=True)
    writer = modes.add_parser("write")
    writer.add_argument("folder", type=Path)
    writer.add_argument("--every", type=int, default=1, metavar="N", help="each Nth program only")
    writer.add_argument("--format", default="llvm", choices=("llvm", "asm"))
    differ = modes.add_parser("diff")
    differ.add_argument("folder", type=Path)
    differ.add_argument("other", type=Path)
    args = parser.parse_args()
    if args.mode == "write":
        write(args.folder, args.every, args.format)
        return 0
    return diff(args.folder, args.other)


if __name__ == "__main__":
    sys.exit(main())
