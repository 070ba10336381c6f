"""Scans, sorts, searches, random numbers and sparse systems on the CPU device, beside NumPy, SciPy,
Numba where it is installed, and the C++ of arrays2_cpu.cpp. numexpr has none of these works.

Each row: the work, our time, the others' times, and the C++'s time divided by ours. Evaluation is
inside the timed region. Every result is checked before it is timed. Contestants take turns; the
best round of each counts. `--busy`: on a machine that others use, the processor time of one thread.
`--level`: of x86-64, for ours and the C++.
"""

from __future__ import annotations

import argparse
import os
import sys

# Before anything that reads them is imported.
if "--busy" in sys.argv:
    for name in ("WARPWISE", "OMP", "NUMBA", "OPENBLAS", "NUMEXPR"):
        os.environ[f"{name}_NUM_THREADS"] = "1"

import ctypes
import importlib.util
import math
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import warpwise as ww
from report import comparison, row

SOURCE = Path(__file__).with_name("arrays2_cpu.cpp")
FLAGS = ["-O3", "-mprefer-vector-width=512", "-ffast-math", "-fopenmp"]
BINS = 100
CG_STEPS = 32
WIDTH = 64  # of the rows that are taken

Turn = Callable[[], Any]
Check = Callable[[Any], bool]


class Hand:
    """The functions of arrays2_cpu.cpp. Results go to the same memory each time, as ours do by the
    pool."""

    def __init__(self, level: str) -> None:
        library = Path(tempfile.mkdtemp(prefix="ww-arrays2-")) / "arrays2_cpu.so"
        command = ["g++", *FLAGS, f"-march={level}", "-std=c++20", "-shared", "-fPIC", str(SOURCE)]
        subprocess.run([*command, "-o", str(library), "-lmvec", "-lm"], check=True)
        self._functions = ctypes.CDLL(str(library))

    def turn(
        self,
        name: str,
        inputs: list[np.ndarray],
        out: np.ndarray,
        *numbers: int,
        counts: bool = False,
    ) -> Turn:
        function = getattr(self._functions, name)
        function.restype = ctypes.c_ssize_t if counts else None
        arguments = [ctypes.c_void_p(a.ctypes.data) for a in (*inputs, out)]
        arguments += [ctypes.c_ssize_t(number) for number in numbers]

        def call() -> np.ndarray:
            count = function(*arguments)
            return out[:count] if counts else out

        call.kept = inputs  # type: ignore[attr-defined]
        return call


def close(expected: Any, tolerance: float = 1e-6) -> Check:
    scale = float(np.max(np.abs(expected))) or 1.0
    return lambda got: bool(np.max(np.abs(np.asarray(got) - expected)) <= tolerance * scale)


def same(expected: Any) -> Check:
    return lambda got: np.array_equal(np.asarray(got), expected)


def moments(mean: float, variance: float) -> Check:
    def check(got: Any) -> bool:
        values = np.asarray(got, np.float64)
        bound = 6 / math.sqrt(values.size)
        return abs(values.mean() - mean) < bound and abs(values.var() - variance) < 3 * bound

    return check


def numba_works(data: dict[str, Any], indptr: Any, indices: Any, values: Any) -> dict[str, Turn]:
    import numba

    jit = numba.njit(parallel=True, fastmath=True)

    @jit
    def gather(x, index):  # type: ignore[no-untyped-def]
        out = np.empty(index.size, x.dtype)
        for i in numba.prange(index.size):
            out[i] = x[index[i]]
        return out

    @jit
    def spmv(starts, columns, entries, x):  # type: ignore[no-untyped-def]
        out = np.empty(starts.size - 1, x.dtype)
        for r in numba.prange(starts.size - 1):
            total = 0.0
            for k in range(starts[r], starts[r + 1]):
                total += entries[k] * x[columns[k]]
            out[r] = total
        return out

    serial = numba.njit(fastmath=True)
    cumsum = serial(lambda x: np.cumsum(x))
    compress = serial(lambda x, m: x[m])
    sort = serial(lambda x: np.sort(x))
    unique = serial(lambda x: np.unique(x))

    @serial
    def histogram(x, bins):  # type: ignore[no-untyped-def]
        out = np.zeros(bins + 1, np.int64)
        for i in range(x.size):
            out[int(x[i] * np.float32(bins))] += 1
        out[bins - 1] += out[bins]
        return out[:bins]

    transpose = serial(lambda x: np.ascontiguousarray(x.T))
    return {
        "cumsum, int64": lambda: cumsum(data["int64"]),
        "cumsum, float32": lambda: cumsum(data["unit"]),
        "transpose": lambda: transpose(data["square"]),
        "compress": lambda: compress(data["unit"], data["mask"]),
        "gather": lambda: gather(data["unit"], data["index"]),
        "sort, float32": lambda: sort(data["unit"]),
        "unique, int64": lambda: unique(data["few"]),
        "histogram": lambda: histogram(data["unit"], BINS),
        "SpMV": lambda: spmv(indptr, indices, values, data["vector"]),
    }


def inputs_of(n: int) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(1)
    side = 1 << (n.bit_length() // 2)
    grid = 1 << ((n.bit_length() - 2) // 2)
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(grid, grid))
    matrix = sp.csr_array(sp.kronsum(line, line))
    data = {
        "int64": rng.integers(-(2**40), 2**40, n),
        "few": rng.integers(0, n // 8, n),
        "unit": rng.random(n, np.float32),
        "square": rng.random((side, side), np.float32),
        "mask": rng.random(n) < 0.5,
        "index": rng.integers(0, n, n),
        "rows": rng.integers(0, n // WIDTH, n // WIDTH),
        "vector": rng.standard_normal(matrix.shape[0]),
    }
    return data, matrix


def ours(data: dict[str, Any], matrix: Any) -> dict[str, Turn]:
    x = {name: ww.asarray(value) for name, value in data.items()}
    ww.evaluate(*x.values())
    a = ww.sparse.csr_array(matrix)
    rng = ww.random.default_rng(1)
    n = data["unit"].size
    table = x["unit"].reshape(-1, WIDTH)
    found: dict[str, Turn] = {
        "cumsum, int64": lambda: ww.cumsum(x["int64"]),
        "cumsum, float32": lambda: ww.cumsum(x["unit"]),
        "transpose": lambda: x["square"].T.copy(),
        "uniform": lambda: rng.random(n, np.float32),
        "normal": lambda: rng.standard_normal(n, np.float32),
        "sum of a random array": lambda: rng.random(n, np.float32).sum(),
        "compress": lambda: x["unit"][x["mask"]],
        "gather": lambda: x["unit"][x["index"]],
        "take rows": lambda: ww.take(table, x["rows"], axis=0),
        "sort, float32": lambda: ww.sort(x["unit"]),
        "sort, int64": lambda: ww.sort(x["int64"]),
        "argsort, int64, stable": lambda: ww.argsort(x["int64"], stable=True),
        "unique, int64": lambda: ww.unique_values(x["few"]),
        "histogram": lambda: ww.histogram(x["unit"], BINS, (0.0, 1.0))[0],
        "SpMV": lambda: a @ x["vector"],
        "CG, 32 iterations": lambda: ww.sparse.linalg.cg(
            a, x["vector"], rtol=0.0, atol=0.0, maxiter=CG_STEPS
        )[0],
    }
    device = ww.Device("cpu")

    def evaluated(make: Turn) -> Turn:
        def turn() -> Any:
            result = ww.evaluate(make())
            device.synchronize()
            return result

        return turn

    return {name: evaluated(make) for name, make in found.items()}


def numpys(data: dict[str, Any], matrix: Any) -> dict[str, Turn]:
    rng = np.random.default_rng(1)
    n = data["unit"].size
    table = data["unit"].reshape(-1, WIDTH)
    return {
        "cumsum, int64": lambda: np.cumsum(data["int64"]),
        "cumsum, float32": lambda: np.cumsum(data["unit"]),
        "transpose": lambda: np.ascontiguousarray(data["square"].T),
        "uniform": lambda: rng.random(n, np.float32),
        "normal": lambda: rng.standard_normal(n, np.float32),
        "sum of a random array": lambda: rng.random(n, np.float32).sum(),
        "compress": lambda: data["unit"][data["mask"]],
        "gather": lambda: data["unit"][data["index"]],
        "take rows": lambda: np.take(table, data["rows"], axis=0),
        "sort, float32": lambda: np.sort(data["unit"]),
        "sort, int64": lambda: np.sort(data["int64"]),
        "argsort, int64, stable": lambda: np.argsort(data["int64"], kind="stable"),
        "unique, int64": lambda: np.unique(data["few"]),
        "histogram": lambda: np.histogram(data["unit"], BINS, (0.0, 1.0))[0],
        "SpMV": lambda: matrix @ data["vector"],
        "CG, 32 iterations": lambda: sl.cg(
            matrix, data["vector"], rtol=0.0, atol=0.0, maxiter=CG_STEPS
        )[0],
    }


def by_hand(data: dict[str, Any], matrix: Any, level: str) -> dict[str, Turn]:
    hand = Hand(level)
    n = data["unit"].size
    side = data["square"].shape[0]
    rows = matrix.shape[0]
    parts = [matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data]
    parts.append(data["vector"])

    def new(dtype: Any, shape: Any = n) -> np.ndarray:
        return np.empty(shape, dtype)

    def turn(name: str, what: list[str], out: np.ndarray, *numbers: int, **more: bool) -> Turn:
        return hand.turn(name, [data[one] for one in what], out, *(numbers or (n,)), **more)

    return {
        "cumsum, int64": turn("cumsum_int64", ["int64"], new(np.int64)),
        "cumsum, float32": turn("cumsum_float32", ["unit"], new(np.float32)),
        "transpose": turn("transpose", ["square"], new(np.float32, (side, side)), side),
        "uniform": turn("uniform", [], new(np.float32)),
        "normal": turn("normal", [], new(np.float32)),
        "compress": turn("compress", ["unit", "mask"], new(np.float32), counts=True),
        "gather": turn("gather", ["unit", "index"], new(np.float32)),
        "take rows": turn(
            "take_rows", ["unit", "rows"], new(np.float32, (n // WIDTH, WIDTH)), n // WIDTH, WIDTH
        ),
        "sort, float32": turn("sort_float32", ["unit"], new(np.float32)),
        "sort, int64": turn("sort_int64", ["int64"], new(np.int64)),
        "argsort, int64, stable": turn("argsort", ["int64"], new(np.int64)),
        "unique, int64": turn("unique", ["few"], new(np.int64), counts=True),
        "histogram": turn("histogram", ["unit"], new(np.int64, BINS), n, BINS),
        "SpMV": hand.turn("spmv", parts, new(np.float64, rows), rows),
        "CG, 32 iterations": hand.turn("cg", parts, new(np.float64, rows), rows, CG_STEPS),
    }


def checks(reference: dict[str, Turn], data: dict[str, Any]) -> dict[str, Check]:
    exact = np.cumsum(data["unit"].astype(np.float64))
    found: dict[str, Check] = {
        # Whoever adds one number after the other in float32 is this far off.
        "cumsum, float32": close(exact, 1e-3),
        "uniform": moments(0.5, 1 / 12),
        "normal": moments(0.0, 1.0),
        "sum of a random array": lambda got: abs(float(got) / data["unit"].size - 0.5) < 0.01,
        "SpMV": close(reference["SpMV"](), 1e-12),
        "CG, 32 iterations": close(reference["CG, 32 iterations"](), 1e-9),
    }
    for name, turn in reference.items():
        if name not in found:
            found[name] = same(turn())
    return found


def measured(turns: dict[str, Turn], clock: Callable[[], float], rounds: int) -> dict[str, float]:
    """The best time of each, in ms; taken in turns."""
    best = dict.fromkeys(turns, math.inf)
    for turn in turns.values():
        turn()
    for _ in range(rounds):
        for who, turn in turns.items():
            time.sleep(0.02)  # threads of the one before spin for a while, OpenMP's for some ms
            turn()
            start = clock()
            turn()
            best[who] = min(best[who], 1e3 * (clock() - start))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev bench arrays2")
    parser.add_argument("--busy", action="store_true", help="processor time of one thread")
    parser.add_argument("--elements", type=int, default=1 << 22, help="a power of 4")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--level", default="native")
    parser.add_argument("--only", default="", help="works whose names contain this")
    options = parser.parse_args()
    os.environ["WARPWISE_CPU"] = options.level
    clock = time.process_time if options.busy else time.perf_counter
    with ww.Device("cpu"):
        data, matrix = inputs_of(options.elements)
        everyone = {"Warpwise": ours(data, matrix)}
        everyone["NumPy"] = numpys(data, matrix)
        everyone["C++"] = by_hand(data, matrix, options.level)
        if importlib.util.find_spec("numba") is None:
            print("Numba is not installed; its column is left out", file=sys.stderr)
        else:
            parts = (matrix.indptr, matrix.indices, matrix.data)
            everyone["Numba"] = numba_works(data, *parts)
        right = checks(everyone["NumPy"], data)
        best_of_rivals = []
        for work in everyone["Warpwise"]:
            if options.only not in work:
                continue
            turns = {who: works[work] for who, works in everyone.items() if work in works}
            for who, turn in turns.items():
                if not right[work](turn()):
                    raise SystemExit(f"{work}: the result of {who} is wrong")
            times = measured(turns, clock, options.rounds)
            mine = times.pop("Warpwise")
            comparison(work, mine, times, "C++" if "C++" in times else "NumPy")
            best_of_rivals.append(min(times.values()) / mine)
        mean = statistics.geometric_mean(best_of_rivals)
        row("best rival's time / ours, geometric mean", [mean], "x")


if __name__ == "__main__":
    main()
