"""Runs random functions as kernels and in Python."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from random_python import SHAPE, random_function

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function

VALUES = [0, 1, -1, 2, 5, -7, 12, 100, -301, 4999]
PAIRS = [(a, b) for a in VALUES for b in VALUES]
# Of a, b and the array: of each column, a function has one for whole numbers and one for floats.
TYPES = (
    (("int64", "int64", "int64"), ("float64", "float64", "float64")),
    (("int32", "int16", "int32"), ("float64", "int64", "float64")),
    (("int64", "int64", "int64"), ("float32", "float64", "float64")),
    (("int16", "int64", "int64"), ("float64", "float64", "float64")),
)

# Sums and products with whole numbers are exact in float64, but not in float32.
SCALES = {"float32": 0.5, "float64": 0.5 + 2.0**-12}


@dataclass(frozen=True)
class Run:
    text: str
    expected: np.ndarray
    expected_array: np.ndarray
    got: np.ndarray
    got_array: np.ndarray


def arguments(types: tuple[str, str, str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    scales = [SCALES.get(name, 1) for name in types]
    columns = np.array(PAIRS)
    a, b = ((columns[:, i] * scales[i]).astype(types[i]) for i in range(2))
    count = len(PAIRS) * SHAPE[0] * SHAPE[1]
    x = (np.arange(count) * 37 % 211 - 90) * scales[2]
    return a, b, x.astype(types[2]).reshape(-1, *SHAPE)


def kernel_of(function: Callable[..., Any]) -> Function:
    @Function
    def kernel(a, b, x, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(a[i], b[i], x[i])

    return kernel


def function_of(seed: int) -> tuple[Callable[..., Any], str, bool]:
    """The function, its text, and whether it may read a variable that has no value."""
    made = random_function(seed)
    file = f"<random function {seed}>"
    linecache.cache[file] = (len(made.text), None, made.text.splitlines(True), file)
    scope: dict[str, Any] = {}
    exec(compile(made.text, file, "exec"), scope)
    return scope["function"], made.text, made.may_lack_values


def in_python(
    function: Callable[..., Any], a: np.ndarray, b: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """None where a variable has no value for one of the arguments."""
    changed = x.copy()
    results = np.empty(len(a))
    try:
        for i in range(len(a)):
            results[i] = function(a[i].item(), b[i].item(), changed[i])
    except NameError:
        return None
    return results, changed


def compared(seed: int) -> Iterator[Run]:
    """What kernels and Python give. A kernel must be refused where Python finds a variable without
    a value, and may where the function was made so."""
    function, text, may_lack_values = function_of(seed)
    for types in TYPES[seed % len(TYPES)]:
        a, b, x = arguments(types)
        python = in_python(function, a, b, x)
        got, got_array = np.full(len(a), np.nan), x.copy()
        try:
            kernel_of(function)[2, 64](a, b, got_array, got)
        except ww.CompileError as error:
            if not may_lack_values or "has no value" not in str(error):
                raise
            continue
        assert python is not None, f"{text}\nis compiled, but lacks a value"
        yield Run(text, *python, got, got_array)


def sources(seed: int) -> list[str]:
    """The CUDA C++ of the kernels, or the first line of why there is none."""
    function, _, _ = function_of(seed)
    found = []
    for types in TYPES[seed % len(TYPES)]:
        signature = "{}[::1], {}[::1], {}[:, :, ::1], float64[::1]".format(*types)
        try:
            found.append(str(kernel_of(function).inspect_source(signature)))
        except ww.CompileError as error:
            found.append(str(error).splitlines()[0])
    return found
