"""Copies between the host and a GPU, beside the driver's own calls for the same memory.

up and down, from 1 KiB to 1 GiB (4 GiB with --all), pageable and page-locked. Beside each time of
ours stands the driver's: cuMemcpyHtoD or cuMemcpyDtoH, blocking, of the same host memory."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

import numpy as np

import warpwise as ww
from report import row

SIZES = [1 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30]
LARGEST = 4 << 30


def times_us(copy: Callable[[], object], size: int) -> list[float]:
    """Of single copies, or of many in a row where one is too short for the clock."""
    in_a_row = max(1, (256 << 10) // size)
    rounds = 5 if size >= 256 << 20 else 15
    copy()
    samples = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(in_a_row):
            copy()
        samples.append(1e6 * (time.perf_counter() - start) / in_a_row)
    return samples


def label(size: int) -> str:
    for unit, bytes_of_unit in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= bytes_of_unit:
            return f"{size // bytes_of_unit} {unit}"
    return f"{size} B"


def measure(driver: ctypes.CDLL, buffer: ww.Buffer, host: np.ndarray, kind: str) -> None:
    size = host.nbytes
    to_device = driver.cuMemcpyHtoD_v2
    to_host = driver.cuMemcpyDtoH_v2
    device, address = ctypes.c_uint64(buffer.address), ctypes.c_void_p(host.ctypes.data)
    length = ctypes.c_size_t(size)
    works = {
        "up": (lambda: buffer.copy_from(host), lambda: to_device(device, address, length)),
        "down": (lambda: buffer.copy_to(host), lambda: to_host(address, device, length)),
    }
    for direction, (ours, theirs) in works.items():
        name = f"{direction}, {kind}, {label(size)}"
        row(f"{name}, driver", times_us(theirs, size), "us")
        row(f"{name}, warpwise", times_us(ours, size), "us")


def main() -> None:
    driver = ctypes.CDLL("libcuda.so.1")
    with ww.Device("cuda:0"):
        for size in SIZES + ([LARGEST] if "--all" in sys.argv else []):
            buffer = ww.mem_alloc(size)
            pageable = np.ones(size, np.uint8)
            measure(driver, buffer, pageable, "pageable")
            locked = ww.pagelocked_empty(size, np.uint8)
            locked[:] = 1
            measure(driver, buffer, locked, "page-locked")
            buffer.free()


if __name__ == "__main__":
    main()
