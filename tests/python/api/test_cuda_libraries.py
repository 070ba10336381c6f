"""The report of NVIDIA's driver and libraries on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import warpwise as ww


def test_libraries_have_a_version_or_what_to_install() -> None:
    names = [library.name for library in ww.cuda_libraries()]
    assert names == [
        "nvrtc",
        "nvjitlink",
        "cupti",
        "cublas",
        "cufft",
        "curand",
        "cusparse",
        "cusolver",
    ]
    for library in ww.cuda_libraries():
        assert bool(library.version) != bool(library.reason)
        assert library.version or "`pip install nvidia-" in library.reason


def test_a_library_that_cannot_be_opened_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "libcurand.so.10").write_text("no library")
    program = 'import warpwise as ww; ww.cuda_library("curand")'
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "DeviceError: cuRAND, which makes random numbers, is not to be opened" in done.stderr
    assert "`pip install nvidia-curand" in done.stderr


def test_an_unknown_library_is_refused() -> None:
    with pytest.raises(ww.ArgumentError, match="did you mean 'cufft'"):
        ww.cuda_library("cuftt")


def test_a_missing_driver_has_a_reason() -> None:
    program = "import warpwise as ww; print(ww.cuda_driver())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "WARPWISE_CUDA_DRIVER": "/nowhere/libcuda.so.1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "is_usable=False" in done.stdout
    assert "install NVIDIA's driver" in done.stdout
