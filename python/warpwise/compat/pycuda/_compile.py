"""What pycuda.compiler and the linker do with a source before Warpwise compiles it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import warpwise as ww

from ._errors import CompileError
from ._headers import HEADERS

_R = TypeVar("_R")
_MAGIC = b"WARPWISE SOURCE\0"
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"  # comments
    r'|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'  # strings
    r"|'(?:\\.|[^'\\\n])+'|[{}]",
    re.DOTALL,
)


def closes_extern_c(source: str) -> bool:
    """Whether it ends the extern "C" block that PyCUDA puts around sources, to open it again:
    how users put templates and includes of C++ outside of it."""
    depth = 0
    for token in _TOKEN.finditer(source):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth < 0:
            return True
    return False


def outside_of_extern_c(source: str, no_extern_c: bool) -> str:
    """The source as PyCUDA would compile it, where that makes a difference here."""
    if no_extern_c or not closes_extern_c(source):
        return source
    return f'extern "C" {{\n#line 1\n{source}\n}}\n'


def named(error: CompileError, options: Sequence[str]) -> CompileError:
    """With what stands for the command line of nvcc."""
    error.command_line = ["warpwise", "compile", *map(str, options)]
    return error


def with_command_line(options: Sequence[str], function: Callable[[], _R]) -> _R:
    """The function's result; its CompileError gets the options."""
    from ._errors import joined

    try:
        return function()
    except ww.CompileError as error:
        raise named(joined(error), options) from None  # type: ignore[arg-type]


def options_of(options: Sequence[str] | None, defaults: Sequence[str]) -> list[str]:
    from . import driver

    chosen = [str(one) for one in (defaults if options is None else options)]
    return [*chosen, "-g", "-G"] if driver.CUDA_DEBUGGING else chosen


def kept_in(cache_dir: Any) -> AbstractContextManager[Any]:
    """For the compiles of a `with` statement: None: the usual folder; False: none."""
    if cache_dir is None:
        return nullcontext()
    return ww.CacheFolder(None if cache_dir is False else cache_dir)


def warn_of_later_architecture(arch: str | None) -> None:
    """As PyCUDA does for code that the device would not run; it is compiled for the device."""
    device = ww.Device()
    numbers = re.fullmatch(r"(?:sm|compute)_(\d+)(\d)[af]?", arch or "")
    if device.kind != "cuda" or numbers is None:
        return
    if tuple(map(int, numbers.groups())) > device.info.compute_capability:
        warnings.warn(
            f"arch={arch!r} is later than this device, {device.info.architecture}; the source "
            "is compiled for the device",
            UserWarning,
            stacklevel=4,
        )


def keep_source(source: str) -> Path:
    """Writes the source into a new folder, whose name is printed."""
    folder = Path(tempfile.mkdtemp(prefix="warpwise-"))
    print(f"*** compiler output in {folder}")
    (folder / "kernel.cu").write_text(source)
    return folder


def keep_files(source: str, options: Sequence[str], include_dirs: Sequence[str] | None) -> None:
    """As keep_source(), with the code made of it for the current device."""
    folder = keep_source(source)
    info = ww.Device().info
    is_gpu = ww.Device().kind == "cuda"
    code = ww.compile(
        source,
        target=info.architecture if is_gpu else "cpu",
        format="ptx" if is_gpu else "asm",
        options=options,
        include_dirs=include_dirs,
        headers=HEADERS,
    )
    path = folder / ("kernel.ptx" if is_gpu else "kernel.s")
    path.write_bytes(code if isinstance(code, bytes) else code.encode())


def source_image(source: str, options: Sequence[str], include_dirs: Sequence[str] | None) -> bytes:
    """What stands for a cubin on the CPU device: the source, to be compiled where it is loaded."""
    folders = [os.fspath(folder) for folder in include_dirs or ()]
    parts = {"source": source, "options": list(options), "include_dirs": folders}
    return _MAGIC + json.dumps(parts).encode()


def opened_image(image: bytes) -> dict[str, Any] | None:
    """The parts of a source_image(); None for another image."""
    return json.loads(image[len(_MAGIC) :]) if image.startswith(_MAGIC) else None


def preprocessed(source: str, options: Sequence[str], nvcc: str) -> bytes:
    """By nvcc, or else by the system's C++ compiler."""
    found = shutil.which(nvcc) or shutil.which("c++") or shutil.which("g++")
    if found is None:
        raise ww.UnsupportedError(
            f"preprocess_source wants {nvcc} or a C++ compiler; neither is on the PATH"
        )
    is_nvcc = Path(found).name.startswith("nvcc")
    flags = [] if is_nvcc else ["-x", "c++", "-P"]
    kept = [one for one in options if is_nvcc or re.match(r"-[DUI]", one)]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in HEADERS.items():
            (Path(folder) / name).write_text(text)
        path = Path(folder) / "kernel.cu"
        path.write_text(source)
        command = [found, *flags, *kept, "-I", folder, "-E", str(path)]
        done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace")
        raise CompileError(
            f"preprocessing the source failed:\n{words}", command, done.stdout.decode(), words
        )
    return done.stdout
