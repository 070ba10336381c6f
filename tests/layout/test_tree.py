"""The rules, applied to every file of the project."""

from __future__ import annotations

from collections.abc import Iterable

import house_rules
import include_rules
import part_rules
import size_rules
from sources import CXX_SUFFIXES, files, read, sources

CODE = ("include/", "src/", "python/", "tests/", "examples/", "benchmarks/", "tools/")
# Text for kernels keeps CUDA's own file names and forms; generated stubs follow their generator.
GENERATED = ("python/warpwise/_core.pyi",)


def complain(violations: Iterable[str]) -> None:
    found = list(violations)
    assert not found, "\n" + "\n".join(found)


def cxx() -> list[tuple[str, str]]:
    return list(sources(*CXX_SUFFIXES, under=CODE))


def python() -> list[tuple[str, str]]:
    return list(sources(".py", under=CODE))


def test_includes_point_to_lower_layers() -> None:
    complain(v for path, text in cxx() for v in include_rules.direction(path, text))


def test_parts_of_a_component_include_what_their_row_names() -> None:
    complain(v for path, text in cxx() for v in part_rules.part_order(path, text))


def test_rows_of_parts_name_nothing_unused() -> None:
    complain(part_rules.unused_rows(cxx()))


def test_parts_have_an_order() -> None:
    complain(part_rules.part_cycles())


def test_no_source_folder_has_too_many_files() -> None:
    complain(part_rules.folder_size(files()))
    complain(part_rules.unneeded_exceptions(files()))


def test_every_part_says_what_belongs_there() -> None:
    complain(part_rules.part_folders(files()))


def test_the_architecture_names_every_component_and_part() -> None:
    page = read("docs/explanation/architecture.md")
    inhabited = (c for c in include_rules.components() if any(f.startswith(c) for f in files()))
    complain(
        f"docs/explanation/architecture.md does not name {c}"
        for c in inhabited
        if c not in page and not c.startswith("src/backends/")
    )
    complain(part_rules.undescribed_parts(page))


def test_test_files_have_names_of_their_own() -> None:
    complain(house_rules.names_of_test_files(files()))


def test_back_ends_are_included_by_the_registry_only() -> None:
    complain(v for path, text in cxx() for v in include_rules.back_ends_are_private(path, text))


def test_the_cuda_runtime_api_uses_the_public_api() -> None:
    complain(
        v for path, text in cxx() for v in include_rules.cudart_uses_the_public_api(path, text)
    )


def test_third_party_headers_stay_behind_their_walls() -> None:
    complain(v for path, text in cxx() for v in include_rules.walls(path, text))


def test_public_headers_include_only_public_headers() -> None:
    complain(v for path, text in cxx() for v in include_rules.public_headers(path, text))


def test_quoted_includes_are_root_relative() -> None:
    known = frozenset(files())
    complain(v for path, text in cxx() for v in include_rules.root_relative(path, text, known))


def test_examples_use_the_public_api() -> None:
    complain(
        v for path, text in cxx() for v in include_rules.examples_use_the_public_api(path, text)
    )


def test_no_file_is_too_long() -> None:
    every = [pair for pair in cxx() + python() if pair[0] not in GENERATED]
    complain(v for path, text in every for v in size_rules.file_length(path, text))


def test_no_cxx_function_is_too_long() -> None:
    complain(v for path, text in cxx() for v in size_rules.cxx_function_length(path, text))


def test_no_python_function_is_too_long() -> None:
    complain(v for path, text in python() for v in size_rules.python_function_length(path, text))


def test_every_source_begins_by_saying_what_lives_there() -> None:
    every = [pair for pair in cxx() + python() if pair[0] not in GENERATED]
    complain(v for path, text in every for v in house_rules.head_comment(path, text))


def test_headers_are_included_once() -> None:
    headers = sources(".hpp", under=CODE)
    complain(v for path, text in headers for v in house_rules.pragma_once(path, text))


def test_every_component_says_what_may_live_there() -> None:
    inhabited = {c for c in include_rules.components() if any(f.startswith(c) for f in files())}
    inhabited |= {folder for folder in CODE if folder != "include/"} | {"cmake/"}
    complain(f"{c} needs a README.md" for c in inhabited if c + "README.md" not in files())
    silent = (c for c in inhabited if "What may not live here:" not in read(c + "README.md"))
    complain(f"{c}README.md does not say what may not live there" for c in silent)


def test_no_folder_or_file_is_a_drawer_for_everything() -> None:
    complain(v for path in files() for v in house_rules.folder_names(path))


def test_the_back_end_contract_stays_small() -> None:
    count = sum(house_rules.mandatory_virtuals(read(path)) for path in house_rules.CONTRACT_FILES)
    assert 0 < count <= house_rules.CONTRACT_LIMIT, f"{count} mandatory virtual functions"


def test_emitters_cast_no_const_away() -> None:
    complain(v for path, text in cxx() for v in house_rules.emitters_read_the_source(path, text))


def test_only_the_folders_of_a_processor_know_it() -> None:
    ours = sources(*CXX_SUFFIXES, under=("include/", "src/", "python/"))
    complain(v for path, text in ours for v in house_rules.processor_independent(path, text))


def test_bindings_use_the_stable_python_api() -> None:
    ours = sources(*CXX_SUFFIXES, under=("python/bindings/",))
    complain(v for path, text in ours for v in house_rules.stable_python_api(path, text))


def test_compat_stands_on_the_public_api() -> None:
    compat = sources(".py", under=("python/warpwise/compat/",))
    complain(v for path, text in compat for v in house_rules.compat_diet(path, text))


def test_nothing_committed_names_a_build_machine() -> None:
    complain(v for path in files() for v in house_rules.portable_words(path, read(path)))


def test_nothing_committed_is_unfinished() -> None:
    complain(v for path, text in cxx() + python() for v in house_rules.finished(path, text))
