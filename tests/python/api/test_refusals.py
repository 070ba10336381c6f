"""A kernel that cannot be compiled is refused by itself: the others of its source run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("it leaves out parts of a source, which NVRTC does not")

PROGRAM = """#include <vector>
#include <absent_library.h>
__device__ float helper(float x) { return function_of_that_library(x); }
__global__ void good(float *x) { x[threadIdx.x] *= 2; }
__global__ void needs_it(float *x) { x[0] = helper(x[1]); }
__global__ void odd(float *x) {
    #pragma unroll
    for (int i = 0; i < 4; ++i) asm("odd.f32 %0, %1;" : "=f"(x[i]) : "f"(x[i + 1]));
}
template <class T> __global__ void made(T *x) { x[0] = T(3); }
template <class T> __global__ void lost(T *x) { x[0] = other_function(x[1]); }
int main() { std::vector<float> v; good<<<1, 4>>>(v.data()); }
"""


@pytest.fixture
def program() -> ww.SourceModule:
    return ww.SourceModule(PROGRAM, name="program.cu")


def test_the_others_run(program: ww.SourceModule) -> None:
    x = np.arange(4, dtype=np.float32)
    program["good"](ww.InOut(x), grid=1, block=4)
    np.testing.assert_array_equal(x, [0, 2, 4, 6])
    program["made<float>"](ww.InOut(x), block=1)
    assert x[0] == 3


def test_asking_for_it_names_the_place(program: ww.SourceModule) -> None:
    with pytest.raises(
        ww.CompileError, match=r"program.cu:3:.*'function_of_that_library'"
    ) as caught:
        program.get_function("needs_it")
    assert caught.value.line == 3
    assert "^" in caught.value.log


def test_an_unsupported_construct_refuses_only_its_kernel(program: ww.SourceModule) -> None:
    with pytest.raises(ww.UnsupportedError, match=r"odd\.f32") as caught:
        program.get_function("odd")
    assert caught.value.line == 8


def test_an_error_in_an_instance_names_the_cause(program: ww.SourceModule) -> None:
    with pytest.raises(ww.CompileError, match="other_function"):
        program.get_function("lost<float>")


def test_the_log_names_refused_kernels(program: ww.SourceModule) -> None:
    assert "program.cu:3:" in program.log
    assert "odd.f32" in program.log


def test_the_error_is_raised_at_once_where_no_kernel_remains() -> None:
    with pytest.raises(ww.CompileError, match="function_of_that_library"):
        ww.SourceModule(
            "#include <absent.h>\n"
            "__global__ void k(float *x) { *x = function_of_that_library(*x); }"
        )


def test_an_error_in_the_users_own_code_is_raised_at_once() -> None:
    with pytest.raises(ww.CompileError, match="'lenght'"):
        ww.SourceModule("__global__ void a(int *p) { *p = lenght; }\n__global__ void b() {}")


def test_a_refused_kernel_stays_refused_in_the_cache() -> None:
    for _ in range(2):
        module = ww.SourceModule(PROGRAM)
        with pytest.raises(ww.CompileError):
            module.get_function("needs_it")


def test_a_missing_header_of_ones_own_matters_where_it_is_needed() -> None:
    source = '#include "mine.h"\n__global__ void k(int *p) { *p = 5; }\n'
    module = ww.SourceModule(source)
    assert "'mine.h' file not found" in module.log
    out = np.zeros(1, np.int32)
    module["k"](ww.Out(out), block=1)
    assert out[0] == 5
    with pytest.raises(ww.CompileError, match=r"'mine.h' file not found"):
        ww.SourceModule(source.replace("5", "FIVE"))


def test_headers_of_a_toolkit_on_the_path_are_not_mixed_with_ours(tmp_path: Path) -> None:
    (tmp_path / "vector_types.h").write_text("struct dim3 { int x; };\n")
    module = ww.SourceModule(
        "#include <vector_types.h>\n__global__ void k(int4 *p) { p->x = 1; }",
        include_dirs=[str(tmp_path)],
    )
    assert module.functions == ["k"]


def test_registers_in_inline_ptx_need_only_one_percent() -> None:
    module = ww.SourceModule("""
    __global__ void k(unsigned *p) {
        unsigned lane;
        asm("mov.u32 %0, %laneid;" : "=r"(lane));
        p[threadIdx.x] = lane;
    }""")
    out = np.zeros(40, np.uint32)
    module["k"](ww.Out(out), block=40)
    np.testing.assert_array_equal(out, np.arange(40) % 32)


def test_nvidias_libraries_on_the_path_are_not_used(tmp_path: Path) -> None:
    (tmp_path / "thrust").mkdir()
    (tmp_path / "thrust" / "version.h").touch()
    (tmp_path / "thrust" / "device_vector.h").write_text("#error this needs a host compiler\n")
    module = ww.SourceModule(
        "#include <thrust/device_vector.h>\n__global__ void k(int *p) { *p = 1; }",
        include_dirs=[str(tmp_path)],
    )
    assert module.functions == ["k"]


def test_old_templates_say_template_before_names_without_arguments() -> None:
    module = ww.SourceModule("""
    struct Maker { template <class T> __device__ static T make(T x) { return x + 1; } };
    template <class M> __global__ void k(int *p) { *p = M::template make(41); }
    """)
    out = np.zeros(1, np.int32)
    module["k<Maker>"](ww.Out(out), block=1)
    assert out[0] == 42


def test_kernels_work_on_what_cufft_gives() -> None:
    module = ww.SourceModule("""
    #include <cufft.h>
    cufftHandle plan;
    __global__ void scale(cufftComplex *z, cufftReal by) {
        z[threadIdx.x].x *= by;
        z[threadIdx.x].y *= by;
    }
    void transform(cufftComplex *z) { cufftExecC2C(plan, z, z, CUFFT_FORWARD); }
    """)
    z = np.arange(8, dtype=np.complex64) * (1 + 2j)
    wanted = z * np.float32(3)
    module["scale"](ww.InOut(z), 3, block=8)
    np.testing.assert_array_equal(z, wanted)


def test_a_function_from_another_file_refuses_the_kernels_that_call_it() -> None:
    module = ww.SourceModule(
        "extern __device__ float elsewhere(float x);\n"
        "__global__ void needs_it(float *x) { *x = elsewhere(*x); }\n"
        "__global__ void good(float *x) { *x = 5; }\n",
        name="parts.cu",
    )
    x = np.zeros(1, np.float32)
    module["good"](ww.Out(x), block=1)
    assert x[0] == 5
    with pytest.raises(ww.CompileError, match=r"parts.cu:2:.*'elsewhere.*not defined in this"):
        module.get_function("needs_it")


@pytest.mark.parametrize("executor", ["gang", "reference"])
def test_a_variable_from_another_file_belongs_to_the_module(executor: str) -> None:
    module = ww.SourceModule(
        "extern __constant__ float table[4];\nextern __device__ int count;\n"
        "__global__ void kernel(float *x) {\n"
        "    x[threadIdx.x] = table[threadIdx.x];\n"
        "    atomicAdd(&count, 1);\n"
        "}\n",
        options=[f"--warpwise-executor={executor}"],
    )
    assert "'table' is declared extern and defined elsewhere" in module.log
    module.get_global("table").copy_from(np.float32([1, 2, 3, 4]))
    x = np.zeros(4, np.float32)
    module["kernel"](ww.Out(x), block=4)
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    count = np.zeros(1, np.int32)
    module.get_global("count").copy_to(count)
    assert count[0] == 4


def test_an_unroll_pragma_without_a_loop_means_nothing() -> None:
    module = ww.SourceModule(
        "__global__ void kernel(int *x) {\n"
        "    #pragma unroll\n    int last = 3;\n"
        "    #pragma unroll 0\n    for (int i = 0; i < last; ++i) x[i] += i;\n"
        "    #pragma unroll\n\n    x[last] = 9;\n"
        "}\n"
    )
    x = np.zeros(4, np.int32)
    module["kernel"](ww.InOut(x), block=1)
    assert x.tolist() == [0, 1, 2, 9]


def test_device_functions_with_types_that_are_missing_are_left_out() -> None:
    module = ww.SourceModule(
        "#include <absent/tensors.h>\n"
        "__device__ absent::Half twice(const absent::Half x) { return x + absent::Half(x); }\n"
        "struct Pair { int n; __device__ absent::Half get() { return absent::Half(n); } };\n"
        "__global__ void kernel(int *x) { *x = 11; }\n"
    )
    x = np.zeros(1, np.int32)
    module["kernel"](ww.Out(x), block=1)
    assert x[0] == 11


def test_the_log_reports_once_where_the_last_attempt_stopped() -> None:
    with pytest.raises(ww.CompileError) as caught:
        ww.SourceModule(
            "#include <absent/tensors.h>\n"
            "absent::Thing thing;\n"
            "__global__ void kernel(int *x) { *x = 11; }\n"
            "}\n",
            name="broken.cu",
        )
    assert caught.value.log.count("broken.cu:4:1: error: extraneous") == 1


def test_template_heads_with_defaults_end_where_their_kernel_does() -> None:
    module = ww.SourceModule(
        "#include <absent/tensors.h>\n"
        "namespace inner {\n"
        "template <int n, bool twice = (1 > 2), class T = absent::Half>\n"
        "__global__ void made(int *x) { *x = twice ? 2 * n : n; }\n"
        "absent::Tensor run(absent::Tensor x) { return x; }\n"
        "__global__ void kernel(int *x) {\n"
        "    absent::Half h;\n    #pragma unroll\n    for (int i = 0; i < 4; ++i) h += i;\n"
        "}\n"
        "__global__ void good(int *x) { *x = 11; }\n"
        "}\n"
    )
    x = np.zeros(1, np.int32)
    module["inner::good"](ww.Out(x), block=1)
    assert x[0] == 11
    with pytest.raises(ww.CompileError, match="'absent'"):
        module.get_function("inner::kernel")


def test_launches_in_initialisers_of_host_variables_are_host_code() -> None:
    module = ww.SourceModule(
        "__global__ void kernel(int *x) { *x = 7; }\n"
        "auto run = [](int *x) { kernel<<<1, 1>>>(x); };\n"
        "int main() { run(nullptr); }\n"
    )
    x = np.zeros(1, np.int32)
    module["kernel"](ww.Out(x), block=1)
    assert x[0] == 7


def test_halves_are_there_where_a_missing_header_would_have_brought_them() -> None:
    module = ww.SourceModule(
        "#include <absent/tensors.h>\n"
        "__global__ void kernel(__half *x) { *x = __float2half(1.5f); }\n"
    )
    x = np.zeros(1, np.float16)
    module["kernel"](ww.Out(x), block=1)
    assert x[0] == 1.5


def test_what_was_left_out_is_checked_again_when_a_header_changes(tmp_path: Path) -> None:
    header = tmp_path / "own.h"
    source = """#include <absent_library.h>
    #include "own.h"
    template <class T> __global__ void made(T *x) { x[0] = T(WORTH) + helper(); }
    """

    def value(text: str, instance: str) -> float:
        header.write_text(text)
        module = ww.SourceModule(source, include_dirs=[str(tmp_path)])
        x = np.zeros(1, np.float32 if "float" in instance else np.float64)
        module[instance](ww.InOut(x), block=1)
        return float(x[0])

    host = "inline void print(library::stream &out) { out << WORTH; }\n"
    before = "#define WORTH 3\n" + host + "__device__ int helper() { return 10; }\n"
    after = "__device__ int helper() { return 20; }\n#define WORTH 4\n" + 2 * host
    assert value(before, "made<float>") == 13
    assert value(before, "made<double>") == 13
    assert value(after, "made<float>") == 24
    assert value(before, "made<double>") == 13
