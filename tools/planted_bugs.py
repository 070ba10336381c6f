"""Whether the random programs would find a bug in the vectoriser: plants known ones, one at a time.

./dev python tools/planted_bugs.py [NUMBER ...]

Each is built into build/dev and the programs of tests/fuzz run until one of them computes something
else than executor *reference* does, dies or hangs. The sources are as before afterwards, and so is
the build. Fails if a bug stays unnoticed.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from planting import ROOT, Bug, build, noticed_by, try_bugs

FUZZ = ROOT / "tests" / "fuzz"
GANG = "src/backends/cpu/compiler/gang/"
# Only the compiler library: nothing else of the vectoriser is linked elsewhere at run time.
TARGET = "lib/libwarpwise_compiler.so"
SEEDS = 150
SILENCE_S = 60  # of one program, until it counts as hanging


BUGS = (
    Bug(
        "lanes that arrive at a block replace those that wait there",
        "emit/emit_control.cpp",
        "        if (joins) {\n            mask =",
        "        if (joins && piece > 0) {\n            mask =",
    ),
    Bug(
        "a phi forgets what waiting lanes brought",
        "emit/emit_control.cpp",
        "bool blends = joins && ",
        "bool blends = joins && move.values.size() > 99 && ",
    ),
    Bug(
        "a divergent branch revives dead lanes",
        "emit/emit_control.cpp",
        "builder_.CreateXor(mask_[piece], taken.back())",
        "builder_.CreateNot(taken.back())",
    ),
    Bug(
        "masks inside a loop outlive its iteration",
        "emit/state/masks.cpp",
        "if (index == header || slots == slots_.end()) continue;",
        "if (index >= header || slots == slots_.end()) continue;",
    ),
    Bug(
        "a value that all rows share is computed for the first row's lanes",
        "emit/state/masks.cpp",
        "if (!shape.is_single() || layout_.pieces == 1) return mask_[piece];",
        "if (!shape.is_single() || layout_.pieces >= 1) return mask_[piece];",
    ),
    Bug(
        "__shfl_up_sync is off by one at the segment's start",
        "emit/calls/emit_shuffles.cpp",
        "return operand <= place ? lane - operand : lane;",
        "return operand < place ? lane - operand : lane;",
    ),
    Bug(
        "an atomic on one place counts lanes that are not there",
        "emit/memory/emit_atomics.cpp",
        "own = builder_.CreateSelect(mask_[piece], own, none);",
        "own = builder_.CreateSelect(mask_[0], own, none);",
    ),
    Bug(
        "a ballot counts votes of lanes that are not there",
        "emit/state/masks.cpp",
        "votes.push_back(builder_.CreateSelect(mask_[piece], is_true,",
        "votes.push_back(builder_.CreateSelect(mask_[0], is_true,",
    ),
    Bug(
        "a loop whose lanes leave one by one counts as left together",
        "analysis/plan.cpp",
        "return exit.has_divergent_branch || (has_divergent_branch && !is_passed_once);",
        "bool few = has_divergent_branch && !is_passed_once && exiting.empty();\n"
        "            return exit.has_divergent_branch || few;",
    ),
    Bug(
        "a difference steps like a sum",
        "analysis/shape.cpp",
        "sum(a.lane, b.lane, sign), true}",
        "sum(a.lane, b.lane, sign * sign), true}",
    ),
    Bug(
        "an unsigned index is widened as if it never wrapped",
        "analysis/shape.cpp",
        "return a.is_exact && is_positive ? a : elementwise(cast);",
        "return a.is_exact || is_positive ? a : elementwise(cast);",
    ),
    Bug(
        "values that are alive at one barrier share a place in the frame",
        "passes/cut.cpp",
        "return one.bytes == bytes && !one.stops.anyCommon(crossing.stops);",
        "return one.bytes == bytes;",
    ),
    Bug(
        "code that runs lane by lane takes rows for one long vector",
        "emit/state/lane_loop.cpp",
        "for (unsigned piece = 1; is_even && piece < layout_.pieces; ++piece) {",
        "for (unsigned piece = 1; is_even && piece < 1; ++piece) {",
    ),
)


def child(mode: str, results: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "WARPWISE_CACHE_SIZE": "0", "PYTHONPATH": f"{python_path()}:{FUZZ}"}
    command = [sys.executable, __file__, mode, str(results)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def python_path() -> str:
    return str(ROOT / "build" / "dev" / "python")


def write_expected(results: Path) -> None:
    from test_random_programs import run

    results.write_bytes(pickle.dumps([run(seed, "reference") for seed in range(SEEDS)]))


def find_difference(results: Path) -> None:
    from test_random_programs import run

    for seed, expected in enumerate(pickle.loads(results.read_bytes())):
        print(seed, flush=True)
        got = run(seed, "auto")
        if any((got[name] != values).any() for name, values in expected.items()):
            print(f"program {seed} differs", flush=True)
            return


def noticed(results: Path) -> str:
    """How the programs noticed, or nothing."""
    return noticed_by(child("--find", results), "program", SILENCE_S)


def main(numbers: list[int]) -> None:
    with tempfile.TemporaryDirectory(prefix="warpwise-planted-") as folder:
        results = Path(folder) / "expected"
        if not build(TARGET) or child("--expect", results).wait() or noticed(results):
            raise SystemExit("the executors differ without any planted bug")
        try_bugs(BUGS, numbers, GANG, TARGET, lambda: noticed(results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--expect"]:
        write_expected(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["--find"]:
        find_difference(Path(sys.argv[2]))
    else:
        main([int(word) for word in sys.argv[1:]])
