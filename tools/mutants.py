"""Whether the tests notice a change of the code: small mutations of src/, one at a time.

./dev python tools/mutants.py [--count N] [--seed S] [--under FOLDER ...] [--cxx] [--json FILE]
./dev python tools/mutants.py --again FILE

Each mutant changes one place of one source: a comparison, an operator, a constant, a condition, a
statement. It is built into build/dev, first what the C++ tests of its component need, and the
package only when these pass. A mutant is killed when a test fails, crashes or hangs; it survives
when all pass; what does not compile does not count. The sources are as before afterwards, and so is
the build. `--again` judges the survivors of a record, for instance those of --cxx, once more.
docs/explanation/mutation_testing.md lists survivors that no test can notice.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools" / "dev"))

COUNT = 40
BUILD_S = 900
# Without a mutant; with one, a test hangs after so many times what it took without, and a margin.
TEST_S = 900
SLOWER = 5
MARGIN_S = 20
# Of the mutants that compile, at least this share has to be killed.
LEAST_KILLED = 0.5


@dataclass(frozen=True)
class Suite:
    """What notices a change below a folder: C++ test programs, then Python tests."""

    under: str
    programs: tuple[str, ...]
    python: tuple[str, ...] = ()

    def stages(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """What is built, and the tests that run then, one program after another."""
        for program in self.programs:
            yield (program,), (program,)
        if self.python:
            yield ("python_package",), (" ".join(self.python),)


# The first whose folder holds the source counts.
SUITES = (
    Suite("src/base/", ("base_test",)),
    Suite("src/types/", ("types_test", "compiler_test")),
    Suite("src/compiler/", ("compiler_test",), ("tests/python/api/test_cache.py",)),
    Suite("src/prebuild/", (), ("tests/python/api/test_prebuilt_programs.py",)),
    Suite(
        "src/runtime/",
        ("runtime_test", "null_backend_test", "range_test", "contract_test"),
        ("tests/python/api/test_streams.py", "tests/python/api/test_buffers.py"),
    ),
    Suite("src/ir/", ("ir_test", "generated_code_test"), ("tests/python/arrays",)),
    Suite("src/codegen/", ("generated_code_test", "graph_test"), ("tests/python/arrays",)),
    Suite("src/algorithm/", ("user_kernels_test", "array_test"), ("tests/python/arrays",)),
    Suite("src/graph/", ("graph_test", "array_test"), ("tests/python/arrays",)),
    Suite("src/array/python/", ("array_test",), ("tests/python/script", "tests/python/cuda")),
    Suite("src/array/", ("array_test",), ("tests/python/arrays",)),
    Suite(
        "src/script/",
        ("script_test",),
        ("tests/python/script", "tests/python/cuda", "tests/script"),
    ),
    Suite("src/random/", ("random_test",), ("tests/python/random",)),
    Suite("src/sparse/", ("sparse_test",), ("tests/python/sparse",)),
    Suite("src/backends/null/", ("null_backend_test", "runtime_test")),
    Suite("src/backends/cuda/", ("cuda_backend_test",)),
    Suite("src/backends/cpu/compiler/frontend/", ("cpu_frontend_test",), ("tests/python/kernels",)),
    Suite("src/backends/cpu/compiler/guard.cpp", ("cpu_guard_test",)),
    Suite("src/backends/cpu/compiler/", ("cpu_lowering_test",), ("tests/python/kernels",)),
    Suite(
        "src/backends/cpu/",
        (
            "cpu_host_info_test",
            "cpu_allocator_test",
            "cpu_queue_test",
            "cpu_object_loader_test",
            "cpu_executor_test",
            "cpu_faults_test",
            "cpu_kernel_forms_test",
            "cpu_shared_pages_test",
            "cpu_guarded_memory_test",
            "cpu_fork_test",
        ),
        ("tests/python/kernels",),
    ),
)


@dataclass(frozen=True)
class Mutant:
    file: str
    offset: int
    old: str
    new: str
    operator: str


@dataclass(frozen=True)
class Verdict:
    """`outcome` is killed, survived or "does not compile"; `why` names the test program."""

    outcome: str
    why: str = ""


_LITERAL = re.compile(
    r"""
    //[^\n]*
  | /\*.*?\*/
  | R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"
  | "(?:\\.|[^"\\\n])*"
  | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
  | ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def blanked(text: str) -> str:
    """The text with comments, literals and directives as blanks, each character in its place."""
    return _LITERAL.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


_SWAPS: dict[str, tuple[tuple[str, str], ...]] = {
    "comparison": ((" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > ")),
    "equality": ((" == ", " != "), (" != ", " == ")),
    "logic": ((" && ", " || "), (" || ", " && ")),
    "arithmetic": ((" + ", " - "), (" - ", " + "), (" * ", " + ")),
    "step": (("++", "--"), (" += ", " -= "), (" -= ", " += ")),
    "result": (("return true;", "return false;"), ("return false;", "return true;")),
}
_CONSTANT = re.compile(r"(?<![\w.'])(\d+)(?![\w.'])")
_CONDITION = re.compile(r"\bif \(([^;{}]*)\) (?=[\w{*(])")
# A statement that is a call or an assignment on one line; no declaration, jump or label.
_STATEMENT = re.compile(
    r"^ +(?!return|throw|co_|using|break|goto)[\w.>:()\[\]-]+(?:\(.*\)| [^ ]?= .*);$", re.MULTILINE
)
_TEMPLATE = re.compile(r"\btemplate\s*<[^{;]*?>\s|\boperator\W+\(")


def _is_balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def mutants_of(file: str, text: str) -> Iterator[Mutant]:
    """Every mutation of a source that the operators know, in no order."""
    bare = blanked(text)
    excluded = [match.span() for match in _TEMPLATE.finditer(bare)]

    def is_excluded(offset: int) -> bool:
        return any(start <= offset < end for start, end in excluded)

    for operator, swaps in _SWAPS.items():
        for old, new in swaps:
            for match in re.finditer(re.escape(old), bare):
                if not is_excluded(match.start()):
                    yield Mutant(file, match.start(), old, new, operator)
    for match in _CONSTANT.finditer(bare):
        if not is_excluded(match.start()):
            number = int(match.group(), 8 if match.group().startswith("0") else 10)
            yield Mutant(file, match.start(), match.group(), str(number + 1), "constant")
    for match in _CONDITION.finditer(bare):
        inner = text[match.start(1) : match.end(1)]
        if _is_balanced(match.group(1)) and inner:
            yield Mutant(file, match.start(1), inner, f"!({inner})", "condition")
    for match in _STATEMENT.finditer(bare):
        old = text[match.start() : match.end()]
        if _is_balanced(match.group()):
            yield Mutant(file, match.start(), old, " " * (len(old) - 1) + ";", "statement")


def mutated(text: str, mutant: Mutant) -> str:
    end = mutant.offset + len(mutant.old)
    if text[mutant.offset : end] != mutant.old:
        raise ValueError(
            f"{mutant.file} does not have '{mutant.old}' at {mutant.offset}: it changed"
        )
    return text[: mutant.offset] + mutant.new + text[end:]


def suite_of(file: str, *, has_python: bool = True) -> Suite | None:
    """The suite of a source; without its Python tests, which need the whole package, on request."""
    suite = next((suite for suite in SUITES if file.startswith(suite.under)), None)
    return suite if suite is None or has_python else replace(suite, python=())


def sources(under: list[str]) -> list[str]:
    """The sources of the library that a suite tests, below one of the folders."""
    names = (str(path.relative_to(ROOT)) for path in sorted((ROOT / "src").rglob("*.cpp")))
    prefixes = tuple(under) or ("src/",)
    return [name for name in names if name.startswith(prefixes) and suite_of(name)]


def draw(files: list[str], count: int, seed: int) -> list[Mutant]:
    """`count` mutants at random, every place of every source as likely as any other."""
    found = [m for file in files for m in mutants_of(file, (ROOT / file).read_text())]
    found.sort(key=lambda m: (m.file, m.offset, m.operator, m.new))
    return random.Random(seed).sample(found, min(count, len(found)))


def _status(command: list[str], seconds: float, env: dict[str, str]) -> tuple[int, str]:
    """A command's exit status and output; one that hangs is ended with all it started."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            text, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return -1, "hangs"
    return process.returncode, text


class Runner:
    """Builds and tests in one build folder."""

    def __init__(self, where: Path, env: dict[str, str], python: Path, processes: int) -> None:
        self._where = where
        self._python = python
        # What mutants compile to is not kept.
        self._env = {**env, "CCACHE_READONLY": "1"}
        self._processes = processes
        # By test: how long it took without a mutant.
        self._seconds: dict[str, float] = {}

    def build(self, targets: tuple[str, ...]) -> tuple[int, str]:
        command = ["ninja", "-C", str(self._where), f"-j{self._processes}", *targets]
        return _status(command, BUILD_S, self._env)

    def failing(self, test: str) -> str:
        """The test program, or the folders of Python tests, if a test of it fails; or nothing.

        The first time that it passes says how long it may take from then on.
        """
        command = [str(self._python), "-m", "pytest", "-x", "-q", *test.split()]
        if "/" not in test:
            (path,) = (path for path in self._where.rglob(test) if path.is_file())
            command = [str(path), "--gtest_brief=1", "--gtest_fail_fast"]
        usual = self._seconds.get(test)
        limit = TEST_S if usual is None else usual * SLOWER + MARGIN_S
        start = time.monotonic()
        if _status(command, limit, self._env)[0]:
            return test
        self._seconds.setdefault(test, time.monotonic() - start)
        return ""

    def verdict(self, suite: Suite) -> Verdict:
        for targets, tests in suite.stages():
            status, printed = self.build(targets)
            if status:
                # The build runs what it has built: a program that lists its tests, the prelude.
                is_refused = " error: " in printed
                return Verdict("does not compile") if is_refused else Verdict("killed", "the build")
            why = next(filter(None, map(self.failing, tests)), "")
            if why:
                return Verdict("killed", why)
        return Verdict("survived")


def try_mutant(mutant: Mutant, judge: Callable[[], Verdict]) -> Verdict:
    """Judges a mutant; its source is as before afterwards."""
    path = ROOT / mutant.file
    source = path.read_text()
    try:
        path.write_text(mutated(source, mutant))
        return judge()
    finally:
        path.write_text(source)


def describe(mutant: Mutant) -> str:
    line = (ROOT / mutant.file).read_text().count("\n", 0, mutant.offset) + 1
    old, new = mutant.old.strip(), mutant.new.strip()
    return f"{mutant.file}:{line}: {mutant.operator} `{old}` -> `{new}`"


def summary(verdicts: list[Verdict]) -> str:
    counts = Counter(verdict.outcome for verdict in verdicts)
    outcomes = ("killed", "survived", "does not compile")
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in outcomes)


def killed_share(verdicts: list[Verdict]) -> float:
    """Of the mutants that compile, the share that some test noticed."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    judged = counts["killed"] + counts["survived"]
    return counts["killed"] / judged if judged else 1.0


def recorded(record: Path | None) -> dict[Mutant, Verdict]:
    """What a record says, if there is one."""
    if record is None or not record.exists():
        return {}
    found = json.loads(record.read_text())["mutants"]
    names, verdict = [field.name for field in fields(Mutant)], ("outcome", "why")
    return {Mutant(*map(r.get, names)): Verdict(*map(r.get, verdict)) for r in found}


def write_record(record: Path, verdicts: dict[Mutant, Verdict]) -> None:
    rows = [asdict(mutant) | asdict(verdict) for mutant, verdict in verdicts.items()]
    record.write_text(json.dumps({"mutants": rows}, indent=1) + "\n")


def survivors(record: Path) -> list[Mutant]:
    """The mutants of a record that no test noticed."""
    return [m for m, verdict in recorded(record).items() if verdict.outcome == "survived"]


def run(chosen: list[Mutant], record: Path | None = None, *, has_python: bool) -> list[Verdict]:
    """Judges mutants; prints each verdict as it is found. What a record has is not judged again."""
    import build
    import environment
    import step

    found = [suite_of(mutant.file, has_python=has_python) for mutant in chosen]
    suite_by_mutant = {m: suite for m, suite in zip(chosen, found) if suite}
    suites = set(suite_by_mutant.values())
    env = {**build.CCACHE, **build.python_path()}
    runner = Runner(build.folder("dev"), env, environment.PYTHON, step.jobs())
    for suite in sorted(suites, key=lambda suite: suite.under):
        verdict = runner.verdict(suite)
        if verdict.outcome != "survived":
            why = verdict.why or verdict.outcome
            raise SystemExit(f"the tests of {suite.under} fail without any mutant: {why}")
    verdicts = {m: v for m, v in recorded(record).items() if m in suite_by_mutant}
    try:
        for number, mutant in enumerate(chosen, 1):
            if mutant in verdicts:
                continue
            start = time.monotonic()
            verdict = try_mutant(mutant, partial(runner.verdict, suite_by_mutant[mutant]))
            verdicts[mutant] = verdict
            if record:
                write_record(record, verdicts)
            took = f"{time.monotonic() - start:.0f} s"
            by = f" by {verdict.why}" if verdict.why else ""
            print(f"{number:3} {verdict.outcome}{by} ({took}): {describe(mutant)}", flush=True)
    finally:
        for suite in suites:
            for targets, _ in suite.stages():
                runner.build(targets)
    print(summary(list(verdicts.values())), flush=True)
    return list(verdicts.values())


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tools/mutants.py")
    parser.add_argument("--count", type=int, default=COUNT, help="how many mutants")
    parser.add_argument("--seed", type=int, help="the same seed draws the same mutants")
    parser.add_argument("--under", nargs="*", default=[], help="folders of src/; default: all")
    parser.add_argument("--json", type=Path, help="write the verdicts there, or go on from it")
    parser.add_argument("--cxx", action="store_true", help="the C++ tests only")
    parser.add_argument("--again", type=Path, help="the survivors of what --json wrote")
    options = parser.parse_args(words)
    # Ended from outside, it restores the source first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if options.again:
        chosen = survivors(options.again)
    else:
        seed = random.randrange(10**6) if options.seed is None else options.seed
        print(f"seed {seed}", flush=True)
        chosen = draw(sources(options.under), options.count, seed)
    if not chosen:
        raise SystemExit("no mutants: give folders of src/, or a record that has survivors")
    verdicts = run(chosen, options.json, has_python=not options.cxx)
    return 0 if killed_share(verdicts) >= LEAST_KILLED else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
