"""Who computes the works of arrays.py on the CPU besides NumPy: C++ by hand, numexpr, Numba, JAX.

Each name of a work -> a function of x and y that returns its result; what is not installed is left
out.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Turn = Callable[[np.ndarray, np.ndarray], object]
SOURCE = Path(__file__).with_name("arrays_cpu.cpp")
FLAGS = ["-O3", "-ffast-math", "-fopenmp", "-std=c++20", "-shared", "-fPIC"]


def side(count: int) -> int:
    """Rows of the matrix that the vector is read as."""
    return 1 << (count.bit_length() // 2)


def by_hand(level: str) -> dict[str, Turn]:
    """arrays_cpu.cpp, for a level of x86-64. -ffast-math, as who writes loops for speed uses it:
    sin comes vectorised from libmvec, sums are reassociated."""
    folder = tempfile.mkdtemp(prefix="ww-arrays-")
    library = Path(folder) / "arrays_cpu.so"
    command = ["g++", *FLAGS, f"-march={level}", str(SOURCE), "-o", str(library), "-lmvec", "-lm"]
    subprocess.run(command, check=True)
    functions = ctypes.CDLL(str(library))
    kept: dict[tuple[str, int], np.ndarray] = {}

    # Results are written to the same memory each time, as ours are by the pool.
    def result(name: str, size: int) -> np.ndarray:
        return kept.setdefault((name, size), np.empty(size, np.float32))

    def flat(name: str, length: Callable[[int], int]) -> Turn:
        function = getattr(functions, name)

        def turn(x: np.ndarray, y: np.ndarray) -> object:
            out = result(name, length(x.size))
            function(*(ctypes.c_void_p(a.ctypes.data) for a in (x, y, out)), ctypes.c_long(x.size))
            return out

        return turn

    def matrix(name: str, length: Callable[[int, int], int]) -> Turn:
        function = getattr(functions, name)

        def turn(x: np.ndarray, _: np.ndarray) -> object:
            rows = side(x.size)
            columns = x.size // rows
            out = result(name, length(rows, columns))
            pointers = (ctypes.c_void_p(a.ctypes.data) for a in (x, out))
            function(*pointers, ctypes.c_long(rows), ctypes.c_long(columns))
            return out

        return turn

    return {
        "5*x + 6*y - sin(x)*sqrt(y)": flat("chain", lambda n: n),
        "its sum": flat("chain_sum", lambda n: 1),
        "sum": flat("sum", lambda n: 1),
        "sum of x*y": flat("dot", lambda n: 1),
        "variance": flat("variance", lambda n: 1),
        "row sums": matrix("row_sums", lambda rows, columns: rows),
        "column sums": matrix("column_sums", lambda rows, columns: columns),
        "x - row means": matrix("minus_row_means", lambda rows, columns: rows * columns),
        "every second": flat("every_second", lambda n: n // 2),
    }


def by_numexpr() -> dict[str, Turn]:
    import numexpr

    text = "5*x + 6*y - sin(x)*sqrt(y)"
    return {
        text: lambda x, y: numexpr.evaluate(text, {"x": x, "y": y}),
        "its sum": lambda x, y: numexpr.evaluate(f"sum({text})", {"x": x, "y": y}),
        "sum": lambda x, y: numexpr.evaluate("sum(x)", {"x": x}),
        "sum of x*y": lambda x, y: numexpr.evaluate("sum(x*y)", {"x": x, "y": y}),
        "every second": lambda x, y: numexpr.evaluate("x + y", {"x": x[::2], "y": y[::2]}),
    }


def by_numba() -> dict[str, Turn]:
    import numba

    jit = numba.njit(parallel=True, fastmath=True)

    @jit
    def chain(x, y):  # type: ignore[no-untyped-def]
        return np.float32(5) * x + np.float32(6) * y - np.sin(x) * np.sqrt(y)

    @jit
    def chain_sum(x, y):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for i in numba.prange(x.size):
            total += np.float32(5) * x[i] + np.float32(6) * y[i] - np.sin(x[i]) * np.sqrt(y[i])
        return total

    @jit
    def dot(x, y):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for i in numba.prange(x.size):
            total += x[i] * y[i]
        return total

    @jit
    def total(x, y):  # type: ignore[no-untyped-def]
        result = np.float32(0)
        for i in numba.prange(x.size):
            result += x[i]
        return result

    @jit
    def every_second(x, y):  # type: ignore[no-untyped-def]
        return x[::2] + y[::2]

    return {
        "5*x + 6*y - sin(x)*sqrt(y)": chain,
        "its sum": chain_sum,
        "sum": total,
        "sum of x*y": dot,
        "every second": every_second,
    }


def by_jax() -> dict[str, Turn]:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import jax.numpy as jnp

    on_device: dict[tuple[int, int], list[Any]] = {}

    def compiled(function: Callable[[Any, Any], Any]) -> Turn:
        jitted = jax.jit(function)

        def turn(x: np.ndarray, y: np.ndarray) -> object:
            key = (id(x), id(y))
            if key not in on_device:
                on_device[key] = [jnp.asarray(x), jnp.asarray(y)]
            return jax.block_until_ready(jitted(*on_device[key]))

        return turn

    def matrix(x: Any) -> Any:
        return x.reshape(side(x.size), -1)

    def chain(x: Any, y: Any) -> Any:
        return 5 * x + 6 * y - jnp.sin(x) * jnp.sqrt(y)

    return {
        "5*x + 6*y - sin(x)*sqrt(y)": compiled(chain),
        "its sum": compiled(lambda x, y: chain(x, y).sum()),
        "sum": compiled(lambda x, y: x.sum()),
        "sum of x*y": compiled(lambda x, y: (x * y).sum()),
        "variance": compiled(lambda x, y: x.var()),
        "row sums": compiled(lambda x, y: matrix(x).sum(axis=1)),
        "column sums": compiled(lambda x, y: matrix(x).sum(axis=0)),
        "x - row means": compiled(lambda x, y: matrix(x) - matrix(x).mean(1, keepdims=True)),
        "every second": compiled(lambda x, y: x[::2] + y[::2]),
    }


def contestants(level: str) -> dict[str, dict[str, Turn]]:
    found = {"C++": by_hand(level)}
    for name, make in (("numexpr", by_numexpr), ("Numba", by_numba), ("JAX", by_jax)):
        with contextlib.suppress(ImportError):
            found[name] = make()
    return found
