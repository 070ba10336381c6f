"""The rows of src/ir/ops.def, and kernels that apply one op to arrays of one kind."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import warpwise as ww

OPS_DEF = Path(__file__).parents[3] / "src" / "ir" / "ops.def"
ROW = re.compile(r'^WARPWISE_OP\((\w+), (\w+), (\d), (\w+), (\w+),\s*"([^"]+)"', re.MULTILINE)

# Kind -> the C++ type of an element.
TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "__ww_half",
    "bfloat16": "__ww_bfloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "__ww_complex<float>",
    "complex128": "__ww_complex<double>",
}
BOOL = frozenset({"bool"})
INTEGERS = frozenset(kind for kind in TYPES if "int" in kind)
REALS = frozenset({"float16", "bfloat16", "float32", "float64"})
COMPLEX = frozenset({"complex64", "complex128"})
EVERY = frozenset(TYPES)

# Type rule (src/ir/op.hpp) -> the kinds that it computes in.
COMPUTES_IN = {
    "Numeric": EVERY - BOOL,
    "NumericOrBool": EVERY,
    "NumericWidened": EVERY - BOOL,
    "Real": INTEGERS | REALS,
    "RealOrBool": EVERY - COMPLEX,
    "Floating": REALS | COMPLEX,
    "RealFloating": REALS,
    "Divide": REALS | COMPLEX,
    "Integer": INTEGERS,
    "Bits": INTEGERS | BOOL,
    "Compare": EVERY,
    "CompareOrdered": EVERY - COMPLEX,
    "Test": EVERY,
    "Logical": BOOL,
    "Magnitude": EVERY,
    "Part": EVERY,
    "Select": EVERY,
    "Same": EVERY,
    "BitCount": INTEGERS,
}
GIVES_BOOL = frozenset({"Compare", "CompareOrdered", "Test", "Logical"})
GIVES_PART = {"complex64": "float32", "complex128": "float64"}


@dataclass(frozen=True)
class Row:
    name: str
    arity: int
    rule: str
    spelling: str

    def kinds(self) -> list[str]:
        return [kind for kind in TYPES if kind in COMPUTES_IN[self.rule]]

    def operands(self, kind: str) -> list[str]:
        first = "bool" if self.rule == "Select" else kind
        return [first, kind, kind][: self.arity]

    def result(self, kind: str) -> str:
        if self.rule in GIVES_BOOL:
            return "bool"
        if self.rule == "BitCount":
            return "uint8"
        return GIVES_PART.get(kind, kind) if self.rule in {"Magnitude", "Part"} else kind


@functools.cache
def rows() -> dict[str, Row]:
    found = ROW.findall(OPS_DEF.read_text())
    return {name: Row(name, int(arity), rule, text) for _, name, arity, rule, _, text in found}


def dtype(kind: str) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16) if kind == "bfloat16" else np.dtype(kind)


def load(letter: str, kind: str) -> str:
    """A variable that holds element i of its array."""
    memory = "unsigned char" if kind == "bool" else TYPES[kind]
    is_true = " != 0" if kind == "bool" else ""
    return f"const {TYPES[kind]} {letter} = ((const {memory} *)p{letter})[i]{is_true};"


def kernel_source(name: str, operands: list[str], result: str, expression: str) -> str:
    """A kernel `name` that computes `expression` over a, b and c; bools are bytes."""
    letters = "abc"[: len(operands)]
    loads = " ".join(load(x, kind) for x, kind in zip(letters, operands, strict=True))
    parameters = "".join(f"const void *p{x}, " for x in letters)
    return (
        f"__global__ void {name}({parameters}void *r, int n) {{\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        f"    if (i >= n) return;\n    {loads}\n"
        f"    (({TYPES[result]} *)r)[i] = {expression};\n}}\n"
    )


def source_of_kind(kind: str) -> str:
    kernels = [
        kernel_source(f"op_{row.name}", row.operands(kind), row.result(kind), row.spelling)
        for row in rows().values()
        if kind in row.kinds()
    ]
    return "#include <warpwise_array.h>\n" + "".join(kernels)


def source_of_casts(kind: str) -> str:
    """Kernels that convert arrays of every kind to this one."""
    kernels = [
        kernel_source(f"from_{other}", [other], kind, f"__ww_cast<{TYPES[kind]}>(a)")
        for other in TYPES
    ]
    return "#include <warpwise_array.h>\n" + "".join(kernels)


@functools.cache
def module(source: str, device: str) -> ww.SourceModule:
    return ww.SourceModule(source)


def run(source: str, kernel: str, operands: list[np.ndarray], result: str) -> np.ndarray:
    out = np.zeros(operands[0].shape, dtype(result))
    inputs = [ww.In(np.ascontiguousarray(one).view(np.uint8)) for one in operands]
    size = out.size
    function = module(source, str(ww.Device())).get_function(kernel)
    grid = (size + 127) // 128
    function(*inputs, ww.Out(out.view(np.uint8)), np.int32(size), grid=grid, block=128)
    return out


def apply(name: str, kind: str, operands: list[np.ndarray]) -> np.ndarray:
    row = rows()[name]
    return run(source_of_kind(kind), f"op_{name}", operands, row.result(kind))


def cast(operand: np.ndarray, source: str, target: str) -> np.ndarray:
    return run(source_of_casts(target), f"from_{source}", [operand], target)
