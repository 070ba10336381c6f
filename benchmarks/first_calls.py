"""The first call of a function by a user whose cache is empty: how long it waits for a compiler.

Each row: a call, in one process with an empty cache folder, on arrays of 1,000 elements that are in
memory. What is timed is the call and the evaluation of its result, until the device is done; the
second time is that of the same call once more. `--device cuda:0` measures a GPU, `--table` prints
for people."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

from report import row

CALLS = (
    "rng.random(1000)",
    "rng.normal(1.0, 2.0, 1000)",
    "rng.integers(0, 10, 1000)",
    "rng.gamma(2.0, 1.0, 1000)",
    "rng.poisson(4.0, 1000)",
    "rng.dirichlet([1.0, 2.0, 3.0], 1000)",
    "ww.sort(x)",
    "ww.cumulative_sum(x)",
    "ww.unique_values(x)",
    "ww.histogram(x)[0]",
    "ww.searchsorted(x, x)",
    "ww.interp(x, x, x)",
    "x[k]",
    "x[x > 3]",
    "ww.sparse.linalg.cg(a, x)[0]",
)


def measure() -> None:
    """In the process with an empty cache."""
    import numpy as np

    import warpwise as ww

    x = ww.asarray(np.arange(1000.0))
    k = ww.asarray(np.arange(0, 1000, 3))
    a = ww.sparse.csr_array(np.eye(1000) * 2)
    rng = ww.random.default_rng(1)
    names = {"np": np, "ww": ww, "x": x, "k": k, "a": a, "rng": rng}
    ww.evaluate(x + 1, rng.uniform(2.0, 3.0, 3))  # the device, and what opens with it
    device = ww.Device()
    device.synchronize()
    for call in CALLS:
        code = compile(call, "<call>", "eval")
        times = []
        for _ in range(2):
            start = time.perf_counter()
            ww.evaluate(eval(code, names))
            device.synchronize()
            times.append(1e3 * (time.perf_counter() - start))
        for which, spent in zip(("first", "second"), times, strict=True):
            print(f"{call}\t{which}\t{spent}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="processes")
    parser.add_argument("--device", help="a name; that of WARPWISE_DEVICE if not given")
    parser.add_argument("--table", action="store_true", help="for people")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure()
        return
    device = {"WARPWISE_DEVICE": options.device} if options.device else {}
    samples: dict[tuple[str, str], list[float]] = {}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(
                [sys.executable, __file__, "--measure"],
                env=os.environ | {"WARPWISE_CACHE_DIR": cache} | device,
                check=True,
                capture_output=True,
                text=True,
            )
        for line in done.stdout.splitlines():
            call, which, spent = line.split("\t")
            samples.setdefault((call, which), []).append(float(spent))
    if not options.table:
        for (call, which), times in samples.items():
            row(f"{call}, {which}", times, "ms")
        return
    print("| call | first, ms | second, ms |\n|---|---:|---:|")
    for call in CALLS:
        least = [min(samples[call, which]) for which in ("first", "second")]
        print(f"| `{call}` | {least[0]:.2f} | {least[1]:.3f} |")


if __name__ == "__main__":
    main()
