"""Every name of PyCUDA is there, as PyCUDA has it, and is tested.

The inventory is in the folder `inventory`. A name is tested when a test fails as soon as something
else takes its place: a stub, a call that gives another value, a call that ignores an argument. The
file `proofs.txt` there has a test for each; `proving.py` finds and checks them. Without effect, and
so without a test, are arguments marked by `(-)`:

- `nvcc` and `cuda_libdir`: the name of nvcc and where its libraries are; neither is used;
- `device` and `context` of match_dtype_to_c_struct: every device has the same layout;
- `config_file`: everything is recorded.

What users suffered is in `pains.txt`, by the number of the issue, with the tests of it.

Of names over arrays, a test asserts something that depends on the name, and passes each parameter.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inventory import read
from inventory.stand_ins import found, is_of_instances, of

ARRAYS = {name.key: name for name in read.names("arrays.txt")}
NAMES = read.by_key() | ARRAYS


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_the_name_is_there(name: read.Name) -> None:
    if is_of_instances(name):
        assert isinstance(found(name.path.rpartition(".")[0]), type)
    elif name.word.startswith("exception"):
        base = name.word.split()[1]
        expected = getattr(builtins, base) if base == "Exception" else found(f"driver.{base}")
        assert issubclass(found(name.path), expected)
    else:
        assert found(name.path) is not None or name.word == "attribute"


CALLS = {path: name for path, name in NAMES.items() if name.parameters is not None}


@pytest.mark.parametrize("name", CALLS.values(), ids=CALLS.keys())
def test_the_signature_is_pycudas(name: read.Name) -> None:
    ours = list(inspect.signature(found(name.path)).parameters.values())
    if ours and ours[0].name == "self":
        ours = ours[1:]
    by_name = {one.name for one in ours if one.kind is not one.VAR_POSITIONAL}
    takes_rest = any(one.kind is one.VAR_POSITIONAL for one in ours)
    for index, (parameter, default, _) in enumerate(name.parameters or ()):
        if parameter.startswith("*"):
            assert takes_rest
            continue
        if takes_rest and parameter not in by_name:
            continue  # the block and stream of prepared calls, by position
        assert parameter in by_name, f"no parameter '{parameter}' in {[o.name for o in ours]}"
        one = next(o for o in ours if o.name == parameter)
        if not takes_rest:
            assert ours[index].name == parameter, f"'{parameter}' is not number {index}"
        if default is not None and "__call__" not in name.path:
            assert same_default(one.default, default), f"{parameter}={one.default!r}"
    required = {one.name for one in ours if one.default is one.empty and one.kind in (0, 1)}
    assert required <= {parameter for parameter, _, _ in name.parameters or ()}


def same_default(ours: Any, text: str) -> bool:
    theirs = eval(text, {"driver": importlib.import_module("pycuda.driver"), "np": np})  # our files
    return ours is theirs or ours == theirs or (theirs == [] and ours == ())


@pytest.mark.parametrize(("kind", "name", "value"), list(read.enumerations()))
def test_the_number_is_that_of_cuda(kind: str, name: str, value: int) -> None:
    enumeration = getattr(importlib.import_module("pycuda.driver"), kind)
    assert int(enumeration[name]) == value
    assert enumeration.names[name] is enumeration[name]
    assert enumeration.values[value] == value


@pytest.mark.parametrize("key", read.by_key())
def test_every_stand_in_has_a_test(key: str) -> None:
    """`other` is asked for where proving.py finds that a call gives plain values."""
    proven = {kind for proven, kind, _ in read.proofs() if proven == key}
    wanted = {one.kind for one in of(read.by_key()[key])}
    assert wanted - {"other"} <= proven <= wanted


FILES = sorted({node.partition("::")[0] for _, _, node in read.proofs()})


@pytest.mark.cpu_only("what is queued there is done when it is asked for")
@pytest.mark.parametrize("file", FILES)
def test_its_test_notices_the_stand_in(file: str) -> None:
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "inventory.proving", str(here / file)],
        env=os.environ | {
            "WARPWISE_STAND_INS": "check",
            "PYTHONPATH": os.pathsep.join([str(here), *sys.path]),
        },
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def documented() -> dict[str, set[str]]:
    """The issues that docstrings of tests of section 4 name, with the tests."""
    found: dict[str, set[str]] = {}
    for file in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            words = ast.get_docstring(node) or ""
            if words.startswith("Section 4"):
                for number in re.findall(r"(?<!\w)#\d+", words):
                    found.setdefault(number, set()).add(f"{file.name}::{node.name}")
    return found


def test_every_pain_has_its_tests_or_a_reason() -> None:
    listed: dict[str, set[str]] = {}
    for line in (read.HERE / "pains.txt").read_text().splitlines():
        if line.startswith("#") and not line.startswith("# "):
            number, _, test = line.partition(": ")
            listed.setdefault(number, set()).add(test)
    assert {n: tests for n, tests in listed.items() if " " not in n} == documented()
    assert all(reason for n, reasons in listed.items() if " " in n for reason in reasons)
    assert len(listed) > 100


# What the language calls by operators and builtins.
SPOKEN = {
    "__eq__": "==", "__ne__": "!=", "__hash__": "hash", "__int__": "int", "__index__": "index",
    "__len__": "len", "__call__": "",
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS.values(), ids=ARRAYS.keys())
def test_a_test_asserts_what_it_gives(name: read.Name) -> None:
    wanted = name.last
    if wanted in SPOKEN:
        wanted = name.owner  # a test of the class
    assert wanted in read.coverage().asserted, f"no test asserts what depends on {wanted}"


ARRAY_CALLS = {key: name for key, name in ARRAYS.items() if name.parameters is not None}


@pytest.mark.parametrize("name", ARRAY_CALLS.values(), ids=ARRAY_CALLS.keys())
def test_tests_pass_every_parameter(name: read.Name) -> None:
    last = name.owner if name.last == "__call__" else name.last
    uses = read.coverage().uses.get(last, [])
    most = max((use.positional for use in uses), default=-1)
    keywords = frozenset[str]().union(*(use.keywords for use in uses))
    if name.last == "__call__" or any(use.has_star for use in uses):
        return  # by keywords of every kind: the test of the class
    missing = [
        parameter
        for index, (parameter, _, is_idle) in enumerate(name.parameters or ())
        if not is_idle and not parameter.startswith("*")
        if parameter not in keywords and index >= most
    ]
    assert not missing, f"no test passes {missing} to {last}"
