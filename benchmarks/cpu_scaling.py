"""Scaling of the works of cpu.py with cores: 1, 2, 4 ... threads, ours and hand-written C++
with the same number, in a new process for each number. Data and checks are those of cpu.py; words
of the command select works whose names contain one of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "cpu"))


def thread_counts() -> list[int]:
    cores = len(os.sched_getaffinity(0))
    counts = [1 << i for i in range(cores.bit_length()) if 1 << i < cores]
    return [*counts, cores]


def one_process(words: list[str]) -> None:
    from contestants import Cpp, Ours
    from works import FAMILIES

    from cpu import measure

    with tempfile.TemporaryDirectory(prefix="warpwise-bench-") as folder:
        cpp, ours = Cpp(Path(folder)), Ours()
        for family in FAMILIES:
            for work in family():
                if words and not any(word in work.name for word in words):
                    continue
                work.numpy = None
                measure(work, cpp, ours)


def main() -> None:
    single: dict[str, float] = {}
    for threads in thread_counts():
        few = {"WARPWISE_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run(
            [sys.executable, __file__, "--one-process", *sys.argv[1:]],
            env={**os.environ, **few},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        for line in done.stdout.splitlines():
            result = json.loads(line)
            name = result["work"]
            single.setdefault(name, result["ours_ms"])
            result["work"] = f"{name}, {threads} threads" if threads > 1 else f"{name}, 1 thread"
            result["threads"] = threads
            result["speedup"] = single[name] / result["ours_ms"]
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one-process"]:
        one_process(sys.argv[2:])
    else:
        main()
