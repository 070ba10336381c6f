"""warpwise run SCRIPT [ARGS], warpwise run -m MODULE [ARGS]: a PyCUDA program, unchanged, with
Warpwise as its `pycuda`. So have its child processes that run Python.

With `--as numba`, Warpwise is its `numba.cuda` instead, and its `numba` where there is none.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from .. import Error, compat


def add_parser(verbs: Any) -> None:
    parser = verbs.add_parser(
        "run",
        help="run a Python script or module that uses pycuda, numba.cuda or warpwise",
        usage="warpwise run [-h] [--as pycuda|numba] SCRIPT ARGS | -m MODULE ARGS",
    )
    parser.add_argument(
        "--as", dest="names", choices=("pycuda", "numba"), default="pycuda",
        help="the library that Warpwise stands in for",
    )  # fmt: skip
    add_script(parser)
    parser.set_defaults(call=run_script)


def add_script(parser: argparse.ArgumentParser) -> None:
    """A script and its arguments, which end the command line."""
    parser.add_argument("script", metavar="SCRIPT")
    rest = parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS")
    rest.required = False  # before 3.12, argparse reports them as missing where SCRIPT is


def module_run(arguments: list[str]) -> argparse.Namespace | None:
    """The options of `run -m MODULE ARGS`, whose arguments argparse would read as its own."""
    names, rest = "pycuda", arguments[1:]
    if rest[:1] == ["--as"] and len(rest) > 1 and rest[1] in ("pycuda", "numba"):
        names, rest = rest[1], rest[2:]
    if arguments[:1] != ["run"] or rest[:1] != ["-m"]:
        return None
    if len(rest) < 2:
        raise Error("warpwise run -m expects the name of a module")
    return argparse.Namespace(call=run_module, names=names, module=rest[1], arguments=rest[2:])


def run_script(options: argparse.Namespace) -> int:
    """Runs it; an exception of the script is printed, and 1 returned."""
    script = Path(options.script)
    _check_script(script)
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, str(script.resolve() if script.is_dir() else script.resolve().parent))
    names = getattr(options, "names", "pycuda")
    return _run(lambda: runpy.run_path(options.script, run_name="__main__"), options.script, names)


def run_module(options: argparse.Namespace) -> int:
    """The same for a module."""
    sys.path.insert(0, str(Path.cwd()))
    _install(options.names)  # before the packages that the module is in
    file = _file_of_module(options.module)
    sys.argv = [options.module, *options.arguments]
    return _run(
        lambda: runpy.run_module(options.module, run_name="__main__", alter_sys=True),
        file,
        options.names,
    )


def _install(names: str) -> Path:
    """Provides the names in this process; the folder that does so in others."""
    if names == "numba":
        compat.install("numba.cuda")
        return compat.NUMBA_NAMES_FOLDER
    compat.install(override=True)
    return compat.NAMES_FOLDER


def _run(run: Callable[[], object], file: str, names: str) -> int:
    folder = str(_install(names))
    # For children: multiprocessing hands them this path, other ways of starting them the variable.
    sys.path.insert(1, folder)
    others = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, *([others] if others else [])])
    try:
        run()
    except Exception as error:
        # As Python itself would show it: without the frames between here and the script.
        trace = _from_script(error.__traceback__, file)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 1
    return 0


def _check_script(script: Path) -> None:
    if script.is_dir():
        if not (script / "__main__.py").is_file():
            raise Error(f"{script} is a folder without a __main__.py")
        return
    if not script.is_file():
        raise FileNotFoundError(f"no such script: {script}")
    if script.suffix in (".py", ".pyz", ".pyc"):
        return  # Python's own errors are about its text
    try:
        compile(script.read_bytes(), str(script), "exec")
    except (SyntaxError, ValueError) as error:
        raise Error(
            f"{script} is no Python script ({error}); `warpwise compile` takes sources of CUDA C++"
        ) from None


def _file_of_module(name: str) -> str:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            name = f"{name}.__main__"
            spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None  # a parent of it is not there, or is no package
    if spec is None:
        raise Error(f"no module named {name!r} was found, in {Path.cwd()} or on Python's path")
    return str(spec.origin)


def _from_script(trace: TracebackType | None, script: str) -> TracebackType | None:
    start = trace
    while start is not None and start.tb_frame.f_code.co_filename != script:
        start = start.tb_next
    return start or trace
