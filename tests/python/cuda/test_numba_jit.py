"""cuda.jit with Numba's parameters, and what its kernels offer beside launches."""

from __future__ import annotations

import enum
import io
import math
import warnings

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise.cuda import types
from warpwise.cuda.errors import NumbaInvalidConfigWarning, NumbaPerformanceWarning

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


@cuda.jit(device=True)
def square(x):
    return x * x


@cuda.jit
def squares(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = square(x[i])


def test_launches_have_numbas_forms():
    x = np.arange(40.0)
    expected = x.copy()
    stream = cuda.stream()
    forms = [
        scale[2, 32], scale[(2,), (32,)], scale[2, 32, stream], scale[2, 32, 0, 0],
        scale[2, 32, cuda.default_stream(), 16], scale[2, 32, ww.Stream()],
        scale.configure(2, 32), scale.forall(40), scale.forall(40, tpb=16),
        scale.forall(40, stream=stream, sharedmem=8), scale[np.int64(2), np.int32(32)],
    ]  # fmt: skip
    for launch in forms:
        launch(x, 2)
        expected *= 2
    stream.synchronize()
    assert np.array_equal(x, expected)


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: scale[32], ValueError, "must specify at least the griddim and blockdim"),
    (lambda: scale[1, 2, 0, 0, 0], ValueError, "must specify at least"),
    (lambda: scale(np.zeros(3), 2), ValueError, "launch configuration was not specified"),
    (lambda: square[1, 1], TypeError, "device function"),
    (lambda: square(3), TypeError, "device function"),
    (lambda: scale.forall(-1), ValueError, "negative task count"),
    (lambda: scale[1, 32, "stream"], TypeError, "stream expects"),
    (lambda: cuda.jit(3), TypeError, "expects a function, got 3"),
    (lambda: cuda.jit("int32(int32)")(lambda x: x), TypeError, "void return type"),
    (lambda: cuda.jit("void(int33)"), ValueError, None),
    (lambda: cuda.jit(argtypes=[int]), TypeError, "Deprecated keyword argument `argtypes`"),
    (lambda: cuda.jit(restype=int), TypeError, "Deprecated keyword argument `restype`"),
    (lambda: cuda.jit(speed=3), TypeError, "Unrecognized options: speed; jit takes device, inline"),
    (lambda: cuda.jit(boundscheck=True), NotImplementedError, "bounds checking"),
    (lambda: cuda.jit(extensions=[3]), TypeError, "extensions expects objects with prepare_args"),
    (lambda: cuda.jit(link="a.cu"), TypeError, "list of files"),
    (lambda: cuda.jit(link=["a.ptx"]), NotImplementedError, "files of CUDA C"),
    (lambda: cuda.jit(link=["no_such.cu"]), ValueError, "there is no file"),
    (lambda: cuda.jit(launch_bounds=(1, 2, 3, 4)), ValueError, "Got 4 launch bounds"),
    (lambda: cuda.jit(launch_bounds=0), ValueError, "launch_bounds expects positive ints, got 0"),
    (lambda: cuda.jit(device=True, launch_bounds=32), ValueError, "are of kernels"),
    (lambda: cuda.jit(max_registers=0), ValueError, "max_registers expects a positive int"),
])  # fmt: skip
def test_wrong_uses(call, error, words):
    if words is None:
        with pytest.raises(error, match="int33"):
            call()(lambda x: None)
        return
    with pytest.raises(error, match=words):
        call()


def test_options_that_contradict_each_other_warn():
    with pytest.warns(NumbaInvalidConfigWarning, match="debug=True with opt=True"):
        cuda.jit(debug=True)
    with pytest.warns(NumbaInvalidConfigWarning, match="mutually exclusive"):
        cuda.jit(debug=True, lineinfo=True, opt=False)


def test_all_of_numbas_options_are_accepted():
    @cuda.jit(
        cache=True, fastmath=True, inline=True, lineinfo=True, max_registers=32, opt=True,
        debug=False, nopython=True,
    )  # fmt: skip
    def kernel(x):
        x[cuda.grid(1)] = 3

    x = np.zeros(8)
    kernel[1, 8](x)
    assert (x == 3).all()


def test_declared_signatures_convert_arguments():
    @cuda.jit("void(float32[:], float32, int32)")
    def kernel(out, value, count):
        i = cuda.grid(1)
        if i < count:
            out[i] = value

    assert kernel.specialized and len(kernel.overloads) == 1
    out = np.zeros(5, np.float32)
    kernel[1, 8](out, 0.1, 4)
    assert out.tolist() == [np.float32(0.1)] * 4 + [0]
    assert list(kernel.overloads) == [(types.float32[:], types.float32, types.int32)]
    for wrong in (
        (np.zeros(5), 0.1, 4),
        (np.zeros((5, 1), np.float32), 0.1, 4),
        (out, 1j, 4),
        (out, 1),
    ):
        with pytest.raises(TypeError, match="No matching definition for argument type"):
            kernel[1, 8](*wrong)


def test_one_of_several_signatures_is_chosen():
    @cuda.jit(["void(int64[:], int32)", "void(float64[:], float64)"])
    def kernel(out, value):
        out[cuda.grid(1)] = value / 2

    whole, real = np.zeros(2, np.int64), np.zeros(2)
    kernel[1, 2](whole, 7)
    kernel[1, 2](real, 7)
    assert whole.tolist() == [3, 3] and real.tolist() == [3.5, 3.5]
    assert len(kernel.signatures) == 2 and not kernel.specialized


def test_the_signature_that_changes_least_is_chosen():
    @cuda.jit(["void(int64[:], int64)", "void(int64[:], float64)"])
    def kernel(out, value):
        out[0] = value * 3 / 2

    out = np.zeros(1, np.int64)
    for value, expected in ((np.int32(3), 4), (np.float32(2.5), 3), (np.int8(-3), -4)):
        kernel[1, 1](out, value)
        assert out[0] == expected


def test_a_call_that_fits_two_signatures_equally_well_is_ambiguous():
    @cuda.jit(
        [
            "void(float64[:], float32, float64)",
            "void(float64[:], float64, float32)",
            "void(int64[:], int64, int64)",
        ]
    )
    def kernel(out, a, b):
        out[0] = a + b

    out = np.zeros(1)
    with pytest.raises(TypeError, match="Ambiguous overloading for argument type") as caught:
        kernel[1, 1](out, 1.0, 2.0)
    message = str(caught.value)
    assert "float32, float64" in message and "float64, float32" in message
    assert "int64, int64" not in message and out[0] == 0
    kernel[1, 1](out, np.float32(1), 2.0)
    assert out[0] == 3


def test_types_as_signatures():
    @cuda.jit((types.float64[:], np.int32))
    def kernel(out, value):
        out[cuda.grid(1)] = value

    out = np.zeros(3)
    kernel[1, 3](out, 4)
    assert out.tolist() == [4, 4, 4]


def test_kernels_are_specialised():
    x = np.arange(4.0)
    special = scale.specialize(x, 2.0)
    assert special.specialized and special.signatures == [(types.float64[::1], types.float64)]
    special[1, 32](x, 2.0)
    assert x.tolist() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match="already specialized"):
        special.specialize(x, 2.0)


def test_what_a_kernel_needs():
    @cuda.jit("void(float64[:])")
    def kernel(x):
        part = cuda.shared.array(32, np.float64)
        t = cuda.threadIdx.x
        part[t] = x[t]
        cuda.syncthreads()
        x[t] = part[31 - t]

    assert kernel.get_shared_mem_per_block() == 256
    assert kernel.get_max_threads_per_block() > 0
    assert kernel.get_regs_per_thread() >= 0 and kernel.get_local_mem_per_thread() >= 0
    assert kernel.get_const_mem_size() >= 0
    assert kernel.get_shared_mem_per_block((types.float64[:],)) == 256

    @cuda.jit(["void(float64[:])", "void(float32[:])"])
    def other(x):
        x[0] = 1

    by_signature = other.get_shared_mem_per_block()
    assert by_signature == {(types.float64[:],): 0, (types.float32[:],): 0}


def test_the_code_can_be_inspected():
    @cuda.jit("void(float64[:])")
    def kernel(x):
        x[cuda.grid(1)] = math.sin(x[0])

    signature = kernel.signatures[0]
    assert "kernel" in kernel.inspect_llvm(signature)
    assert list(kernel.inspect_asm()) == [signature] and kernel.inspect_asm(signature)
    text = io.StringIO()
    kernel.inspect_types(file=text)
    assert "float64" in text.getvalue() and "__global__" in text.getvalue()
    if devices.IS_CPU:
        with pytest.raises(NotImplementedError, match="inspect_asm"):
            kernel.inspect_sass()


def double(x):
    return x * 2


def été(x):
    return x * 2


def test_ptx_without_a_gpu():
    code, result = cuda.compile_ptx(scale, "void(float32[:], float32)", cc=(8, 0))
    assert ".visible .entry" in code and ".target sm_80" in code and result == types.none
    code, _ = cuda.compile_ptx(scale.py_func, (types.float64[::1], types.float64), fastmath=True)
    assert ".target sm_75" in code
    assert cuda.compile(scale, "void(float32[:], float32)", device=False)[0]
    code, _ = cuda.compile_ptx_for_current_device(scale, "void(float32[:], float32)")
    assert ".visible .entry" in code
    code, result = cuda.compile(square, "float32(float32)")
    assert ".visible .func  (.param .b32 func_retval0) square(" in code and result == types.float32
    code, result = cuda.compile(square.py_func, (types.int32,), abi_info={"abi_name": "named"})
    assert "func_retval0) named(" in code and ".b64 func_retval0" in code and result == types.int64
    code, result = cuda.compile_ptx(square, "int16(int32)", device=True)
    assert ".b32 func_retval0) square(" in code and "square_param_1" in code
    assert result == types.int16
    for function in (lambda x: x * 2, double, été):
        code, result = cuda.compile_ptx(function, (types.float64,), device=True)
        assert ".visible .func" in code and result == types.float64
    assert ") lambda(" in cuda.compile(lambda x: x * 2, (types.float64,))[0]
    with pytest.raises(TypeError, match=r"square\(\) returns float64, but is declared to return c"):
        cuda.compile(square, "complex64(float64)")
    with pytest.raises(NotImplementedError, match="Unsupported ABI: x"):
        cuda.compile(square, "float32(float32)", abi="x")
    with pytest.raises(
        NotImplementedError, match="Unsupported output type: ltoir; compile makes 'ptx'"
    ):
        cuda.compile(square, "float32(float32)", output="ltoir")
    with pytest.raises(ValueError, match=r"cc expects \(7, 5\) or more"):
        cuda.compile_ptx(scale, "void(float32[:], float32)", cc=(3, 0))
    with pytest.raises(TypeError, match="cc expects a compute capability"):
        cuda.compile_ptx(scale, "void(float32[:], float32)", cc=80)
    with pytest.raises(TypeError, match="void return type"):
        cuda.compile_ptx(scale, "int32(float32[:], float32)")


def test_host_arrays_come_back_when_they_are_written():
    x, out = np.arange(5.0), np.zeros(5)
    x.flags.writeable = False
    squares[1, 32](x, out)
    assert out.tolist() == [0, 1, 4, 9, 16]
    with pytest.raises(ValueError, match="read-only"):
        squares[1, 32](out, x)


def test_overlapping_host_arrays_share_memory():
    x = np.arange(6.0)
    squares[1, 32](x[:4], x[2:])
    assert x.tolist()[:2] == [0, 1]
    whole = np.arange(4.0)
    squares[1, 32](whole, whole)
    assert whole.tolist() == [0, 1, 4, 9]


def test_arrays_of_all_kinds_are_arguments():
    host = np.arange(4.0)
    mapped, managed = cuda.mapped_array(4), cuda.managed_array(4)
    for array in (mapped, managed):
        array[...] = host
        scale[1, 32](array, 3)
        cuda.synchronize()
        assert array.tolist() == [0, 3, 6, 9]
    device = cuda.to_device(host)
    scale[1, 32](device, 3)
    scale[1, 32](device[1:3], 2)
    plain = ww.asarray(host)
    scale[1, 32](plain, 4)
    assert device.copy_to_host().tolist() == [0, 6, 12, 9] and plain.get().tolist() == [0, 4, 8, 12]


def test_warnings_about_host_arrays():
    x = np.zeros(4)
    with pytest.warns(NumbaPerformanceWarning, match="Host array used in CUDA kernel") as seen:
        scale[1, 32](x, 2)
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Grid size 1 ")  # of GPUs
        scale[1, 32](cuda.to_device(x), 2)


@pytest.mark.parametrize("variable", [
    "NUMBA_CUDA_WARN_ON_IMPLICIT_COPY=0", "NUMBA_DISABLE_PERFORMANCE_WARNINGS=1",
])  # fmt: skip
def test_warnings_can_be_switched_off(monkeypatch, variable):
    monkeypatch.setenv(*variable.split("="))
    with warnings.catch_warnings(record=True) as seen:
        scale[1, 32](np.zeros(4), 2)
    assert not seen


LIMIT = 3


def test_changed_globals_are_seen():
    global LIMIT

    @cuda.jit
    def kernel(out):
        out[0] = LIMIT

    out = np.zeros(1)
    kernel[1, 1](out)
    LIMIT = 5
    before = out[0]
    kernel[1, 1](out)
    LIMIT = 3
    assert (before, out[0]) == (3, 5)


def test_libdevice():
    from warpwise.cuda import libdevice

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i, 0] = libdevice.sinf(x[i])
        out[i, 1] = libdevice.dadd_rd(x[i], 1.0)
        out[i, 2] = libdevice.popc(i)
        s, c = libdevice.sincos(x[i])
        out[i, 3] = s * s + c * c
        m, e = libdevice.frexp(x[i])
        out[i, 4] = m * 2.0**e
        f, w = libdevice.modf(x[i])
        out[i, 5] = f + w

    x = np.array([0.3, -2.75, 1e-310, 5.0])
    out = np.zeros((4, 6))
    kernel[1, 4](x, out)
    np.testing.assert_allclose(out[:, 0], np.sin(x.astype(np.float32)), rtol=1e-6)
    assert out[:, 2].tolist() == [0, 1, 1, 2]
    np.testing.assert_allclose(out[:, 3], 1, rtol=1e-14)
    assert np.array_equal(out[:, 4], x) and np.array_equal(out[:, 5], x)
    with pytest.raises(AttributeError, match=r"math\.nan"):
        libdevice.nan  # noqa: B018


class Color(enum.Enum):
    RED = 3
    BLUE = 5


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 9


def test_members_of_enums_by_name_and_as_arguments():
    @cuda.jit
    def kernel(out, color, level):
        out[0] = color == Color["RED"]
        out[1] = color == Color.BLUE
        out[2] = Level["HIGH"] + level

    out = np.zeros(3, int)
    for color, level in ((Color.RED, Level.LOW), (Color.BLUE, Level.HIGH)):
        kernel[1, 1](out, color, level)
        assert list(out) == [color is Color.RED, color is Color.BLUE, 9 + level]


class Way(enum.Enum):
    SUM = "sum"
    PRODUCT = "product"
    PAIR = (1, 2.5)


@pytest.mark.parametrize("way", [Way.SUM, Way.PRODUCT])
def test_members_of_enums_that_are_no_numbers(way):
    @cuda.jit
    def kernel(out):
        out[0] = way is Way.SUM
        out[1] = way is not Way.PRODUCT
        out[2] = Way.PAIR is Way.PAIR

    out = np.zeros(3, int)
    kernel[1, 1](out)
    assert list(out) == [way is Way.SUM, way is not Way.PRODUCT, 1]


def test_specializations_are_kept():
    @cuda.jit
    def kernel(x):
        x[0] = 7

    assert kernel.specializations == {}
    first = kernel.specialize(types.float32[::1])
    assert kernel.specialize(np.zeros(2, np.float32)) is first
    assert kernel.specialize(types.float32[:]) is not first
    assert len(kernel.specializations) == 2
    x = np.zeros(2, np.float32)
    first[1, 1](x)
    assert x[0] == 7


def test_launch_bounds():
    @cuda.jit(launch_bounds=(128, 2))
    def kernel(x):
        x[cuda.grid(1)] = 1

    x = np.zeros(128)
    kernel[1, 128](x)
    assert x.all()
    assert "__launch_bounds__(128, 2) kernel(" in kernel.inspect_source("float64[::1]")
    with pytest.raises(ww.LaunchError):
        kernel[1, 256](np.zeros(256))


@pytest.mark.parametrize(("extents", "error", "words"), [
    (((1, 2, 3, 4), 5), ValueError, r"griddim must be a sequence of 1, 2 or 3 integers, got \[1"),
    ((1, (1, 2, 3, 4)), ValueError, "blockdim must be a sequence of 1, 2 or 3"),
    ((2.0, 3), TypeError, r"griddim must be a sequence of integers, got \[2.0\]"),
    ((2, 3.0), TypeError, r"blockdim must be a sequence of integers, got \[3.0\]"),
])  # fmt: skip
def test_wrong_extents_are_refused_before_the_call(extents, error, words):
    with pytest.raises(error, match=words):
        scale[extents]


def test_bits_of_unsigned_numbers_are_counted():
    @cuda.jit
    def kernel(out, x, y):
        out[0] = x.bit_count()
        out[1] = y.bit_count()

    out = np.zeros(2, int)
    kernel[1, 1](out, np.uint64(2**64 - 1), np.int64(-3))
    assert list(out) == [64, 2]


def test_compiled_kernels_have_numbas_attributes():
    @cuda.jit("void(float64[:])")
    def kernel(x):
        x[cuda.grid(1)] = 1
        cuda.cg.this_grid().sync()

    (compiled,) = kernel.overloads.values()
    assert compiled.cooperative and compiled.max_cooperative_grid_blocks((16, 16)) >= 1
    assert compiled.max_cooperative_grid_blocks(32, 1024) >= 1
    assert compiled.max_threads_per_block >= 256 and compiled.regs_per_thread >= 0
    assert compiled.const_mem_size >= 0 and compiled.local_mem_per_thread >= 0
    assert compiled.shared_mem_per_block == 0 and "sync" in compiled.source


def test_the_code_of_device_functions_is_shown():
    @cuda.jit(device=True)
    def tripled(x):
        return 3 * x

    assert "tripled" in tripled.inspect_asm("float64(float64)")
    assert "tripled" in tripled.inspect_llvm((types.float64,))
    with pytest.raises(RuntimeError, match="Cannot inspect SASS of a device function"):
        tripled.inspect_sass("float64(float64)")
    with pytest.raises(TypeError, match="Cannot compile a device function as a kernel"):
        tripled[1, 1](1.0)


def test_launches_that_the_device_does_not_take_are_errors_of_its_driver():
    from warpwise.cuda.errors import CudaAPIError

    @cuda.jit
    def kernel(x):
        x[cuda.grid(1)] = 1

    with pytest.raises(CudaAPIError) as caught:
        kernel[1, 1025](np.zeros(4))
    assert isinstance(caught.value, ww.LaunchError) and "1025" in caught.value.msg
    assert caught.value.kernel == "kernel"
