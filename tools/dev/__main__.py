"""The verbs of ./dev. Each is a row of VERBS; `./dev` alone lists them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from step import ROOT, Stop


def _test(words: list[str]) -> None:
    import testing

    if words not in ([], ["--full"]):
        raise Stop(f"./dev test takes --full or nothing, not {' '.join(words)}")
    testing.test(full=bool(words))


def _ci(words: list[str]) -> None:
    import ci

    if words not in ([], ["--full"]):
        raise Stop(f"./dev ci takes --full or nothing, not {' '.join(words)}")
    ci.ci(full=bool(words))


def _fuzz(words: list[str]) -> None:
    import fuzzing

    fuzzing.run(words)


def _demo(words: list[str]) -> None:
    import build
    import environment
    from step import progress, run

    if words:
        raise Stop("./dev demo takes no arguments")
    build.build("dev", ("python_package",))
    tour = ROOT / "examples" / "python" / "demo.py"
    if run(
        [environment.PYTHON, tour, ROOT / "build" / "demo"], env=build.python_path(), check=False
    ):
        raise Stop("not everything in the demo went right")
    progress("the demo is done; its picture is build/demo/mandelbrot.png")


def _bench(words: list[str]) -> None:
    import bench
    import build
    import environment

    def prepare() -> tuple[Path, dict[str, str]]:
        build.build("dev", ("python_package",))
        return environment.PYTHON, build.python_path()

    bench.bench(words, prepare)


def _gpu_pack(words: list[str]) -> None:
    import gpu

    if words:
        raise Stop("./dev gpu-pack takes no arguments")
    gpu.pack()


def _gpu_test(words: list[str]) -> None:
    import gpu

    if words not in ([], ["cpu"], ["cuda:0"]):
        raise Stop(f"./dev gpu-test takes cpu, cuda:0 or nothing, not {' '.join(words)}")
    gpu.test(words[0] if words else None)


def _gpu_bench(words: list[str]) -> None:
    import bench
    import gpu

    bench.bench(words, gpu.prepare, gpu.BENCHMARKS)


def _gpu_sanitize(words: list[str]) -> None:
    import sanitize

    sanitize.sanitize(words)


def _docs(words: list[str]) -> None:
    import build
    import environment
    import testing
    from step import run

    if words not in ([], ["--draw"]):
        raise Stop(f"./dev docs takes --draw or nothing, not {' '.join(words)}")
    if words:
        environment.ensure()
        run([environment.PYTHON, "-B", ROOT / "benchmarks" / "plots" / "draw.py"])
        return
    where = build.build("dev", ("python_package",))
    if testing.pytest(["tests/docs"], where, build.python_path()).failed:
        raise Stop("some pages are not true")


def _lint(words: list[str]) -> None:
    import lint

    if words not in ([], ["--fix"]):
        raise Stop(f"./dev lint takes --fix or nothing, not {' '.join(words)}")
    lint.lint(fix=bool(words))


def _python(words: list[str]) -> None:
    import os

    import build
    import environment
    from step import leave_stdout_alone

    leave_stdout_alone()
    build.build("dev", ("python_package",), silently_idle=True)
    sys.stderr.flush()
    os.execve(
        environment.PYTHON,
        [str(environment.PYTHON), *words],
        {**os.environ, **build.python_path("dev")},
    )


def _wheel(words: list[str]) -> None:
    import wheel

    if words:
        raise Stop("./dev wheel takes no arguments")
    wheel.wheel()


def _clean(words: list[str]) -> None:
    import shutil

    if words:
        raise Stop("./dev clean takes no arguments")
    for name in ("build", "dist", ".venv"):
        shutil.rmtree(ROOT / name, ignore_errors=True)


VERBS: dict[str, tuple[Callable[[list[str]], None], str, str]] = {
    "demo": (_demo, "", "example kernels: what they show, how long they take, checked by NumPy"),
    "test": (_test, "[--full]", "build, run every test; --full adds sanitizers and long fuzzing"),
    "ci": (
        _ci,
        "[--full]",
        "what .ci/run runs: lint, tests, and the wheel where it may have changed",
    ),
    "fuzz": (_fuzz, "MINUTES", "libFuzzer with sanitizers on source text and options"),
    "bench": (_bench, "[NAME] [--json FILE] [WORDS]", "measure, all of benchmarks/ or one of them"),
    "lint": (_lint, "[--fix]", "layout, clang-format, ruff, mypy, clang-tidy, headers alone"),
    "docs": (_docs, "[--draw]", "check links, run every example; --draw redraws the pictures"),
    "wheel": (_wheel, "", "one wheel in dist/, clang and LLVM inside, installed and tried"),
    "python": (_python, "ARGS", "the project's own Python, with warpwise importable"),
    "gpu-pack": (_gpu_pack, "", "libraries for a GPU machine without LLVM, as one file to carry"),
    "gpu-test": (
        _gpu_test,
        "[cpu|cuda:0]",
        "there: build the extension against them, run the suites",
    ),
    "gpu-bench": (
        _gpu_bench,
        "[NAME] [--json FILE] [--beside FOLDER]",
        "there: measure, as bench does",
    ),
    "gpu-sanitize": (_gpu_sanitize, "[TOOL]", "there: compute-sanitizer over the test programs"),
    "clean": (_clean, "", "remove build/, dist/ and .venv/"),
}


def _usage() -> str:
    rows = [(f"{verb} {arguments}".strip(), text) for verb, (_, arguments, text) in VERBS.items()]
    width = max(len(left) for left, _ in rows)
    lines = [f"  ./dev {left:<{width}}  {text}" for left, text in rows]
    return "\n".join(["usage: ./dev VERB", *lines])


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("help", "-h", "--help"):
        print(_usage())
        return 0
    verb, *words = arguments
    if verb not in VERBS:
        print(f"./dev: there is no verb '{verb}'\n{_usage()}", file=sys.stderr)
        return 2
    try:
        VERBS[verb][0](words)
    except Stop as stop:
        print(f"./dev {verb}: {stop}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


sys.exit(main(sys.argv[1:]))
