"""The rest of the house rules: heads of files, names of folders, the size of the contract, the
compat layer's diet, and words that must not be committed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from sources import bare_cxx

CONTRACT_FILES = ("src/runtime/backend.hpp", "src/compiler/compiler.hpp")
CONTRACT_LIMIT = 25

_PURE = re.compile(r"\bvirtual\b[^;{}]*=\s*0\s*;")


def mandatory_virtuals(text: str) -> int:
    """How many pure virtual functions a header declares."""
    return len(_PURE.findall(bare_cxx(text)))


def head_comment(path: str, text: str) -> Iterator[str]:
    """A source begins by saying what lives in it."""
    body = re.sub(r"\A#![^\n]*\n", "", text).lstrip()
    if not body:
        return
    opening = ('"""', "'''", 'r"""', "#") if path.endswith((".py", ".pyi", ".sh")) else ("//", "/*")
    if not body.startswith(opening):
        yield f"{path}: begin with one to five lines on what lives here"


def pragma_once(path: str, text: str) -> Iterator[str]:
    if "#pragma once" not in text:
        yield f"{path}: a header needs #pragma once"


def folder_names(path: str) -> Iterator[str]:
    """No common/ and no utils/: shared code moves down to the component that owns the idea."""
    for part in PurePosixPath(path).parts:
        stem = part.split(".")[0]
        if stem in ("common", "utils", "util", "helpers", "misc"):
            yield f"{path}: '{part}' names no idea; move the code to the component that owns it"


def names_of_test_files(paths: Iterable[str]) -> Iterator[str]:
    """pytest imports test files by their names alone: a second one of a name is not collected."""
    seen: dict[str, str] = {}
    for path in paths:
        name = PurePosixPath(path).name
        if not (path.startswith("tests/") and name.startswith("test_") and name.endswith(".py")):
            continue
        if name in seen:
            yield f"{path}: {seen[name]} has this name already; test files need names of their own"
        seen.setdefault(name, path)


def _imported(node: ast.AST, path: str) -> list[str]:
    """The full names an import statement asks for; relative ones seen from `path`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    package = PurePosixPath(path).relative_to("python").parts[: -node.level] if node.level else ()
    module = ".".join((*package, *([node.module] if node.module else [])))
    return [module, *(f"{module}.{alias.name}" for alias in node.names)]


def _is_private(name: str) -> bool:
    """Whether a name leads past the public face of the package; compat's parts are its own."""
    first, *parts = name.split(".")
    if first != "warpwise" or parts[:1] == ["compat"]:
        return False
    return any(part.startswith("_") and not part.startswith("__") for part in parts)


def _aliases(tree: ast.AST) -> dict[str, str]:
    """What the module calls the package, or parts of it, by their full names."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                known[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == "warpwise":
            for alias in node.names:
                known[alias.asname or alias.name] = f"warpwise.{alias.name}"
    return {name: full for name, full in known.items() if full.split(".")[0] == "warpwise"}


def _attribute(node: ast.Attribute, aliases: dict[str, str]) -> str:
    """The full name of `ww.a.b`; empty when it does not begin with the package."""
    parts = [node.attr]
    value: ast.expr = node.value
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    if not isinstance(value, ast.Name) or value.id not in aliases:
        return ""
    return ".".join((aliases[value.id], *reversed(parts)))


def compat_diet(path: str, text: str) -> Iterator[str]:
    """The compatibility modules use the public API: `warpwise` itself, never its private modules
    or the extension, neither by import nor as an attribute."""
    tree = ast.parse(text, path)
    aliases = _aliases(tree)
    for node in ast.walk(tree):
        for name in _imported(node, path):
            if _is_private(name):
                yield f"{path}:{node.lineno}: compat may not import {name}"
        if isinstance(node, ast.Attribute) and _is_private(name := _attribute(node, aliases)):
            yield f"{path}:{node.lineno}: compat may not use {name}"


# Spelled in pieces, because this file is read by the rule too.
_FORBIDDEN = (
    (re.compile("/" + r"work/"), "a path of a build machine"),
    (re.compile("/" + r"root/"), "a path of a build machine"),
    (re.compile("/" + r"opt/wheels"), "a path of a build machine"),
    (re.compile("py" + r"pi\.org|files\.pythonhosted|deb\.debian" + r"\.org"), "a registry's host"),
)
# `../` + this is where tests may look for programs kept beside the checkout.
_BESIDE = re.compile("shared" + r"/(?!programs)(reference|DESIGN|API|seeds|bench)")


def portable_words(path: str, text: str) -> Iterator[str]:
    """What is committed names no build machine and nothing outside of the project."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, what in _FORBIDDEN:
            if pattern.search(line):
                yield f"{path}:{number}: {what}: {line.strip()[:80]}"
        if _BESIDE.search(line):
            yield f"{path}:{number}: names a file outside of the project: {line.strip()[:80]}"


# Where code may know the processor it runs on; the vectoriser's patterns for one processor, and
# LLVM's names for its levels.
PROCESSOR_FOLDERS = (
    "src/base/x86_64/",
    "src/backends/cpu/host/x86_64/",
    "src/backends/cpu/compiler/gang/target/",
    "src/backends/cpu/compiler/lowering/target",
)
_PROCESSOR = re.compile(
    r"\basm\s*(?:volatile\s*)?\(|\b__asm|\b_mm\d*_\w+|\b__rdtscp?\b|\b__builtin_(?:ia32|cpu)_\w+"
    r"|\bR_X86_64_\w+|\bEM_X86_64\b|\bREG_[A-Z]\w+|\bgregs\b|\bx86_\w+|\b__x86_64__\b"
    r"|<(?:\w*intrin|cpuid|ucontext|sys/ucontext)\.h>"
)


def processor_independent(path: str, text: str) -> Iterator[str]:
    """Intrinsics, assembly, registers and relocations of a processor stay in its folders."""
    if path.startswith((*PROCESSOR_FOLDERS, "src/codegen/device/")):
        return
    for number, line in enumerate(bare_cxx(text).splitlines(), 1):
        found = _PROCESSOR.search(line)
        if found:
            yield f"{path}:{number}: {found.group(0)} belongs in {', '.join(PROCESSOR_FOLDERS)}"


EMITTERS = "src/backends/cpu/compiler/gang/emit/"


def emitters_read_the_source(path: str, text: str) -> Iterator[str]:
    """Emitters write the gang function alone: of the kernel's own they cast no const away."""
    if not path.startswith(EMITTERS):
        return
    for number, line in enumerate(bare_cxx(text).splitlines(), 1):
        if "const_cast<" in line:
            yield f"{path}:{number}: const_cast in {EMITTERS}, which does not change the kernel"


# Macros, inline functions and members of Python's full API, which older Pythons' headers offer all
# the same.
_FULL_PYTHON_API = re.compile(
    r"\bPy[A-Z]\w*_(GET_SIZE|GET_ITEM|SET_ITEM|AS_STRING|AS_DOUBLE|GET_LENGTH|KIND|DATA|READ)\b"
    r"|->(tp|nb|sq|mp|bf|ob)_\w+"
)


def stable_python_api(path: str, text: str) -> Iterator[str]:
    """One extension serves every Python from 3.12 on: it uses the stable API alone."""
    for number, line in enumerate(bare_cxx(text).splitlines(), 1):
        found = _FULL_PYTHON_API.search(line)
        if found:
            yield f"{path}:{number}: {found.group(0)} is not in Python's stable API"


_UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def finished(path: str, text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if _UNFINISHED.search(line):
            yield f"{path}:{number}: unfinished: {line.strip()[:80]}"
