"""The script ./dev: what it lists, how it counts, what it reports when it may not install."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import build
import fuzzing
import packages
import step
import tally
from step import Stop

ROOT = Path(__file__).resolve().parents[2]
VERBS = (
    "demo test ci fuzz bench lint docs wheel python gpu-pack gpu-test gpu-bench gpu-sanitize clean"
)


def dev(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "dev", *words], capture_output=True, text=True, check=False)


def test_alone_it_lists_every_verb() -> None:
    listed = dev()
    assert listed.returncode == 0
    assert [line.split()[1] for line in listed.stdout.splitlines()[1:]] == VERBS.split()


def test_an_unknown_verb_is_refused() -> None:
    refused = dev("tset")
    assert refused.returncode == 2
    assert "no verb 'tset'" in refused.stderr


@pytest.mark.parametrize(
    "words",
    [("test", "--fast"), ("clean", "all"), ("wheel", "x"), ("fuzz", "long"), ("ci", "fast")],
)
def test_unknown_words_after_a_verb_are_refused(words: tuple[str, ...]) -> None:
    refused = dev(*words)
    assert refused.returncode == 1
    assert words[0] in refused.stderr


def test_stdout_is_left_to_the_program_that_dev_becomes(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout", step.sys.stdout)  # put back at the end
    step.leave_stdout_alone()
    step.progress("building")
    step.run(["echo", "of a build tool"])
    out, err = capfd.readouterr()
    assert out == ""
    assert "building" in err and "of a build tool" in err


@pytest.mark.parametrize(
    ("prints", "shown"),
    [
        ("[0/1] looking; no work", ""),
        ("[0/2] looking;[1/2] compiling;[2/2] linking", "[0/2] looking\n[1/2] compiling\n"),
    ],
)
def test_a_build_is_silent_when_there_is_nothing_to_do(
    capsys: pytest.CaptureFixture[str], prints: str, shown: str
) -> None:
    lines = prints.split(";")
    step.run_silently_idle(["printf", "%s\\n", *lines], build._is_step, env={})
    out = capsys.readouterr().out
    assert out.startswith(shown) and bool(out) == bool(shown)


def test_a_failed_build_says_why_even_before_its_first_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(Stop, match="status 3"):
        step.run_silently_idle(["sh", "-c", "echo lost; exit 3"], build._is_step, env={})
    assert capsys.readouterr().out == "lost\n"


def test_junit_counts_what_passed_failed_and_was_skipped(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        '<testcase name="a"/><testcase name="b" status="run"/>'
        '<testcase name="c"><failure/></testcase><testcase name="d"><error/></testcase>'
        '<testcase name="e"><skipped/></testcase><testcase name="f" status="notrun"/>'
        "</testsuite></testsuites>"
    )
    assert str(tally.read_junit(report)) == "2 passed, 2 failed, 2 skipped"


def test_a_runner_without_a_report_has_failed(tmp_path: Path) -> None:
    assert tally.read_junit(tmp_path / "none.xml").failed == 1


def test_without_the_right_to_install_it_names_the_one_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(packages, "_missing", lambda names: ["ninja-build", "ccache"])
    monkeypatch.setattr(packages.os, "geteuid", lambda: 1000)
    denied = tmp_path / "sudo"
    denied.write_text("#!/bin/sh\nexit 1\n")
    denied.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(Stop, match="apt-get install -y ninja-build ccache"):
        packages.ensure(packages.BUILD)


@pytest.mark.parametrize(("what", "part"), [("source", "__global__"), ("options", "--")])
def test_fuzzers_start_from_what_the_tests_hold(what: str, part: str) -> None:
    assert sum(part in text for text in fuzzing._seeds(what)) > 50
