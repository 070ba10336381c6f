"""Machine code of GPUs as text, by NVIDIA's disassembler."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ..._errors import DeviceError, UnsupportedError


def disassembled(cubin: bytes, *, cfg: bool = False) -> str:
    """The instructions of a cubin; with `cfg` their control flow as a graph in DOT.

    Raises UnsupportedError without nvdisasm, DeviceError where it fails.
    """
    program = _program()
    with tempfile.TemporaryDirectory(prefix="warpwise-sass-") as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(cubin)
        options = ["-cfg"] if cfg else ["-gi"]
        done = subprocess.run(
            [program, *options, str(file)], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise DeviceError(f"{program} failed: {done.stderr.strip()}")
    return done.stdout


def _program() -> str:
    folders = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
    places = [str(Path(folder) / "bin") for folder in folders if folder]
    found = shutil.which("nvdisasm")
    for place in places:
        found = found or shutil.which("nvdisasm", path=place)
    if found is None:
        raise UnsupportedError(
            "inspect_sass needs NVIDIA's disassembler: nvdisasm has not been found on PATH or in "
            "$CUDA_HOME/bin; it comes with the CUDA toolkit. inspect_asm() shows PTX without it"
        )
    return found
