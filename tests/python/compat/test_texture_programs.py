"""Programs with texture and surface references, which CUDA has had none of since version 12."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from pycuda.compiler import SourceModule
from texture_programs.registry import PROGRAMS

import warpwise as ww
from warpwise.compat.pycuda._compiling.headers import HEADERS

for name in ("images", "tables", "volumes", "bindings"):
    importlib.import_module(f"texture_programs.{name}")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng()


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 20


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_do_what_they_are_for(name: str, rng: np.random.Generator) -> None:
    program = PROGRAMS[name]
    program.run(SourceModule(program.source, no_extern_c=program.no_extern_c), rng)


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_compile_for_gpus(name: str, target: str) -> None:
    program = PROGRAMS[name]
    source = program.source
    if not program.no_extern_c:
        source = 'extern "C" {\n' + source + "\n}\n"
    code: Any = ww.compile(source, target=target, format="cubin", headers=HEADERS)
    assert code[:4] == b"\x7fELF"
