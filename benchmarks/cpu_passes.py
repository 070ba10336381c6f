"""What each optional pass of the vectoriser is worth: every kernel of the enlarged suite with each
pass left out in turn, as compiled in full for its block. `--tiers` instead: as compiled quickly.
`--works`: of the thirteen works of `./dev bench cpu` instead of the suite.

A kernel whose machine code is the same without a pass is not measured: the pass does nothing there.
One thread's processor time counts, the best of all rounds, so that a busy machine disturbs little.
All variants of a kernel take turns; one of them is the unchanged kernel once more, whose ratio
shows the noise."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "cpu"))

# Read by the library at its first call. What `full` asks for is compiled so at once.
os.environ.update(WARPWISE_TIER="quick", WARPWISE_NUM_THREADS="1")

import numpy as np
from contestants import ALLOW_BEYOND_GPU, HERE, Ours
from works import FAMILIES, Work

import warpwise as ww
from cpu import check, clear
from cpu_suite import registry
from report import comparison

AGAIN = "again"
LIST = re.compile(r"optional passes: (.*)")


def optional_passes() -> list[str]:
    """The compiler names them where it is given one that does not exist."""
    try:
        ww.compile("", target="cpu", format="llvm", options=["--warpwise-skip-pass=?"])
    except ww.ArgumentError as error:
        found = LIST.search(str(error))
        if found:
            return found.group(1).split(", ")
        raise
    raise SystemExit("the compiler accepted '?' as a pass; it should have listed its passes")


def variants(passes: list[str], tiers: bool) -> dict[str, list[str] | None]:
    """The options of each on top of those for the whole form; None for the quick form."""
    if tiers:
        return {"full": [], AGAIN: [], "quick": None}
    return {"full": [], AGAIN: []} | {p: [f"--warpwise-skip-pass={p}"] for p in passes}


def full_options(work: Work, symbol: str) -> list[str]:
    """As the library compiles a kernel again that is launched often with one shape of block."""
    shape = ",".join(map(str, (*work.block, 1, 1)[:3]))
    return [f"--warpwise-block={shape}", "--warpwise-tier=full", f"--warpwise-kernel={symbol}"]


def assembly(kernels: Path, options: list[str]) -> str:
    options = [ALLOW_BEYOND_GPU, *options]
    return str(ww.compile(kernels.read_text(), target="cpu", format="asm", options=options))


def suite(only: str) -> Iterator[tuple[Work, Path]]:
    for entry in registry.entries(only):
        work = entry.make()
        work.name = entry.name
        yield work, entry.kernels


def works(only: str) -> Iterator[tuple[Work, Path]]:
    for family in FAMILIES:
        for work in family():
            if only in work.name:
                yield work, HERE / "kernels.cu"


def processor_ms(work: Work, run: Callable[[], object]) -> float:
    clear(work.reset)
    start = time.process_time()
    run()
    return 1e3 * (time.process_time() - start)


def measure(work: Work, kernels: Path, options: dict[str, list[str] | None], rounds: int) -> None:
    quick = Ours(kernels)
    full = full_options(work, quick.module.get_function(work.kernel).signature.symbol)
    checked: np.ndarray | None = None
    unchanged = assembly(kernels, full)
    runs, refused, same = {}, {}, []
    for name, more in options.items():
        clear([work.result, *work.reset])
        try:
            if more and assembly(kernels, [*full, *more]) == unchanged:
                same.append(name)
                continue
            ours = quick if more is None else Ours(kernels, [*full, *more])
            run = ours.run(work.kernel, work.grid, work.block, work.arguments)
            run()
        except ww.Error as error:
            refused[name] = str(error).splitlines()[0]
            continue
        # The order of atomics may change bits; the check itself costs more than a comparison.
        if checked is None or not np.array_equal(checked, work.result.array):
            check(work, f"'{name}'")
            checked = work.result.array.copy()
        runs[name] = run
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            best[name] = min(best[name], processor_ms(work, run))
    comparison(work.name, best.pop("full"), best, AGAIN, same=same, refused=refused)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="works whose name has this in it")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--passes", default="", help="of these passes alone, separated by commas")
    parser.add_argument("--works", action="store_true", help="the thirteen works, not the suite")
    parser.add_argument("--tiers", action="store_true", help="the quick form instead of passes")
    options = parser.parse_args()
    passes = [] if options.tiers else options.passes.split(",") if options.passes else None
    if passes is None:
        passes = optional_passes()
    chosen = variants(passes, options.tiers)
    for work, kernels in (works if options.works else suite)(options.only):
        measure(work, kernels, chosen, options.rounds)


if __name__ == "__main__":
    main()
