"""./dev fuzz MINUTES: libFuzzer on the compiler, one process for source text and one for options.

They start from the kernels of tests/ and keep what they learn in build/asan/fuzz from run to run.
What a crash left is named at the end; `build/asan/bin/fuzz_source FILE` runs it again.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build
from step import ROOT, Stop, progress
from tally import Tally

HERE = ROOT / "tests" / "fuzz"
# Kernels in the text of a test. What is larger than this takes a second to compile here.
MOST_OF_A_SEED = 1500
QUOTED = re.compile(r'"""(.*?)"""|R"\((.*?)\)"', re.DOTALL)
# Two or more lines, since every option alone is a seed too.
OPTION_SEEDS = (
    "name fill<float, 4>\nname fill<int, N>\n-DN=8",
    "name fill<Box<int>, 2>\n--warpwise-executor=gang",
    "--warpwise-executor=reference\n-fmad=false\n-std=c++20",
    "--warpwise-block=16,16\n-use_fast_math\n-ftz=true",
    "--warpwise-kernel=scale\nformat llvm",
    "format ptx\n-prec-div=false\n-prec-sqrt=false",
    "format asm\n-I/nowhere\n-include=missing.h\n-w",
    "-D\nF(x)=x\n-U\nF\n-Wall\n-Wno-unused",
)
MOST_BYTES = {"source": 4096, "options": 300}
# An input may take this long, with sanitizers and beside other processes; a longer one is kept.
SLOW_S = 120
MEMORY_MIB = 8192
ENDED = (0, 70, 71, 77)  # in time or after a crash of clang's; too slow; too large; a finding
INTERRUPTED = 72


def _words(dictionary: Path) -> list[str]:
    """The words of a dictionary of libFuzzer's that are plain options."""
    words = (line.strip().strip('"') for line in dictionary.read_text().splitlines())
    return [word for word in words if word.startswith("-")]


def _sources() -> list[str]:
    texts: list[str] = []
    for folder, ending in (("python/kernels", "py"), ("unit/backends/cpu_compiler", "cpp")):
        for file in sorted((ROOT / "tests" / folder).rglob(f"*.{ending}")):
            quoted = QUOTED.findall(file.read_text(encoding="utf-8"))
            texts += [text for pair in quoted for text in pair if "__global__" in text]
    programs = sorted((ROOT / "tests" / "programs").rglob("*.cu"))
    texts += [file.read_text(encoding="utf-8") for file in programs]
    return [text for text in texts if len(text) <= MOST_OF_A_SEED]


def _seeds(what: str) -> list[str]:
    if what == "source":
        return _sources()
    return [*_words(HERE / "options.dict"), *OPTION_SEEDS]


def _command(what: str, where: Path) -> list[str]:
    """All but the time; makes the seeds."""
    folder = where / "fuzz" / what
    seeds, corpus = folder / "seeds", folder / "corpus"
    for made in (seeds, corpus):
        made.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(_seeds(what)):
        (seeds / f"{number:03}").write_text(text, encoding="utf-8")
    dictionary = HERE / ("cuda.dict" if what == "source" else "options.dict")
    return [
        str(where / "bin" / f"fuzz_{what}"),
        f"-max_len={MOST_BYTES[what]}",
        f"-timeout={SLOW_S}",
        f"-rss_limit_mb={MEMORY_MIB}",
        f"-dict={dictionary}",
        f"-artifact_prefix={folder}/",
        str(corpus),
        str(seeds),
    ]


def _fuzz_until(end: float, what: str, where: Path) -> None:
    """One process after another: each ends at its first finding, or when clang has crashed.
    Not by -fork, whose first hundred jobs are too short for inputs that take a second."""
    program, *words = _command(what, where)
    # Preludes for other options are kept apart from the user's.
    env = {**os.environ, "WARPWISE_CACHE_DIR": str(where / "test-cache")}
    status = 0
    with (where / "fuzz" / what / "log").open("wb") as log:
        while status in ENDED and (left := round(end - time.time())) > 0:
            command = [program, f"-max_total_time={left}", *words]
            status = subprocess.run(command, stdout=log, stderr=log, env=env).returncode
    if status not in (*ENDED, INTERRUPTED):
        raise Stop(f"fuzz_{what} ended with status {status}; see {log.name}")


def _found(where: Path, since: float) -> list[Path]:
    files = [file for kind in ("crash", "leak") for file in where.glob(f"fuzz/*/{kind}-*")]
    return sorted(file for file in files if file.stat().st_mtime >= since)


def fuzz(minutes: float) -> Tally:
    """Runs both for this long; each that found nothing counts as passed."""
    where = build.build("asan", ("fuzz_source", "fuzz_options"))
    start = time.time()
    progress(f"fuzzing for {minutes:g} minutes; see {where.relative_to(ROOT)}/fuzz/*/log")
    with ThreadPoolExecutor() as threads:
        end = start + 60 * minutes
        running = [threads.submit(_fuzz_until, end, what, where) for what in MOST_BYTES]
    for done in running:
        done.result()
    found = _found(where, start)
    for file in found:
        progress(f"a crash: {file.relative_to(ROOT)}")
    failed = len({file.parent for file in found})
    return Tally(passed=len(MOST_BYTES) - failed, failed=failed)


def run(words: list[str]) -> None:
    """The verb: fails if anything was found."""
    try:
        minutes = float(*words)
    except (TypeError, ValueError):
        minutes = 0
    if minutes <= 0 or not words:
        raise Stop(f"./dev fuzz takes a number of minutes, not '{' '.join(words)}'")
    if fuzz(minutes).failed:
        raise Stop("the compiler crashed")
    progress("nothing crashed")
