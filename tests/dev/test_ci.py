"""What ./dev ci checks again: the record of what passed, and the files that a change concerns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import alone
import ci
import commands
import includes
import passed
import tidy
from passed import Record
from step import Budget


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source that includes a header that includes another one."""
    for module in (includes, commands, alone):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    for folder in ("src/base", "include/warpwise"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "src/base/a.cpp").write_text('#include "src/base/a.hpp"\n#include <llvm/IR/X.h>\n')
    (tmp_path / "src/base/a.hpp").write_text('#include <vector>\n#include "warpwise/b.hpp"\n')
    (tmp_path / "include/warpwise/b.hpp").write_text("int b;\n")
    forget()
    return tmp_path


def forget() -> None:
    for cached in (includes._direct, includes.closure, includes._digest):
        cached.cache_clear()


def test_includes_are_followed_through_headers(tree: Path) -> None:
    files = {"src/base/a.cpp", "src/base/a.hpp", "include/warpwise/b.hpp"}
    assert includes.closure("src/base/a.cpp") == files


def test_a_change_of_an_included_header_changes_the_fingerprint(tree: Path) -> None:
    before = includes.fingerprint("src/base/a.cpp", "clang-tidy")
    (tree / "include/warpwise/b.hpp").write_text("int c;\n")
    forget()
    assert includes.fingerprint("src/base/a.cpp", "clang-tidy") != before


def test_a_change_elsewhere_leaves_the_fingerprint(tree: Path) -> None:
    before = includes.fingerprint("src/base/a.hpp")
    (tree / "src/base/a.cpp").write_text("int main() {}\n")
    forget()
    assert includes.fingerprint("src/base/a.hpp") == before


def test_a_header_is_proven_only_by_a_source_that_includes_it_first(tree: Path) -> None:
    assert includes.first("src/base/a.cpp") == "src/base/a.hpp"
    assert includes.first("src/base/a.hpp") == ""


def compile_entry(tree: Path) -> commands.Command:
    source = tree / "src/base/a.cpp"
    command = (
        f'/usr/bin/ccache c++ -I{tree} -DX=\\"y\\" -Winvalid-pch -include {tree}/cmake_pch.hxx'
    )
    entry = {
        "directory": str(tree),
        "command": f"{command} -o a.o -c {source}",
        "file": str(source),
    }
    (tree / "compile_commands.json").write_text(json.dumps([entry]))
    (found,) = commands.read(tree)
    return found


def test_a_compile_command_is_read_without_its_precompiled_header(tree: Path) -> None:
    found = compile_entry(tree)
    assert found.file == "src/base/a.cpp" and found.uses_pch
    assert found.flags == (f"-I{tree}", '-DX="y"')


def test_flags_are_the_same_text_in_every_clone(tree: Path) -> None:
    assert commands.portable(compile_entry(tree).flags) == '-I. -DX="y"'


def compiler_at(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Headers compile alone when the file `good` is there."""
    fake = tree / "clang"
    fake.write_text(f"#!/bin/sh\n[ -e {tree}/good ]\n")
    fake.chmod(0o755)
    monkeypatch.setattr(alone, "COMPILER", str(fake))
    monkeypatch.setattr(alone, "_headers", lambda: ["include/warpwise/b.hpp"])
    compile_entry(tree)
    return tree / "good"


def test_a_header_that_does_not_compile_alone_is_named(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiler_at(tree, monkeypatch)
    assert not alone.check(tree, Record(tree / "passed.json"), Budget())
    assert "these lack an include: include/warpwise/b.hpp" in capsys.readouterr().out


def test_a_header_that_compiled_alone_is_not_compiled_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = compiler_at(tree, monkeypatch)
    good.touch()
    assert alone.check(tree, Record(tree / "passed.json"), Budget())
    good.unlink()
    assert alone.check(tree, Record(tree / "passed.json"), Budget())


def test_what_the_budget_does_not_allow_is_left_out_by_name(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler_at(tree, monkeypatch)
    spent = Budget(0)
    assert alone.check(tree, Record(tree / "passed.json"), spent)
    assert spent.left_out == ["include/warpwise/b.hpp"]


def test_a_check_that_would_outlast_the_budget_does_not_begin() -> None:
    budget = Budget(1e6)
    assert budget.allows("quick", 10.0) and not budget.allows("slow", 2e6)


@pytest.fixture
def tidied(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Runs tidy.check() with a tool that passes everything; returns the words it was given."""
    (tree / ".clang-tidy").touch()
    monkeypatch.setattr(tidy, "ROOT", tree)
    monkeypatch.setattr(tidy, "TOOL", str(tree / "tidy"))
    (tree / "tidy").write_text(f'#!/bin/sh\necho "$@" >> {tree}/words\n')
    (tree / "tidy").chmod(0o755)
    compile_entry(tree)

    def run() -> list[str]:
        (tree / "words").write_text("")
        assert tidy.check(tree, Record(tree / "passed.json"), Budget())
        lines = (tree / "words").read_text().splitlines()
        return [line for line in lines if "--version" not in line]

    return run


def test_a_file_is_checked_again_when_it_has_changed(
    tree: Path, tidied: Callable[[], list[str]]
) -> None:
    assert len(tidied()) == 1
    assert tidied() == []
    (tree / "include/warpwise/b.hpp").write_text("int c;\n")
    forget()
    assert len(tidied()) == 1


def test_what_passed_is_known_to_the_next_run(tmp_path: Path) -> None:
    Record(tmp_path / "passed.json").add("f00d")
    assert Record(tmp_path / "passed.json").has("f00d")


def test_the_commit_that_passed_is_known_to_the_next_run(tmp_path: Path) -> None:
    Record(tmp_path / "passed.json").set_commit("abc")
    assert Record(tmp_path / "passed.json").commit == "abc"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"commit": "abc"}'])
def test_of_a_damaged_record_nothing_is_known(tmp_path: Path, content: str) -> None:
    (tmp_path / "passed.json").write_text(content)
    assert Record(tmp_path / "passed.json").commit == ""


def test_fingerprints_that_no_run_came_across_are_dropped(tmp_path: Path) -> None:
    old = {"commit": "", "fingerprints": {"f00d": "2001-01-01"}}
    (tmp_path / "passed.json").write_text(json.dumps(old))
    Record(tmp_path / "passed.json").add("beef")
    assert not Record(tmp_path / "passed.json").has("f00d")


def test_the_record_is_in_the_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert passed.folder() == Path("/cache/warpwise-dev")


def test_a_commit_that_this_clone_lacks_is_unknown() -> None:
    assert passed.changed_since("0" * 40) is None


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (None, True),
        ([], False),
        (["src/base/hash.cpp", "docs/README.md"], False),
        (["src/base/hash.hpp"], True),
        (["src/base/CMakeLists.txt"], True),
        (["python/warpwise/cli.py"], True),
        (["pyproject.toml"], True),
    ],
)
def test_the_wheel_is_made_when_its_build_may_see_a_change(
    changed: list[str] | None, expected: bool
) -> None:
    assert ci.needs_wheel(changed) is expected
