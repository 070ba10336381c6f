"""PyDotCompute's backends: every member of its page, on the CPU and, where there is one, a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import compat, cuda
from warpwise.compat.pydotcompute.backends import get_backend
from warpwise.compat.pydotcompute.backends.base import Backend
from warpwise.compat.pydotcompute.backends.cpu import CPUBackend
from warpwise.compat.pydotcompute.backends.cuda import CUDABackend

IS_GPU = devices.NAME.startswith("cuda")


@pytest.fixture(params=["cpu", "here"])
def backend(request: pytest.FixtureRequest) -> Backend:
    return CPUBackend() if request.param == "cpu" else get_backend(enable_caching=True)


def test_what_a_backend_says_of_itself(backend: Backend) -> None:
    assert backend.is_available
    assert backend.name in ("cpu", "cuda")
    assert backend.device_id == 0
    assert backend.device_name
    major, minor = backend.compute_capability
    assert (major, minor) >= (3, 5)
    assert backend.device_name in repr(backend)
    free, total = backend.get_memory_info()
    assert 0 < free <= total


def test_cuda_is_available_where_there_is_a_gpu() -> None:
    assert CPUBackend.check_available()
    assert CUDABackend.check_available() == IS_GPU
    assert isinstance(get_backend(device_id=0), CUDABackend if IS_GPU else CPUBackend)
    if not IS_GPU:
        with pytest.raises(RuntimeError, match="CUDA is not available"):
            CUDABackend(device_id=0, enable_caching=True)
        return
    assert CUDABackend().name == "cuda"
    with pytest.raises(RuntimeError, match="no GPU 99"):
        CUDABackend(device_id=99)
    with ww.Device("cpu"):
        assert not CUDABackend.check_available()


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128", "bool"])
def test_arrays_go_there_and_back(backend: Backend, dtype: str) -> None:
    host = np.asfortranarray(np.random.default_rng().integers(0, 2, (30, 7))).astype(dtype)
    array = backend.to_device(host)
    assert isinstance(array, ww.Array)
    np.testing.assert_array_equal(backend.to_host(array), host)
    np.testing.assert_array_equal(backend.to_host(array == array), np.ones((30, 7), bool))
    assert backend.to_device(array).device == array.device
    assert backend.to_host(host) is host


def test_allocations(backend: Backend) -> None:
    array = backend.allocate((3, 4), dtype=np.int16)
    assert (array.shape, array.dtype) == ((3, 4), np.int16)
    assert backend.allocate((5,)).dtype == np.float32
    assert backend.allocate(5).shape == (5,)
    assert backend.allocate([2, 3]).device == array.device


SOURCE = """
__global__ void add(const float *a, const float *b, float *c)
{ int i = threadIdx.x; c[i] = a[i] + b[i]; }
"""


def test_kernels_of_source_are_launched(backend: Backend) -> None:
    a, b = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
    x, y, z = backend.to_device(a), backend.to_device(b), backend.allocate((8,))
    with x.device:
        kernel = ww.SourceModule(SOURCE)["add"]
    assert backend.launch_kernel(kernel, (1,), (8,), x, y, z) is None
    backend.synchronize()
    np.testing.assert_array_equal(backend.to_host(z), a + b)
    backend.launch_kernel(kernel, 1, 8, y, y, z)
    np.testing.assert_array_equal(backend.to_host(z), b + b)


def vector_add(x: Any, y: Any, z: Any) -> None:
    i = cuda.grid(1)
    if i < len(z):
        z[i] = x[i] + y[i]


def scale(x: Any, factor: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


def test_python_kernels_are_compiled_once(backend: Backend) -> None:
    signature = ("float32[:]",) * 3
    kernel = backend.compile_kernel(vector_add, signature)
    assert backend.compile_kernel(func=vector_add, signature=signature) is kernel
    a, b = np.random.default_rng().random((2, 1000)).astype(np.float32)
    x, y, z = backend.to_device(a), backend.to_device(b), backend.allocate((1000,))
    backend.launch_kernel(kernel, (4,), (256,), x, y, z)
    backend.synchronize()
    np.testing.assert_array_equal(backend.to_host(z), a + b)
    for kind in (np.float32, np.dtype("f4"), "float32"):
        scaled = backend.compile_kernel(scale, ("float32[:]", kind))
        backend.launch_kernel(scaled, 4, 256, z, 2.0)
    np.testing.assert_allclose(backend.to_host(z), 8 * (a + b), rtol=1e-6)
    uncached = CPUBackend(enable_caching=False)
    first = uncached.compile_kernel(vector_add, signature)
    assert uncached.compile_kernel(vector_add, signature) is not first


def test_wrong_arguments(backend: Backend) -> None:
    with pytest.raises(TypeError, match="function"):
        backend.compile_kernel(7, ())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="list in a signature"):
        backend.compile_kernel(scale, (list,))
    with pytest.raises(TypeError, match="ndarray"):
        backend.to_device([1, 2])
    with pytest.raises(TypeError, match="to_host"):
        backend.to_host([1, 2])
    with pytest.raises(TypeError, match="kernel"):
        backend.launch_kernel(scale, (1,), (1,))
    with ww.Device("cpu"):
        kernel = ww.SourceModule(SOURCE)["add"]
    for grid, block in (((1, 2, 3, 4), 1), (1, (1.5,)), ((), 1)):
        with pytest.raises(ValueError, match="whole numbers"):
            backend.launch_kernel(kernel, grid, block)


def test_the_base_is_abstract() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Backend(ww.Device("cpu"), device_id=0, enable_caching=True)  # type: ignore[abstract]


PROGRAM = """
from pydotcompute import get_backend
from pydotcompute.backends.cpu import CPUBackend
from pydotcompute.backends.cuda import CUDABackend
print(CPUBackend.__module__, CUDABackend.check_available())
"""


def test_programs_import_it_by_its_name(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "warpwise", "run", str(script)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.stdout.startswith("warpwise.compat.pydotcompute.backends.cpu "), done.stderr


def test_child_processes_import_it_by_its_name() -> None:
    program = "import pydotcompute; print(pydotcompute.__name__, pydotcompute.get_backend().name)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {
            "PYTHONPATH": os.pathsep.join([str(compat.NAMES_FOLDER), os.environ["PYTHONPATH"]]),
            "WARPWISE_DEVICE": devices.NAME,
        },
    )  # fmt: skip
    assert done.stdout.startswith("warpwise.compat.pydotcompute c"), done.stderr
