"""The rows of `./dev bench arrays` about elements that change places: transposes, masks, random
indices, and sorts of 2^26 elements.

Beside NumPy on the CPU device; on a GPU CuPy, PyTorch and CUB's radix sort, where nvcc is.
"""

from __future__ import annotations

import contextlib
import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import warpwise as ww
from report import comparison

Turn = Callable[[], object]
Timed = Callable[..., float]
SOURCE = Path(__file__).with_name("cub_sort.cu")
SORTED = 1 << 26


class Inputs:
    """A square matrix, a mask of half its elements, and as many indices, in a library's arrays."""

    def __init__(self, values: Any, mask: Any, indices: Any, keys: Any, wide: Any) -> None:
        side = 1 << (int(values.shape[0]).bit_length() // 2)
        self.values, self.mask, self.indices, self.keys, self.wide = (
            values, mask, indices, keys, wide,
        )  # fmt: skip
        self.square = values.reshape(side, -1)


def _numpy_like(module: Any, a: Inputs) -> dict[str, Callable[[], Any]]:
    # CuPy's only sort is stable.
    stable = {"kind": "stable"} if module is np else {}
    return {
        "transposed copy": lambda: module.ascontiguousarray(a.square.T),
        "elements of a mask": lambda: a.values[a.mask],
        "elements at random indices": lambda: a.values[a.indices],
        "sort, float32": lambda: module.sort(a.keys),
        "argsort, stable, int64": lambda: module.argsort(a.wide, **stable),
    }


def _torchs(torch: Any, a: Inputs) -> dict[str, Turn]:
    return {
        "transposed copy": lambda: a.square.t().contiguous(),
        "elements of a mask": lambda: a.values[a.mask],
        "elements at random indices": lambda: a.values[a.indices],
        "sort, float32": lambda: torch.sort(a.keys).values,
        "argsort, stable, int64": lambda: torch.argsort(a.wide, stable=True),
    }


def _ours(a: Inputs) -> dict[str, Callable[[], Any]]:
    return {
        "transposed copy": lambda: a.square.T.copy(),
        "elements of a mask": lambda: a.values[a.mask],
        "elements at random indices": lambda: a.values[a.indices],
        "sort, float32": lambda: ww.sort(a.keys),
        "argsort, stable, int64": lambda: ww.argsort(a.wide, stable=True),
    }


def _cub(a: Inputs, keys: np.ndarray, order: np.ndarray) -> dict[str, Callable[[], float]]:
    """Its sorts, checked, over the same memory as ours. Each returns milliseconds."""
    library = Path(tempfile.mkdtemp(prefix="ww-cub-")) / "cub_sort.so"
    command = ["nvcc", "-O3", "-arch=native", "-shared", "-Xcompiler=-fPIC", str(SOURCE)]
    subprocess.run([*command, "-o", str(library)], check=True)
    functions = ctypes.CDLL(str(library))
    pointers = [ctypes.c_void_p] * 4
    functions.sort_float32.argtypes = [*pointers[:2], ctypes.c_int64]
    functions.sort_pairs_int64.argtypes = [*pointers, ctypes.c_int64]
    for function in (functions.sort_float32, functions.sort_pairs_int64):
        function.restype = ctypes.c_float
    n = int(a.keys.shape[0])
    places = ww.arange(n, dtype=ww.int64)
    outs = [ww.empty(n, dtype=t) for t in (ww.float32, ww.int64, ww.int64)]
    ww.evaluate(places, a.keys, a.wide, *outs)
    addresses = [x.__cuda_array_interface__["data"][0] for x in (a.keys, a.wide, places, *outs)]

    def checked(milliseconds: float) -> float:
        if milliseconds < 0:
            raise RuntimeError(f"CUB's sort failed: CUDA error {-milliseconds:.0f}")
        return milliseconds

    def floats() -> float:
        return checked(functions.sort_float32(addresses[0], addresses[3], n))

    def pairs() -> float:
        _, wide, values, _, keys_out, values_out = addresses
        return checked(functions.sort_pairs_int64(wide, keys_out, values, values_out, n))

    floats(), pairs()
    assert np.array_equal(outs[0].get(), keys) and np.array_equal(outs[2].get(), order)
    return {"sort, float32": floats, "argsort, stable, int64": pairs}


def works(n: int, on_gpu: bool, timed: Timed, wait: Turn, bandwidth: float, yardstick: str) -> None:
    """`bandwidth`: bytes a millisecond that a device copy reads and writes together."""
    random = np.random.default_rng(3)
    count = min(n, SORTED)
    host = Inputs(
        random.random(n, np.float32),
        random.integers(2, size=n, dtype=np.uint8).view(bool),
        random.integers(n, size=n),
        random.random(count, np.float32),
        random.integers(1 << 40, size=count) // 7,
    )
    fields = ("values", "mask", "indices", "keys", "wide")
    arrays = Inputs(*(ww.asarray(getattr(host, name)) for name in fields))
    mine, reference = _ours(arrays), _numpy_like(np, host)
    expected = {name: turn() for name, turn in reference.items()}
    for name, turn in mine.items():
        if not np.array_equal(turn().get(), expected[name]):
            raise AssertionError(f"wrong: {name}")
    cubs: dict[str, Callable[[], float]] = {}
    if on_gpu and shutil.which("nvcc"):
        cubs = _cub(arrays, expected["sort, float32"], expected["argsort, stable, int64"])
    peers: dict[str, tuple[dict[str, Turn], Turn]] = {}
    if not on_gpu:
        peers["NumPy"] = (reference, lambda: None)
    with contextlib.suppress(ImportError):
        import cupy

        if on_gpu:
            theirs = Inputs(*(cupy.asarray(getattr(host, name)) for name in fields))
            peers["CuPy"] = (_numpy_like(cupy, theirs), cupy.cuda.Device().synchronize)
    with contextlib.suppress(ImportError):
        import torch

        if on_gpu:
            theirs = Inputs(*(torch.from_numpy(getattr(host, name)).cuda() for name in fields))
            peers["PyTorch"] = (_torchs(torch, theirs), torch.cuda.synchronize)
    kept = int(host.mask.sum())
    moved = {
        "transposed copy": 8 * n,
        "elements of a mask": 5 * n + 4 * kept,
        "elements at random indices": 16 * n,
        "sort, float32": 8 * count,
        "argsort, stable, int64": 16 * count,
    }
    for name, turn in mine.items():
        times = {yardstick: moved[name] / bandwidth}
        for peer, (turns, wait_for_peer) in peers.items():
            times[peer] = timed(turns[name], wait_for_peer, 3)
        if name in cubs:
            times["CUB"] = min(cubs[name]() for _ in range(5))
        ours = timed(lambda turn=turn: ww.evaluate(turn()), wait, 3)
        comparison(name, ours, times, yardstick)
