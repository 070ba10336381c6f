"""Lengths: files and functions. The aim is far below; these are the limits that fail."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from sources import bare_cxx, declarations

FILE_LIMIT = 700
BINDING_FILE_LIMIT = 300
FUNCTION_LIMIT = 100

# Functions that are tables, by file and name, each with the reason.
TABLES: dict[tuple[str, str], str] = {}


def file_length(path: str, text: str) -> Iterator[str]:
    limit = BINDING_FILE_LIMIT if path.startswith("python/bindings/") else FILE_LIMIT
    lines = text.count("\n")
    if lines > limit:
        yield f"{path}: {lines} lines, the limit is {limit}: split it"


_SCOPE = re.compile(
    r"^(?:template\s*<.*>\s*)?(?:export\s+|inline\s+|typedef\s+|static\s+)*"
    r"(?:namespace|class|struct|union|enum|extern\s*\"\")\b",
    re.DOTALL,
)
_NAME = re.compile(r"([~\w]+(?:\s*::\s*~?\w+)*|operator\s*[^\s(]+)\s*\(")


def _first_line(text: str, start: int, end: int) -> int:
    """The line of the first character between two offsets that is no blank."""
    head = text[start:end]
    return text.count("\n", 0, start + len(head) - len(head.lstrip())) + 1


def cxx_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, first line, number of lines) of every function body outside of other functions.

    A brace at namespace or class scope opens a scope, an initialiser, or a function: the last when
    what stands before it has a parameter list. The braces of a constructor's initialisers belong to
    one function: the head after such a group starts with a comma or another brace.
    """
    code = declarations(bare_cxx(text))
    head_start = 0
    depth = 0  # braces below the innermost scope
    name, first = "", 0
    for match in re.finditer(r"[{};]", code):
        mark, at = match.group(0), match.start()
        if mark == "{":
            if depth == 0:
                head = code[head_start:at].strip()
                head = re.sub(r"^(?:public|private|protected)\s*:", "", head).strip()
                if _SCOPE.match(head) and not re.search(r"\)\s*(const|noexcept|override)?$", head):
                    head_start = at + 1
                    continue
                if not (name and (head == "" or head.startswith(","))):
                    found = _NAME.search(head)
                    is_function = found is not None and not re.search(r"=\s*$", head)
                    name = found.group(1) if found and is_function else ""
                    first = _first_line(code, head_start, at)
            depth += 1
        elif mark == "}":
            if depth > 0:
                depth -= 1
                if depth == 0:
                    rest = code[at + 1 :].lstrip()
                    if name and not rest.startswith((",", "{")):
                        yield name, first, code.count("\n", 0, at) + 2 - first
                        name = ""
            if depth == 0:
                head_start = at + 1
        elif depth == 0:
            head_start = at + 1
            name = ""


def cxx_function_length(path: str, text: str) -> Iterator[str]:
    for name, first, lines in cxx_functions(text):
        if lines > FUNCTION_LIMIT and (path, name) not in TABLES:
            yield f"{path}:{first}: {name} has {lines} lines, the limit is {FUNCTION_LIMIT}"


def python_function_length(path: str, text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text, path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LIMIT and (path, node.name) not in TABLES:
                where = f"{path}:{node.lineno}: {node.name}"
                yield f"{where} has {lines} lines, the limit is {FUNCTION_LIMIT}"
