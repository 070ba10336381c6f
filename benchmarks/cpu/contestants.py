"""The contestants of the CPU benchmarks. All work on the same memory: Warpwise's buffers, which the
others access as host addresses and NumPy arrays."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

# The host reads and writes its memory, on machines with a GPU too.
os.environ["WARPWISE_DEVICE"] = "cpu"

import warpwise as ww

HERE = Path(__file__).parent
# The table of one work's alignment is larger than a GPU's static shared memory.
ALLOW_BEYOND_GPU = "--allow-beyond-gpu"


def cpp_flags(level: str) -> list[str]:
    """On processors with 512-bit registers g++ uses half of them by default."""
    width = ["-mprefer-vector-width=512"] if level == "native" else []
    return ["-std=c++20", "-O3", f"-march={level}", *width, "-ffast-math", "-fopenmp"]


Run = Callable[[], object]


class Memory:
    """An array in a buffer of the CPU device."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.buffer = ww.mem_alloc(values.nbytes)
        kind = ctypes.c_uint8 * values.nbytes
        bytes_ = np.ctypeslib.as_array(kind.from_address(self.buffer.address))
        self.array = bytes_.view(values.dtype).reshape(values.shape)
        self.array[...] = values

    def part(self, index: int) -> Memory:
        """One entry of the first axis, in the same buffer."""
        piece = object.__new__(Memory)
        piece.array = self.array[index]
        bytes_ = piece.array.nbytes
        piece.buffer = self.buffer.slice(index * bytes_, bytes_)
        return piece


def zeros(shape: int | tuple[int, ...], dtype: Any = np.float32) -> Memory:
    return Memory(np.zeros(shape, dtype))


class Cpp:
    """Hand-written functions, built once for this processor or for a level of x86-64."""

    def __init__(
        self, folder: Path, source: Path = HERE / "reference.cpp", level: str = "native"
    ) -> None:
        built = folder / f"{source.stem}.so"
        command = ["g++", *cpp_flags(level), "-shared", "-fPIC", str(source), "-o", str(built)]
        subprocess.run(command, check=True)
        self._library = ctypes.CDLL(str(built))

    def run(self, name: str, arguments: Sequence[object]) -> Run:
        function = self._library[name]
        function.restype = None
        converted = [self._convert(argument) for argument in arguments]
        return lambda: function(*converted)

    @staticmethod
    def _convert(argument: object) -> object:
        if isinstance(argument, Memory):
            return ctypes.c_void_p(argument.buffer.address)
        if isinstance(argument, np.float32):
            return ctypes.c_float(argument)
        if isinstance(argument, np.float64):
            return ctypes.c_double(argument)
        if isinstance(argument, np.int64):
            return ctypes.c_int64(argument)
        return ctypes.c_int(int(str(argument)))


class Ours:
    """A file of kernels on the CPU device."""

    def __init__(self, source: Path = HERE / "kernels.cu", options: Sequence[str] = ()) -> None:
        text = source.read_text()
        options = [ALLOW_BEYOND_GPU, *options]
        self.module = ww.SourceModule(text, name=source.name, options=options)
        self._device = ww.Device()

    def run(
        self,
        name: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        arguments: Sequence[object],
    ) -> Run:
        launch = self.module.get_function(name)[grid, block]
        converted = [a.buffer if isinstance(a, Memory) else a for a in arguments]

        def once() -> None:
            launch(*converted)
            self._device.synchronize()

        return once

    def compile_fully(self, name: str, block: tuple[int, ...]) -> None:
        """What the background does to a kernel that is launched again."""
        self.module.get_function(name).compile_fully(block)

    def executor(self, name: str) -> str:
        return str(getattr(self.module.get_function(name), "executor", "reference"))


class Pocl:
    """kernels.cl by PoCL. `available` is None where it is not installed, and says so on stderr."""

    def __init__(self, opencl: Any) -> None:
        self._cl = opencl
        self._context = opencl.Context(opencl.get_platforms()[0].get_devices())
        self._queue = opencl.CommandQueue(self._context)
        source = (HERE / "kernels.cl").read_text()
        program = opencl.Program(self._context, source).build()
        self._alive: dict[str, list[object]] = {}  # buffers: a kernel does not keep its own
        self._kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}

    @classmethod
    def available(cls) -> Pocl | None:
        try:
            import pyopencl
        except ImportError as problem:
            print(f"without PoCL: {problem}", file=sys.stderr)
            return None
        try:
            return cls(pyopencl)
        except pyopencl.Error as problem:  # no platform, or a processor newer than PoCL's LLVM
            print(f"without PoCL: {problem}", file=sys.stderr)
            return None

    def has(self, name: str) -> bool:
        return name in self._kernels

    def run(
        self,
        name: str,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        arguments: Sequence[object],
    ) -> Run:
        kernel = self._kernels[name]
        converted = [self._convert(argument) for argument in arguments]
        kernel.set_args(*converted)
        self._alive[name] = converted
        shape = tuple(blocks * threads for blocks, threads in zip(grid, block))

        def once() -> None:
            self._cl.enqueue_nd_range_kernel(self._queue, kernel, shape, block)
            self._queue.finish()

        return once

    def _convert(self, argument: object) -> object:
        if isinstance(argument, Memory):
            flags = self._cl.mem_flags
            return self._cl.Buffer(
                self._context, flags.USE_HOST_PTR | flags.READ_WRITE, hostbuf=argument.array
            )
        return np.int32(argument) if isinstance(argument, int | np.int64) else argument
