"""pycuda.driver: initialize_profiler, start_profiler and stop_profiler.

The profile is Warpwise's own (ww.profile()), written as the driver's command-line profiler did.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import warpwise as ww

from .._basics.enums import profiler_output_mode
from .._basics.errors import LogicError, boundary

_COLUMNS = ("method", "kind", "start_ns", "duration_ns", "stream", "grid", "block", "bytes")


class _Profiler:
    """The state of this process: where records go, and the profile that is running."""

    def __init__(self) -> None:
        self.output: Path | None = None
        self.mode = profiler_output_mode.KEY_VALUE_PAIR
        self.running: ww.Profile | None = None


_profiler = _Profiler()


@boundary
def initialize_profiler(
    config_file: str | os.PathLike[str] | None,
    output_file: str | os.PathLike[str],
    output_mode: profiler_output_mode,
) -> None:
    """Where stop_profiler() writes. There is nothing to configure: every operation is recorded."""
    if _profiler.running is not None:
        raise LogicError("the profiler is running; call stop_profiler() first")
    _profiler.output, _profiler.mode = Path(output_file), profiler_output_mode(output_mode)


@boundary
def start_profiler() -> None:
    """Records what the current device does. Does nothing while it is recorded already."""
    if _profiler.running is None:
        _profiler.running = ww.profile()
        _profiler.running.__enter__()


@boundary
def stop_profiler() -> None:
    """Ends the record, and writes it where initialize_profiler() has named a file."""
    profile, _profiler.running = _profiler.running, None
    if profile is None:
        return
    profile.__exit__(None, None, None)
    if _profiler.output is not None:
        _write(profile, _profiler.output, _profiler.mode)


def _write(profile: ww.Profile, path: Path, mode: profiler_output_mode) -> None:
    rows = [
        (one.name, one.kind, one.start, one.duration, one.stream, one.grid, one.block, one.bytes)
        for one in profile.records
    ]
    with path.open("w", newline="") as file:
        if mode is profiler_output_mode.CSV:
            csv.writer(file).writerows([_COLUMNS, *rows])
            return
        for row in rows:
            file.write(" ".join(f"{k}=[ {v} ]" for k, v in zip(_COLUMNS, row, strict=True)) + "\n")
