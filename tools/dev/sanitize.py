"""./dev gpu-sanitize [TOOL ...]: compute-sanitizer's tools over the test programs, on a GPU.

Each file of tests runs in a process of its own under each tool, many at a time. Memory comes
without the pool, so that memcheck knows the end of every buffer. Logs stay in build/gpu/sanitizer.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gpu
from step import ROOT, Stop, jobs, progress
from tally import read_junit

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
PROGRAMS = (
    "tests/programs/test_*.py",
    "tests/python/compat/test_programs.py",
    "tests/python/compat/test_texture_programs.py",
)
OPTIONS = {
    # Fetching a whole buffer of which a kernel wrote a part is no mistake; kernels are checked.
    "initcheck": ("--check-api-memory-access", "no"),
}
# Of each process. racecheck's warnings are not counted: programs of before Volta, which these tests
# keep alive, rely on the threads of a warp going in step.
SUMMARY = re.compile(r"SUMMARY: .*?\b(\d+) errors?\b")
LOGS = gpu.HERE / "sanitizer"


def _compute_sanitizer() -> Path:
    """Of PATH, the toolkit, NVIDIA's Python package, or carried along in build/."""
    folders = [Path(os.environ.get(name, "/usr/local/cuda")) for name in ("CUDA_HOME", "CUDA_PATH")]
    folders += [
        Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13",
        ROOT / "build" / "sanitizer",
    ]
    found = [folder / "bin" / "compute-sanitizer" for folder in folders]
    if (in_path := shutil.which("compute-sanitizer")) is not None:
        found.insert(0, Path(in_path))
    for program in found:
        if program.exists():
            return program
    looked_at = ", ".join(str(program) for program in found)
    raise Stop(
        f"no compute-sanitizer in PATH and no {looked_at}: the CUDA toolkit has it, or the package "
        "nvidia-cuda-sanitizer-api, whose nvidia/cu13 may be carried along as build/sanitizer"
    )


def _findings(log: Path) -> int | None:
    """Those of all processes of one log; None without a summary: then the tool itself failed."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    counts = SUMMARY.findall(text)
    return sum(map(int, counts)) if counts else None


def sanitize(tools: list[str]) -> None:
    if unknown := [tool for tool in tools if tool not in TOOLS]:
        raise Stop(f"compute-sanitizer has no tool {unknown[0]}; there are: {', '.join(TOOLS)}")
    program = _compute_sanitizer()
    python, env = gpu.prepare()
    env = {**os.environ, **env, "WARPWISE_DEVICE": "cuda:0", "WARPWISE_POOL": "none"}
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    files = [file for pattern in PROGRAMS for file in sorted(ROOT.glob(pattern))]

    def one(task: tuple[str, Path]) -> bool:
        tool, file = task
        log = LOGS / f"{tool}.{file.parent.name}.{file.stem}.log"
        report = log.with_suffix(".xml")
        command = [program, "--tool", tool, *OPTIONS.get(tool, ()), "--target-processes", "all"]
        command += ["--report-api-errors", "no", "--log-file", log]
        command += [python, "-m", "pytest", "-q", "--tb=short", "--timeout=0", file]
        command += [f"--junitxml={report}"]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        findings = _findings(log)
        tests = read_junit(report)
        good = findings == 0 and not tests.failed
        progress(f"{tool} {file.name}: {tests}, findings: {findings}")
        if not good:
            print(done.stdout[-3000:], done.stderr[-1000:], flush=True)
            if log.exists():
                print(log.read_text(encoding="utf-8", errors="replace")[:4000], flush=True)
        return good

    work = [(tool, file) for tool in tools or TOOLS for file in files]
    with ThreadPoolExecutor(jobs()) as pool:
        bad = [task for task, good in zip(work, pool.map(one, work), strict=True) if not good]
    if bad:
        names = ", ".join(f"{tool} {file.name}" for tool, file in bad)
        raise Stop(f"{len(bad)} of {len(work)} runs found something: {names}")
    progress(f"compute-sanitizer: {len(work)} runs, no finding")
