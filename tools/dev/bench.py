"""./dev bench [NAME] [--json FILE] [WORDS]: runs programs of benchmarks/ and shows their rows.

A program prints one JSON object a line; what this adds is the table and, with --json, a record
that says on which machine, with which versions and by which command it was made. Rivals that a
program names beside it, in NAME.requirements.txt, are installed before it runs.
WORDS go to the program.

--beside FOLDER runs another folder of benchmarks afterwards: each of its Python and C++
programs for a GPU, whose lines are shown and go into the record as they are.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from step import ROOT, Stop, output, progress, run

FOLDER = ROOT / "benchmarks"
NO_PROGRAMS = ("report",)
WIDTH = 36  # of the names in the table
OF_INTEREST = re.compile(
    r"(?i)(numpy|scipy|numba|cupy|torch$|jax|cuda|pycuda|pyopencl|nvidia-cuda)"
)


def programs() -> dict[str, Path]:
    found = {path.stem: path for path in sorted(FOLDER.glob("*.py"))}
    return {name: path for name, path in found.items() if name not in NO_PROGRAMS}


def _gpus() -> list[str]:
    """Each with its driver; none where NVIDIA's tool is missing."""
    if shutil.which("nvidia-smi") is None:
        return []
    return output(
        ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    ).splitlines()


def _packages(python: Path) -> dict[str, str]:
    """The versions of the rivals that this Python has, and of what they depend on."""
    listed = json.loads(output([python, "-m", "pip", "list", "--format=json"]) or "[]")
    return {row["name"]: row["version"] for row in listed if OF_INTEREST.match(row["name"])}


def machine(python: Path) -> dict[str, Any]:
    """What the numbers depend on."""
    text = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.*)", text)
    return {
        "processor": model.group(1) if model else platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compiler": (output(["g++", "--version"]).splitlines() or ["none"])[0],
        "commit": output(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"]).strip(),
        "changed": bool(output(["git", "-C", ROOT, "status", "--porcelain"]).strip()),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "gpus": _gpus(),
        "packages": _packages(python),
    }


def run_program(
    path: Path, words: list[str], python: Path, env: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Its rows, each as soon as it is measured."""
    command = [str(python), str(path), *words]
    everything = {**os.environ, **env}
    with subprocess.Popen(command, env=everything, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        for line in program.stdout:
            if line.startswith("{"):
                yield json.loads(line)
    if program.returncode:
        raise Stop(f"{path.name} failed with status {program.returncode}")


def install_rivals(path: Path, python: Path) -> None:
    """A rival that cannot be installed is left out by its program, which reports it."""
    requirements = path.with_suffix(".requirements.txt")
    if requirements.exists():
        command: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--requirement",
            requirements,
        ]
        run(command, check=False)


def show(row: dict[str, Any]) -> None:
    if "work" not in row:
        spread = f"{row['min']:.4g} to {row['max']:.4g}, {row['samples']} samples"
        text = f"  {row['name']:<{WIDTH}}  {row['median']:>9.4g} {row['unit']:<3} ({spread})"
    else:
        rivals = "  ".join(f"{name} {ms:.4g}" for name, ms in row["rivals"].items())
        share = next(value for key, value in row.items() if key.startswith("ratio_to_"))
        goal = f" (goal {row['goal']:.0%})" if "goal" in row else ""
        text = f"  {row['work']:<{WIDTH}}  {row['ours_ms']:>9.4g} ms  {share:.0%}{goal}  ({rivals})"
    print(text, flush=True)


def _other_benchmarks(folder: Path, python: Path, scratch: Path) -> Iterator[tuple[str, list[str]]]:
    """The command of each program; those in C++ are built with the toolkit's libraries."""
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    for path in sorted(folder.glob("*gpu*.py")):
        yield path.name, [str(python), str(path)]
    for path in sorted(folder.glob("*.cpp")):
        if "cuda.h" not in path.read_text():
            continue
        made = scratch / path.stem
        libraries = toolkit / "lib64"
        words: list[str | Path] = ["g++", "-O2", "-std=c++20", path, "-o", made]
        words += [f"-I{toolkit}/include", f"-L{libraries}", f"-L{libraries}/stubs"]
        run([*words, f"-Wl,-rpath,{libraries}", "-lcuda", "-lnvrtc"])
        yield path.name, [str(made)]


def run_beside(folder: Path, python: Path) -> dict[str, list[str]]:
    """What the programs of `folder` print, by name. One that fails reports it in its last
    line: rivals may be missing here."""
    if not folder.is_dir():
        raise Stop(f"--beside {folder}: there is no such folder")
    printed: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, command in _other_benchmarks(folder, python, Path(scratch)):
            progress(f"beside: {name}")
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=scratch)
            lines = done.stdout.splitlines()
            if done.returncode:
                why = (done.stderr.splitlines() or ["no reason given"])[-1]
                lines.append(f"failed with status {done.returncode}: {why}")
            printed[name] = lines
            print("".join(f"  {line}\n" for line in lines), end="", flush=True)
    return printed


def bench(
    words: list[str],
    prepare: Callable[[], tuple[Path, dict[str, str]]],
    usual: tuple[str, ...] | None = None,
) -> None:
    """Runs what `words` name with the Python and the environment that `prepare` makes ready;
    without a name, the `usual` programs, or all."""
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("name", nargs="?", help="one of: " + ", ".join(programs()))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record there")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="its benchmarks as well")
    options, rest = parser.parse_known_args(words)
    if rest and not options.name:
        raise Stop(f"{shlex.join(rest)}: words for a program need its name before them")
    chosen = programs()
    if options.name:
        if options.name not in chosen:
            raise Stop(f"no benchmark '{options.name}'; there are: {', '.join(chosen)}")
        chosen = {options.name: chosen[options.name]}
    elif usual is not None:
        chosen = {name: chosen[name] for name in usual}
    python, env = prepare()
    results: dict[str, list[dict[str, Any]]] = {}
    for name, path in chosen.items():
        install_rivals(path, python)
        progress(f"bench {name}")
        results[name] = []
        for row in run_program(path, rest, python, env):
            results[name].append(row)
            show(row)
    beside = run_beside(options.beside.resolve(), python) if options.beside else {}
    if options.json:
        command = "./dev bench " + shlex.join(words)
        record = {"command": command, "machine": machine(python), "results": results}
        if beside:
            record["beside"] = beside
        options.json.write_text(json.dumps(record, indent=2) + "\n")
        progress(f"record written to {options.json}")
