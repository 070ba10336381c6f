"""Values that would crash, be lost or be misread are refused, and the message names the culprit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww

OBJECTS: Any = np.array([1, "a"], object)
RECORDS: Any = np.zeros(2, [("first", object), ("second", np.int64)])
BUFFER_BYTES = 64


def array_copy(host: object) -> None:
    ww.CudaArray((4, 4), np.float32).copy_to(host)


REFERENCES: dict[str, Callable[[object], object]] = {
    "copy_to": lambda host: ww.mem_alloc(BUFFER_BYTES).copy_to(host),
    "copy_from": lambda host: ww.mem_alloc(BUFFER_BYTES).copy_from(host),
    "destination": lambda host: ww.copy_box(host, ww.mem_alloc(BUFFER_BYTES), 16),
    "source": lambda host: ww.copy_box(ww.mem_alloc(BUFFER_BYTES), host, 16),
    "In": ww.In,
    "Out": ww.Out,
    "InOut": ww.InOut,
    "register_host_memory": ww.register_host_memory,
}


@pytest.mark.parametrize("role", REFERENCES)
@pytest.mark.parametrize(
    "host", [OBJECTS, RECORDS, memoryview(OBJECTS)], ids=["objects", "records", "view"]
)
def test_arrays_of_python_objects_are_refused(role: str, host: object) -> None:
    with pytest.raises(ww.ArgumentError, match=f"{role} got .* hold Python objects"):
        REFERENCES[role](host)


def test_cuda_arrays_copy_to_no_python_objects() -> None:
    with pytest.raises(ww.ArgumentError, match=r"copy_to got .* hold Python objects"):
        array_copy(np.empty(8, object))


def test_a_field_may_have_an_o_in_its_name() -> None:
    host: Any = np.array([(5,), (6,)], [("One", np.int32)])
    buffer = ww.mem_alloc(host.nbytes)
    buffer.copy_from(memoryview(host))
    copied = np.empty_like(host)
    buffer.copy_to(copied)
    assert copied.tolist() == host.tolist()


@pytest.mark.parametrize("role", [ww.Out, ww.InOut])
@pytest.mark.parametrize("scalar", [np.float32(3), np.int64(1), np.bool_(True)])
def test_scalars_take_no_results(role: Callable[[object], object], scalar: object) -> None:
    with pytest.raises(ww.ArgumentError, match="a NumPy scalar, which cannot take results"):
        role(scalar)


def test_scalars_may_be_read() -> None:
    assert "In(" in repr(ww.In(np.float32(3)))


REFUSED: dict[str, Callable[[], object]] = {
    "In got None": lambda: ww.In(None),
    "border expects 4 numbers such as (0, 0, 0, 1), got (1,)": lambda: ww.Texture(
        ww.mem_alloc(BUFFER_BYTES), np.float32, border=(1,)
    ),
    "border expects 4 numbers such as (0, 0, 0, 1), got ('a', 0, 0, 0)": lambda: ww.Texture(
        ww.CudaArray((4, 4), np.float32),
        border=("a", 0, 0, 0),  # type: ignore[arg-type]
    ),
    "call_host expects a function without parameters, got 5": lambda: ww.Stream().call_host(
        5  # type: ignore[arg-type]
    ),
    r"for 'source', got the lone surrogate '\udcff' at index 3": lambda: ww.SourceModule(
        "// \udcff"
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_the_message_names_the_parameter(words: str) -> None:
    with pytest.raises(ww.ArgumentError, match=re.escape(words)):
        REFUSED[words]()


def run_with(variable: str, value: str) -> str:
    """What a compile prints on stderr with an environment variable."""
    return subprocess.run(
        [sys.executable, "-c", "import warpwise as ww; ww.SourceModule('__global__ void k() {}')"],
        env={**os.environ, variable: value},
        capture_output=True,
        text=True,
        check=False,
    ).stderr


@pytest.mark.cpu_only("NVRTC refuses options that it does not know")
def test_an_unknown_default_option_names_its_variable() -> None:
    error = run_with("PYCUDA_DEFAULT_NVCC_FLAGS", "-O3 -foo")
    assert "'-foo'; the environment variable PYCUDA_DEFAULT_NVCC_FLAGS adds '-foo'" in error


@pytest.mark.cpu_only("NVRTC refuses options that it does not know")
def test_a_default_option_with_a_wrong_value_names_its_variable() -> None:
    error = run_with("PYCUDA_DEFAULT_NVCC_FLAGS", "-ftemplate-depth=deep")
    assert "got 'deep'; the environment variable PYCUDA_DEFAULT_NVCC_FLAGS adds" in error


@pytest.mark.parametrize(
    ("variable", "value"), [("CUDA_DEVICE", "99"), ("WARPWISE_DEVICE", "cuda:99")]
)
def test_a_missing_default_device_names_its_variable(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WARPWISE_DEVICE", raising=False)
    assert f"the environment variable {variable} selects 'cuda:99'" in run_with(variable, value)


def test_a_misspelt_setting_is_warned_of_once() -> None:
    printed = run_with("WARPWISE_CACHE_SISE", "0")
    assert printed.count("did you mean WARPWISE_CACHE_SIZE?") == 1


def test_a_source_is_compiled_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 7\n")
    path = tmp_path / "program.cu"
    path.write_text('#include "value.h"\n__global__ void k(int *x) { *x = VALUE; }\n')
    x = np.zeros(1, np.int32)
    ww.SourceModule.from_file(path)["k"](ww.Out(x), block=1)
    assert x[0] == 7


def test_an_error_in_a_file_names_its_path(tmp_path: Path) -> None:
    path = tmp_path / "wrong.cu"
    path.write_text("__global__ void k() { nothing; }\n")
    with pytest.raises(ww.CompileError, match="nothing") as caught:
        ww.SourceModule.from_file(path)
    assert caught.value.file == str(path)


def test_a_source_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ww.DeviceError, match=r"'/no_such_file.cu': No such file or directory"):
        ww.SourceModule.from_file("/no_such_file.cu")
    with pytest.raises(ww.DeviceError, match=f"'{tmp_path}': Is a directory"):
        ww.SourceModule.from_file(str(tmp_path))
