"""Writes docs/reference/array_operations.md from src/ir/ops.def: one row an elementwise function.

./dev python tools/op_reference.py [--check]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "array_operations.md"
ROW = re.compile(
    r'^WARPWISE_OP\((\w+), (\w+), (\d), (\w+), (\w+),\s*"([^"]+)",\s*((?:"[^"]*"\s*)+)\)'
    r"|^// (.+)$",
    re.MULTILINE,
)
# Type rule (src/ir/op.hpp) -> operands, result.
RULES = {
    "Numeric": ("numbers", "the same"),
    "NumericOrBool": ("numbers, bool", "the same"),
    "NumericWidened": ("numbers; bool as int8", "the same"),
    "Real": ("real; bool as int8", "the same"),
    "RealOrBool": ("real, bool", "the same"),
    "Floating": ("floats, complex; integers as floats", "the same"),
    "RealFloating": ("floats; integers as floats", "the same"),
    "Divide": ("floats, complex; integers as float64", "the same"),
    "Integer": ("integers; bool as int8", "the same"),
    "Bits": ("integers, bool", "the same"),
    "Compare": ("numbers, bool", "bool"),
    "CompareOrdered": ("real, bool", "bool"),
    "Test": ("numbers, bool", "bool"),
    "Logical": ("numbers, as bool", "bool"),
    "Magnitude": ("numbers, bool", "the same; of complex numbers the real type"),
    "Part": ("numbers, bool", "the same; of complex numbers the real type"),
    "Select": ("bool, then two of any type", "that of the last two"),
    "Same": ("numbers, bool", "the same"),
    "BitCount": ("integers; bool as int8", "uint8"),
}
HEAD = """# Elementwise operations

Generated from `src/ir/ops.def` by `tools/op_reference.py`. Each is a function of the package,
`ww.NAME`, and of C++ under the same name; all take `out=`, `where=` and `dtype=`. Operands
broadcast, and are converted to one type by NumPy's rules before the operation.
"""


def page() -> str:
    text = (ROOT / "src" / "ir" / "ops.def").read_text()
    text = text[text.index("#endif") :]
    lines = [HEAD.rstrip()]
    for match in ROW.finditer(text):
        if match[8] is not None:
            if not match[8].startswith("clang-format"):
                title = match[8][0].upper() + match[8][1:]
                lines += [f"\n## {title}\n", "| function | operands | result | meaning |"]
                lines += ["|---|---|---|---|"]
            continue
        name, arity, rule = match[2], int(match[3]), match[4]
        letters = "x" if arity == 1 else ", ".join(f"x{i + 1}" for i in range(arity))
        meaning = "".join(re.findall(r'"([^"]*)"', match[7]))
        operands, result = RULES[rule]
        lines.append(f"| `{name}({letters})` | {operands} | {result} | {meaning} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text() != page():
            raise SystemExit(f"{PAGE} is not what ops.def says; run tools/op_reference.py")
        return
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
