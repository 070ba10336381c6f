"""warpwise run SCRIPT [ARGS]: a PyCUDA script, unchanged, with Warpwise as its `pycuda`."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from .. import compat


def add_parser(verbs: Any) -> None:
    parser = verbs.add_parser("run", help="run a Python script that uses pycuda or warpwise")
    add_script(parser)
    parser.set_defaults(call=run_script)


def add_script(parser: argparse.ArgumentParser) -> None:
    """A script and its arguments, which end the command line."""
    parser.add_argument("script", metavar="SCRIPT")
    rest = parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS")
    rest.required = False  # before 3.12, argparse reports them as missing where SCRIPT is


def run_script(options: argparse.Namespace) -> int:
    """Runs it; an exception of the script is printed, and 1 returned."""
    compat.install()
    script = Path(options.script)
    if not script.is_file():
        raise FileNotFoundError(f"no such script: {script}")
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        runpy.run_path(options.script, run_name="__main__")
    except Exception as error:
        # As Python itself would show it: without the frames between here and the script.
        trace = _from_script(error.__traceback__, options.script)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 1
    return 0


def _from_script(trace: TracebackType | None, script: str) -> TracebackType | None:
    start = trace
    while start is not None and start.tb_frame.f_code.co_filename != script:
        start = start.tb_next
    return start or trace
