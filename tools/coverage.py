#!/usr/bin/env python3
"""Counts how many kernels of a folder of CUDA sources the CPU device takes, and how.

    tools/coverage.py FOLDER [--json] [-I FOLDER] [-D NAME=VALUE] [-X OPTION] [--jobs N]
                      [--seconds N] [--parses] [--no-instances]

Compiles every .cu file (and every .cuh that no .cu includes) below FOLDER as it stands, host code
and all. Prints for every folder: kernels found, compiled and refused (grouped by reason, with file
and line), the executors chosen and the share of instructions done lane by lane. A template is
compiled with the arguments its launches give, else with likely ones; one for which no arguments
fit is counted as "parsed". Headers are looked for in the whole of FOLDER, macros in Makefiles.
With --parses the caches are off and the result lists how often clang read each source: for the
whole of it (or until its error), and in all with the instances of its templates.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import os
import pathlib
import re
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)
SOURCES = (".cu", ".cuh", ".h", ".hpp", ".hxx", ".inl", ".h.cu", ".cl", ".c", ".cpp")
# From __global__ to the opening parenthesis behind a name.
HEAD = re.compile(
    r"(?:[^(){};#]|__launch_bounds__\s*\([^;{]*?\)|__attribute__\s*\(\(.*?\)\))*?"
    r"(\w+)\s*(?:<[^;(){}]*>)?\s*\("
)
NUMBER = re.compile(
    r"(?:std::)?(?:bool|char|int|unsigned|signed|short|long|u?int\d+_t|s?size_t|u\w+)$"
)
# What is tried for template parameters that no launch names.
GUESSES = [
    {"type": "float", "number": "16", "flag": "true"},
    {"type": "int", "number": "256", "flag": "false"},
    {"type": "double", "number": "2", "flag": "true"},
    {"type": "float4", "number": "1", "flag": "true"},
]


@functools.cache
def text_of(path: pathlib.Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


@functools.cache
def code_of(path: pathlib.Path) -> str:
    """The text with comments and strings replaced by spaces, line by line the same."""
    pattern = r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text_of(path), flags=re.S)


class Definition:
    """One ``__global__`` function as written: where it stands and its template parameters."""

    def __init__(self, path: pathlib.Path, name: str, line: int, parameters: str | None):
        self.path, self.name, self.line, self.parameters = path, name, line, parameters


def matching(code: str, at: int, pair: str) -> int:
    """Behind the bracket that closes the one at ``at``; -1 when there is none."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == pair[0]) - (code[i] == pair[1])
        if depth == 0:
            return i + 1
    return -1


@functools.cache
def definitions(path: pathlib.Path) -> tuple[Definition, ...]:
    code, found = code_of(path), []
    for keyword in re.finditer(r"\b__global__\b", code):
        head = HEAD.match(code, keyword.end())
        while head and head.group(1) in ("__launch_bounds__", "__attribute__", "__maxnreg__"):
            end = matching(code, head.end() - 1, "()")
            head = HEAD.match(code, end) if end > 0 else None
        end = matching(code, head.end() - 1, "()") if head else -1
        if head is None or end < 0 or not re.match(r"\s*(?:__\w+__\s*)*\{", code[end:]):
            continue
        line_start = code.rfind("\n", 0, keyword.start()) + 1
        if code[line_start:].lstrip().startswith("#"):
            continue
        before = code[max(0, keyword.start() - 2000) : keyword.start()]
        template = re.search(r"template\s*<((?:[^;{}])*)>[^;{}<>]*$", before, re.S)
        line = code.count("\n", 0, head.start(1)) + 1
        found.append(Definition(path, head.group(1), line, template.group(1) if template else None))
    return tuple(found)


class Tree:
    """The files of the folder, and what each source includes of them."""

    def __init__(self, root: pathlib.Path):
        self.root = root
        self.files = [p for p in sorted(root.rglob("*")) if p.suffix in SOURCES and p.is_file()]
        self.by_name: dict[str, list[pathlib.Path]] = collections.defaultdict(list)
        for path in self.files:
            self.by_name[path.name].append(path)
        self.edges: dict[pathlib.Path, list[tuple[pathlib.Path, pathlib.Path | None]]] = {}

    def find(self, wanted: str, beside: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path] | None:
        """The file that ``#include wanted`` means for ``beside``, and its include folder."""
        parts = [p for p in pathlib.PurePosixPath(wanted).parts if p != "."]
        fitting = []
        for path in self.by_name.get(parts[-1], []):
            tail = [p for p in parts if p != ".."]
            if list(path.parts[-len(tail) :]) == tail:
                common = os.path.commonpath([path, beside])
                fitting.append((len(common), path, path.parents[len(tail) - 1]))
        if not fitting:
            return None
        best = max(fitting, key=lambda row: (row[0], -len(row[1].parts)))
        return best[1], best[2]

    def closure(self, source: pathlib.Path) -> tuple[list[pathlib.Path], list[str]]:
        """Every file of the tree that ``source`` includes, and the folders to find them in."""
        seen, todo = {source: None}, [source]
        folders: dict[str, None] = {}
        while todo:
            for file, folder in self.included(todo.pop()):
                if folder is not None:
                    folders[str(folder)] = None
                if file not in seen:
                    seen[file] = None
                    todo.append(file)
        return list(seen), list(folders)

    def included(self, path: pathlib.Path) -> list[tuple[pathlib.Path, pathlib.Path | None]]:
        """What ``path`` itself includes of the tree, and in which folder that is found."""
        if path not in self.edges:
            hits: list[tuple[pathlib.Path, pathlib.Path | None]] = []
            for quote, wanted in INCLUDE.findall(text_of(path)):
                near = (path.parent / wanted).resolve()
                if quote == '"' and near.is_file():
                    hits.append((near, None))
                elif (found := self.find(wanted, path)) is not None:
                    hits.append(found)
            self.edges[path] = [hit for hit in hits if hit[0].is_relative_to(self.root)]
        return self.edges[path]

    def macros(self, source: pathlib.Path) -> list[str]:
        """The -D options of the nearest Makefile."""
        for folder in source.parents:
            for name in ("Makefile", "makefile", "GNUmakefile"):
                makefile = folder / name
                if makefile.is_file():
                    pattern = r"(?<=[\s\"'])-D\s*([A-Za-z_]\w*(?:=[\w.+-]+)?)(?=[\s\"'])"
                    found = re.findall(pattern, text_of(makefile))
                    return [f"-D{macro}" for macro in dict.fromkeys(found)]
            if folder == self.root:
                break
        return []


def template_arguments(definition: Definition, texts: list[str]) -> Iterator[str]:
    """Arguments to try: those of launches first, then guesses by the kinds of parameters."""
    launch = re.compile(rf"\b{definition.name}\s*<([^;{{}}]*?)>\s*<<<")
    naming = [text for text in texts if "<<<" in text and definition.name in text]
    written = [re.sub(r"\s+", " ", a) for text in naming for a in launch.findall(text)]
    yield from dict.fromkeys(written)
    kinds = []
    for parameter in re.split(r",(?![^<]*>)", definition.parameters or ""):
        word = parameter.strip()
        if "=" in word or "..." in word:
            break
        is_type = re.match(r"(typename|class)\b", word)
        kinds.append("type" if is_type else "flag" if word.startswith("bool") else "number")
        # An enumeration of the source's own takes no plain number.
        own = re.match(r"(?:const\s+)?((?:\w+::)*\w+)\s+\w+$", word)
        if not is_type and own and not NUMBER.match(own.group(1)):
            kinds[-1] = f"({own.group(1)})0"
    for guess in GUESSES:
        yield ", ".join(guess.get(kind, kind) for kind in kinds)


# --- Compiling one file, in a process of its own -------------------------------------------------


def log_of(error: Exception) -> str:
    return str(getattr(error, "log", ""))


def first_error(error: Exception) -> str:
    """The error that the last attempt stopped at, where the compiler made several."""
    last = re.findall(r"^note: with everything left out .* stops at: (.*)", log_of(error), re.M)
    lines = last or str(error).splitlines()
    return next((line for line in lines if ": error: " in line), lines[0])


PARSE = re.compile(r"clang parses ")


class ParseCount:
    """Counts the lines of the debug log that report a parse; this process's stderr is its own."""

    def __init__(self) -> None:
        self.file = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        os.dup2(self.file.fileno(), 2)

    def take(self) -> int:
        self.file.seek(0)
        count = len(PARSE.findall(self.file.read()))
        self.file.seek(0)
        self.file.truncate()
        return count


def compile_one(job: dict[str, Any], parses: ParseCount) -> dict[str, Any]:
    parses.take()
    answer, whole = compile_parts(job, parses)
    return {**answer, "parses": [whole, whole + parses.take()]}


def compile_parts(job: dict[str, Any], parses: ParseCount) -> tuple[dict[str, Any], int]:
    """What became of the kernels, and how often the source was parsed before their instances."""
    import warpwise as ww

    path = pathlib.Path(job["path"])
    try:
        module = ww.SourceModule(
            text_of(path), options=job["options"], include_dirs=job["folders"], name=str(path)
        )
    except (ww.Error, ValueError) as error:
        return {"error": first_error(error)}, parses.take()
    whole = parses.take()
    kernels: dict[str, dict[str, Any]] = {}
    for name in (function.removesuffix("<...>") for function in module.functions):
        candidates = job["templates"].get(name.rsplit("::", 1)[-1])
        tries = [name] if candidates is None else [f"{name}<{a}>" for a in candidates]
        outcome: dict[str, Any] = {"parsed": True}
        for attempt in tries:
            try:
                kernel = module.get_function(attempt)
            except (ww.Error, ValueError, KeyError, LookupError) as error:
                if candidates is None:  # refused by itself
                    outcome = {"error": first_error(error)}
                    break
                outcome["instance_error"] = f"{attempt}: {first_error(error)}"
                continue
            outcome = {"executor": getattr(kernel, "executor", ""), "instance": attempt}
            share = getattr(kernel, "lane_by_lane", None)
            if share is not None:
                outcome["lane_by_lane"] = share
            break
        kernels[name.rsplit("::", 1)[-1]] = outcome
    return {"kernels": kernels}, whole


def work() -> None:
    parses = ParseCount()
    for line in sys.stdin:
        print(json.dumps(compile_one(json.loads(line), parses)), flush=True)


class Worker:
    """A process that compiles file after file; replaced when it crashes or hangs."""

    def __init__(self, seconds: float, counts_parses: bool) -> None:
        self.seconds = seconds  # for one file
        self.environment = dict(os.environ)
        if counts_parses:
            self.environment |= {"WARPWISE_LOG": "debug", "WARPWISE_CACHE_SIZE": "0"}
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=self.environment,
        )  # fmt: skip

    def compile(self, job: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        reason = "the compiler crashed"
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(self.process.stdout, selectors.EVENT_READ)
                if selector.select(self.seconds):
                    answer = self.process.stdout.readline()
                    if answer:
                        return dict(json.loads(answer))
                else:
                    reason = f"not compiled within {self.seconds:g} s"
        except BrokenPipeError:
            pass
        self.process.kill()
        self.process.wait()
        self.start()
        return {"error": reason}

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


# --- The folder ----------------------------------------------------------------------------------


def jobs_of(tree: Tree, options: argparse.Namespace) -> list[dict[str, Any]]:
    closures = {p: tree.closure(p) for p in tree.files if p.suffix in (".cu", ".cuh")}
    # A .cu that another one includes is a header by use.
    included = {f for p, (files, _) in closures.items() for f in files if f != p}
    jobs = []
    for path, (files, folders) in closures.items():
        kernels = [d for file in files for d in definitions(file)]
        if path in included or not kernels:
            continue
        texts = [code_of(file) for file in files]
        templates = {
            d.name: list(template_arguments(d, texts)) if options.instances else []
            for d in kernels
            if d.parameters is not None
        }
        macros = tree.macros(path) + [f"-D{macro}" for macro in options.defines]
        jobs.append({
            "path": str(path), "folders": folders + options.include_dirs, "templates": templates,
            "options": macros + options.options, "definitions": kernels,
        })  # fmt: skip
    return jobs


def reason_of(message: str) -> tuple[str, str]:
    """(reason without names of this file, place) of an error's first line."""
    place = re.match(r"(.*?:\d+):\d+: error: (.*)", message)
    return (place.group(2), place.group(1)) if place else (message, "")


Outcomes = dict[tuple[str, str, int], dict[str, Any]]
Parses = dict[str, list[int]]


def measure(tree: Tree, options: argparse.Namespace) -> tuple[Outcomes, Parses]:
    """The best outcome of every definition over all files that hold it; the parses of each file."""
    from concurrent.futures import ThreadPoolExecutor

    jobs = jobs_of(tree, options)
    free = [Worker(options.seconds, options.parses) for _ in range(options.jobs)]
    outcomes: Outcomes = {}
    parses: Parses = {}

    def run(job: dict[str, Any]) -> dict[str, Any]:
        worker = free.pop()
        try:
            return worker.compile({k: v for k, v in job.items() if k != "definitions"})
        finally:
            free.append(worker)

    with ThreadPoolExecutor(options.jobs) as pool:
        for job, answer in zip(jobs, pool.map(run, jobs), strict=True):
            name = str(pathlib.Path(job["path"]).relative_to(tree.root))
            parses[name] = answer.get("parses", [0, 0])
            for d in job["definitions"]:
                key = (str(d.path.relative_to(tree.root)), d.name, d.line)
                if "error" in answer:
                    outcomes.setdefault(key, {"error": answer["error"]})
                elif d.name in answer["kernels"]:
                    outcomes[key] = answer["kernels"][d.name]
                else:
                    outcomes.setdefault(key, {"inactive": True})
    for worker in free:
        worker.close()
    return outcomes, parses


def report(outcomes: Outcomes, root: pathlib.Path) -> list[Any]:
    folders: dict[str, list[Any]] = collections.defaultdict(list)
    for (path, name, line), outcome in sorted(outcomes.items()):
        if "inactive" not in outcome:  # a preprocessor condition leaves it out
            folders[str(pathlib.PurePath(path).parent)].append((path, name, line, outcome))
    rows = []
    for folder, found in folders.items():
        refused: dict[str, list[str]] = collections.defaultdict(list)
        for path, name, line, outcome in found:
            if "error" in outcome:
                reason, place = reason_of(outcome["error"])
                place = place.removeprefix(f"{root}/")
                refused[reason].append(f"{name} ({place or f'{path}:{line}'})")
        done = [o for *_, o in found if "executor" in o]
        shares = [o["lane_by_lane"] for o in done if "lane_by_lane" in o]
        rows.append({
            "folder": folder, "kernels": len(found), "compiled": len(done),
            "parsed": sum("parsed" in o for *_, o in found),
            "refused": sum(map(len, refused.values())), "reasons": refused,
            "executors": collections.Counter(o["executor"] for o in done if o["executor"]),
            "lane_by_lane": sum(shares) / len(shares) if shares else None,
            "instance_errors": [o["instance_error"] for *_, o in found if "instance_error" in o],
        })  # fmt: skip
    return rows


def print_rows(rows: list[Any]) -> None:
    for row in rows:
        executors = ", ".join(f"{name} {count}" for name, count in row["executors"].items())
        share = "" if row["lane_by_lane"] is None else f"; lane by lane {row['lane_by_lane']:.0%}"
        print(f"{row['folder']}: {row['kernels']} kernels, {row['compiled']} compiled, "
              f"{row['parsed']} parsed, {row['refused']} refused; {executors}{share}")  # fmt: skip
        for reason, kernels in sorted(row["reasons"].items(), key=lambda item: -len(item[1])):
            print(f"    {len(kernels)} x {reason}: {'; '.join(kernels[:3])}")


def print_parses(parses: Parses) -> None:
    for name, (whole, total) in sorted(parses.items(), key=lambda item: -item[1][0]):
        print(f"    {whole} parses, {total} with instances: {name}")
    counts = collections.Counter(whole for whole, _ in parses.values())
    print("parses of a source: " + ", ".join(f"{n} x {counts[n]}" for n in sorted(counts)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=pathlib.Path, nargs="?", metavar="FOLDER")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("-I", dest="include_dirs", action="append", default=[], metavar="FOLDER")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("-X", dest="options", action="append", default=[], metavar="OPTION")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--seconds", type=float, default=120, metavar="N", help="for one file")
    parser.add_argument(
        "--no-instances", dest="instances", action="store_false", help="templates are only parsed"
    )
    parser.add_argument("--parses", action="store_true", help="count how often clang reads each")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work()
        return 0
    if options.folder is None or not options.folder.is_dir():
        parser.error(f"FOLDER wants a folder of CUDA sources, got {options.folder}")
    root = options.folder.resolve()
    outcomes, parses = measure(Tree(root), options)
    rows = report(outcomes, root)
    total = {
        key: sum(row[key] for row in rows) for key in ("kernels", "compiled", "parsed", "refused")
    }
    judged = total["compiled"] + total["refused"]
    share = total["compiled"] / judged if judged else 1.0
    if options.json:
        document = {"folders": rows, "total": total, "share": share}
        print(json.dumps(document | ({"parses": parses} if options.parses else {}), indent=1))
    else:
        print_rows(rows)
        if options.parses:
            print_parses(parses)
        print(f"all: {total['kernels']} kernels, {total['compiled']} compiled, {total['parsed']} "
              f"parsed, {total['refused']} refused: {share:.1%}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
