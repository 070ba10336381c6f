"""pydotcompute.backends.base: what every backend offers, over a device of Warpwise's."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

_Kernel = Callable[..., Any]


class Backend(abc.ABC):
    """A device that arrays are allocated on and kernels are compiled for and launched on.

    Arrays are `ww.Array`s: lazy, with NumPy's operators, released with their last reference.
    """

    def __init__(self, device: ww.Device, *, device_id: int, enable_caching: bool) -> None:
        self._device = device
        self._device_id = device_id
        self._enable_caching = bool(enable_caching)
        self._kernels: dict[Any, _Kernel] = {}

    @classmethod
    @abc.abstractmethod
    def check_available(cls) -> bool:
        """Whether the backend can be used."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """A short name."""

    @property
    def is_available(self) -> bool:
        return self.check_available()

    @property
    def device_id(self) -> int:
        return self._device_id

    @property
    def device_name(self) -> str:
        return str(self._device.info.name)

    @property
    def compute_capability(self) -> tuple[int, int]:
        """(major, minor); of the CPU device that which kernels are compiled for."""
        return self._device.info.compute_capability

    def compile_kernel(self, func: Callable[..., Any], signature: tuple[Any, ...]) -> _Kernel:
        """Compiles a Python function as a kernel, with Numba's spelling of CUDA.

        Parameters
        ----------
        func : function
            What a thread does: `i = cuda.grid(1); ...`.
        signature : tuple of types
            Of the arguments: dtypes and Python's number types for numbers, "float32[:]" for arrays.

        Returns
        -------
        A kernel for launch_kernel(). With caching, the same for the same function and signature;
        compiled code is kept on disk for other processes.
        """
        if not callable(func):
            raise ww.ArgumentTypeError(
                f"compile_kernel expects a function, got {type(func).__name__}"
            )
        text = f"void({', '.join(_type_text(one) for one in signature)})"
        key = (func, text)
        if key in self._kernels:
            return self._kernels[key]
        from warpwise import cuda

        with self._device:
            kernel: _Kernel = cuda.jit(text)(func)
        if self._enable_caching:
            self._kernels[key] = kernel
        return kernel

    def allocate(self, shape: int | Sequence[int], dtype: npt.DTypeLike = np.float32) -> ww.Array:
        """An array whose elements are not defined."""
        axes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
        return ww.empty(tuple(int(one) for one in axes), np.dtype(dtype), device=self._device)

    def to_device(self, data: Any) -> ww.Array:
        """A copy of a NumPy array on the device."""
        if isinstance(data, ww.Array):
            return data.to_device(self._device)
        if not isinstance(data, np.ndarray):
            raise ww.ArgumentTypeError(
                f"to_device expects a numpy.ndarray, got {type(data).__name__}"
            )
        return ww.asarray(data, device=self._device)

    def to_host(self, data: Any) -> npt.NDArray[Any]:
        """A NumPy array with the elements of an array on the device."""
        if isinstance(data, np.ndarray):
            return data
        if not hasattr(data, "get"):
            raise ww.ArgumentTypeError(
                f"to_host expects an array of allocate() or to_device(), got {type(data).__name__}"
            )
        host: npt.NDArray[Any] = data.get()
        return host

    def synchronize(self) -> None:
        """Waits for all work on the device."""
        self._device.synchronize()

    def get_memory_info(self) -> tuple[int, int]:
        """(free, total) bytes of the device's memory."""
        memory = self._device.memory()
        return memory.free, memory.total

    def launch_kernel(
        self,
        kernel: Any,
        grid: int | tuple[int, ...],
        block: int | tuple[int, ...],
        *args: Any,
    ) -> None:
        """Launches a kernel of compile_kernel(), of cuda.jit or of ww.SourceModule.

        Parameters
        ----------
        grid, block : int or tuple of one to three int
            Blocks in the grid, threads in a block.
        """
        if not hasattr(type(kernel), "__getitem__"):
            raise ww.ArgumentTypeError(
                f"launch_kernel expects a kernel, got {type(kernel).__name__}; compile_kernel() "
                "makes one of a Python function"
            )
        with self._device:
            kernel[_extent(grid, "grid"), _extent(block, "block")](*args)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.device_id}: {self.device_name}>"


def _extent(value: Any, role: str) -> tuple[int, ...]:
    axes = (value,) if isinstance(value, int | np.integer) else tuple(value)
    if not 1 <= len(axes) <= 3 or not all(isinstance(one, int | np.integer) for one in axes):
        raise ww.ArgumentValueError(f"{role} is one to three whole numbers, got {value!r}")
    return tuple(int(one) for one in axes)


_NAMES: dict[Any, str] = {
    bool: "boolean", int: "int64", float: "float64", complex: "complex128",
}  # fmt: skip


def _type_text(given: Any) -> str:
    """How Numba spells a type."""
    if given in _NAMES:
        return _NAMES[given]
    is_dtype = isinstance(given, np.dtype)
    if is_dtype or (isinstance(given, type) and issubclass(given, np.generic)):
        text = np.dtype(given).name
        return "boolean" if text == "bool" else text
    if isinstance(given, type):
        raise ww.ArgumentTypeError(
            f"{given.__name__} in a signature is no type of kernels' arguments; give a dtype, a "
            'number type or a text as "float32[:]"'
        )
    return str(given)
