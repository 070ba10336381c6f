"""Kernels of which one line is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda


def expect_refused(folder: Path, line: str, rest: str, names: dict[str, Any], message: str) -> None:
    """Launches kernel(x), of both lines, over 4 float32: line 2 of its file, the first of them, is
    refused with the message."""
    file = folder / "kernel.py"
    file.write_text(f"def kernel(x):\n    {line}\n    {rest}\n")
    scope = dict(names)
    exec(compile(file.read_text(), str(file), "exec"), scope)
    with pytest.raises(ww.CompileError) as caught:
        cuda.jit(scope["kernel"])[1, 1](np.zeros(4, np.float32))
    assert message in str(caught.value) and f"{file}:2:" in str(caught.value)
