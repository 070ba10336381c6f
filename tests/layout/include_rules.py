"""Which file may include which: the layers, the back ends' walls, and third-party headers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sources import includes

# Lower first. A file may include its own component and every one before it.
LAYERS = (
    ("include/warpwise/",),
    ("src/base/",),
    ("src/types/",),
    ("src/compiler/",),
    ("src/runtime/",),
    ("src/ir/",),
    ("src/codegen/",),
    ("src/script/",),
    ("src/algorithm/",),
    ("src/graph/",),
    ("src/array/",),
    ("src/random/", "src/linalg/", "src/fft/", "src/sparse/"),
    ("src/jit/",),  # functions over whole arrays
    ("src/tuner/",),
    ("src/backends/cuda/", "src/backends/cpu/", "src/backends/null/"),
    ("src/prebuild/",),  # a program of the build
    ("src/cudart/",),  # the CUDA runtime API; beside the bindings, on the public headers alone
)
# Public ones that CMake writes into the build tree.
GENERATED = ("warpwise/array_elementwise.inc",)
REGISTRY = "src/backends/registry.cpp"
CUDART = "src/cudart/"

# Header (as written between < > or quotes) -> the only folders that may include it.
CUDA_HEADER = re.compile(
    r"^(cuda|nvrtc|cuda_runtime|cuda_runtime_api|cublas|cufft|curand|cusparse|cusolver\w*)(_v2)?\.h$"
)
COMPILER = ("src/backends/cpu/compiler/",)
WALLS = (
    (re.compile(r"^(llvm|clang|llvm-c|clang-c|lld)/"), COMPILER, "LLVM and clang"),
    (CUDA_HEADER, ("src/backends/cuda/",), "CUDA"),
    # The bindings, and what they are compared with.
    (
        re.compile(r"^(Python\.h$|nanobind/)"),
        ("python/bindings/", "benchmarks/launch/thin.cpp"),
        "Python and nanobind",
    ),
)

# Device headers are text for kernels; what they include is the kernel's world, not the host's.
DEVICE = "src/codegen/device/"
PROGRAMS = "tests/programs/"  # CUDA programs, which name the toolkit's headers as users do
STANDARD = re.compile(r"^[a-z0-9_]+$")


def components() -> tuple[str, ...]:
    """Every component of the list, and what else needs a README."""
    listed = tuple(component for rank in LAYERS for component in rank)
    return (*listed, "src/backends/", "src/backends/cpu/compiler/", "python/bindings/")


def layer(path: str) -> tuple[int, str] | None:
    """(rank, component) of a path, None for what is in no layer."""
    for rank, components in enumerate(LAYERS):
        for component in components:
            if path.startswith(component):
                return rank, component
    return None


def _target(included: str) -> str:
    return f"include/{included}" if included.startswith("warpwise/") else included


def direction(path: str, text: str) -> Iterator[str]:
    """Includes point to the same component or a lower layer; the registry alone sees back ends."""
    here = layer(path)
    if here is None or path.startswith(DEVICE):
        return
    for line, _, included in includes(text):
        there = layer(_target(included))
        if there is None or there[1] == here[1] or there[0] < here[0]:
            continue
        yield f"{path}:{line}: {here[1]} may not include {included}: it lies in {there[1]}"


def back_ends_are_private(path: str, text: str) -> Iterator[str]:
    """Library code outside a back end's folder does not include its headers; the registry may."""
    if not path.startswith(("src/", "include/", "python/", "examples/")) or path == REGISTRY:
        return
    for line, _, included in includes(text):
        there = layer(_target(included))
        if there and "backends" in there[1] and not path.startswith(there[1]):
            yield f"{path}:{line}: only {REGISTRY} may include {included}"


def walls(path: str, text: str) -> Iterator[str]:
    """LLVM, CUDA and Python headers each stay in their own folder."""
    if path.startswith((DEVICE, PROGRAMS)):
        return
    for line, _, included in includes(text):
        for pattern, allowed, what in WALLS:
            if pattern.match(included) and not path.startswith(allowed):
                yield f"{path}:{line}: {what} headers belong in {', '.join(allowed)}: {included}"


def cudart_uses_the_public_api(path: str, text: str) -> Iterator[str]:
    """The CUDA runtime API is a user of the library, as the bindings are."""
    if not path.startswith(CUDART):
        return
    for line, _, included in includes(text):
        if included.startswith("src/") and not included.startswith(CUDART):
            yield f"{path}:{line}: {CUDART} may include public headers only, not {included}"


def public_headers(path: str, text: str) -> Iterator[str]:
    """A public header includes public headers and the C++ standard library, nothing else."""
    if not path.startswith("include/warpwise/"):
        return
    for line, mark, included in includes(text):
        if mark == '"' and included.startswith("warpwise/"):
            continue
        if mark == "<" and STANDARD.match(included):
            continue
        yield f"{path}:{line}: a public header may not include {included}"


def root_relative(path: str, text: str, known: frozenset[str]) -> Iterator[str]:
    """A quoted include names an existing file from the root (public ones from include/)."""
    host = path.endswith((".hpp", ".cpp", ".h", ".def"))  # device code has include paths of its own
    if (
        not host
        or path.startswith(DEVICE)
        or not path.startswith(("src/", "include/", "python/", "tests/"))
    ):
        return
    for line, mark, included in includes(text):
        if included.startswith("generated/") or included in GENERATED:
            continue
        if mark == '"' and _target(included) not in known:
            yield f"{path}:{line}: {included} is no file of the project, seen from its root"


def examples_use_the_public_api(path: str, text: str) -> Iterator[str]:
    """Examples include what a user can include."""
    if not path.startswith("examples/"):
        return
    for line, _, included in includes(text):
        if included.startswith("src/"):
            yield f"{path}:{line}: an example may not include {included}"
