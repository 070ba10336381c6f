"""How many of the random functions use each construct, as a table stored next to this file.

./dev python tests/python/script/function_constructs.py     writes it anew
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from random_python import random_function

TABLE = Path(__file__).parent / "function_constructs.md"
SHORT, LONG = 300, 20_000

HEAD = f"""# What the random functions use

Functions with the construct, of the {SHORT} of every test run and of the {LONG:,} of the long one.
Made by function_constructs.py.

| construct | of {SHORT} | of {LONG:,} |
|---|---:|---:|
"""

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "\\|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Invert: "~x", ast.USub: "-x", ast.UAdd: "+x", ast.Not: "not", ast.And: "and",
    ast.Or: "or", ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!=", ast.Gt: ">",
    ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
STATEMENTS = {
    ast.Break: "break", ast.Continue: "continue", ast.Lambda: "lambda", ast.NamedExpr: "`:=`",
    ast.IfExp: "x if c else y", ast.Starred: "a, *b = t", ast.GeneratorExp: "generator expression",
    ast.ListComp: "list comprehension", ast.MatchOr: "match of alternatives",
    ast.MatchSequence: "match of tuples", ast.MatchValue: "match of values",
}  # fmt: skip


def constructs(node: ast.AST) -> list[str]:
    """What the node is, as the table names it."""
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.BoolOp):
        return [f"`{OPERATORS[type(node.op)]}`"]
    if isinstance(node, ast.AugAssign):
        place = "a variable" if isinstance(node.target, ast.Name) else "elements"
        return [f"`{OPERATORS[type(node.op)]}=` of {place}"]
    if isinstance(node, ast.Compare):
        tuples = ["comparison of tuples"] * isinstance(node.left, ast.Tuple)
        chained = ["chained comparison"] * (len(node.ops) > 1)
        return [*(f"`{OPERATORS[type(op)]}`" for op in node.ops), *chained, *tuples]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name = node.func.id.rstrip("0123456789")
        return ["call of a lambda" if name == "f" else f"`{name}()`"]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return [f"`x.{node.func.attr}()`"]
    if isinstance(node, ast.FunctionDef) and node.args.defaults:
        return ["default of a local function"]
    if isinstance(node, ast.For | ast.While):
        kind = "for" if isinstance(node, ast.For) else "while"
        over = getattr(node, "iter", None)
        items = ["for over a tuple"] * isinstance(over, ast.Tuple)
        rows = ["for over an array"] * isinstance(over, ast.Subscript)
        return [kind, *items, *rows, *[f"else of {kind}"] * bool(node.orelse)]
    if isinstance(node, ast.If):
        return ["if", *["else of if"] * bool(node.orelse)]
    if isinstance(node, ast.Subscript):
        entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        places = ["element from the end"] * any(isinstance(one, ast.UnaryOp) for one in entries)
        slices = ["slice"] * any(isinstance(one, ast.Slice) for one in entries)
        return ["item or element", *places, *slices]
    if isinstance(node, ast.Assign):
        several = ["several targets"] * (len(node.targets) > 1)
        return [*several, *["unpacking"] * isinstance(node.targets[0], ast.Tuple)]
    if isinstance(node, ast.match_case):
        return ["match", *["guard of a case"] * (node.guard is not None)]
    if isinstance(node, ast.Return) and isinstance(node.value, ast.AST):
        return []
    return [STATEMENTS[type(node)]] if type(node) in STATEMENTS else []


def counts(functions: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(functions):
        made = random_function(seed)
        used = {name for node in ast.walk(ast.parse(made.text)) for name in constructs(node)}
        found.update(used | {"variables that may lack a value"} if made.may_lack_values else used)
    return found


def read_table() -> dict[str, tuple[int, int]]:
    rows = [line.split(" | ") for line in TABLE.read_text().splitlines() if line[:2] == "| "]
    return {row[0][2:]: (int(row[1]), int(row[2].rstrip(" |"))) for row in rows[1:]}


def write_table() -> None:
    short, long = counts(SHORT), counts(LONG)
    rows = [f"| {name} | {short[name]} | {long[name]} |\n" for name in sorted(long)]
    TABLE.write_text(HEAD + "".join(rows))


if __name__ == "__main__":
    write_table()
