"""What kernels do not take is refused at its line and column, with the code and a caret."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import linecache
import math
import random
import re
import types
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from refused_lines import expect_refused

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function

# Code of a kernel f(x, y, n), with the place marked by «»; types; and what the message says.
REFUSED = [
    ("y[0] = «undefined_name»", "the name 'undefined_name' is not defined"),
    ("y[0] = «nn» + n", "did you mean 'n'"),
    ("v = 1\nv2 = «v + x»", "kernels compute with elements"),
    ("y[0] = «n.foo»", "int64 has no attribute 'foo'"),
    ("y[0] = «x.foo»", "arrays have no attribute 'foo'"),
    ("y[0] = x[«1.5»]", "an index is a whole number"),
    ("y[0] = «x[0, 1]»", "has 1 axis, but the index has 2"),
    ("y[0] = «x[0][0]»", "cannot be indexed"),
    ("if n > 0:\n    v = 1\ny[0] = «v»", "'v' has no value on some path"),
    ("y[0] = «w»\nw = 1", "'w' has no value"),
    (
        "v = 1\nif n:\n    «v» = (1, 2)\ny[0] = v",
        "'v' is Tuple(int64, int64) here and int64 before",
    ),
    ("«y[0]» = {1: 2}", "cannot be dict(int64)"),
    ("t = «'a' if n else 'b'»", "chooses a string, which kernels know when they are compiled"),
    ("a = [2, 1]\n«a.sort()»", "lists of kernels have no method 'sort'; take another list"),
    ("a = [2, 1]\na[0] = n\n«a.sort()»", "take another list, b = sorted(a)"),
    ("a = [2, 1]\na[0] = n\n«a.reverse()»", "take another list, b = a[::-1]"),
    ("t = [i for i in «x»]", "a list of a kernel has a fixed length: it goes over tuples"),
    ("t = tuple(i for i in range(3) if «i < n»)", "must be known when the kernel is compiled"),
    ("t = [i for i in range(«300»)]", "has a fixed length"),
    ("t = tuple(«range(300)»)", "tuple() and list() go over tuples and range() of constants"),
    (
        "def f(v):\n    if v:\n        return 1\n    «return 'a'»\ny[0] = f(n)",
        "'f' returns str here and int64 before",
    ),
    ("t = «(i for i in x)»", "a generator expression is an argument of sum(), any()"),
    (
        "if any(«(m := i)» > 0 for i in x):\n    y[0] = m",
        "'m' is used outside of the comprehension",
    ),
    ("m = 1\ny[0] = sum(«(m := i)» for i in x)", "kernels know what := assigns only within"),
    ("y[0] = sum(x for «x» in x)", "goes over a variable of another name than its own"),
    (
        "a = [0, 1]\nfor i in x:\n    b = [0, 1]\n    b[0] = a[0]\n    «a» = b",
        "a list that is made in a loop has one name in kernels",
    ),
    ("a = [0, 1]\na[0] = 1\ny[0] = sum(a[«n»:])", "constant"),
    ("a = [[0], [1]]\na[0][0] = 1\nb = «a[1:]»", "a slice of a list of lists shares its items"),
    (
        "a = [0, 1]\na[0] = 1\nb = [v for v in «a[:1]»]",
        "the length of this list is not known here",
    ),
    ("a = [0, 1]\na[0] = 1\n«a[1:]» = 1, 2", "lists of kernels keep their length: a slice of 1"),
    ("a = [0, 1]\na[0] = 1\n«a[1:]» = 1", "a slice of 1 items takes a tuple of as many"),
    ("a = [0, 1]\na[0] = 1\n«a[:]» += [1]", "lists of kernels have a fixed length"),
    ("y[0] = sorted((1, 2), key=lambda v: «1j»)[0]", "real numbers and tuples of them"),
    ("y[0] = sorted(«((1, 2), 3)»)[0]", "sorted() takes items of one type"),
    ("y[0] = sorted((1, 2), reverse=«n»)[0]", "reverse= of a constant"),
    ("«a, *b» = x", "nothing takes the rest of it; take a part"),
    ("«x[:]» = ()", "cannot be an empty tuple"),
    ("x[:2] = 1, «'a'»", "cannot be"),
    ("a = []\nwhile n > 0:\n    «a.append(1)»", "number of turns is known"),
    ("a = [0] * 2\na[0] = 1\n«a.append(1)»", "lists of kernels have a fixed length"),
    ("a = [0] * «len(x)»\na[0] = 1", "must be constants"),
    ("a = [0] * 2\ndef f(v):\n    «a[0]» = v\nf(1.5)", "a list of int64 holds no float64 here"),
    ("for i in itertools.product(x, repeat=«n»):\n    pass", "repeat is a constant"),
    ("y[0] = «functools.reduce(lambda a, b: (a, b), x, 0)»[0]", "its items, and its start"),
    ("t = sorted(«x»)", "sort arrays before, with ww.sort()"),
    ("t = sorted((1, 2), «by»=helper)", "takes key=, and reverse= of a constant"),
    ("t = «{i for i in x}»", "kernels have no set comprehensions"),
    ("y[0] = max(x, key=helper, foo=«1»)", "max() takes no foo= in kernels"),
    ("y[0] = pow(«2.5», 2, 3)", "pow() of three numbers takes signed whole ones"),
    ("y[0] = n in range(«1.5»)", "range() takes whole numbers"),
    ("y[0] = «x in n»", "kernels look for values in tuples with 'in'"),
    ("for i, j in np.ndindex(«1.5», 2):\n    pass", "numpy.ndindex() takes whole numbers"),
    ("for i in np.ndenumerate(n):\n    pass", "numpy.ndenumerate() takes an array"),
    ("y[0] = functools.reduce(helper, «n»)", "kernels loop over range(), arrays and tuples"),
    ("«try:\n    y[0] = 1\nexcept ValueError:\n    pass»", "no exceptions to catch"),
    ("«with open('a') as f:\n    pass»", "no with statements"),
    ("«import os»", "import at the top of the module"),
    ("«global n2\nn2 = 1»", "no assignments to globals"),
    ("«del n»", "no del"),
    ("«x.shape = 1»", "kernels assign to variables and elements"),
    ("t = (1, 2)\n«t[0]» = 3", "tuples cannot be changed"),
    ("a, b = «n»", "cannot be unpacked"),
    ("«a, b» = (1, 2, 3)", "3 values are unpacked to 2 targets"),
    ("y[0] = «1j»", "cannot hold complex128"),
    ("y[0] = «open»('a')", "io.open cannot be called in a kernel"),
    ("y[0] = «len(n)»", "int64 has no len()"),
    ("for i in «range(1.5)»:\n    pass", "range() takes whole numbers"),
    ("for i in range(0, 9, «0»):\n    pass", "the step of range() cannot be 0"),
    ("for i in «n»:\n    pass", "loop over range(), arrays and tuples"),
    ("y[0] = «f'{n}'»", "f-strings outside of print()"),
    ("y[0] = n if «x» else 1", "an array is neither true nor false"),
    ("y[0] = «1 < x»", "kernels compare elements"),
    ("y[0] = «1 @ 2»", "there is no @"),
    ("y[0] = «1.5 & 2»", "there is no &"),
    ("y[0] = «~1.5»", "there is no ~"),
    ("«return n»", "a kernel returns nothing"),
    ("y[0] = «np.linalg.svd»(x)", "svd cannot be called in a kernel"),
    ("y[0] = «np.random.rand»()", "rand cannot be called in a kernel; they draw by cuda.random"),
    ("y[0] = «random.random»()", "random.Random.random cannot be called in a kernel; they draw"),
    ("y[0] = «math.sinn»(1.0)", "has no attribute 'sinn' that kernels can use; did you mean"),
    ("y[0] = «cuda.threadidx».x", "that kernels can use; did you mean 'threadIdx'?"),
    ("y[0] = «cuda.threadIdx.w»", "cuda.threadIdx has x, y and z, not 'w'"),
    ("y[0] = «sum(n)»", "sum() takes tuples in kernels, got int64; write a loop"),
    ("y[0] = «np.nothing»", "has no attribute"),
    ("y[0] = int(«x»)", "takes a number"),
    ("y[0] = «abs(1, 2)»", "takes one argument"),
    ("y[0] = math.sin(«(1, 2)»)", "math.sin does not take"),
    ("t = (1, (2, 3))\ny[0] = «t[n]»", "its index must be a constant"),
    ("y[0] = «(1, 2)[5]»", "has no item 5"),
    ("y[0] = «99999999999999999999»", "more than 64 bits"),
    ("async def g():\n    pass", "no async functions"),
    ("class «A:\n    pass»", "no classes"),
    ("y[0] = «2 ** 100»", "this number has more than 64 bits; write it as a float"),
    ("y[0] = «1 << 64»", "this number has more than 64 bits"),
    ("y[0] = n + «0xFFFFFFFFFFFF * 0xFFFFFFFFFF»", "this number has more than 64 bits"),
    ("y[0] = min(1, 2, foo=«3»)", "min() takes no foo= in kernels"),
    ("a = 'a'\n«a» += 'b'", "'a' is another string here than before"),
    ("y[0] = «on_device[0]»", "'on_device' cannot be indexed: it is an array on a device (float64"),
    ("y[0] = «endless(1)»", "runaway recursion: endless() calls itself on every path"),
    ("y[0] = «helper(1, 2, 3)»", "takes 1 argument, got more"),
    ("y[0] = helper(«z=1»)", "no parameter 'z'"),
    ("y[0] = «helper()»", "lacks its argument"),
    ("«helper[1, 1]»(x)", "the function 'helper' cannot be indexed; kernels launch no kernels"),
    ("y[0] = «Span(1, 2, 3)».low", "Span has 2 fields: low, high"),
    ("y[0] = «Span(1, low=2)».low", "Span has 2 fields: low, high"),
    ("y[0] = «Span(1, wide=2)».low", "Span has 2 fields: low, high"),
    ("y[0] = «Span(1)».low", "Span lacks its field 'high'"),
    ("y[0] = «COUNTS[n]»", "make it a tuple or a NumPy array"),
    ("y[0] = «NAMES[n]»", "there is no == for int64 and str"),
    ("y[0] = «NAMES['b']»", "the dict lacks this key"),
    ("y[0] = «n.value»", "members of enums are their values there"),
    ("y[0] = (1, 2, 3)[«::0»][0]", "the step of a slice of a tuple is a constant, not 0"),
    ("y[0] = x[«..., ...»]", "an index has one '...' at most"),
    ("y[0] = x[«[0, 1]»]", "a list in an index takes several items"),
    ("k = [0]\nother = k\ny[0] = x[«other»]", "a list in an index takes several items"),
    ("y[0] = x[«[j for j in range(2)]»]", "a list in an index takes several items"),
    ("z = x.reshape(2, -1)\ny[0] = z[«[0, 1]»]", "a list in an index takes several items"),
    ("y[0] = «x[None]»[0]", "an element of float64 cannot be an array"),
    ("y[:] = «x[0, None]»", "kernels have no array of one element; x[i:i + 1] is a part"),
    ("t = (1, 2)\ny[0] = «t[None]»", "only arrays get another axis by None"),
    ("y[0] = «math.isclose(1.0, 2.0, rel=3)»", "takes two numbers, rel_tol= and abs_tol="),
    ("y[0] = «math.dist((1, 2), (3,))»", "takes two tuples of as many numbers"),
    ("y[0] = «np.where(n)»", "takes a condition and two numbers"),
    ("y[0] = «np.finfo(np.int32)».eps", "numpy.finfo() does not take int32"),
    ("y[0] = «np.finfo(np.float32).size»", "numpy.finfo(float32) has no attribute 'size'"),
    ("y[0] = «Span(1, 2)._replace(wide=3)».low", "Span has no field 'wide'"),
    ("y[0] = «Span(1, 2)._replace()».low", "takes fields by their names"),
    ("match Span(n, 2):\n    case «Span(1, 2, 3)»:\n        pass", "Span has 2 fields: low, high"),
    ("match Span(n, 2):\n    case «Span(wide=1)»:\n        pass", "Span has no field 'wide'"),
    (
        "match n:\n    case «dict»():\n        pass",
        "isinstance() takes classes of numbers, of NumPy",
    ),
    ("π = 1; y[0] = «ñ»", "the name 'ñ' is not defined"),
]


class Span(NamedTuple):
    low: float
    high: float


def helper(v):
    return v


def endless(v):
    return endless(v - 1)


def function_of(code, name="f"):
    """A function of this code, and its file; linecache knows the source."""
    body = re.sub("[«»]", "", code).replace("\n", "\n    ")
    source = f"def {name}(x, y, n):\n    {body}\n"
    file = f"<kernel {abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"np": np, "math": math, "helper": helper, "Span": Span} | {
        "functools": functools,
        "itertools": itertools,
        "random": random,
        "cuda": ww.cuda,
        "endless": endless,
        "on_device": ww.zeros(3),
        "COUNTS": [1, 2, 3],
        "NAMES": {"a": 1},
    }
    exec(compile(source, file, "exec"), scope)
    return scope[name], file


@pytest.mark.parametrize(("code", "message"), REFUSED, ids=[code[:30] for code, _ in REFUSED])
def test_what_is_refused_is_named_with_its_place(code, message):
    function, file = function_of(code)
    with pytest.raises((ww.CompileError, ww.UnsupportedError)) as caught:
        Function(function).inspect_source("float64[::1], float64[::1], int64")
    error = caught.value
    assert message in str(error)
    assert str(error).count(": error: ") == 1, "each message is shown once"
    assert error.file == file
    assert f"(in '{function.__name__}')" in error.log or "helper" in error.log
    if "«" in code and "takes 1" not in message:
        before = code[: code.index("«")]
        line = before.count("\n") + 2
        assert error.line == line, error.log


def test_the_caret_stands_under_the_place_in_characters():
    function, file = function_of("π = 1; y[0] = «ñ»")
    with pytest.raises(ww.CompileError) as caught:
        Function(function).inspect_source("float64[::1], float64[::1], int64")
    lines = caught.value.log.splitlines()
    assert lines[0].startswith(f"{file}:2:{lines[1].index('ñ') + 1}: error: ")
    assert lines[1] == "    π = 1; y[0] = ñ"
    assert lines[2] == " " * lines[1].index("ñ") + "^"


def test_a_wrong_number_of_arguments_is_refused():
    function, _ = function_of("y[0] = n")
    with pytest.raises(ww.ArgumentError, match=r"f\(\) takes 3 arguments, got 1"):
        Function(function).inspect_source("int64")


def test_a_tuple_of_many_values_is_refused_at_once():
    function, file = function_of("for each in n:\n    y[0] += each")
    with pytest.raises(ww.CompileError, match="'n' is a tuple of 1025 values") as caught:
        Function(function).inspect_source("float64[:], float64[:], UniTuple(int64, 1025)")
    assert caught.value.file == file and caught.value.line == 1


def test_numbers_of_the_source_are_those_of_python():
    function, _ = function_of(
        "y[0] = (2 ** 64 - 1) // (1 << 60)\ny[1] = -2 ** 63\ny[2] = 7 - 2 ** 65 + 2 ** 65"
    )
    y = np.zeros(3)
    Function(function)[1, 1](y.copy(), y, 1)
    assert y.tolist() == [15, -(2.0**63), 7]


def test_types_that_are_none_are_refused():
    function, _ = function_of("y[0] = n")
    with pytest.raises(ww.ArgumentError, match="is no type of a kernel's argument"):
        Function(function).inspect_source("float63[:], int64, int64")


def test_a_function_without_source_is_refused():
    def f(x):
        x[0] = 1

    f.__code__ = f.__code__.replace(co_filename="<nowhere>")
    with pytest.raises(ww.CompileError, match="source of 'f' is not available"):
        Function(f).inspect_source("int64[:]")


def test_a_changed_file_is_refused(tmp_path):
    file = tmp_path / "changed.py"
    file.write_text("def f(x):\n    x[0] = 1\n")
    module = types.ModuleType("changed")
    exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
    file.write_text("def f(x):\n    x[0] = 2\n")
    linecache.checkcache(str(file))
    with pytest.raises(ww.CompileError, match="its file has changed"):
        Function(module.f).inspect_source("int64[:]")


def test_a_generator_is_refused():
    def f(x):
        yield x[0]

    with pytest.raises(ww.UnsupportedError, match="is a generator"):
        Function(f).inspect_source("int64[:]")


def test_an_object_that_is_no_function_is_refused():
    with pytest.raises(ww.ArgumentError, match="made of Python functions, got int"):
        Function(3)


def test_a_launch_without_grid_is_refused():
    def f(x):
        x[0] = 1

    with pytest.raises(ww.ArgumentError, match="needs a grid and a block"):
        Function(f)(np.zeros(3))
    with pytest.raises(ww.ArgumentError, match="expects 2 to 4 entries, got 1"):
        Function(f)[1]


def test_a_read_only_array_that_is_written_is_refused():
    def f(x):
        x[0] = 1

    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ww.ArgumentError, match="writes its argument 1, which is read-only"):
        Function(f)[1, 1](x)
    assert x[0] == 0


def test_arrays_of_objects_are_refused():
    def f(x):
        x[0] = 1

    with pytest.raises(ww.ArgumentError, match="arrays of numbers"):
        Function(f)[1, 1](np.array(["a"], object))


@dataclasses.dataclass
class Point:
    x: float
    y: float


@pytest.mark.parametrize(
    "line",
    [
        "v = POINT[0]",
        "v, w = POINT",
        "v = POINT + POINT",
        "v = POINT * 2",
        "v = len(POINT)",
        "v = sum(POINT)",
        "v = max(POINT)",
        "v = 1.0 in POINT",
        "v = (*POINT, 1)",
        "for v in POINT: x[0] = v",
    ],
)
def test_dataclasses_are_no_tuples(tmp_path: Path, line: str) -> None:
    expect_refused(tmp_path, line, "x[0] = 1", {"POINT": Point(1.0, 2.0)}, "Point is a dataclass")


def test_dataclasses_equal_those_of_their_class_alone() -> None:
    @cuda.jit
    def kernel(p, out):
        out[0] = p == Point(1.0, 2.0)
        out[1] = p == (1.0, 2.0)
        out[2] = p != (1.0, 2.0)

    out = np.zeros(3, np.int32)
    kernel[1, 1](Point(1.0, 2.0), out)
    assert out.tolist() == [1, 0, 1]
