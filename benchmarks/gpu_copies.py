"""Copies between the host and a GPU, compared with the driver's own calls for the same memory.

up and down, from 1 KiB to 1 GiB (4 GiB with --all), pageable and page-locked. Beside each time of
ours stands the driver's: cuMemcpyHtoD or cuMemcpyDtoH, blocking, of the same host memory, called in
a loop of C++ (launch/raw.cpp), in turns with ours. From pageable memory the driver's returns when
it has staged the bytes; "driver, arrived" waits until the device has them, as ours does."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile

import numpy as np

import warpwise as ww
from launch_overhead import Measure, build, counted, cpp_library, loop
from report import row

SIZES = [1 << 10, 64 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20, 256 << 20, 1 << 30]
LARGEST = 4 << 30


def in_turns_us(measures: dict[str, Measure], size: int) -> dict[str, list[float]]:
    """Of single copies, or of several in sequence where one is too short for the clock."""
    in_a_row = max(1, (256 << 10) // size)
    rounds = 5 if size >= 256 << 20 else 15
    samples: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds + 1):
        for name, measure in measures.items():
            value = measure(in_a_row)
            if value < 0:
                raise RuntimeError(f"{name}: the driver failed")
            samples[name].append(value / 1000)
    return {name: values[1:] for name, values in samples.items()}


def label(size: int) -> str:
    for unit, bytes_of_unit in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= bytes_of_unit:
            return f"{size // bytes_of_unit} {unit}"
    return f"{size} B"


def measure(
    raw: ctypes.CDLL, ours: ctypes.CDLL, buffer: ww.Buffer, host: np.ndarray, kind: str
) -> None:
    size = host.nbytes
    address, device = ctypes.c_void_p(host.ctypes.data), ctypes.c_uint64(buffer.address)
    names = {"b": buffer, "h": host}
    for is_to_host, direction in enumerate(("up", "down")):
        call = "b.copy_to(h)" if is_to_host else "b.copy_from(h)"
        ways = {"driver": is_to_host}
        if direction == "up" and kind == "pageable":
            ways["driver, arrived"] = 2
        bytes_ = ctypes.c_size_t(size)
        measures = {
            name: counted(raw.raw_copy, way, address, device, bytes_) for name, way in ways.items()
        }
        measures["warpwise, C++"] = counted(ours.ours_copy, is_to_host, address, device, bytes_)
        measures["warpwise"] = loop(call, names, lambda: None)
        for name, samples in in_turns_us(measures, size).items():
            row(f"{direction}, {kind}, {label(size)}, {name}", samples, "us")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ww.Device("cuda:0"):
        raw = build("raw", folder)
        raw.raw_open.restype = ctypes.c_char_p
        driver = os.environ.get("WARPWISE_CUDA_DRIVER", "libcuda.so.1")
        if failed := raw.raw_open(driver.encode()):
            raise RuntimeError(f"the bare driver: {failed.decode()}")
        ours = cpp_library(folder)
        for size in SIZES + ([LARGEST] if "--all" in sys.argv else []):
            buffer = ww.mem_alloc(size)
            measure(raw, ours, buffer, np.ones(size, np.uint8), "pageable")
            locked = ww.pagelocked_empty(size, np.uint8)
            locked[:] = 1
            measure(raw, ours, buffer, locked, "page-locked")
            buffer.free()


if __name__ == "__main__":
    main()
