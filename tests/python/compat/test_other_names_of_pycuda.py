"""Parameters by the names of PyCUDA's documentation, and names that programs use although they are
in no documentation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import compiler, curandom, gpuarray, tools
from pycuda.compyte import array as compyte_array
from pycuda.compyte import dtypes as compyte_dtypes
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

HOST = np.arange(4, dtype=np.float32)


@pytest.mark.parametrize("kind", [drv.ArgumentHandler, drv.In, drv.Out, drv.InOut])
def test_argument_handlers_take_array(kind: Any) -> None:
    assert kind(array=HOST).array is HOST


def test_copies_take_buffer() -> None:
    copy = drv.Memcpy2D()
    result = np.empty_like(HOST)
    copy.set_src_host(buffer=HOST)
    copy.set_dst_host(buffer=result)
    copy.width_in_bytes, copy.height = HOST.nbytes, 1
    copy()
    np.testing.assert_array_equal(result, HOST)


def test_memory_on_the_device_takes_buffer() -> None:
    np.testing.assert_array_equal(drv.from_device_like(drv.to_device(buffer=HOST), HOST), HOST)


def test_arrays_take_the_documented_names() -> None:
    description = drv.ArrayDescriptor()
    description.width, description.height = 4, 2
    assert drv.Array(descriptor=description).get_descriptor().width == 4
    square = gpuarray.to_gpu(HOST).reshape(2, 2)
    for name in ("gpuarray", "gpuparray"):
        made = drv.gpuarray_to_array(order="C", **{name: square})
        assert made.get_descriptor().height == 2
    channels = drv.make_multichannel_2d_array(matrix=HOST.reshape(1, 2, 2), order="C")
    assert channels.get_descriptor().num_channels == 2


def test_shared_memory_takes_ipc_handle() -> None:
    with pytest.raises(drv.LogicError, match="not 3"):
        drv.IPCMemoryHandle(ipc_handle=b"abc")


def test_bank_sizes_take_sc() -> None:
    drv.Context.set_shared_config(sc=drv.shared_config.EIGHT_BYTE_BANK_SIZE)
    with pytest.raises(TypeError, match=r"sc= and config="):
        drv.Context.set_shared_config(sc=1, config=1)  # type: ignore[call-arg]


def test_scans_take_queue() -> None:
    stream = drv.Stream()
    array = gpuarray.to_gpu(HOST)
    InclusiveScanKernel(np.float32, "a+b")(array, queue=stream)
    stream.synchronize()
    np.testing.assert_array_equal(array.get(), HOST.cumsum())


def test_seed_getters_take_the_name_of_the_source() -> None:
    assert curandom.seed_getter_uniform(n=3).shape == curandom.seed_getter_unique(n=3).shape


def test_reductions_have_an_allocator() -> None:
    sizes: list[int] = []

    def allocate(size: int) -> Any:
        sizes.append(size)
        return drv.mem_alloc(size)

    total = ReductionKernel(np.float32, "0", "a+b", allocator=allocate)
    assert total(gpuarray.to_gpu(HOST)).get() == 6
    assert sizes == [4]


def test_marked_tests_are_func() -> None:
    assert tools.mark_cuda_test(func=lambda: 3)() == 3


def test_memory_of_host_pools_has_its_name_in_tools() -> None:
    assert tools.PooledHostAllocation is drv.PooledHostAllocation


# --- In no documentation.


def test_contexts_of_autoinit_end_when_scripts_say_so() -> None:
    program = """
import pycuda.autoinit
import pycuda.driver as drv
pycuda.autoinit._finish_up()
print(drv.Context.get_current())
"""
    done = subprocess.run(
        [sys.executable, "-c", f"from warpwise import compat\ncompat.install()\n{program}"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.stdout == "None\n", done.stderr
    assert done.stderr == ""


STEPS: list[tuple[str, Any, Any]] = [
    ("_axpbyz", lambda x, out: x._axpbyz(2, x, 3, out), 5 * HOST),
    ("_axpbz", lambda x, out: x._axpbz(2, 1, out), 2 * HOST + 1),
    ("_elwise_multiply", lambda x, out: x._elwise_multiply(x, out), HOST * HOST),
    ("_div", lambda x, out: x._div(x + 1, out), HOST / (HOST + 1)),
    ("_rdiv_scalar", lambda x, out: (x + 1)._rdiv_scalar(3, out), 3 / (HOST + 1)),
]


@pytest.mark.parametrize(("name", "call", "expected"), STEPS, ids=[one[0] for one in STEPS])
def test_steps_of_operators_write_to_out(name: str, call: Any, expected: Any) -> None:
    array = gpuarray.to_gpu(HOST)
    out = gpuarray.empty_like(array)
    assert call(array, out) is out
    np.testing.assert_allclose(out.get(), expected, rtol=1e-6)


def test_powers_are_new_arrays_or_the_array_itself() -> None:
    array = gpuarray.to_gpu(HOST)
    assert array._pow(2, new=True) is not array
    assert array._pow(2, new=False) is array
    np.testing.assert_array_equal(array.get(), HOST**2)


def test_the_common_dtype_of_operands() -> None:
    array = gpuarray.to_gpu(HOST)
    assert gpuarray._get_common_dtype(array, array.astype(np.float64)) == np.float64
    assert gpuarray._get_common_dtype(array, 2.5) == np.float32


def test_names_of_types_are_in_compyte_too() -> None:
    record = np.dtype([("k", np.int32)])
    tools.register_dtype(record, "of_compyte")
    assert compyte_dtypes.dtype_to_ctype(record) == "of_compyte"
    assert compyte_dtypes.NAME_TO_DTYPE["of_compyte"] == record
    assert compyte_dtypes.TYPE_REGISTRY.dtype_to_name[record] == "of_compyte"


def test_parameters_are_read_by_factories() -> None:
    def scalar(*of: Any) -> Any:
        return "scalar", *of

    def vector(*of: Any) -> Any:
        return "vector", *of

    read = compyte_dtypes.parse_c_arg_backend
    assert read("const float *x", scalar, vector) == ("vector", np.float32, "x")
    assert read("int n", scalar, vector, lambda name: f"<{name}>") == ("scalar", "<int>", "n")


def test_strides_and_flags_are_in_compyte() -> None:
    assert compyte_array.c_contiguous_strides(4, (2, 3)) == (12, 4)
    assert compyte_array.f_contiguous_strides(4, (2, 3)) == (4, 8)
    assert compyte_array.ArrayFlags(np.zeros((2, 3), order="F")).forc
    assert not compyte_array.ArrayFlags(np.zeros((4, 6))[::2, ::2]).forc
    assert compyte_array.get_common_dtype(HOST, 1.5j, allow_double=True) == np.complex64
    single = compyte_array.get_common_dtype(HOST, HOST.astype(np.float64), allow_double=False)
    assert single == np.float32


def test_the_folder_of_headers_is_known() -> None:
    folder = Path(compiler._find_pycuda_include_path())
    assert (folder / "pycuda-complex.hpp").is_file()


def test_elementwise_kernels_give_their_module() -> None:
    kernel = ElementwiseKernel("float *x", "x[i] = 2 * i", "doubled")
    module, function, arguments = kernel.generate_stride_kernel_and_types(use_range=False)
    array = gpuarray.empty_like(gpuarray.to_gpu(HOST))
    function.prepared_call(array._grid, array._block, array.gpudata, array.size)
    np.testing.assert_array_equal(array.get(), 2 * HOST)
    assert module.get_function("doubled") is not None
    assert [one.name for one in arguments] == ["x", "n"]
