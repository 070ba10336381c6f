"""tools/mutants.py: where it mutates, and that a source is as before after each mutant."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from step import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import mutants
from mutants import Mutant, Runner, Suite, Verdict

PROGRAM = """#include <vector>
// a < b + 1
int f(int a) {
    if (a == 3) return 7;
    count(a);
    const char* text = "a < b";
    return a < 10 && g(a) ? a + 1 : 0;
}
"""


def changes(operator: str) -> list[tuple[str, str]]:
    found = mutants.mutants_of("a.cpp", PROGRAM)
    return [(m.old.strip(), m.new.strip()) for m in found if m.operator == operator]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("comparison", [("<", "<=")]),
        ("equality", [("==", "!=")]),
        ("logic", [("&&", "||")]),
        ("arithmetic", [("+", "-")]),
        ("condition", [("a == 3", "!(a == 3)")]),
        ("statement", [("count(a);", ";")]),
        ("constant", [("3", "4"), ("7", "8"), ("10", "11"), ("1", "2"), ("0", "1")]),
    ],
)
def test_code_is_mutated_and_neither_comments_nor_text(
    operator: str, expected: list[tuple[str, str]]
) -> None:
    assert changes(operator) == expected


def test_a_mutant_changes_one_place() -> None:
    (mutant,) = (m for m in mutants.mutants_of("a.cpp", PROGRAM) if m.operator == "equality")
    assert mutants.mutated(PROGRAM, mutant) == PROGRAM.replace("a == 3", "a != 3")


def test_a_mutant_of_another_text_is_refused() -> None:
    with pytest.raises(ValueError, match="it changed"):
        mutants.mutated(PROGRAM, Mutant("a.cpp", 0, " == ", " != ", "equality"))


def test_the_same_seed_draws_the_same_mutants() -> None:
    files = mutants.sources(["src/base/"])
    assert mutants.draw(files, 5, 7) == mutants.draw(files, 5, 7)
    assert mutants.draw(files, 5, 7) != mutants.draw(files, 5, 8)


def test_every_component_with_sources_has_a_suite() -> None:
    folders = {path.relative_to(ROOT).parts[1] for path in (ROOT / "src").rglob("*.cpp")}
    folders -= {"backends", "codegen"}  # by their own parts; device code is text
    assert all(mutants.suite_of(f"src/{folder}/a.cpp") for folder in folders)


def test_the_python_tests_of_the_suites_are_there() -> None:
    assert all((ROOT / path).exists() for suite in mutants.SUITES for path in suite.python)


@pytest.mark.parametrize("fails", [False, True])
def test_a_source_is_as_before_after_a_mutant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "a.cpp").write_text(PROGRAM)
    (mutant,) = (m for m in mutants.mutants_of("a.cpp", PROGRAM) if m.operator == "equality")

    def judge() -> Verdict:
        assert "a != 3" in (tmp_path / "a.cpp").read_text()
        if fails:
            raise KeyboardInterrupt
        return Verdict("killed")

    if fails:
        with pytest.raises(KeyboardInterrupt):
            mutants.try_mutant(mutant, judge)
    else:
        assert mutants.try_mutant(mutant, judge) == Verdict("killed")
    assert (tmp_path / "a.cpp").read_text() == PROGRAM


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """A build whose ninja and test program are the scripts `ninja` and `some_test`."""
    monkeypatch.setattr(mutants, "TEST_S", 1)
    return Runner(tmp_path, {"PATH": f"{tmp_path}:/usr/bin:/bin"}, Path(sys.executable), 1)


@pytest.mark.parametrize(
    ("ninja", "program", "expected"),
    [
        ("exit 0", "exit 0", Verdict("survived")),
        ("exit 0", "exit 1", Verdict("killed", "some_test")),
        ("exit 0", "kill -SEGV $$", Verdict("killed", "some_test")),
        ("exit 0", "sleep 60", Verdict("killed", "some_test")),
        ("echo a.cpp:1:1: error: no; exit 1", "exit 0", Verdict("does not compile")),
        (
            "echo the program that lists its tests failed; exit 1",
            "",
            Verdict("killed", "the build"),
        ),
    ],
)
def test_a_mutant_is_judged_by_build_and_tests(
    tmp_path: Path, runner: Runner, ninja: str, program: str, expected: Verdict
) -> None:
    for name, text in (("ninja", ninja), ("some_test", program)):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    assert runner.verdict(Suite("src/", ("some_test",))) == expected


def test_the_package_is_built_for_what_survives_the_test_programs(
    tmp_path: Path, runner: Runner
) -> None:
    suite = Suite("src/", ("some_test",), ("tests/python",))
    for name, text in (("ninja", "echo $* >> built"), ("some_test", "exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\ncd {tmp_path}\n{text}\n")
        (tmp_path / name).chmod(0o755)
    assert runner.verdict(suite) == Verdict("killed", "some_test")
    assert (tmp_path / "built").read_text().splitlines() == [f"-C {tmp_path} -j1 some_test"]
    (tmp_path / "some_test").write_text("#!/bin/sh\n")
    assert runner.verdict(replace(suite, python=("tests/none",))).why == "tests/none"
    assert (tmp_path / "built").read_text().split()[-1] == "python_package"


def test_survivors_of_a_record_are_judged_again(tmp_path: Path) -> None:
    chosen = list(mutants.mutants_of("a.cpp", PROGRAM))[:2]
    outcomes = [Verdict("killed", "some_test"), Verdict("survived")]
    rows = [asdict(m) | asdict(v) for m, v in zip(chosen, outcomes, strict=True)]
    record = tmp_path / "record.json"
    record.write_text(json.dumps({"mutants": rows}))
    assert mutants.survivors(record) == chosen[1:]


def test_what_does_not_compile_does_not_count() -> None:
    verdicts = [Verdict(outcome) for outcome in ("killed", "survived", "does not compile")]
    assert mutants.killed_share(verdicts) == 0.5


def test_a_source_is_restored_when_the_run_is_ended(tmp_path: Path) -> None:
    script = f"""
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "tools")!r})
import mutants
mutants.ROOT = Path({str(tmp_path)!r})
mutant = mutants.Mutant("a.cpp", 0, "int", "long", "type")
mutants.sources = lambda _: []
mutants.draw = lambda *_: [mutant]
mutants.run = lambda *_, **__: mutants.try_mutant(
    mutant, lambda: os.kill(os.getpid(), signal.SIGTERM))
mutants.main([])
"""
    (tmp_path / "a.cpp").write_text("int a;\n")
    ended = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert ended.returncode == 143
    assert (tmp_path / "a.cpp").read_text() == "int a;\n"
