"""The test programs compile for GPUs too: what they are written in is CUDA C++."""

from __future__ import annotations

from pathlib import Path

import pytest

import warpwise as ww

FOLDER = Path(__file__).parents[2] / "programs"
PROGRAMS = sorted(FOLDER.rglob("*.cu"))


def test_there_are_programs() -> None:
    assert len(PROGRAMS) > 100


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize("folder", sorted({path.parent.name for path in PROGRAMS}))
def test_nvrtc_compiles_them(folder: str, target: str) -> None:
    for path in PROGRAMS:
        if path.parent.name != folder:
            continue
        code = ww.compile(
            path.read_text(),
            target=target,
            format="cubin",
            name=path.name,
            include_dirs=[path.parent],
        )
        assert code[:4] == b"\x7fELF", path
