"""pycuda.driver and pycuda.compiler: modules of machine code, and linking."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import warpwise as ww

from ._enums import jit_input_type
from ._errors import boundary
from ._headers import HEADERS
from ._launch import Module

Handler = Callable[[bool, str, str], None]


@boundary
def module_from_file(filename: str | os.PathLike[str]) -> Module:
    """A file of PTX, a cubin or a fatbin."""
    return Module(ww.Module.from_file(filename))


@boundary
def module_from_buffer(
    buffer: Any, options: Sequence[Any] = (), message_handler: Handler | None = None
) -> Module:
    """The bytes of PTX, a cubin or a fatbin. Options of the driver's compiler have no effect."""
    if options:
        warnings.warn("options of the driver's compiler have no effect", UserWarning, stacklevel=3)
    module = ww.Module.from_bytes(buffer)
    if message_handler is not None:
        message_handler(True, module.log, "")
    return Module(module)


class Linker:
    """Links images by nvJitLink. Options of the driver's linker have no effect."""

    def __init__(
        self,
        message_handler: Handler | None = None,
        options: Sequence[Any] | None = None,
        log_verbose: bool = False,
    ) -> None:
        self._parts: list[Any] = []
        self._options: list[str] = []
        self._handler = message_handler
        if options:
            warnings.warn("options of the driver's linker have no effect", UserWarning,
                          stacklevel=2)  # fmt: skip

    def add_data(self, data: Any, input_type: jit_input_type, name: str = "unknown") -> None:
        self._parts.append(bytes(data.encode() if isinstance(data, str) else data))

    def add_file(self, filename: str | os.PathLike[str], input_type: jit_input_type) -> None:
        self.add_data(Path(filename).read_bytes(), input_type)

    @boundary
    def link_module(self) -> Module:
        return Module(self._link())

    def _link(self) -> ww.Module:
        try:
            module = ww.link(self._parts, options=self._options, headers=HEADERS)
        except ww.CompileError as error:
            if self._handler is not None:
                self._handler(False, "", error.log)
            raise
        if self._handler is not None:
            self._handler(True, module.log, "")
        return module


class DynamicModule(Module):
    """Sources and images that are linked to one module."""

    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Sequence[Any] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] | None = None,
        message_handler: Handler | None = None,
        log_verbose: bool = False,
        cuda_libdir: str | None = None,
    ) -> None:
        self._linker = Linker(message_handler, link_options, log_verbose)
        self._include_dirs = include_dirs
        if cuda_libdir is not None:
            self._linker._options.append(f"-L{cuda_libdir}")
        self.module: Module | None = None

    def add_source(
        self, source: str, nvcc_options: Sequence[str] | None = None, name: str = "kernel.ptx"
    ) -> DynamicModule:
        self._linker._parts.append(source)
        for option in [*(nvcc_options or ()), *(f"-I{one}" for one in self._include_dirs or ())]:
            if option not in self._linker._options:
                self._linker._options.append(option)
        return self

    def add_data(
        self, data: Any, input_type: jit_input_type, name: str = "unknown"
    ) -> DynamicModule:
        self._linker.add_data(data, input_type, name)
        return self

    def add_file(self, filename: str, input_type: jit_input_type) -> DynamicModule:
        self._linker.add_file(filename, input_type)
        return self

    def add_stdlib(self, libname: str) -> DynamicModule:
        """A library of the toolkit: "cudadevrt"."""
        # The CPU device has the device's run time built in.
        if ww.Device().kind == "cuda":
            self._linker._options.append(f"-l{libname}")
        return self

    @boundary
    def link(self) -> DynamicModule:
        super().__init__(self._linker._link())
        self.module = self
        return self


class DynamicSourceModule(DynamicModule):
    """One source whose kernels launch kernels."""

    def __init__(
        self,
        source: str,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] | None = None,
        cuda_libdir: str | None = None,
    ) -> None:
        super().__init__(include_dirs=include_dirs, cuda_libdir=cuda_libdir)
        self.add_source(source, options)
        self.add_stdlib("cudadevrt")
        self.link()
