"""SourceModule and compile(): options, headers, names, globals and compile errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import warpwise as ww

PUT = "__global__ void put(int *p) { *p = VALUE; }"
VARIABLES = """
__constant__ float table[4];
__device__ int counter = 5;
__global__ void look(float *out, int i) { out[0] = table[i]; out[1] = counter; }
"""


def put(module: ww.SourceModule) -> int:
    out = np.zeros(1, np.int32)
    module["put"](ww.Out(out), block=1)
    return int(out[0])


def test_options_reach_the_compiler() -> None:
    assert put(ww.SourceModule(PUT, options=["-DVALUE=42"])) == 42


def test_headers_are_found_in_folders(tmp_path: Path) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 7\n")
    source = '#include "value.h"\n' + PUT
    assert put(ww.SourceModule(source, include_dirs=[tmp_path])) == 7


def test_a_changed_header_is_noticed(tmp_path: Path) -> None:
    header, source = tmp_path / "value.h", '#include "value.h"\n' + PUT
    header.write_text("#define VALUE 7\n")
    put(ww.SourceModule(source, include_dirs=[tmp_path]))
    header.write_text("#define VALUE 8\n")
    assert put(ww.SourceModule(source, include_dirs=[tmp_path])) == 8


def test_headers_may_live_in_memory() -> None:
    source = '#include "value.h"\n' + PUT
    assert put(ww.SourceModule(source, headers={"value.h": "#define VALUE 9\n"})) == 9


def test_one_string_is_no_list_of_options() -> None:
    with pytest.raises(ww.ArgumentError, match="options expects a list"):
        ww.SourceModule(PUT, options="-DVALUE=1")


def test_variables_are_buffers() -> None:
    module = ww.SourceModule(VARIABLES)
    module.get_global("table").copy_from(np.arange(4, dtype=np.float32))
    module.get_global("counter").copy_from(np.int32(6))
    out = np.zeros(2, np.float32)
    module["look"](ww.Out(out), 3, block=1)
    np.testing.assert_array_equal(out, [3, 6])


def test_modules_list_what_they_have() -> None:
    module = ww.SourceModule(VARIABLES)
    assert module.functions == ["look"]
    assert sorted(module.globals) == ["counter", "table"]
    assert "look" in repr(module)


def test_unknown_kernels_are_refused_with_what_there_is() -> None:
    with pytest.raises(ww.ArgumentError, match=r"'lock'.*look"):
        ww.SourceModule(VARIABLES)["lock"]


def test_unknown_variables_are_refused_with_what_there_is() -> None:
    with pytest.raises(ww.ArgumentError, match=r"'tabel'.*table"):
        ww.SourceModule(VARIABLES).get_global("tabel")


def test_template_instances_are_compiled_on_demand() -> None:
    module = ww.SourceModule("template <class T> __global__ void one(T *p) { *p = 1; }")
    for name, dtype in (("one<float>", np.float32), ("one<short>", np.int16)):
        out = np.zeros(1, dtype)
        module.get_function(name)(ww.Out(out), block=1)
        assert out[0] == 1


def test_unknown_templates_are_refused() -> None:
    module = ww.SourceModule("template <class T> __global__ void one(T *p) { *p = 1; }")
    with pytest.raises((ww.ArgumentError, ww.CompileError), match="two"):
        module["two<float>"]


def test_an_array_over_a_variable_shares_its_memory() -> None:
    module = ww.SourceModule(VARIABLES)
    table = module.global_array("table", np.float32, (2, 2))
    table[...] = ww.asarray([[1, 2], [3, 4]]) * 2
    out = np.zeros(2, np.float32)
    module["look"](ww.Out(out), 3, block=1)
    np.testing.assert_array_equal(out, [8, 5])
    module.global_array("counter", "int32", ())[...] += 2
    module["look"](ww.Out(out), 0, block=1)
    np.testing.assert_array_equal(out, [2, 7])
    assert table.tolist() == [[2, 4], [6, 8]]


def test_an_array_over_a_variable_keeps_it() -> None:
    table = ww.SourceModule(VARIABLES).global_array("table", np.float32, 4)
    table[...] = 3
    assert float(table.sum()) == 12


def test_an_array_over_a_variable_fits_it() -> None:
    module = ww.SourceModule(VARIABLES)
    with pytest.raises(ww.ArgumentError, match="16"):
        module.global_array("table", np.float32, 5)
    with pytest.raises(ww.Error, match="tables"):
        module.global_array("tables", np.float32, 4)


@pytest.mark.parametrize(
    ("file", "reader"),
    [("kernel.cu", "SourceModule.from_file"), ("a folder/k.ptx", "use Module.from_file")],
)
def test_the_name_of_a_file_is_no_source(file: str, reader: str) -> None:
    with pytest.raises(ww.ArgumentError, match=f"{file}.*{reader}"):
        ww.SourceModule(file)


def test_warnings_are_in_the_log() -> None:
    log = ww.SourceModule("__global__ void k(int *p) { int unused; *p = 1 / 0; }", name="w.cu").log
    assert "w.cu:1:" in log


def test_a_compile_error_has_file_and_line() -> None:
    with pytest.raises(ww.CompileError) as caught:
        ww.SourceModule("__global__ void k(int *p)\n{\n  *p = q;\n}\n", name="mine.cu")
    error = caught.value
    assert (error.file, error.line) == ("mine.cu", 3)
    assert "mine.cu:3" in error.log
    assert "^" in error.log
    assert str(error) == error.log.strip()
    assert "'q'" in str(error)


UNSUPPORTED = {
    "__global__ void k(int *p) {\n  try { *p = 1; } catch (...) {}\n}": 2,
    "__global__ void k(int *p) {\n\n  throw 1;\n}": 3,
    "__global__ void __cluster_dims__(2, 1, 1) k(int *p) { *p = 1; }": 1,
    "struct A { virtual __device__ void f() {} };\nstruct B : A {};\n"
    "__global__ void k(A *a, bool *p) { *p = dynamic_cast<B *>(a); }": 3,
}


@pytest.mark.cpu_only("its compiler")
@pytest.mark.parametrize("source", UNSUPPORTED)
def test_an_unsupported_construct_has_file_and_line(source: str) -> None:
    with pytest.raises(ww.UnsupportedError) as caught:
        ww.SourceModule(source, name="mine.cu")
    error = caught.value
    assert (error.file, error.line) == ("mine.cu", UNSUPPORTED[source])
    assert source.splitlines()[error.line - 1] in str(error)
    assert "^" in str(error)


def test_a_missing_header_is_reported_once() -> None:
    with pytest.raises(ww.CompileError) as caught:
        ww.SourceModule('#line 7 "made.cu"\n#include "nowhere.h"\n')
    assert str(caught.value).count("'nowhere.h' file not found") == 1


def test_compile_gives_assembly_and_llvm() -> None:
    source = "__global__ void put(int *p) { *p = 1; }"
    assert "define" in ww.compile(source, target="cpu", format="llvm")
    assert ".text" in ww.compile(source, target="x86-64-v3", format="asm")


def test_compile_gives_objects_as_bytes() -> None:
    source = "__global__ void put(int *p) { *p = 1; }"
    code = ww.compile(source, target="cpu", format="object")
    assert isinstance(code, bytes) and code[:4] == b"\x7fELF"


def test_compile_gives_ptx_for_any_gpu() -> None:
    text = ww.compile(PUT, target="sm_90", format="ptx", options=["-DVALUE=1"])
    assert ".target sm_90" in text


def test_compile_gives_what_the_preprocessor_makes_of_a_source() -> None:
    source = """#include <missing_host_header>
        #include "mine.h"
        __global__ void put(int *p) { // the value
        #pragma unroll 4
            for (int i = 0; i < SIZE; ++i) p[i] = VALUE;
        }"""
    text = ww.compile(
        source, format="preprocessed", options=["-DVALUE=7"], headers={"mine.h": "#define SIZE 2"}
    )
    assert isinstance(text, str) and "for (int i = 0; i < 2; ++i) p[i] = 7;" in text
    assert "#pragma unroll 4" in text and "the value" not in text and "#include" not in text
    result = ww.zeros(2, dtype="int32")
    ww.SourceModule(text).get_function("put")(result, grid=1, block=1)
    assert result.get().tolist() == [7, 7]


def test_preprocessing_is_for_one_target() -> None:
    source = "int a = __CUDA_ARCH__ / 10;\n#ifdef __WARPWISE_CPU__\nint cpu;\n#endif\n"
    for target, number, is_cpu in (("cpu", 80, True), ("sm_90", 90, False), ("sm_35", 35, False),
                                   ("sm_100", 100, False), ("sm_103a", 103, False)):  # fmt: skip
        text = ww.compile(source, target=target, format="preprocessed")
        assert f"int a = {number}0 / 10;" in text and ("int cpu;" in text) == is_cpu


def test_preprocessing_reports_missing_headers_only() -> None:
    assert ww.compile("int x = ;", format="preprocessed") == "int x = ;\n"
    with pytest.raises(ww.CompileError, match=r"'nowhere\.h' file not found") as caught:
        ww.compile('\n#include "nowhere.h"\n', format="preprocessed", name="mine.cu")
    assert (caught.value.file, caught.value.line) == ("mine.cu", 2)
    with pytest.raises(ww.CompileError, match="too old"):
        ww.compile("#error too old", format="preprocessed")


def test_unknown_targets_and_formats_are_refused() -> None:
    with pytest.raises(ww.Error, match="z80"):
        ww.compile(PUT, target="z80", format="asm")
    with pytest.raises(ww.Error, match="wasm"):
        ww.compile(PUT, target="cpu", format="wasm")
