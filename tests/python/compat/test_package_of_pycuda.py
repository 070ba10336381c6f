"""The package pycuda: versions, automatic contexts, the profiler, debugging, what is not there."""

from __future__ import annotations

import csv
import importlib
import sys
from pathlib import Path

import numpy as np
import pycuda
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule

import warpwise as ww


def test_versions_are_numbers_and_text() -> None:
    assert pycuda.VERSION >= (2025, 1)
    assert ".".join(map(str, pycuda.VERSION)) + pycuda.VERSION_STATUS == pycuda.VERSION_TEXT


def test_imports_make_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("autoinit", "autoprimaryctx"):
        importlib.import_module(f"pycuda.{name}")
        drv.Context.pop()
        for package in ("pycuda", "warpwise.compat.pycuda"):
            monkeypatch.delitem(sys.modules, f"{package}.{name}")
    before = drv.Context.get_current()
    import pycuda.autoinit

    assert pycuda.autoinit.context.get_device() == pycuda.autoinit.device == drv.Device(0)
    assert drv.Context.get_current() is pycuda.autoinit.context
    import pycuda.autoprimaryctx

    assert pycuda.autoprimaryctx.device == pycuda.autoinit.device
    assert drv.Context.get_current() is pycuda.autoprimaryctx.context
    drv.Context.pop()
    drv.Context.pop()
    assert drv.Context.get_current() == before


def test_the_extension_module_has_the_drivers_names() -> None:
    extension = importlib.import_module("pycuda._driver")
    assert extension.Device is drv.Device
    assert set(drv.__all__) <= set(dir(extension))


def launched() -> None:
    memory = drv.to_device(np.zeros(8, np.float32))
    function = SourceModule("__global__ void add(float *x) { x[threadIdx.x] += 1; }")
    function.get_function("add")(memory, block=(8, 1, 1))
    drv.Context.synchronize()


def test_profiles_are_written_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "profile.csv"
    drv.initialize_profiler("", str(path), drv.profiler_output_mode.CSV)
    drv.start_profiler()
    drv.start_profiler()
    with pytest.raises(drv.LogicError, match="stop_profiler"):
        drv.initialize_profiler("", str(path), drv.profiler_output_mode.CSV)
    launched()
    drv.stop_profiler()
    rows = list(csv.DictReader(path.open()))
    assert any(row["method"] == "add" and row["kind"] == "kernel" for row in rows)


def test_profiles_are_written_as_pairs(tmp_path: Path) -> None:
    path = tmp_path / "profile.txt"
    drv.stop_profiler()
    mode = drv.profiler_output_mode.KEY_VALUE_PAIR
    drv.initialize_profiler("", output_file=path, output_mode=mode)
    drv.start_profiler()
    launched()
    drv.stop_profiler()
    assert "method=[ add ] kind=[ kernel ]" in path.read_text()


def test_debugging_runs_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pycuda import debug

    script, result = tmp_path / "script.py", tmp_path / "result"
    script.write_text(
        "import pathlib, sys\nimport pycuda.driver as drv\n"
        "pathlib.Path(sys.argv[1]).write_text(f'{drv.CUDA_DEBUGGING} {__name__}')\n"
    )
    monkeypatch.setattr(sys, "argv", ["debug"])
    try:
        debug.main(argv=[str(script), str(result)])
        assert result.read_text() == "True __main__"
    finally:
        drv.set_debugging(False)
    with pytest.raises(SystemExit, match="usage"):
        debug.main([])


def test_opengl_is_not_there_and_says_why() -> None:
    assert drv.have_gl_ext() is False
    with pytest.raises(ImportError, match=r"pycuda\.gl.*OpenGL") as caught:
        importlib.import_module("pycuda.gl")
    assert isinstance(caught.value, ww.UnsupportedError)
    assert not hasattr(pycuda, "gl")


def test_errors_are_pycudas_and_ours() -> None:
    assert issubclass(drv.MemoryError, drv.Error) and not issubclass(drv.Error, ww.Error)
    with pytest.raises(drv.MemoryError) as caught:
        drv.mem_alloc(1 << 60)
    assert isinstance(caught.value, ww.OutOfMemoryError)
    with pytest.raises(drv.LogicError, match="99"):
        drv.Device(99)
