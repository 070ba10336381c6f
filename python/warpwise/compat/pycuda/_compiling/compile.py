"""What pycuda.compiler and the linker do with a source before Warpwise compiles it."""

from __future__ import annotations

import functools
import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import warpwise as ww

from .._basics.errors import CompileError, OptionError, joined
from .headers import HEADERS

_R = TypeVar("_R")
_MAGIC = b"WARPWISE SOURCE\0"
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/"  # comments
    r'|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'  # strings
    r"|'(?:\\.|[^'\\\n])+'|[{}]",
    re.DOTALL,
)

# What Warpwise adds to the options of each compile.
FLAGS_OF_ENVIRONMENT = os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split()

# nvcc's options whose value follows at once or as the next word, or after "=" or as the next word.
_JOINED = frozenset(["-D", "-U", "-I", "-l", "-L"])
_WITH_EQUALS = frozenset([
    "--define-macro", "--undefine-macro", "--include-path", "--library", "--library-path",
    "-Xlinker", "--linker-options", "-Xnvlink", "--nvlink-options", "-cudart", "--cudart",
])  # fmt: skip
_OF_ARCHITECTURE = frozenset([
    "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code",
])  # fmt: skip
_FOR_LINKING = re.compile(
    r"-L|-l(?!ineinfo$)|--library(-path)?=|-Xlinker=|--linker-options=|-Xnvlink=|--nvlink-options="
    r"|--?cudart=|-dlink$|--device-link$|--link$|--lib$"
)


@functools.lru_cache(maxsize=64)
def closes_extern_c(source: str) -> bool:
    """Whether it ends the extern "C" block that PyCUDA puts around sources, to open it again:
    how users put templates and includes of C++ outside of it."""
    depth = 0
    for token in _TOKEN.finditer(source):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth < 0:
            return True
    return False


def text_of(source: object, no_extern_c: bool) -> str:
    """A source's text. Inside of its extern "C" block PyCUDA takes whatever formats itself, such as
    a module of cgen's."""
    if isinstance(source, str):
        return source
    is_built_in = type(source).__module__ == "builtins"
    if no_extern_c or is_built_in or type(source).__str__ is object.__str__:
        raise ww.ArgumentTypeError(f"a source is a str, not {type(source).__name__}")
    return str(source)


def outside_of_extern_c(source: object, no_extern_c: bool) -> str:
    """The source as PyCUDA would compile it, where that makes a difference here."""
    source = text_of(source, no_extern_c)
    if no_extern_c or not closes_extern_c(source):
        return source
    return f'extern "C" {{\n#line 1\n{source}\n}}\n'


def named(error: CompileError, options: Sequence[str]) -> CompileError:
    """With what stands for the command line of nvcc."""
    error.command_line = ["warpwise", "compile", *map(str, options)]
    return error


def with_command_line(options: Sequence[str], function: Callable[[], _R]) -> _R:
    """The function's result; its CompileError gets the options, and so does the error of an
    option."""
    try:
        return function()
    except ww.ArgumentValueError as error:
        raise named(joined(OptionError(str(error))), options) from None  # type: ignore[arg-type]
    except ww.CompileError as error:
        raise named(joined(error), options) from None  # type: ignore[arg-type]


def options_of(options: Sequence[str] | None, defaults: Sequence[str]) -> list[str]:
    """Those of a compile that links nothing."""
    if options is None and not defaults and not is_debugging():
        return []
    return compiling(chosen_options(options, defaults))


def chosen_options(options: Sequence[str] | None, defaults: Sequence[str]) -> list[str]:
    if isinstance(options, str):
        raise ww.ArgumentTypeError(f"options are a list of strings, got {options!r} alone")
    chosen = list(defaults if options is None else options)
    wrong = next((one for one in chosen if not isinstance(one, str)), None)
    if wrong is not None or None in chosen:
        raise ww.ArgumentTypeError(f"options are a list of strings, got {wrong!r} among them")
    count = len(FLAGS_OF_ENVIRONMENT)
    if options is None and chosen[:count] == FLAGS_OF_ENVIRONMENT:
        del chosen[:count]  # Warpwise adds them itself
    return [*chosen, "-g", "-G"] if is_debugging() else chosen


def is_debugging() -> bool:
    """Whether driver.set_debugging() was called."""
    from .. import driver  # which imports this module

    return driver.CUDA_DEBUGGING


def headers_for(source: str, options: Sequence[str]) -> dict[str, str] | None:
    """PyCUDA's headers, where the source or an option may include one, or a file that does."""
    may_include = options or FLAGS_OF_ENVIRONMENT or "include" in source
    return HEADERS if may_include else None


def joined_values(options: Sequence[str]) -> list[str]:
    """nvcc's options for preprocessing and linking, each as one word with its value, which users
    may give as a word of its own. The others are as they were."""
    words, result = iter(options), []
    for word in words:
        joint = "" if word in _JOINED else "=" if word in _WITH_EQUALS else None
        value = None if joint is None else next(words, None)
        if joint is not None and value is None:
            raise OptionError(f"the option '{word}' expects a value")
        result.append(word if value is None else f"{word}{joint}{value}")
    return result


def is_for_linking(option: str) -> bool:
    """Of one of joined_values()."""
    return _FOR_LINKING.match(option) is not None


def compiling(options: Sequence[str]) -> list[str]:
    """Without those of the linker, which nvcc passes over where nothing is linked."""
    return [one for one in joined_values(options) if not is_for_linking(one)]


def kept_in(cache_dir: Any) -> AbstractContextManager[Any]:
    """For the compiles of a `with` statement: False: none; None: the folder PYCUDA_CACHE_DIR, or
    Warpwise's. With PYCUDA_DISABLE_CACHE nothing is kept."""
    if os.environ.get("PYCUDA_DISABLE_CACHE"):
        return ww.CacheFolder(None)
    if cache_dir is None:
        cache_dir = os.environ.get("PYCUDA_CACHE_DIR") or None
    if cache_dir is None:
        return nullcontext()
    return ww.CacheFolder(None if cache_dir is False else cache_dir)


class _Kept:
    """A kernel that compiles in its calls, in the folder that the environment chooses."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with kept_in(None):
            return self._kernel(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


def made_kept(make: Callable[[], Any]) -> Any:
    """The kernel made, with what it compiles kept where PyCUDA's settings of caches say."""
    with kept_in(None) as folder:
        kernel = make()
    return kernel if folder is None else _Kept(kernel)


def check_code(code: str | None) -> None:
    """nvcc's -code: architectures and PTX of some, which have no effect."""
    for one in () if code is None else code.strip("[]").split(","):
        named_architecture(one, "code")


def check_architecture(arch: str | None, code: str | None = None) -> None:
    """Warns, as PyCUDA does, of code that the device would not run; it is compiled for the
    device."""
    check_code(code)
    named = None if arch is None else named_architecture(arch, "arch")
    if named is None:
        return
    device = ww.Device()
    if device.kind != "cuda":
        return
    number = int(re.sub(r"\D", "", named))
    if divmod(number, 10) > device.info.compute_capability:
        warnings.warn(
            f"arch={arch!r} is later than this device, {device.info.architecture}; the source "
            "is compiled for the device",
            UserWarning,
            stacklevel=4,
        )


def taken_architecture(options: Sequence[str]) -> tuple[list[str], str | None]:
    """The options without nvcc's for GPUs, and the architecture that the last of them names."""
    words, kept, found = iter(options), [], None
    for word in words:
        name, equals, value = word.partition("=")
        if name not in _OF_ARCHITECTURE:
            kept.append(word)
            continue
        if not equals:
            value = next(words, "")
        if name in ("-arch", "--gpu-architecture"):
            found = named_architecture(value, "-arch")
    return kept, found


def named_architecture(value: str, role: str) -> str | None:
    """That of "sm_90", "compute_90" or "lto_90"; None for the device's own."""
    if value in ("native", "all", "all-major"):
        return None
    if re.fullmatch(r"(?:sm|compute|lto)_\d{2,3}[af]?", value) is None:
        raise OptionError(f"{role} is a GPU's architecture, such as 'sm_90', not {value!r}")
    return "sm_" + value.partition("_")[2]


def keep_source(source: str) -> Path:
    """Writes the source into a new folder, whose name is printed."""
    folder = Path(tempfile.mkdtemp(prefix="warpwise-"))
    print(f"*** compiler output in {folder}")
    (folder / "kernel.cu").write_text(source)
    return folder


def keep_files(source: str, options: Sequence[str], include_dirs: Sequence[str] | None) -> None:
    """As keep_source(), with the code made of it for the current device."""
    folder = keep_source(source)
    info = ww.Device().info
    is_gpu = ww.Device().kind == "cuda"
    code = ww.compile(
        source,
        target=info.architecture if is_gpu else "cpu",
        format="ptx" if is_gpu else "asm",
        options=options,
        include_dirs=include_dirs,
        headers=HEADERS,
    )
    path = folder / ("kernel.ptx" if is_gpu else "kernel.s")
    path.write_bytes(code if isinstance(code, bytes) else code.encode())


def source_image(source: str, options: Sequence[str], include_dirs: Sequence[str] | None) -> bytes:
    """What stands for a cubin on the CPU device: the source, to be compiled where it is loaded."""
    folders = [os.fspath(folder) for folder in include_dirs or ()]
    parts = {"source": source, "options": list(options), "include_dirs": folders}
    return _MAGIC + json.dumps(parts).encode()


def opened_image(image: bytes) -> dict[str, Any] | None:
    """The parts of a source_image(); None for another image."""
    return json.loads(image[len(_MAGIC) :]) if image.startswith(_MAGIC) else None
