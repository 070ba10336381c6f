"""pycuda.compiler over Warpwise: the source is compiled in process, without nvcc.

Arguments that only steer nvcc (nvcc, code) are accepted, checked and have no effect.
"""

from __future__ import annotations

import shutil
import subprocess
import warnings
from collections.abc import Sequence

import warpwise as ww

from ._basics.errors import CompileError, boundary
from ._compiling.compile import (
    FLAGS_OF_ENVIRONMENT,
    check_architecture,
    check_code,
    compiling,
    headers_for,
    keep_files,
    kept_in,
    named_architecture,
    options_of,
    outside_of_extern_c,
    source_image,
    taken_architecture,
    with_command_line,
)
from ._compiling.headers import HEADERS, HEADERS_FOLDER
from ._compiling.link import DynamicModule, DynamicSourceModule
from ._launch.module import Module

__all__ = [
    "DEFAULT_NVCC_FLAGS",
    "CompileError",
    "CudaModule",
    "DynamicModule",
    "DynamicSourceModule",
    "SourceModule",
    "compile",
    "compile_plain",
    "get_nvcc_version",
    "preprocess_source",
]

# Used when a caller passes no options. Warpwise adds those of PYCUDA_DEFAULT_NVCC_FLAGS to each
# compile, also where they are taken out here.
DEFAULT_NVCC_FLAGS: list[str] = list(FLAGS_OF_ENVIRONMENT)

CudaModule = Module

# What they compile may need what it is linked with.
_RELOCATABLE = frozenset(["-rdc=true", "--relocatable-device-code=true", "-dc", "-dlto"])


class SourceModule(Module):
    """CUDA C++ source, compiled and loaded on the current device."""

    @boundary
    def __init__(
        self,
        source: object,  # formats itself: a str, or such as a module of cgen's
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] = [],
    ) -> None:
        check_architecture(arch, code)
        chosen = options_of(options, DEFAULT_NVCC_FLAGS)
        text = outside_of_extern_c(source, no_extern_c)
        with kept_in(cache_dir):
            module = with_command_line(
                chosen,
                lambda: ww.SourceModule(
                    text,
                    options=chosen,
                    include_dirs=include_dirs,
                    headers=headers_for(text, chosen),
                ),
            )
        super().__init__(module)
        self.module = self
        if keep:
            keep_files(text, chosen, include_dirs)
        if module.log:
            warnings.warn(f"the CUDA compiler succeeded, but said:\n{module.log}",
                          UserWarning, stacklevel=3)  # fmt: skip


@boundary
def compile(
    source: str,
    nvcc: str = "nvcc",
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: str | None = None,
    include_dirs: Sequence[str] = [],
    target: str = "cubin",
) -> bytes:
    """Compiles without loading, for the GPU named by `arch` or the current device.

    The result is for module_from_buffer(), and for `target="ptx"` the text of PTX. For the CPU
    device it is an image that contains the source.
    """
    check_code(code)
    chosen = options_of(options, DEFAULT_NVCC_FLAGS)
    text = outside_of_extern_c(source, no_extern_c)
    if keep:
        keep_files(text, chosen, include_dirs)
    with kept_in(cache_dir):
        return _image(text, chosen, include_dirs, arch and named_architecture(arch, "arch"), target)


@boundary
def compile_plain(
    source: str,
    options: Sequence[str],
    keep: bool,
    nvcc: str,
    cache_dir: str | None,
    target: str = "cubin",
) -> bytes:
    """Compiles the source as it is, with these options only; "-arch=sm_90" is one of them."""
    others, arch = taken_architecture(options)
    kept = compiling(others)
    if keep:
        keep_files(source, kept, None)
    with kept_in(cache_dir):
        return _image(source, kept, None, arch, target)


def _image(
    source: str,
    options: Sequence[str],
    include_dirs: Sequence[str] | None,
    arch: str | None,
    target: str,
) -> bytes:
    if target not in ("cubin", "ptx", "fatbin"):
        raise ww.ArgumentValueError(f"target is 'cubin', 'ptx' or 'fatbin', got {target!r}")
    device = ww.Device()
    is_for_cpu = arch is None and device.kind != "cuda"
    if is_for_cpu and target != "ptx":
        if not _RELOCATABLE.intersection(options):
            with_command_line(
                options,
                lambda: ww.SourceModule(
                    source, options=options, include_dirs=include_dirs, headers=HEADERS
                ),
            )
        return source_image(source, options, include_dirs)
    result = with_command_line(
        options,
        lambda: ww.compile(
            source,
            target=arch or ("sm_80" if is_for_cpu else device.info.architecture),
            # Where a fatbin is loaded, a cubin is.
            format="ptx" if target == "ptx" else "cubin",
            options=options,
            include_dirs=include_dirs,
            headers=HEADERS,
        ),
    )
    return result if isinstance(result, bytes) else result.encode()


@boundary
def preprocess_source(source: str, options: Sequence[str], nvcc: str) -> str:
    """The source with macros expanded and headers in place of their #includes, without line
    markers. For the GPU that "-arch=sm_90" among the options names, or the current device."""
    others, arch = taken_architecture(options)
    kept = compiling(others)
    device = ww.Device()
    own = device.info.architecture if device.kind == "cuda" else "cpu"
    text = with_command_line(
        ["--emit", "preprocessed", *kept],
        lambda: ww.compile(
            source, target=arch or own, format="preprocessed", options=kept, headers=HEADERS
        ),
    )
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text


def _find_pycuda_include_path() -> str:
    """The folder of pycuda-complex.hpp, for other compilers."""
    return str(HEADERS_FOLDER)


def get_nvcc_version(nvcc: str) -> str:
    """What `nvcc --version` prints; without nvcc, what compiles instead."""
    found = shutil.which(nvcc)
    if found is None:
        return f"Warpwise {ww.version()} compiles CUDA C++ in process, without {nvcc}"
    return subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
