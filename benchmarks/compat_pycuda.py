"""PyCUDA and `warpwise run` on one GPU: one program (compat_pycuda/rows.py) under both, in turns.

--pycuda FOLDER  where PyCUDA was installed (`pip install --target FOLDER pycuda`), if not beside us
--rounds N       runs of each (default 3); a figure is the median of the runs

A row's ratio is PyCUDA's time divided by ours.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from launch_overhead import build
from report import comparison, row

ROWS = Path(__file__).resolve().parent / "compat_pycuda" / "rows.py"
# Of the driver itself and of the hardware: measured under Warpwise, not compared.
ALONE = ("the driver's own launch", "copy")


def run(command: list[str], environment: dict[str, str]) -> dict[str, dict[str, float]]:
    done = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=tempfile.gettempdir(),  # nothing of the checkout shadows PyCUDA
    )
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return {line["row"]: line for line in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pycuda", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    theirs: dict[str, list[float]] = defaultdict(list)
    ours: dict[str, list[float]] = defaultdict(list)
    size: dict[str, float] = {}
    path = os.pathsep.join(filter(None, (str(chosen.pycuda or ""), os.environ.get("PYTHONPATH"))))
    with tempfile.TemporaryDirectory() as folder:
        raw = str(build("raw", folder)._name)
        for _ in range(chosen.rounds):
            for name, found in run([str(ROWS)], {"PYTHONPATH": path}).items():
                theirs[name].append(found["us"])
            for name, found in run(["-m", "warpwise", "run", str(ROWS), raw], {}).items():
                ours[name].append(found["us"])
                size[name] = found["bytes"]
    rate = size["copy"] / statistics.median(ours["copy"])
    for name, samples in ours.items():
        if name in ALONE:
            row(name, samples, "us")
            continue
        mine = statistics.median(samples)
        more = {"of_copy": size[name] / mine / rate} if size[name] else {}
        comparison(
            name, mine / 1000, {"pycuda": statistics.median(theirs[name]) / 1000}, "pycuda", **more
        )


if __name__ == "__main__":
    main()
