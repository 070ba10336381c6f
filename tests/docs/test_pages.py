"""Every page: links have targets, and examples do what the page says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pages import ROOT, blocks, broken_links, matches, pages, unknown_infos, unlisted

# The folder that holds lib/ and python/: the one whose package is being tested.
BUILD = Path(os.environ.get("PYTHONPATH", "").split(":")[0]).parent

# Runs the blocks of a page in one namespace; prints a JSON list of what each printed or raised.
RUNNER = """
import contextlib, io, json, linecache, sys, traceback
names, results, lines = {"__name__": "page"}, [], []
for text, line, must_raise in json.load(sys.stdin):
    lines += ["\\n"] * (line - len(lines)) + text.splitlines(keepends=True)
    linecache.cache["page"] = (1, None, lines, "page")  # where kernels find their source
    out = io.StringIO()
    raised = None
    with contextlib.redirect_stdout(out):
        try:
            exec(compile("\\n" * line + text, "page", "exec"), names)
            if "ww" in names:
                names["ww"].Device().synchronize()
        except Exception as error:
            raised = "".join(traceback.format_exception_only(error))
            if not must_raise:
                raised = traceback.format_exc()
    results.append([out.getvalue(), raised])
    if raised is not None and not must_raise:
        break
print(json.dumps(results))
"""


def text_of(page: Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def having(language: str) -> list[Path]:
    wanted = (language, f"{language} error")
    return [page for page in pages() if any(b.info in wanted for b in blocks(text_of(page)))]


@pytest.mark.parametrize("page", pages(), ids=str)
def test_links_have_targets(page: Path) -> None:
    assert not list(broken_links(page, text_of(page), ROOT))


def test_the_index_lists_every_page() -> None:
    assert not list(unlisted(Path("docs/README.md"), ROOT))


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_block_has_a_known_kind(page: Path) -> None:
    assert not list(unknown_infos(page, text_of(page)))


@pytest.mark.parametrize("page", having("python"), ids=str)
def test_python_examples_run(page: Path, tmp_path: Path) -> None:
    examples = [b for b in blocks(text_of(page)) if b.info in ("python", "python error")]
    payload = json.dumps([(b.text, b.line, b.info.endswith("error")) for b in examples])
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=payload,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        check=False,
        env={**os.environ, "WARPWISE_DEVICE": "cpu"},
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout.splitlines()[-1])
    for block, (printed, raised) in zip(examples, results, strict=False):
        where = f"{page}:{block.line}"
        if block.info.endswith("error"):
            assert raised, f"{where} must raise and did not"
            shown = raised
        else:
            assert raised is None, f"{where}\n{raised}"
            shown = printed
        if block.printed is not None:
            assert matches(shown, block.printed), f"{where} shows\n{shown}"
    assert len(results) == len(examples)


@pytest.mark.parametrize("page", having("cpp"), ids=str)
def test_cpp_examples_compile_and_run(page: Path, tmp_path: Path) -> None:
    for block in blocks(text_of(page)):
        if block.info != "cpp":
            continue
        source, program = tmp_path / "example.cpp", tmp_path / "example"
        source.write_text(block.text)
        lib = BUILD / "lib"
        generated = lib.parent / "include"
        headers = [f"-I{ROOT / 'include'}", f"-I{generated}"]
        options = ["-std=c++20", *headers, f"-L{lib}", f"-Wl,-rpath,{lib}"]
        command = ["g++", *options, str(source), "-o", str(program), "-lwarpwise"]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        assert built.returncode == 0, f"{page}:{block.line}\n{built.stderr}"
        done = subprocess.run(
            [program], capture_output=True, text=True, cwd=tmp_path, check=False, timeout=300
        )
        assert done.returncode == 0, f"{page}:{block.line}\n{done.stderr}"
        if block.printed is not None:
            assert matches(done.stdout, block.printed), f"{page}:{block.line}\n{done.stdout}"
