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
from pycuda._cluda import CLUDA_PREAMBLE
from pycuda.compiler import SourceModule

import warpwise as ww


def test_versions_are_numbers_and_text() -> None:
    assert pycuda.VERSION >= (2025, 1)
    assert ".".join(map(str, pycuda.VERSION)) + pycuda.VERSION_STATUS == pycuda.VERSION_TEXT


def test_imports_make_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("autoinit", "autoprimaryctx"):
        for package in ("pycuda", "warpwise.compat.pycuda"):
            monkeypatch.delitem(sys.modules, f"{package}.{name}", raising=False)
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
    assert extension.direction_vector_set.names["VECTOR_64"] == 103
    assert extension.get_curand_version() >= (10, 0, 0)


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


def test_a_part_of_pycudas_own_build_names_what_to_use() -> None:
    with pytest.raises(ImportError, match=r"_pvt_struct.*struct"):
        importlib.import_module("pycuda._pvt_struct")


def test_mako_has_the_name_that_pycuda_gives_it() -> None:
    mako = pytest.importorskip("pycuda._mymako", exc_type=ImportError)
    assert mako.template.Template("${n} threads").render(n=32) == "32 threads"


CLUDA = """
KERNEL REQD_WG_SIZE(64, 1, 1) void reverse(GLOBAL_MEM int *x)
{
    LOCAL_MEM int kept[64];
    kept[LID_0] = x[GID_0 * LDIM_0 + LID_0];
    local_barrier();
    x[(GDIM_0 - 1 - GID_0) * LDIM_0 + LID_0] = kept[LDIM_0 - 1 - LID_0];
}
"""


WHERE = """
KERNEL void where(GLOBAL_MEM int *x)
{
    if (LID_1 == 2 && LID_2 == 3 && GID_1 == 4 && GID_2 == 5) {
        x[0] = LID_1; x[1] = LID_2; x[2] = GID_1; x[3] = GID_2;
        x[4] = LDIM_1; x[5] = LDIM_2; x[6] = GDIM_1; x[7] = GDIM_2;
    }
}
"""


def test_kernels_for_cuda_and_opencl_have_their_macros() -> None:
    kernel = SourceModule(CLUDA_PREAMBLE + CLUDA, no_extern_c=True).get_function("reverse")
    x = np.arange(64, dtype=np.int32)
    kernel(drv.InOut(x), block=(64, 1, 1))
    assert x.tolist() == list(range(63, -1, -1))
    kernel = SourceModule(CLUDA_PREAMBLE + WHERE, no_extern_c=True).get_function("where")
    found = np.zeros(8, np.int32)
    kernel(drv.Out(found), block=(1, 3, 4), grid=(1, 5, 6))
    assert found.tolist() == [2, 3, 4, 5, 3, 4, 5, 6]


def test_errors_are_pycudas_and_ours() -> None:
    assert issubclass(drv.MemoryError, drv.Error) and not issubclass(drv.Error, ww.Error)
    with pytest.raises(drv.MemoryError) as caught:
        drv.mem_alloc(1 << 60)
    assert isinstance(caught.value, ww.OutOfMemoryError)
    with pytest.raises(drv.LogicError, match="99"):
        drv.Device(99)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("elementwise", "ScalarArg VectorArg context_dependent_memoize dtype_to_ctype"),
        ("reduction", "VectorArg context_dependent_memoize dtype_to_ctype"),
        ("scan", "dtype_to_ctype"),
    ],
)
def test_scripts_import_tools_from_modules_that_use_them(module: str, names: str) -> None:
    found = importlib.import_module(f"pycuda.{module}")
    tools = importlib.import_module("pycuda.tools")
    for name in names.split():
        assert getattr(found, name) is getattr(tools, name)


def test_scripts_reach_the_driver_and_the_compiler_through_other_modules() -> None:
    driver = importlib.import_module("pycuda.driver")
    compiler = importlib.import_module("pycuda.compiler")
    assert importlib.import_module("pycuda.gpuarray").drv is driver
    assert importlib.import_module("pycuda.scan").SourceModule is compiler.SourceModule
