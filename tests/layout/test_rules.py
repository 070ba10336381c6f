"""Each rule against a bad sample and a good one: a rule that cannot fail is none."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import house_rules
import include_rules
import part_rules
import size_rules
from sources import bare_cxx, includes


def first(violations: Iterable[str]) -> str:
    return next(iter(violations), "")


def test_direction_refuses_an_include_that_points_up() -> None:
    text = '#include "src/runtime/backend.hpp"\n'
    assert "src/runtime/" in first(include_rules.direction("src/base/hash.cpp", text))
    assert not first(include_rules.direction("src/graph/node.cpp", text))


def test_direction_refuses_a_private_header_in_a_public_one() -> None:
    text = '#include "src/base/hash.hpp"\n'
    assert first(include_rules.direction("include/warpwise/error.hpp", text))


def test_direction_refuses_a_neighbour_of_the_same_rank() -> None:
    text = '#include "src/backends/null/queue.hpp"\n'
    assert first(include_rules.direction("src/backends/cpu/launch/queue.cpp", text))


def test_direction_reads_spaced_directives_and_names_the_line() -> None:
    text = '\n  #  include "src/array/array.hpp"\n'
    assert first(include_rules.direction("src/base/log.cpp", text)).startswith(
        "src/base/log.cpp:2:"
    )


def test_back_ends_are_private_but_for_the_registry() -> None:
    text = '#include "src/backends/cpu/backend.hpp"\n'
    rule = include_rules.back_ends_are_private
    assert first(rule("src/backends/other.cpp", text))
    assert first(rule("python/bindings/device/bind_device.cpp", text))
    assert not first(rule("src/backends/registry.cpp", text))
    assert not first(rule("src/backends/cpu/launch/queue.cpp", text))


def test_a_part_may_not_include_what_its_row_does_not_name() -> None:
    text = '#include "src/runtime/launch/launch.hpp"\n'
    rule = part_rules.part_order
    assert "pool of src/runtime/" in first(rule("src/runtime/pool/pool.cpp", text))
    assert not first(rule("src/runtime/graph/graph_kernel.cpp", text))
    assert not first(rule("src/runtime/launch/kernel.cpp", text))


def test_the_parts_of_a_component_inside_another_have_a_row_in_both() -> None:
    text = '#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"\n'
    assert first(
        part_rules.part_order("src/backends/cpu/compiler/gang/layout/layout.cpp", text)
    ).startswith("src/backends/cpu/compiler/gang/layout/layout.cpp:1: layout of ")
    assert first(part_rules.part_order("src/backends/cpu/image/images.cpp", text))


def test_a_new_folder_of_a_component_needs_a_row() -> None:
    assert "no part news" in first(part_rules.part_order("src/runtime/news/a.cpp", ""))


def test_a_row_that_names_more_than_is_needed_is_found() -> None:
    assert "no file of graph includes device" in "\n".join(part_rules.unused_rows([]))


def test_parts_that_include_each_other_are_found() -> None:
    circle = {".": "top", "low": "", "a": ". low b", "b": "c", "c": "a low", "top": "c"}
    assert part_rules.cyclic_parts(circle) == {"a", "b", "c"}
    assert part_rules.cyclic_parts({**circle, "c": ". low"}) == frozenset()


def test_folder_size() -> None:
    names = [f"src/types/type_{i}.cpp" for i in range(part_rules.FOLDER_LIMIT)]
    assert not first(part_rules.folder_size(names))
    assert "src/types: 26 source files" in first(part_rules.folder_size([*names, "src/types/a.h"]))
    large, (limit, _) = next(iter(part_rules.LARGE_FOLDERS.items()))
    assert not first(part_rules.folder_size(f"{large}/a{i}.cpp" for i in range(limit)))
    assert first(part_rules.folder_size(f"{large}/a{i}.cpp" for i in range(limit + 1)))


def test_unneeded_exceptions() -> None:
    large = next(iter(part_rules.LARGE_FOLDERS))
    names = [f"{large}/a{i}.cpp" for i in range(part_rules.FOLDER_LIMIT + 1)]
    assert large not in "\n".join(part_rules.unneeded_exceptions(names))
    assert large in first(part_rules.unneeded_exceptions(names[1:]))


def test_a_part_without_a_readme_is_found() -> None:
    assert "src/runtime/pool/ needs a README.md" in list(part_rules.part_folders([]))


def test_a_part_that_the_architecture_does_not_name_is_found() -> None:
    expected = "docs/explanation/architecture.md does not name src/runtime/pool/"
    assert expected in list(part_rules.undescribed_parts("`stream/`"))


def test_a_folder_inside_of_a_part_without_a_readme_is_found() -> None:
    inside = "src/runtime/pool/pieces/piece.hpp"
    assert "src/runtime/pool/pieces/ needs a README.md" in list(part_rules.part_folders([inside]))


def test_scripts_know_no_arrays_and_whole_array_functions_stand_above_them() -> None:
    rule = include_rules.direction
    assert first(rule("src/script/infer.cpp", '#include "src/array/array.hpp"\n'))
    assert first(rule("src/script/infer.cpp", '#include "src/graph/node.hpp"\n'))
    assert first(rule("src/array/array.cpp", '#include "src/jit/trace.hpp"\n'))
    above = '#include "src/script/tree.hpp"\n#include "src/array/array.hpp"\n'
    assert not first(rule("src/jit/trace.cpp", above))


def test_algorithms_know_no_graph_and_the_graph_no_arrays() -> None:
    rule = include_rules.direction
    assert first(rule("src/algorithm/scan.cpp", '#include "src/graph/node.hpp"\n'))
    assert first(rule("src/graph/node.cpp", '#include "src/array/array.hpp"\n'))
    assert not first(rule("src/graph/node.cpp", '#include "src/runtime/pending_work.hpp"\n'))


def test_the_cuda_runtime_api_stands_on_the_public_headers_alone() -> None:
    rule = include_rules.cudart_uses_the_public_api
    assert first(rule("src/cudart/memory.cpp", '#include "src/runtime/backend.hpp"\n'))
    assert first(rule("src/cudart/memory.cpp", '#include "src/base/log.hpp"\n'))
    good = '#include "src/cudart/handles.hpp"\n#include "warpwise/buffer.hpp"\n#include <map>\n'
    assert not first(rule("src/cudart/memory.cpp", good))


def test_nothing_includes_the_cuda_runtime_api() -> None:
    text = '#include "src/cudart/handles.hpp"\n'
    assert first(include_rules.direction("src/backends/cpu/backend.cpp", text))
    assert first(include_rules.direction("src/array/array.cpp", text))


@pytest.mark.parametrize(
    ("header", "bad", "good"),
    [
        (
            "llvm/IR/Module.h",
            "src/backends/cpu/launch/queue.cpp",
            "src/backends/cpu/compiler/lower.cpp",
        ),
        ("clang/AST/Decl.h", "src/compiler/source.cpp", "src/backends/cpu/compiler/front.cpp"),
        ("cuda.h", "src/runtime/device/device.cpp", "src/backends/cuda/driver/driver.cpp"),
        ("nvrtc.h", "src/compiler/source.cpp", "src/backends/cuda/compiler/compiler.cpp"),
        ("Python.h", "src/base/log.cpp", "python/bindings/module.cpp"),
        ("nanobind/nanobind.h", "tests/unit/base/x_test.cpp", "python/bindings/module.cpp"),
    ],
)
def test_walls(header: str, bad: str, good: str) -> None:
    assert header in first(include_rules.walls(bad, f"#include <{header}>\n"))
    assert not first(include_rules.walls(good, f"#include <{header}>\n"))


def test_cuda_programs_name_the_headers_of_the_toolkit() -> None:
    text = "#include <cuda_runtime.h>\n"
    assert not first(include_rules.walls("tests/programs/sorts/bitonic.cu", text))
    assert first(include_rules.walls("tests/unit/runtime/stream_test.cpp", text))


@pytest.mark.parametrize("header", ["<fmt/format.h>", "<xxhash.h>", '"src/base/hash.hpp"'])
def test_public_headers_refuse_private_and_third_party_ones(header: str) -> None:
    assert first(include_rules.public_headers("include/warpwise/error.hpp", f"#include {header}\n"))


def test_public_headers_may_include_each_other_and_the_standard_library() -> None:
    text = '#include <vector>\n#include "warpwise/error.hpp"\n'
    assert not first(include_rules.public_headers("include/warpwise/device.hpp", text))


def test_root_relative_refuses_a_name_from_the_own_folder() -> None:
    known = frozenset(["src/base/hash.hpp", "include/warpwise/error.hpp"])
    rule = include_rules.root_relative
    assert first(rule("src/base/hash.cpp", '#include "hash.hpp"\n', known))
    good = '#include "src/base/hash.hpp"\n#include "warpwise/error.hpp"\n'
    assert not first(rule("src/base/hash.cpp", good, known))


def test_examples_refuse_private_headers() -> None:
    rule = include_rules.examples_use_the_public_api
    assert first(rule("examples/cpp/a.cpp", '#include "src/base/hash.hpp"\n'))


def test_file_length() -> None:
    assert first(size_rules.file_length("src/a.cpp", "x\n" * 701))
    assert not first(size_rules.file_length("src/a.cpp", "x\n" * 700))
    assert first(size_rules.file_length("python/bindings/a.cpp", "x\n" * 301))


LONG = "    work();\n" * 100


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("int free_function(int x) {", "free_function"),
        ("template <class T>\nrequires std::integral<T>\nvoid Type<T>::f() const noexcept {", "f"),
        ("Type::Type(int a) : a_{a}, b_{1} {", "Type::Type"),
        ("Type::~Type() {", "Type::~Type"),
        ("bool operator==(const A& a, const A& b) {", "operator=="),
        ("TEST(Group, says_what_it_tests) {", "TEST"),
        ("namespace a::b {\nclass C final : public D {\n  public:\n    auto f() -> int {", "f"),
    ],
)
def test_a_cxx_function_over_100_lines_is_found(head: str, name: str) -> None:
    closing = "}\n" * (head.count("class C") * 2 + 1)
    text = f"{head}\n{LONG}{closing}"
    found = [found for found in size_rules.cxx_functions(text) if found[2] > 100]
    assert [found_name for found_name, _, _ in found] == [name]
    assert first(size_rules.cxx_function_length("src/a.cpp", text))


def test_a_function_of_100_lines_passes() -> None:
    text = "void f() {\n" + "    work();\n" * 98 + "}\n"
    assert [(lines) for _, _, lines in size_rules.cxx_functions(text)] == [100]
    assert not first(size_rules.cxx_function_length("src/a.cpp", text))


@pytest.mark.parametrize(
    ("opening", "line", "closing"),
    [
        ("const Row kRows[] = {", "    {1, 2},", "};"),
        ("struct A : B<int> {", "    int member_;", "};"),
        ("namespace x {", "int f() { return 1; }", "}"),
        ("namespace x {", "WARPWISE_ROW(name, 1)", "int f() { return 1; }\n}"),
    ],
)
def test_tables_classes_and_namespaces_are_no_functions(
    opening: str, line: str, closing: str
) -> None:
    text = "\n".join([opening, *[line] * 120, closing, ""])
    assert not first(size_rules.cxx_function_length("a.cpp", text))


def test_braces_in_literals_and_comments_do_not_count() -> None:
    text = 'void f() {\n    s = "}"; c = \'{\'; // }\n    r = R"(\n}\n)";\n}\nvoid g() {\n}\n'
    assert [(name, lines) for name, _, lines in size_rules.cxx_functions(text)] == [
        ("f", 6),
        ("g", 2),
    ]


def test_digit_separators_do_not_open_a_character() -> None:
    assert "after" in bare_cxx("int a = 1'000'000; int after;")


def test_includes_inside_raw_strings_are_text() -> None:
    assert not list(includes('auto s = R"(\n#include <cuda.h>\n)";\n'))


def test_a_python_function_over_100_lines_is_found() -> None:
    text = "def f():\n" + "    pass\n" * 100
    assert "f has 101 lines" in first(size_rules.python_function_length("a.py", text))


def test_two_test_files_of_one_name_are_found() -> None:
    paths = ("tests/a/test_x.py", "tests/b/test_x.py", "tests/b/conftest.py", "src/test_x.py")
    assert "tests/b/test_x.py" in first(house_rules.names_of_test_files(paths))
    assert not list(house_rules.names_of_test_files(paths[:1] + paths[2:]))


def test_head_comment() -> None:
    assert first(house_rules.head_comment("a.cpp", "#pragma once\n// late\n"))
    assert first(house_rules.head_comment("a.py", "import os\n"))
    assert not first(house_rules.head_comment("a.cpp", "// What lives here.\n"))
    assert not first(house_rules.head_comment("a.py", '#!/usr/bin/env python3\n"""What."""\n'))


def test_pragma_once() -> None:
    assert first(house_rules.pragma_once("a.hpp", "// Head.\nint x;\n"))


@pytest.mark.parametrize(
    "path", ["src/common/a.cpp", "src/base/utils.hpp", "python/warpwise/util.py"]
)
def test_folder_names(path: str) -> None:
    assert first(house_rules.folder_names(path))


def test_mandatory_virtuals_counts_pure_ones_only() -> None:
    text = (
        "class A {\n    virtual ~A() = default;\n    virtual int a() = 0;\n"
        "    virtual void b(int x,\n                   int y) noexcept = 0;  // = 0;\n"
        "    virtual int c() { return 0; }\n};\n"
    )
    assert house_rules.mandatory_virtuals(text) == 2


@pytest.mark.parametrize(
    "line",
    [
        "import warpwise._core",
        "from warpwise._core import Device",
        "from warpwise import _launch",
        "from ..._errors import Error",
        "from ... import _errors",
        "import warpwise as ww\nraise ww._errors.Error",
        "import warpwise\nwarpwise._core.Device()",
        "from warpwise import Device as D\nD._made",
    ],
)
def test_compat_diet_refuses_private_modules(line: str) -> None:
    path = "python/warpwise/compat/pycuda/driver.py"
    assert first(house_rules.compat_diet(path, f'"""Head."""\n{line}\n'))


@pytest.mark.parametrize(
    "line",
    [
        "import warpwise as ww\nww.Device().name, ww.__version__",
        "from ._errors import boundary",
        "from warpwise.compat.pycuda._errors import boundary",
        "from ... import Error",
        "self._device = other._device",
    ],
)
def test_compat_diet_takes_the_public_api_and_parts_of_its_own(line: str) -> None:
    path = "python/warpwise/compat/pycuda/driver.py"
    assert not first(house_rules.compat_diet(path, f'"""Head."""\n{line}\n'))


def test_portable_words() -> None:
    assert first(house_rules.portable_words("a.md", "cd /" + "work/here\n"))
    assert first(house_rules.portable_words("a.md", "see shared" + "/reference/a.md\n"))
    assert not first(house_rules.portable_words("a.md", "look in ../shared/programs\n"))


def test_an_emitter_casts_no_const_away() -> None:
    rule, line = house_rules.emitters_read_the_source, "const_cast<Value*>(address)\n"
    assert first(rule("src/backends/cpu/compiler/gang/emit/emit.cpp", line))
    assert not first(rule("src/backends/cpu/compiler/gang/passes/cut.cpp", line))


@pytest.mark.parametrize(
    "line",
    [
        "#include <immintrin.h>",
        "#include <ucontext.h>",
        "_mm_pause();",
        'asm volatile("pause");',
        "__builtin_ia32_pause();",
        "case R_X86_64_64:",
        "registers[REG_RIP] = 0;",
        "llvm::Intrinsic::x86_avx512_rcp14_ps_512,",
    ],
)
def test_processor_independent(line: str) -> None:
    rule = house_rules.processor_independent
    assert first(rule("src/backends/cpu/execute/executor.cpp", line + "\n"))
    assert not first(rule("src/backends/cpu/host/x86_64/float_mode.cpp", line + "\n"))
    assert not first(rule("src/backends/cpu/execute/executor.cpp", f"// {line}\n"))


def test_stable_python_api() -> None:
    rule = house_rules.stable_python_api
    assert first(rule("python/bindings/a.cpp", "auto n = PyBytes_GET_SIZE(text);\n"))
    assert first(rule("python/bindings/a.cpp", "auto name = Py_TYPE(text)->tp_name;\n"))
    assert not first(rule("python/bindings/a.cpp", "auto n = PyBytes_Size(text);\n"))


def test_finished() -> None:
    assert first(house_rules.finished("a.cpp", "// TO" + "DO later\n"))
