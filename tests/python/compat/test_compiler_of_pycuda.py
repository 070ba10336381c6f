"""pycuda.compiler, modules and the linker: every argument, every way to load code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import devices
import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import compiler, elementwise, gpuarray, reduction, scan
from pycuda.compiler import SourceModule

import warpwise as ww

SET = "__global__ void set(int *p) { *p = VALUE; }"
ONE = (1, 1, 1)


def value_of(module: Any, name: str = "set") -> int:
    result = np.zeros(1, np.int32)
    module.get_function(name)(drv.Out(result), block=ONE)
    return int(result[0])


def run(program: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {"WARPWISE_DEVICE": devices.NAME} | variables,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_options_and_folders_are_used(tmp_path: Path) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 7\n")
    assert value_of(SourceModule(SET, options=["-DVALUE=5"])) == 5
    assert value_of(SourceModule('#include "value.h"\n' + SET, include_dirs=[str(tmp_path)])) == 7


def test_options_may_be_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "DEFAULT_NVCC_FLAGS", ["-DVALUE=3"])
    assert value_of(SourceModule(SET)) == 3
    assert compiler.DEFAULT_NVCC_FLAGS == ["-DVALUE=3"]


def test_arguments_that_steer_nvcc_have_no_effect() -> None:
    module = SourceModule(
        SET, nvcc="/opt/nvcc", options=["-DVALUE=2"], arch="sm_35", code="sm_35", no_extern_c=True
    )
    assert isinstance(module, compiler.CudaModule) and isinstance(module, drv.Module)
    assert module.module is module and value_of(module.module) == 2


def test_programs_are_kept_in_the_folder_that_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    source = SET + "\n// kept elsewhere"
    assert value_of(SourceModule(source, options=["-DVALUE=4"], cache_dir=str(folder))) == 4
    assert list(folder.glob("??/*"))


def test_without_a_folder_sources_are_compiled_each_time() -> None:
    source = SET + "\n// not kept"
    modules = []
    before = ww.cache_info()
    for _ in range(2):
        modules.append(SourceModule(source, options=["-DVALUE=5"], cache_dir=False))
    after = ww.cache_info()
    assert (after.hits, after.misses) == (before.hits, before.misses)
    assert [value_of(module) for module in modules] == [5, 5]


LINKING = {
    "-L": ["-L", "/usr/lib"],
    "-L joined": ["-L/usr/lib"],
    "-l": ["-l", "cudadevrt"],
    "-l joined": ["-lcudadevrt"],
    "several": ["-l", "cudadevrt", "-L", "/usr/lib", "-L", "/usr"],
    "--library": ["--library=cudadevrt", "--library-path", "/usr/lib"],
    "-Xlinker": ["-Xlinker", "-s", "--linker-options=-s"],
    "-dlink": ["-dlink"],
}


@pytest.mark.parametrize("options", LINKING.values(), ids=LINKING.keys())
@pytest.mark.parametrize("make", [SourceModule, compiler.DynamicSourceModule])
def test_options_of_nvccs_linker_are_passed_over(make: Any, options: list[str]) -> None:
    assert value_of(make(SET, options=[*options, "-D", "VALUE=6", "-lineinfo"])) == 6


def test_an_option_without_its_value_is_refused() -> None:
    with pytest.raises(drv.LogicError, match="'-l' expects a value"):
        SourceModule(SET, options=["-DVALUE=6", "-l"])


def test_a_default_of_the_environment_is_shown() -> None:
    program = (
        "import sys, warpwise.compat as c; c.install()\n"
        "from pycuda import autoinit, compiler as k\nprint(k.DEFAULT_NVCC_FLAGS)\n"
        "k.SourceModule('static_assert(M == 3); __global__ void k() {}')"
    )
    assert run(program, PYCUDA_DEFAULT_NVCC_FLAGS="-DM=3 -O2") == "['-DM=3', '-O2']\n"


def test_an_option_of_the_environment_includes_pycudas_headers() -> None:
    program = (
        "import warpwise.compat as c; c.install()\n"
        "from pycuda import autoinit, compiler as k\n"
        "k.SourceModule('__global__ void k(pycuda::complex<float> *z) { z[0] *= z[1]; }')"
    )
    assert run(program, PYCUDA_DEFAULT_NVCC_FLAGS="-include pycuda-complex.hpp") == ""


def test_the_folder_of_the_environment_keeps_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """cache_dir comes before PYCUDA_CACHE_DIR; PYCUDA_DISABLE_CACHE before both."""
    folders = [tmp_path / name for name in ("usual", "own", "none")]

    def kept(value: int, **arguments: str) -> list[bool]:
        assert value_of(SourceModule(SET, options=[f"-DVALUE={value}"], **arguments)) == value
        return [any(folder.glob("??/*")) for folder in folders]

    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(folders[0]))
    assert kept(11) == [True, False, False]
    assert kept(12, cache_dir=str(folders[1])) == [True, True, False]
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "1")
    assert kept(13, cache_dir=str(folders[2])) == [True, True, False]


def test_a_later_architecture_than_the_devices_warns() -> None:
    """Section 1.7: sm_90a only warns, and sm_100 is compared wrongly."""
    is_gpu = not devices.IS_CPU
    later = {"sm_35": False, "sm_75": False, "sm_100": is_gpu, "sm_999": is_gpu}
    for arch, is_later in later.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            SourceModule(SET, options=["-DVALUE=1"], arch=arch)
        assert bool(caught) == is_later


def test_kept_files_show_what_was_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    SourceModule(SET, options=["-DVALUE=1"], keep=True)
    folder = Path(capsys.readouterr().out.split()[-1])
    assert (folder / "kernel.cu").read_text() == SET
    names = {path.name for path in folder.iterdir()}
    assert len(names) == 2 and names & {"kernel.s", "kernel.ptx"}
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


MIXED = {
    "none": ("__global__ void set(int *p) { *p = VALUE; }", False),
    "own block": ('extern "C" { __global__ void set(int *p) { *p = VALUE; } }', False),
    "not wrapped": ('extern "C" {\n__global__ void set(int *p) { *p = VALUE; }\n}', True),
    "of one function": ('extern "C" __global__ void set(int *p) { *p = VALUE; }', False),
    "nested": (
        'extern "C++" { template <class T> __device__ T same(T x) { return x; } }\n'
        "__global__ void set(int *p) { *p = same(VALUE); }",
        False,
    ),
    "closed and opened again": (
        '} // of pycuda\n/* } */ template <class T> __device__ T same(T x) { return x; }\n'
        'extern "C" {\n__device__ const char *text = "}}";\n'
        "__global__ void set(int *p) { *p = same(VALUE); }",
        False,
    ),
    "templates without a block": (
        "template <class T> __device__ T same(T x) { return x; }\n"
        "__global__ void set(int *p) { *p = same(VALUE); }",
        False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_extern_c_in_any_mixture(name: str) -> None:
    """Section 4.3, #264: extern "C" around sources clashes with C++, or is closed and opened."""
    source, no_extern_c = MIXED[name]
    module = SourceModule(source, options=["-DVALUE=4"], no_extern_c=no_extern_c)
    assert value_of(module) == 4


def test_errors_have_all_of_pycudas_attributes() -> None:
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void k() { nonsense; }", options=["-DX=1"])
    error = caught.value
    assert error.command_line == ["warpwise", "compile", "-DX=1"]
    assert "nonsense" in error.stderr and error.stdout == "" and error.msg
    assert compiler.CompileError is drv.CompileError
    made = drv.CompileError("words", ["nvcc"], stdout="out", stderr="err")
    assert (made.msg, made.command_line) == ("words", ["nvcc"])
    assert (made.stdout, made.stderr) == ("out", "err")
    assert issubclass(drv.RuntimeError, drv.Error)


def test_lines_of_errors_are_the_users() -> None:
    closed = '}\ntemplate <class T> __device__ T f(T x) { return x; }\nextern "C" {\nnonsense;\n'
    with pytest.raises(drv.CompileError, match=r"kernel\.cu:4"):
        SourceModule(closed)


def test_warnings_of_the_compiler_are_warnings() -> None:
    with pytest.warns(UserWarning, match="succeeded, but said"):
        SourceModule("__global__ void k() { int unused; }\n#warning look here")


def test_debugging_is_an_option_of_every_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drv, "CUDA_DEBUGGING", drv.CUDA_DEBUGGING)  # as it was, at the end
    assert drv.CUDA_DEBUGGING is False
    drv.set_debugging()
    assert drv.CUDA_DEBUGGING is True
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("nonsense;", options=["-DX"])
    drv.set_debugging(flag=False)
    assert caught.value.command_line[-2:] == ["-g", "-G"]
    assert drv.CUDA_DEBUGGING is False


@pytest.mark.parametrize("target", ["cubin", "fatbin"])
def test_what_compile_gives_can_be_loaded(target: str, tmp_path: Path) -> None:
    image = compiler.compile(SET, options=["-DVALUE=8"], target=target)
    assert isinstance(image, bytes)
    assert value_of(drv.module_from_buffer(image)) == 8
    path = tmp_path / "set.cubin"
    path.write_bytes(image)
    assert value_of(drv.module_from_file(filename=str(path))) == 8
    messages: list[Any] = []
    handler = lambda *words: messages.append(words)  # noqa: E731
    module = drv.module_from_buffer(image, options=[], message_handler=handler)
    assert value_of(module) == 8 and messages[0][0] is True
    with pytest.warns(UserWarning, match="no effect"):
        drv.module_from_buffer(image, [(drv.jit_option.MAX_REGISTERS, 32)])


def test_compile_takes_all_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 6\n")
    image = compiler.compile(
        '#include "value.h"\n' + SET, "nvcc", [], True, True, None, None, None, [str(tmp_path)]
    )
    folder = Path(capsys.readouterr().out.split()[-1])
    assert "value.h" in (folder / "kernel.cu").read_text()
    assert value_of(drv.module_from_buffer(image)) == 6
    with pytest.raises(drv.LogicError, match="'exe'"):
        compiler.compile(SET, target="exe")
    with pytest.raises(drv.CompileError, match="nonsense"):
        compiler.compile("nonsense;")


def test_ptx_is_for_any_architecture() -> None:
    """Section 4.2, #134, #272, #437: a toolkit older than the GPU, or later than it supports; here
    any architecture is compiled for."""
    text = compiler.compile(SET, options=["-DVALUE=8"], arch="sm_90", target="ptx")
    assert b".target sm_90" in text
    assert b".visible .entry" in compiler.compile(SET, options=["-DVALUE=8"], target="ptx")
    code = compiler.compile(SET, options=["-DVALUE=8"], arch="sm_90")
    assert code[:4] == b"\x7fELF"


def test_plain_compilation_takes_its_options_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiler, "DEFAULT_NVCC_FLAGS", ["-DVALUE=3"])
    image = compiler.compile_plain(SET, ["-DVALUE=9"], True, "nvcc", None)
    assert "***" in capsys.readouterr().out
    assert value_of(drv.module_from_buffer(image)) == 9
    for options in (["-arch=sm_80"], ["-arch", "sm_80"], ["--gpu-architecture", "compute_80"],
                    ["-arch=sm_70", "-arch=sm_80", "-code", "sm_80"]):  # fmt: skip
        text = compiler.compile_plain(
            SET, ["-DVALUE=9", *options], False, "nvcc", None, target="ptx"
        )
        assert b".target sm_80" in text
    with pytest.raises(drv.LogicError, match="not 'sm_9'"):
        compiler.compile_plain(SET, ["-arch", "sm_9"], False, "nvcc", None)


def test_sources_are_preprocessed() -> None:
    text = compiler.preprocess_source("#define N 7\nint n = N + M;", ["-DM=4"], "nvcc")
    assert text.endswith("int n = 7 + 4;\n")
    with pytest.raises(drv.CompileError, match=r"no_such_header\.h") as caught:
        compiler.preprocess_source('#include "no_such_header.h"', [], nvcc="nvcc")
    assert "preprocessed" in caught.value.command_line
    assert "no_such_header.h" in (caught.value.stderr or "")


def test_preprocessing_resolves_includes_and_macros(tmp_path: Path) -> None:
    (tmp_path / "twice.h").write_text("#pragma once\n#define TWICE(x) (2 * (x))\nint gone;\n")
    source = """
        #include "twice.h"
        #include "twice.h"
        #include <pycuda-complex.hpp>
        __global__ void set(int *p) { /* none */ *p = TWICE(VALUE); }"""
    text = compiler.preprocess_source(source, ["-DVALUE=4", f"-I{tmp_path}"], "nvcc")
    assert "*p = (2 * (4)); }" in text and text.count("int gone;") == 1
    assert "none" not in text and "class complex" in text and "#include" not in text
    assert value_of(SourceModule(text, no_extern_c=True)) == 8


def test_preprocessing_is_for_one_gpu() -> None:
    source = "int a = __CUDA_ARCH__;"
    for options, number in ((["-arch=sm_75"], 750), (["-arch", "compute_100"], 1000),
                            (["--gpu-architecture=sm_120a"], 1200)):  # fmt: skip
        text = compiler.preprocess_source(source, options, "nvcc")
        assert f"int a = {number};" in text
    own = compiler.preprocess_source("#ifdef __WARPWISE_CPU__\nint cpu;\n#endif", [], "nvcc")
    assert ("int cpu;" in own) == devices.IS_CPU


def test_preprocessing_takes_options_as_compiling_does(tmp_path: Path) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 5\n")
    source = '#include "value.h"\n#ifdef __CUDACC__\nint n = M + VALUE;\n#endif'
    for options in (["-D", "M=7", "-I", str(tmp_path)], ["-DM=7", f"-I{tmp_path}"],
                    ["--define-macro", "M=7", f"--include-path={tmp_path}", "-O3"]):  # fmt: skip
        assert "int n = 7 + 5;" in compiler.preprocess_source(source, options, "nvcc")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({"options": ["--bogus"]}, "--bogus"), ({"arch": "gpu"}, "'gpu'"), ({"code": "ptx"}, "'ptx'")],
)
def test_options_that_nvcc_would_refuse_are_compile_errors(
    wrong: dict[str, Any], named: str
) -> None:
    with pytest.raises(drv.CompileError, match=named) as caught:
        SourceModule("__global__ void set(int *p) {}", **wrong)
    assert caught.value.msg and caught.value.stderr


def test_nvccs_version_is_that_of_what_compiles() -> None:
    assert compiler.get_nvcc_version(nvcc="nvcc")
    assert ww.version() in compiler.get_nvcc_version("/no/such/nvcc")


TWICE = "__device__ int twice(int x) { return 2 * x; }"
CALLER = "extern __device__ int twice(int x);\n__global__ void set(int *p) { *p = twice(VALUE); }"


@pytest.mark.cpu_only("sources are parts of what it links")
def test_linkers_join_what_compile_gave(tmp_path: Path) -> None:
    messages: list[Any] = []
    handler = lambda *words: messages.append(words)  # noqa: E731
    linker = drv.Linker(message_handler=handler, log_verbose=True)
    linker.add_data(compiler.compile(TWICE, options=[]), drv.jit_input_type.CUBIN, name="twice")
    path = tmp_path / "caller.cubin"
    path.write_bytes(compiler.compile(CALLER, options=["-rdc=true", "-DVALUE=21"]))
    linker.add_file(str(path), drv.jit_input_type.CUBIN)
    assert value_of(linker.link_module()) == 42
    assert messages == [(True, messages[0][1], "")]
    with pytest.warns(UserWarning, match="no effect"):
        drv.Linker(options=[(drv.jit_option.MAX_REGISTERS, 32)])


def test_linkers_report_errors_to_the_handler() -> None:
    messages: list[Any] = []
    module = compiler.DynamicModule(
        message_handler=lambda *words: messages.append(words), log_verbose=True
    )
    module.add_source("__global__ void k() { nonsense; }", name="broken.cu")
    with pytest.raises(drv.CompileError, match="nonsense") as caught:
        module.link()
    assert messages[0][0] is False and "broken.cu" in messages[0][2]
    assert "broken.cu" in caught.value.stderr


@pytest.mark.cpu_only("sources are parts of what it links")
def test_dynamic_modules_take_every_argument(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 4\n")
    module = compiler.DynamicModule(
        "nvcc", None, True, True, None, None, None, [str(tmp_path)], None, False, None
    )
    assert module.add_source('#include "value.h"\n' + CALLER, ["-DX"], "caller.cu") is module
    image = compiler.compile(TWICE, options=[])
    path = tmp_path / "twice.cubin"
    path.write_bytes(image)
    assert module.add_file(str(path), drv.jit_input_type.CUBIN) is module
    assert module.add_stdlib("cudadevrt").link() is module
    assert "***" in capsys.readouterr().out
    assert value_of(module) == 8
    again = compiler.DynamicModule(include_dirs=[str(tmp_path)], cuda_libdir=str(tmp_path))
    again.add_data(image, drv.jit_input_type.CUBIN, name="twice")
    again.add_source('#include "value.h"\n' + CALLER, nvcc_options=["-rdc=true", "-lcudadevrt"])
    assert value_of(again.link().module) == 8


NESTED = """
__global__ void child(int *p) { atomicAdd(p, VALUE); }
__global__ void set(int *p) { *p = 0; child<<<2, 3>>>(p); }
"""


def test_dynamic_source_modules_take_every_argument(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = compiler.DynamicSourceModule(
        NESTED, "nvcc", ["-DVALUE=7"], True, True, None, None, None, [str(tmp_path)], None
    )
    assert "***" in capsys.readouterr().out
    assert value_of(module) == 42
    with pytest.raises(drv.Error, match="no_such"):
        module.get_function(name="no_such")


def test_dynamic_modules_are_linked_before_use() -> None:
    module = compiler.DynamicModule().add_source(SET, ["-DVALUE=1"])
    for unlinked in (module.get_function, module.get_global, module.get_texref):
        with pytest.raises(drv.LogicError, match=r"link\(\) it first"):
            unlinked("set")
    assert value_of(module.link()) == 1


@pytest.mark.parametrize(
    "load",
    [
        drv.module_from_file,
        lambda path: drv.Linker().add_file(path, drv.jit_input_type.CUBIN),
        lambda path: compiler.DynamicModule().add_file(path, drv.jit_input_type.CUBIN),
    ],
)
def test_files_that_cannot_be_read_are_named(load: Any, tmp_path: Path) -> None:
    for path, kind in ((tmp_path / "none.cubin", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(drv.RuntimeError, match=re.escape(str(path))) as caught:
            load(str(path))
        assert isinstance(caught.value, kind) and isinstance(caught.value, ww.DeviceError)
        assert caught.value.filename == str(path)


def test_variables_are_memory() -> None:
    module = SourceModule("__constant__ int table[4]; __global__ void k(int *p) { *p = table[3]; }")
    pointer, size = module.get_global(name="table")
    assert isinstance(pointer, drv.DeviceAllocation) and size == 16
    drv.memcpy_htod(pointer, np.arange(4, dtype=np.int32))
    assert value_of(module, "k") == 3
    with pytest.raises(drv.Error, match="no_such"):
        module.get_global("no_such")


def test_modules_have_references() -> None:
    module = SourceModule("""
        texture<float, 2> tex; surface<void, 2> surf;
        __global__ void k(float *p) { *p = tex2D(tex, 0, 0); surf2Dwrite(5.0f, surf, 0, 0); }""")
    surfref = module.get_surfref(name="surf")
    with pytest.raises(drv.LogicError, match="SURFACE_LDST"):
        surfref.set_array(drv.np_to_array(np.ones((2, 2), np.float32), "C"))
    assert isinstance(surfref, drv.SurfaceReference)
    array = drv.np_to_array(np.ones((2, 2), np.float32), "C", True)
    surfref.set_array(array, 0)
    assert surfref.get_array() is array
    module.get_texref(name="tex").set_array(drv.np_to_array(np.full((2, 2), 3, np.float32), "C"))
    result, back = np.zeros(1, np.float32), np.zeros((2, 2), np.float32)
    module.get_function("k")(drv.Out(result), block=ONE)
    copy = drv.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(back)
    copy.width_in_bytes = copy.dst_pitch = 8
    copy.height = 2
    copy()
    assert result[0] == 3 and back[0, 0] == 5 and back[1, 1] == 1


COMPLEX = """
#include <pycuda-complex.hpp>
typedef pycuda::complex<REAL> number;
__global__ void all(const number *a, const number *b, number *out, int n)
{
    const int i = threadIdx.x;
    if (i >= n) return;
    const number x = a[i], y = b[i];
    number s = x;
    s += y; s -= 2; s *= y; s /= x;
    out[0 * n + i] = x + y; out[1 * n + i] = x - y; out[2 * n + i] = x * y; out[3 * n + i] = x / y;
    out[4 * n + i] = 2 * x - 1; out[5 * n + i] = 1 / x + 3.0f; out[6 * n + i] = s;
    out[7 * n + i] = conj(x); out[8 * n + i] = abs(x); out[9 * n + i] = arg(x);
    out[10 * n + i] = norm(x); out[11 * n + i] = exp(x); out[12 * n + i] = log(x);
    out[13 * n + i] = log10(x); out[14 * n + i] = sqrt(x); out[15 * n + i] = pow(x, y);
    out[16 * n + i] = pow(x, (REAL)1.5); out[17 * n + i] = pow(x, -3); out[18 * n + i] = sin(x);
    out[19 * n + i] = cos(x); out[20 * n + i] = tan(x); out[21 * n + i] = sinh(x);
    out[22 * n + i] = cosh(x); out[23 * n + i] = tanh(x);
    out[24 * n + i] = pycuda::polar(abs(x), arg(x)); out[25 * n + i] = -x;
    out[26 * n + i] = number(real(x), x.imag()); out[27 * n + i] = imag(+x);
    out[28 * n + i] = (x == y) + 2 * (x != y); out[29 * n + i] = pow((REAL)2, x);
    volatile number v; v = x; v = v; out[30 * n + i] = v;
    pycuda::complex<double> wide = x; out[31 * n + i] = (number)(wide * wide);
}
"""


@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
def test_complex_numbers_are_those_of_numpy(kind: Any) -> None:
    """Section 4.4, #372 and #34: parts swapped by exp, integers mixed with complex numbers."""
    rng, real = np.random.default_rng(), np.dtype(kind).type(0).real.dtype
    a = (rng.normal(size=64) + 1j * rng.normal(size=64)).astype(kind)
    b = (rng.normal(size=64) + 1j * rng.normal(size=64)).astype(kind)
    out = np.zeros((32, 64), kind)
    name = "float" if real == np.float32 else "double"
    module = SourceModule(COMPLEX, options=[f"-DREAL={name}"])
    module.get_function("all")(drv.In(a), drv.In(b), drv.Out(out), np.int32(64), block=(64, 1, 1))
    x, y = a.astype(np.complex128), b.astype(np.complex128)
    expected = [
        x + y, x - y, x * y, x / y, 2 * x - 1, 1 / x + 3, (x + y - 2) * y / x, x.conj(), abs(x),
        np.angle(x), abs(x) ** 2, np.exp(x), np.log(x), np.log10(x), np.sqrt(x), x**y, x**1.5,
        x**-3.0, np.sin(x), np.cos(x), np.tan(x), np.sinh(x), np.cosh(x), np.tanh(x), x, -x, x,
        x.imag, np.full(64, 2), 2**x, x, x * x,
    ]  # fmt: skip
    eps = np.finfo(real).eps
    for row, (ours, theirs) in enumerate(zip(out, expected, strict=True)):
        np.testing.assert_allclose(ours, theirs, rtol=500 * eps, atol=50 * eps, err_msg=str(row))


def test_complex_numbers_are_arguments_by_value() -> None:
    source = """
    #include <pycuda-complex.hpp>
    __global__ void set(pycuda::complex<float> z, float *p) { p[0] = z.real(); p[1] = z.imag(); }"""
    result = np.zeros(2, np.float32)
    SourceModule(source).get_function("set")(np.complex64(3 + 4j), drv.Out(result), block=ONE)
    assert result.tolist() == [3, 4]


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90", "sm_100"])
def test_complex_numbers_compile_for_gpus(target: str, real: str) -> None:
    code = compiler.compile(COMPLEX, options=[f"-DREAL={real}"], arch=target)
    assert code[:4] == b"\x7fELF"


VOLATILE = """
#include <pycuda-complex.hpp>
typedef pycuda::complex<float> T;
__global__ void product_of_sums(T *out, const T *in)
{
    extern __shared__ T shared[];
    volatile T *v = shared;
    v[threadIdx.x] = v[threadIdx.x + 2] = in[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = v[threadIdx.x] + v[threadIdx.x + 2];
    __syncthreads();
    out[threadIdx.x] = v[0] * v[1] - v[0];
}
"""


def test_volatile_complex_numbers_have_arithmetic() -> None:
    numbers = np.array([1 + 2j, 3 - 1j], np.complex64)
    result = np.zeros(2, np.complex64)
    kernel = SourceModule(VOLATILE).get_function("product_of_sums")
    kernel(drv.Out(result), drv.In(numbers), block=(2, 1, 1), shared=4 * numbers.itemsize)
    a, b = 2 * numbers
    np.testing.assert_allclose(result, a * b - a, rtol=1e-6)


KERNELS = {
    "elementwise": lambda x: elementwise.ElementwiseKernel("float *x", "x[i] *= 2")(x),
    "reduction": lambda x: reduction.ReductionKernel(
        np.float32, "0", "a+b", "x[i]", "float *x"
    )(x).get(),
    "scan": lambda x: scan.InclusiveScanKernel(np.float32, "a+b")(x),
}  # fmt: skip


@pytest.mark.parametrize("kind", KERNELS)
def test_the_folder_of_the_environment_keeps_kernels_over_arrays(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path))
    x = gpuarray.to_gpu(np.ones(4, np.float32))
    KERNELS[kind](x)
    assert any(tmp_path.glob("??/*"))
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "1")
    KERNELS[kind](x)
    assert not (tmp_path / "none").exists()


def test_what_formats_itself_is_a_source() -> None:
    """PyCUDA's demos hand modules of cgen's over."""

    class Module:
        def __str__(self) -> str:
            return SET

    assert value_of(SourceModule(Module(), options=["-DVALUE=6"])) == 6


def test_parts_of_complex_numbers_are_written_to() -> None:
    """PyCBC's kernels do: PyCUDA's members are public."""
    array = gpuarray.zeros(2, np.complex64)
    text = "z[i]._M_re = i; z[i]._M_im = -3"
    elementwise.ElementwiseKernel("pycuda::complex<float> *z", text)(array)
    np.testing.assert_array_equal(array.get(), [-3j, 1 - 3j])


@pytest.mark.parametrize("header", ["pycuda-complex.hpp", "pycuda-helpers.hpp"])
def test_headers_of_pycuda_are_not_reached_by_macros(header: str) -> None:
    macros = "".join(f"#define {name} 7\n" for name in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    source = f"{macros}#include <{header}>\n__global__ void set(int *p) {{ *p = N; }}"
    assert value_of(SourceModule(source, no_extern_c=True)) == 7
