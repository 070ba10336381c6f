"""tools/foreign_suite.py: another library's tests, with Warpwise in that library's place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "foreign_suite.py"
TESTS = """
import os, unittest
from numba import cuda

class TestThem(unittest.TestCase):
    def test_a_good(self): self.assertEqual(cuda.__name__, "warpwise.cuda")
    def test_b_bad(self): self.assertEqual(1, 2)
    def test_c_dies(self): os._exit(3)
    def test_d_good_behind_it(self): pass
    @unittest.skip("not here")
    def test_e_skipped(self): pass
    def test_f_text_of_code(self): self.fail("another text")
    @unittest.expectedFailure
    def test_g_known(self): self.fail("known")
    def test_h_parts(self):
        with self.subTest(part=1): self.fail("a part")
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "numba" / "cuda" / "tests"
    folder.mkdir(parents=True)
    for each in (folder, folder.parent, folder.parent.parent):
        (each / "__init__.py").write_text("")
    (folder / "test_some.py").write_text(TESTS)
    (folder / "test_lost.py").write_text(
        "import unittest, there_is_no_such_module\n"
        "class TestLost(unittest.TestCase):\n    def test_x(self): pass\n"
    )
    (tmp_path / "left_out.txt").write_text("# why\ninternals test_some.*_text_* the text of code\n")
    return tmp_path


def run(suite: Path, *options: str) -> str:
    path = os.pathsep.join([str(suite), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(TOOL), "numba.cuda.tests", "--as", "numba", *options]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_methods_are_counted_by_file_and_those_left_out_by_kind(suite: Path) -> None:
    left_out, out = suite / "left_out.txt", suite / "all.json"
    text = run(suite, "--leave-out", str(left_out), "--out", str(out))
    assert "| test_some | 3 | 3 | 1 | 1 |" in text
    assert "| test_lost | 0 | 1 | 0 | 0 |" in text
    assert "3 of 7 passed: 42.9 %" in text
    states = {
        name.rpartition(".")[2]: state
        for methods in json.loads(out.read_text()).values()
        for name, (state, _) in methods.items()
    }
    assert states == {
        "test_a_good": "passed",
        "test_b_bad": "failed",
        "test_c_dies": "died",
        "test_d_good_behind_it": "passed",
        "test_e_skipped": "skipped",
        "test_f_text_of_code": "failed",
        "test_g_known": "fails as expected",
        "test_h_parts": "failed",
        "test_x": "no import",
    }


def test_failures_come_with_their_exception_and_idle_patterns_are_named(suite: Path) -> None:
    left_out = suite / "left_out.txt"
    left_out.write_text("internals test_gone.* it is gone\n")
    text = run(suite, "--leave-out", str(left_out))
    assert "failed    test_some.TestThem.test_b_bad: AssertionError: 1 != 2" in text
    assert "test_lost.TestLost.test_x: ModuleNotFoundError: No module named" in text
    assert "no method matches 'test_gone.*'" in text


def test_a_hanging_method_costs_itself_only(suite: Path) -> None:
    file = suite / "numba" / "cuda" / "tests" / "test_some.py"
    file.write_text(
        "import time, unittest\nclass TestSlow(unittest.TestCase):\n"
        "    def test_a(self): time.sleep(600)\n    def test_b(self): pass\n"
    )
    text = run(suite, "--only", "some", "--seconds", "15")
    assert "hangs     test_some.TestSlow.test_a" in text and "1 of 2 passed" in text
