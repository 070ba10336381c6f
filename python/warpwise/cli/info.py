"""warpwise info: devices, libraries, settings and cache of this machine."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import (
    CacheInfo,
    CudaLibrary,
    Device,
    DeviceError,
    cache_info,
    cuda_driver,
    cuda_libraries,
    devices,
    setting_rows,
    version,
)


def add_parser(verbs: Any) -> None:
    parser = verbs.add_parser("info", help="devices, settings, cache and versions")
    parser.set_defaults(call=_info)


def _info(options: argparse.Namespace) -> int:
    print(f"Warpwise {version()}, Python {platform.python_version()}, NumPy {np.__version__}")
    print("\nDevices")
    found = devices()
    print(_table(_device_row(device) for device in found))
    if not any(device.kind == "cuda" for device in found):
        print(f"  No GPU: {_why_no_gpu()}")
    print(f"  Default: {Device().name}")
    print("\nCUDA")
    print(_table([_driver_row(), *map(_library_row, cuda_libraries())]))
    print("\nSettings (* set by you)")
    print(_table((("* " if row.is_set else "  ") + row.variable, row.value, row.meaning)
                 for row in setting_rows()))  # fmt: skip
    print("\nCache of compiled programs")
    print(cache_text(cache_info()))
    return 0


def _why_no_gpu() -> str:
    try:
        Device("cuda")
    except DeviceError as error:
        return str(error)
    return "the driver lists none"


def _device_row(device: Device) -> tuple[str, ...]:
    info = device.info
    memory = f"{info.total_memory / 2**30:.1f} GiB"
    major, minor = info.compute_capability
    capability = f"compute capability {major}.{minor}" if device.kind == "cuda" else ""
    return device.name, info.name, info.architecture, memory, capability


def _driver_row() -> tuple[str, ...]:
    driver = cuda_driver()
    if not driver.is_usable:
        return "driver", "-", driver.reason
    own = f"{driver.version}, " if driver.version else ""
    return "driver", f"{own}CUDA {driver.cuda}", driver.path


def _library_row(library: CudaLibrary) -> tuple[str, ...]:
    if library.reason:
        return library.title, "-", library.reason
    return library.title, library.version, library.path


def cache_text(cache: CacheInfo) -> str:
    """The state of the cache in a few lines."""
    rows = [
        ("folder", cache.folder),
        ("state", "usable" if cache.usable else f"not usable: {cache.reason}"),
        ("entries", str(cache.entries)),
        ("size", f"{cache.bytes / 2**20:.1f} of {cache.limit / 2**20:.0f} MiB"),
    ]
    return _table(rows)


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "\n".join("  " + line for line in lines)
