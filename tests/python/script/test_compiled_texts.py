"""Texts: of functions that a program gave to exec(), eval() or compile(), and what they become."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import types
from pathlib import Path

import numpy as np
import pytest

import warpwise as ww
from warpwise import _compiled_texts
from warpwise._script import Function


def functions_of(text: str, file: str = "<string>") -> dict[str, types.FunctionType]:
    names: dict[str, types.FunctionType] = {}
    exec(compile(textwrap.dedent(text), file, "exec"), names)
    return names


def value_of(function: types.FunctionType, x: float = 0.0) -> float:
    host = np.array([x])
    Function(function)[1, 1](host)
    return float(host[0])


def test_a_function_that_exec_made():
    names: dict[str, types.FunctionType] = {}
    exec("def f(x):\n    x[0] = 7\n", names)
    assert value_of(names["f"]) == 7


def test_functions_of_the_same_name_are_told_apart():
    text = "def f(x):\n    y = {0}\n    x[0] = y if '{0}' == '2' else -y\n"
    made = [functions_of(text.format(k))["f"] for k in range(1, 4)]
    assert [value_of(function) for function in made] == [-1, 2, -3]


def test_functions_in_functions_and_lambdas():
    names = functions_of("""
        def outer(n):
            def inner(x):
                x[0] += twice(n)
            return inner
        twice = lambda x: 2 * x
    """)  # fmt: skip
    assert value_of(names["outer"](4), 1) == 9


def test_errors_show_the_line_of_the_text():
    function = functions_of("\n\ndef f(x):\n    x[0] = nothing\n", "<made by a program>")["f"]
    with pytest.raises(ww.CompileError) as caught:
        Function(function).inspect_source("int64[:]")
    assert "<made by a program>:4:12: error: the name 'nothing' is not defined" in str(caught.value)
    assert "    x[0] = nothing\n           ^~~~~~~" in str(caught.value)


def test_two_functions_on_one_line_are_refused():
    names = functions_of("fs = [lambda x: x + 1, lambda x: x + 2]\n")
    with pytest.raises(ww.CompileError, match="source of '<lambda>' is not available"):
        Function(names["fs"][0], device=True).result_of("int64")


def test_texts_that_cannot_hold_kernels_are_not_kept():
    file = "<texts of a test>"
    for text in ("3 + 4", "x = 1\n", "def f(): pass\n" + "#" * (1 << 18)):
        compile(text, file, "exec")
    compile("def f(): pass\n", "name of a file", "exec")
    assert _compiled_texts.texts_of(file) == _compiled_texts.texts_of("name of a file") == []
    compile("def f(): pass\n", file, "exec")
    compile("lambda: 3", file, "eval")
    compile("def f(): pass\n", file, "exec")
    assert _compiled_texts.texts_of(file) == ["lambda: 3", "def f(): pass\n"]


def test_the_oldest_texts_go_first(monkeypatch):
    file = "<many texts>"
    kept = [text for text in _compiled_texts._texts if text[0] != file]
    size = sum(len(text) for _, text in kept)
    monkeypatch.setattr(_compiled_texts, "_MOST", size + 40)
    for k in range(9):
        compile(f"def f(): {k}\n", file, "exec")
    texts = _compiled_texts.texts_of(file)
    assert texts[0] == "def f(): 8\n" and sum(map(len, texts)) <= size + 40


def test_the_source_of_a_file_is_found_without_a_search_of_all_modules(tmp_path, monkeypatch):
    def refuse(*arguments: object) -> None:
        raise AssertionError("inspect searches all loaded modules, which takes 9 ms")

    file = tmp_path / "stored.py"
    file.write_text("def f(x):\n    x[0] = 3\n")
    monkeypatch.setattr("inspect.getmodule", refuse)
    assert value_of(functions_of(file.read_text(), str(file))["f"]) == 3


NAMED_TWICE = """
import sys
used = [bytearray(997 * int(sys.argv[1]) + 64 * k) for k in range(3 * int(sys.argv[1]))]
from warpwise._script import Function

def f(x):
    s = int(x[0])
    for k in range(3):
        s = s ^ k
        t = 0
        t = float(t) + s
        x[k] = t
        s = 5.0
        s = int(s) + 1

print(Function(f).inspect_source("float64[:]"))
"""


def test_a_function_becomes_the_same_text_wherever_its_tree_lies_in_memory():
    texts = set()
    for number in ("1", "5", "11", "23", "47", "90"):
        command = [sys.executable, "-c", NAMED_TWICE, number]
        texts.add(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert len(texts) == 1
    assert "s_2" in texts.pop()


RANDOM_TEXTS = """
import sys
used = [bytearray(997 * int(sys.argv[1]) + 64 * k) for k in range(3 * int(sys.argv[1]))]
from random_runs import sources

print(*(text for seed in range(7000, 7030) for text in sources(seed)))
"""


def test_random_functions_become_the_same_texts_wherever_their_trees_lie_in_memory():
    texts = set()
    for number in ("1", "11", "47"):
        command = [sys.executable, "-c", RANDOM_TEXTS, number]
        folder = Path(__file__).parent
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        texts.add(run.stdout)
    assert len(texts) == 1
