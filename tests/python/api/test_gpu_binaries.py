"""Machine code for GPUs: loaded, linked, inspected. Without a GPU: the fake driver's devices load
anything and run nothing."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import warpwise as ww

NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
HAS_LINKER = importlib.util.find_spec("nvidia") is not None

needs_nvcc = pytest.mark.skipif(not Path(NVCC).exists(), reason="takes nvcc")

Run = Callable[[str], str]

SETUP = """
AXPY = '''
struct Pair { double a; int b[3]; };
__constant__ float table[16];
namespace n { __device__ int count = 3; }
__global__ void axpy(float a, float *x, const float *y, int n) { x[n] += a * y[n] * table[n]; }
extern "C" __global__ void plain(Pair p, char c) { n::count = p.b[1] + c; }
'''
def code(format, target="sm_90", **more):
    return ww.compile(AXPY, target=target, format=format, **more)
"""


@pytest.fixture
def on_fake_gpu(on_fake_gpu: Run) -> Run:
    return lambda source: on_fake_gpu(SETUP + textwrap.dedent(source))


def test_a_cubin_lists_its_kernels(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu("""
        m = ww.Module.from_bytes(code("cubin"))
        print(sorted(m.functions), sorted(m.globals), m["axpy"].signature)
        print(m["plain"].signature, [p.passing for p in m["plain"].signature.parameters])
        print(m.get_global("table").size, m.get_global("n::count").size)
    """)
    assert printed.splitlines() == [
        "['axpy', 'plain'] ['n::count', 'table'] axpy(float, float*, float const*, int)",
        "plain(24 bytes, 1 bytes) ['sized', 'sized']",
        "64 4",
    ]


def test_arguments_of_known_types_are_checked(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu("""
        import numpy as np
        m = ww.Module.from_bytes(code("cubin"))
        x = ww.mem_alloc(64)
        m["axpy"](2.5, x, ww.In(np.ones(4, np.float32)), 3, block=32)
        print(message(lambda: m["axpy"](2.5, x, ww.In(np.ones(4)), 3, block=32)))
        print(message(lambda: m["plain"](np.zeros(20, np.uint8), 1, block=32)))
        pair = np.zeros((), np.dtype([("a", "f8"), ("b", "i4", 3)], align=True))
        m["plain"](pair[()], np.int8(1), block=32)
        print(message(lambda: m["plain"](pair[()], np.int16(1), block=32)))
    """).splitlines()
    assert "float const*" in printed[0]
    assert "ArgumentError" in printed[0]
    assert "Error" in printed[1]
    assert "expects 1 bytes, got 1 (int16)" in printed[2]


@pytest.mark.parametrize("kind", ["str", "bytes", "file"])
def test_ptx_is_accepted_as_text_bytes_or_file(on_fake_gpu: Run, kind: str, tmp_path: Path) -> None:
    ptx = ww.compile(
        "__global__ void k(float *x, int n) { x[n] = 1; }", target="sm_90", format="ptx"
    )
    assert isinstance(ptx, str)
    file = tmp_path / "k.ptx"
    file.write_text(ptx)
    load = {
        "str": f"ww.Module.from_bytes({ptx!r})",
        "bytes": f"ww.Module.from_bytes({ptx.encode()!r})",
        "file": f"ww.Module.from_file({str(file)!r})",
    }[kind]
    assert on_fake_gpu(f"print({load}['k'].signature)") == "k(float*, int)\n"


def test_what_is_no_code_for_this_gpu_is_refused(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu("""
        print(message(lambda: ww.Module.from_bytes(code("cubin", "sm_80"), name="old.cubin")))
        print(message(lambda: ww.Module.from_bytes(b"hello")))
        print(message(lambda: ww.Module.from_bytes(code("cubin")[:3000])))
        print(message(lambda: ww.Module.from_file("/nowhere/k.cubin")))
        print(message(lambda: ww.Module.from_bytes(code("cubin", options=["-dc"]))))
        print(message(lambda: ww.Module.from_bytes(code("cubin")).get_function("axpi")))
    """).splitlines()
    assert "'old.cubin' is a cubin for sm_80, but the device is sm_90" in printed[0]
    assert "'image' is neither PTX, a cubin nor a fatbin" in printed[1]
    assert "'image' is no whole cubin" in printed[2]
    assert "cannot read the file '/nowhere/k.cubin'" in printed[3]
    assert "relocatable code" in printed[4]
    assert "did you mean 'axpy'?" in printed[5]


@pytest.mark.cpu_only("what it has not")
def test_the_cpu_loads_no_machine_code() -> None:
    with pytest.raises(ww.UnsupportedError, match="give it the source"):
        ww.Module.from_bytes(b"\x7fELF")


MAIN = """
extern __device__ float square(float x);
extern __constant__ float factor;
__global__ void k(float *x, int n) { x[n] = square(x[n]) * factor; }
"""
LIBRARY = """
__constant__ float factor;
__device__ float square(float x) { return x * x; }
"""


@pytest.mark.parametrize("options", [[], ["-dlto"], ["-lineinfo", "--maxrregcount=64"]])
def test_sources_link(on_fake_gpu: Run, options: list[str]) -> None:
    printed = on_fake_gpu(f"""
        m = ww.link([{MAIN!r}, {LIBRARY!r}], options={options!r})
        print(m["k"].signature, m.functions)
    """)
    assert printed == "k(float *x, int n) ['k']\n"


def test_sources_and_machine_code_link(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu(f"""
        library = ww.compile({LIBRARY!r}, target="sm_90", format="cubin", options=["-rdc=true"])
        print(ww.link([{MAIN!r}, library])["k"].signature)
        print(ww.link([{MAIN!r}, {LIBRARY!r}, AXPY])["axpy"].signature)
    """)
    assert printed == "k(float *x, int n)\naxpy(float a, float *x, const float *y, int n)\n"


def test_a_library_may_be_named_twice(on_fake_gpu: Run) -> None:
    """As PyCUDA's programs name -lcudadevrt, which its DynamicSourceModule adds."""
    nested = """__global__ void child(int *x) { *x = 1; }
    __global__ void parent(int *x) { child<<<1, 1>>>(x); }"""
    printed = on_fake_gpu(f"""
        options = ["-lcudadevrt", "-l", "cudadevrt"]
        print(sorted(ww.link([{nested!r}], options=options).functions))
    """)
    assert printed == "['child', 'parent']\n"


def test_errors_of_parts_that_launch_kernels_are_the_compilers(on_fake_gpu: Run) -> None:
    nested = """__global__ void child(int *x) { *x = 1; }
    __global__ void parent(int *x) { child<<<1, 1>>>(x); no_such_call(); }"""
    printed = on_fake_gpu(f"print(message(lambda: ww.link([{nested!r}])))")
    assert "no_such_call" in printed.splitlines()[0]


def test_finished_programs_are_no_parts(on_fake_gpu: Run) -> None:
    """nvJitLink passes over them, and the linked module has no kernels."""
    printed = on_fake_gpu("""
        whole = ww.compile(AXPY, target="sm_90", format="cubin")
        print(message(lambda: ww.link([whole])))
    """)
    assert "'part1' is a finished program, whose kernel 'plain' is not linked" in printed


@pytest.mark.parametrize("options", [[], ["-dlto"]])
def test_an_undefined_symbol_is_named(on_fake_gpu: Run, options: list[str]) -> None:
    printed = on_fake_gpu(f"""
        print(message(lambda: ww.link([{MAIN!r}], options={options!r})))
    """)
    assert printed.startswith("CompileError: no part defines ")
    assert "square(float)" in printed


@pytest.mark.parametrize("options", [[], ["-dlto"]])
def test_a_symbol_that_two_parts_define_is_named(on_fake_gpu: Run, options: list[str]) -> None:
    printed = on_fake_gpu(f"""
        twice = [{MAIN!r}, {LIBRARY!r}, {LIBRARY!r}]
        print(message(lambda: ww.link(twice, options={options!r})))
        plain = 'extern "C" __device__ int f(int x) {{ return x; }}'
        print(message(lambda: ww.link([plain, plain], options={options!r})))
    """)
    first, second = (line for line in printed.splitlines() if line.startswith("CompileError: "))
    assert "square(float)' is defined more than once" in first or "'factor' is defined" in first
    assert second.startswith("CompileError: 'f' is defined more than once")
    assert ("'part1.cu' and in 'part2.cu'" in second) == (not options)


def test_a_symbol_that_two_ptx_parts_define_is_named(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu(f"""
        main = ww.compile({MAIN!r}, target="sm_90", format="ptx", options=["-rdc=true"])
        library = ww.compile({LIBRARY!r}, target="sm_90", format="ptx", options=["-rdc=true"])
        print(ww.link([main, library]).functions)
        print(message(lambda: ww.link([main, library, library])))
    """)
    whole, twice = printed.splitlines()
    assert whole == "['k']"
    assert "'factor' is defined more than once: in 'part2.ptx' and in 'part3.ptx'" in twice


def test_a_link_is_cached(on_fake_gpu: Run, tmp_path: Path) -> None:
    printed = on_fake_gpu(f"""
        import os
        os.environ["WARPWISE_CACHE_SIZE"] = "1G"
        os.environ["WARPWISE_CACHE_DIR"] = {str(tmp_path / "cache")!r}
        parts = [{MAIN!r}, {LIBRARY!r}]
        for _ in range(2):
            before = ww.cache_info().misses
            ww.link(parts)
            print(ww.cache_info().misses - before)
    """)
    first, again = map(int, printed.split())
    assert first > again == 0


def test_parts_that_do_not_fit_are_named(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu(f"""
        old = ww.compile({LIBRARY!r}, target="sm_80", format="cubin", options=["-dc"])
        print(message(lambda: ww.link([{MAIN!r}, old])))
        print(message(lambda: ww.link([{MAIN!r}, b"hello"])))
        print(message(lambda: ww.link([])))
        print(message(lambda: ww.link([{MAIN!r}, {LIBRARY!r}], options=["-lnothing"])))
    """).splitlines()
    assert "'part2' is a cubin for sm_80, but the device is sm_90" in printed[0]
    assert "'part2' is no part of a program for GPUs" in printed[1]
    assert "nothing to link" in printed[2]
    assert "there is no libnothing.a" in printed[3]


def test_a_relocatable_source_is_linked_alone(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu("""
        m = ww.SourceModule(AXPY, options=["-rdc=true"])
        print(m["axpy"].signature, m.get_global("table").size)
    """)
    assert printed == "axpy(float a, float *x, const float *y, int n) 64\n"


def test_a_cubin_of_kernels_that_launch_kernels_is_whole(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu("""
        source = '''
            __global__ void leaf(int *x) { atomicAdd(x, 1); }
            __global__ void tree(int *x) { leaf<<<1, 32>>>(x); }'''
        cubin = ww.compile(source, target="sm_90", format="cubin")
        print(*sorted(ww.Module.from_bytes(cubin).functions))
    """)
    assert printed == "leaf tree\n"


def test_kernels_that_launch_kernels_are_linked_unasked(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu("""
        m = ww.SourceModule('''
            __device__ int count;
            __global__ void leaf(int *x) { atomicAdd(x, count); }
            __global__ void tree(int *calls, int depth) {
                if (depth > 0) tree<<<1, 32>>>(calls, depth - 1);
                leaf<<<1, 1>>>(calls);
            }''')
        print(m["tree"].signature, m["leaf"].signature, m.get_global("count").size)
    """)
    assert printed == "tree(int*, int) leaf(int*) 4\n"


@pytest.mark.cpu_only("which has no linker")
def test_files_that_link_on_the_cpu_find_headers_in_their_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.h").write_text("#define N 3\n")
    (tmp_path / "a.cu").write_text('#include "mine.h"\n__global__ void k(int *x) { *x = N; }\n')
    assert ww.link([tmp_path / "a.cu"]).functions == ["k"]


def test_sources_link_on_the_cpu() -> None:
    import numpy as np

    module = ww.link([LIBRARY, MAIN])
    module.get_global("factor").copy_from(np.array([2], np.float32))
    x = np.array([3, 4], np.float32)
    module["k"](ww.InOut(x), 1, block=1)
    assert x.tolist() == [3, 32]


def test_nvrtc_provides_what_the_front_end_refuses(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu("""
        source = "__global__ void __cluster_dims__(2, 1, 1) k(float *p, int n) { p[n] = 1; }"
        print(ww.SourceModule(source)["k"].signature)
        print(message(lambda: ww.SourceModule(source + "wrong")))
    """).splitlines()
    assert printed[0] == "k(float*, int)"
    assert printed[1].startswith(("CompileError", "UnsupportedError"))


@needs_nvcc
def test_nvcc_compiles_on_request(on_fake_gpu: Run) -> None:
    printed = on_fake_gpu("""
        m = ww.SourceModule(AXPY, options=["--nvcc", "-O3"])
        print(m["axpy"].signature, sorted(m.globals))
        wrong = "__global__ void k() { wrong; }"
        print(message(lambda: ww.SourceModule(wrong, options=["--nvcc"])))
    """).splitlines()
    assert printed[0].startswith("axpy(float a, float *x, const float *y, int n) ")
    assert printed[1].startswith("CompileError: nvcc refuses the source: kernel.cu(1): error")


@needs_nvcc
@pytest.mark.parametrize("more", [[], ["-no-compress"]])
def test_the_part_of_a_fatbin_is_loaded(on_fake_gpu: Run, more: list[str], tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *x, int n) { x[n] = 1; }")
    fatbin = tmp_path / "k.fatbin"
    parts = [
        "-gencode",
        "arch=compute_80,code=sm_80",
        "-gencode",
        "arch=compute_80,code=compute_80",
    ]
    command = [NVCC, "-fatbin", *more, *parts, "-o", str(fatbin), str(source)]
    subprocess.run(command, check=True)
    assert on_fake_gpu(f"print(ww.Module.from_file({str(fatbin)!r})['k'].signature)") == (
        "k(float*, int)\n"
    )


def test_a_missing_nvcc_is_named(on_fake_gpu: Run) -> None:
    if Path("/usr/local/cuda/bin/nvcc").exists():
        pytest.skip("the toolkit's own folder has one")
    printed = on_fake_gpu("""
        import os
        os.environ["PATH"] = ""
        print(message(lambda: ww.SourceModule(AXPY, options=["--nvcc"])))
    """)
    assert "there is no nvcc" in printed
