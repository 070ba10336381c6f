#!/usr/bin/env python3
"""Runs another library's unittest suite with Warpwise in that library's place.

    tools/foreign_suite.py numba.cuda.tests --as numba --leave-out tools/numba_left_out.txt
                           [--only WORD ...] [--jobs N] [--seconds N] [--out FILE]

Each file runs in a child process, `python -m warpwise run --as ...`, of the Python that runs this
tool. A child that dies or hangs costs one test method: it is counted, and another child goes on
behind it. Counts come by file, and failures with the last line of their exception; --out writes all
of it as JSON. Methods of a file that cannot be imported count as failed. --leave-out names a file
of lines `KIND PATTERN REASON`: methods that match count by kind, not as passed or failed.
"""

from __future__ import annotations

import argparse
import ast
import collections
import fnmatch
import importlib.machinery
import json
import pathlib
import subprocess
import sys
import tempfile
import traceback
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

PASSED = ("passed", "fails as expected", "passes against expectation")
FAILED = ("failed", "error", "died", "hangs", "no import")


class Outcome(NamedTuple):
    state: str
    message: str = ""


class Recorder(unittest.TestResult):
    """Writes a line to a file when a method begins and when it ends."""

    def __init__(self, file: pathlib.Path) -> None:
        super().__init__()
        self._file = file.open("a", encoding="utf-8")
        self._of_subtests: dict[str, str] = {}

    def _write(self, test: unittest.TestCase, state: str, message: str = "") -> None:
        self._file.write(json.dumps([test.id(), state, message]) + "\n")
        self._file.flush()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._write(test, "died")  # until there is another line

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._write(test, "passed")

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        self._write(test, "error", text_of(err))

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self._write(test, "failed", text_of(err))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self._write(test, "skipped", reason)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        self._write(test, "fails as expected")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        self._write(test, "passes against expectation")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        if err is not None:
            self._of_subtests[test.id()] = text_of(err)

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        if test.id() in self._of_subtests:
            self._write(test, "failed", self._of_subtests[test.id()])


def text_of(err: Any) -> str:
    return "".join(traceback.format_exception(*err))[-6000:]


def methods_of(suite: unittest.TestSuite) -> list[unittest.TestCase]:
    found: list[unittest.TestCase] = []
    for each in suite:
        found += methods_of(each) if isinstance(each, unittest.TestSuite) else [each]
    return found


def run_child(module: str, results: str, done: list[str]) -> None:
    """In the child: the methods of a module but those already done."""
    sys.path.remove(str(pathlib.Path(__file__).resolve().parent))  # its modules are no libraries
    __import__(module)
    loaded = unittest.defaultTestLoader.loadTestsFromName(module)
    rest = [each for each in methods_of(loaded) if each.id() not in done]
    unittest.TestSuite(rest).run(Recorder(pathlib.Path(results)))


def folder_of(package: str) -> pathlib.Path:
    """Without an import of the package, which would not be the replaced one."""
    root, *rest = package.split(".")
    spec = importlib.machinery.PathFinder.find_spec(root)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{root} is not installed for {sys.executable}")
    return pathlib.Path(spec.origin).parent.joinpath(*rest)


def methods_in_text(file: pathlib.Path) -> list[str]:
    """`Class.method` of the tests that a file defines."""
    classes = [each for each in ast.parse(file.read_text()).body if isinstance(each, ast.ClassDef)]
    return [
        f"{each.name}.{method.name}"
        for each in classes
        for method in each.body
        if isinstance(method, ast.FunctionDef) and method.name.startswith("test")
    ]


def run_file(
    options: argparse.Namespace, module: str, file: pathlib.Path, results: pathlib.Path
) -> dict[str, Outcome]:
    """The outcome of each method, by its name behind the package."""
    command = [sys.executable, "-m", "warpwise", "run", "--as", options.names, __file__, "--child"]
    outcomes: dict[str, Outcome] = {}
    results.touch()
    while True:
        with tempfile.TemporaryDirectory() as folder:
            child = subprocess.Popen(
                ["nice", *command, module, str(results), *outcomes], cwd=folder, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                said, hangs = child.communicate(timeout=options.seconds)[0], False
            except subprocess.TimeoutExpired:
                child.kill()
                said, hangs = child.communicate()[0], True
        before = len(outcomes)
        for line in results.read_text(encoding="utf-8").splitlines():
            name, state, message = json.loads(line)
            outcomes[name] = Outcome(state, message)
        last = next(reversed(outcomes), "")
        if outcomes and outcomes[last].state == "died":
            outcomes[last] = Outcome("hangs" if hangs else "died", said[-6000:])
            with results.open("a", encoding="utf-8") as all_results:
                all_results.write(json.dumps([last, *outcomes[last]]) + "\n")
        if child.returncode == 0 or len(outcomes) == before:
            break
    if child.returncode != 0 and not outcomes:
        lost = Outcome("no import", said[-6000:])
        return {f"{module}.{name}": lost for name in methods_in_text(file)}
    return outcomes


class LeftOut(NamedTuple):
    kind: str
    pattern: str


def read_left_out(file: str | None) -> list[LeftOut]:
    if file is None:
        return []
    lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    rows = [line.split(None, 2) for line in lines if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) < 3:
            raise SystemExit(f"{file}: a line is KIND PATTERN REASON, got {' '.join(row)!r}")
    return [LeftOut(*row[:2]) for row in rows]


def last_line(message: str) -> str:
    """The exception of a traceback."""
    lines = [line for line in message.splitlines() if line.strip()]
    named = [line for line in lines if line[:1].isalpha() and ("Error" in line or ": " in line)]
    return (named or lines or [""])[-1][:200]


def report(options: argparse.Namespace, outcomes: dict[str, dict[str, Outcome]]) -> None:
    left_out = read_left_out(options.leave_out)
    used: set[LeftOut] = set()
    total: collections.Counter[str] = collections.Counter()
    rows, failures = [], []
    for file, methods in outcomes.items():
        counts: collections.Counter[str] = collections.Counter()
        for name, outcome in methods.items():
            short = name.removeprefix(options.package + ".")
            found = [each for each in left_out if fnmatch.fnmatchcase(short, each.pattern)]
            used.update(found)
            state = "passed" if outcome.state in PASSED else "failed"
            kind = "skipped" if outcome.state == "skipped" else state
            counts[found[0].kind if found and kind != "skipped" else kind] += 1
            if kind == "failed" and not found:
                failures.append(f"{outcome.state:9} {short}: {last_line(outcome.message)}")
        rows.append((file, counts))
        total += counts
    kinds = ["passed", "failed", "skipped", *sorted(set(total) - {"passed", "failed", "skipped"})]
    print("| file |", " | ".join(kinds), "|\n|---|" + "---:|" * len(kinds))
    for file, counts in [*rows, ("**all**", total)]:
        print(f"| {file} |", " | ".join(str(counts[kind]) for kind in kinds), "|")
    print("", *failures, sep="\n")
    judged = total["passed"] + total["failed"]
    print(f"\n{total['passed']} of {judged} passed: {100 * total['passed'] / max(judged, 1):.1f} %")
    if not options.only:
        for each in left_out:
            if each not in used:
                print(f"no method matches {each.pattern!r} of {options.leave_out}")


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        run_child(sys.argv[2], sys.argv[3], sys.argv[4:])
        return
    parser = argparse.ArgumentParser(description="Runs a library's tests with Warpwise for it.")
    parser.add_argument("package")
    parser.add_argument("--as", dest="names", required=True, choices=("numba", "pycuda"))
    parser.add_argument("--leave-out", metavar="FILE")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="in a file's name")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=600, help="for a file")
    parser.add_argument("--out", metavar="FILE", help="all outcomes, as JSON")
    options = parser.parse_args()
    root = folder_of(options.package)
    files = sorted(root.rglob("test_*.py"))
    if options.only:
        files = [file for file in files if any(word in file.stem for word in options.only)]
    names = [".".join(file.relative_to(root).with_suffix("").parts) for file in files]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        tasks = [
            pool.submit(
                run_file, options, f"{options.package}.{name}", file,
                pathlib.Path(folder, name + ".jsonl"),
            )
            for name, file in zip(names, files, strict=True)
        ]  # fmt: skip
        outcomes = {name: task.result() for name, task in zip(names, tasks, strict=True)}
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps(outcomes, indent=1), encoding="utf-8")
    report(options, outcomes)


if __name__ == "__main__":
    main()
