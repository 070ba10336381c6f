"""./dev lint: layout rules, formats, clang-tidy, ruff and mypy.

clang-tidy costs seconds a file (tens, where clang's own headers come in), so what it has passed is
remembered: a file is looked at again when it, a header it includes, its flags, or the rules change.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import subprocess
import threading
from pathlib import Path

import build
import environment
import packages
import testing
from step import ROOT, Stop, jobs, output, run, say

FORMATTED = (".hpp", ".cpp", ".cuh", ".h")
PYTHON_FOLDERS = ("tools", "tests", "python", "benchmarks", "examples", "docs")


def _files(*suffixes: str) -> list[str]:
    listed = output(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"])
    names = [name for name in listed.splitlines() if name.endswith(suffixes)]
    return [name for name in names if (ROOT / name).is_file()]


def clang_format(fix: bool) -> bool:
    say("clang-format")
    names = _files(*FORMATTED)
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    return run(["clang-format-19", *mode, *names], check=False) == 0


def ruff(fix: bool) -> bool:
    say("ruff")
    tool: list[str | Path] = [environment.PYTHON, "-m", "ruff"]
    folders = [name for name in PYTHON_FOLDERS if (ROOT / name).is_dir()]
    checked = run([*tool, "check", *(["--fix"] if fix else []), *folders], check=False)
    formatted = run([*tool, "format", *([] if fix else ["--check"]), *folders], check=False)
    return checked == 0 and formatted == 0


def mypy() -> bool:
    say("mypy")
    good = True
    for where in ("tools/dev", "python/warpwise"):
        if any((ROOT / where).glob("**/*.py")):
            good &= run([environment.PYTHON, "-m", "mypy", where], check=False) == 0
    return good


def layout() -> bool:
    say("layout")
    return testing.pytest(["tests/layout"], build.folder("dev"), {}).failed == 0


def _fingerprint(entry: dict[str, str]) -> str:
    """A hash of all that decides what clang-tidy says about one entry of the compile database."""
    command = entry["command"].split(" -o ")[0]
    # The launcher, if there is one, comes before the compiler.
    words = [word for word in command.split() if not word.endswith("/ccache")]
    listed = subprocess.run(
        [*words, "-MM", "-MF", "-", entry["file"]],
        cwd=entry["directory"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    digest = hashlib.sha256(command.encode())
    digest.update((ROOT / ".clang-tidy").read_bytes())
    for word in sorted(set(listed.replace("\\\n", " ").split()[1:])):
        path = Path(entry["directory"], word)
        if path.is_relative_to(ROOT) and path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def clang_tidy() -> bool:
    """Every source of the library and the bindings, as many at a time as there are cores."""
    where = build.build("dev")
    passed_file = where / "clang-tidy-passed.json"
    passed = set(json.loads(passed_file.read_text()) if passed_file.exists() else [])
    entries = json.loads((where / "compile_commands.json").read_text())
    own = (str(ROOT / "src"), str(ROOT / "python"))
    wanted = {e["file"]: e for e in entries if e["file"].startswith(own)}
    say(f"clang-tidy: {len(wanted)} files")
    # g++'s precompiled headers, which the compile commands name, are not clang's.
    extra = ["--extra-arg=-Wthread-safety", "--extra-arg=-Wno-ignored-gch"]
    tool = ["clang-tidy-19", "-p", str(where), "--quiet", *extra]
    lock = threading.Lock()
    still_good: set[str] = set()
    bad: list[str] = []
    looked_at = 0

    def check(entry: dict[str, str]) -> None:
        nonlocal looked_at
        name = str(Path(entry["file"]).relative_to(ROOT))
        key = _fingerprint(entry)
        if key in passed:
            with lock:
                still_good.add(key)
            return
        done = subprocess.run(
            [*tool, entry["file"]],
            capture_output=True,
            text=True,
            check=False,
        )
        with lock:
            looked_at += 1
            say(f"clang-tidy {name}: {'good' if done.returncode == 0 else 'BAD'}")
            if done.returncode == 0:
                still_good.add(key)
                # At once: a run that is broken off has not worked for nothing.
                passed_file.write_text(json.dumps(sorted(passed | still_good)))
            else:
                bad.append(name)
                print(done.stdout, done.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        list(pool.map(check, wanted.values()))
    passed_file.write_text(json.dumps(sorted(still_good)))
    say(f"clang-tidy looked at {looked_at} files, {len(bad)} of them bad")
    return not bad


def lint(fix: bool) -> None:
    """Runs every check, then fails if any complained."""
    packages.ensure(packages.BUILD, packages.LINT)
    environment.ensure()
    build.folder("dev").mkdir(parents=True, exist_ok=True)
    checks = {
        "clang-format": clang_format(fix),
        "ruff": ruff(fix),
        "mypy": mypy(),
        "layout": layout(),
        "clang-tidy": clang_tidy(),
    }
    bad = [name for name, good in checks.items() if not good]
    if bad:
        raise Stop(f"these complained: {', '.join(bad)}")
    say("lint is clean")
