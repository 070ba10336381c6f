"""pycuda.gpuarray.GPUArray: an array on the device, over a lazy ww.Array.

Operations are recorded and fused; `get`, `gpudata`, `ptr`, kernels that take the array, events and
synchronisation evaluate them, in the order of the program.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.errors import boundary
from .._devices.device import Stream, native
from .._memory.memory import LinearAllocation, MemoryAddress, mem_alloc
from .exchange import Exchange
from .memory import (
    Allocator,
    allocated,
    allocated_in_order,
    array_over,
    compact_strides,
    in_memory_order,
    relabelled,
    require_contiguous,
    shape_of,
    strides_of,
)
from .operators import Operators, number_for
from .shapes import Shapes, at_index
from .splay import splay
from .steps import Steps
from .transfer import fetch, store, store_array

_CURRENT = contextlib.nullcontext()


def on_stream(stream: Stream | None) -> contextlib.AbstractContextManager[Any]:
    """What is recorded inside belongs to the stream; None is the current one."""
    return native(stream) or _CURRENT


class _Derived:
    """A property that gives way to an attribute of the instance's own: PyCUDA's arrays have plain
    attributes, which classes that are derived from GPUArray set."""

    def __init__(self, function: Callable[[GPUArray], Any]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, given: GPUArray | None, _: Any = None) -> Any:
        return self if given is None else self._function(given)


class GPUArray(Operators, Shapes, Exchange, Steps):
    """An array on the current device.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : dtype
    allocator : callable, optional
        Called once with the size in bytes for this array and for each result of operations on it.
        Default: Warpwise's pool, whose memory is taken when it is needed.
    base : object, optional
        What owns `gpudata`.
    gpudata : DeviceAllocation, int, optional
        Memory that exists.
    strides : sequence of int, optional
        In bytes; default: without gaps, in `order`, "C" or "F".
    """

    _memory_class = LinearAllocation

    @boundary
    def __init__(
        self,
        shape: Any,
        dtype: npt.DTypeLike,
        allocator: Allocator = mem_alloc,
        base: Any = None,
        gpudata: Any = None,
        strides: Sequence[int] | None = None,
        order: str = "C",
    ) -> None:
        kind, axes = np.dtype(dtype), shape_of(shape)
        if allocator is not None and allocator is not mem_alloc:
            self._allocator = allocator
        if base is not None:
            self.base = base
        if gpudata is None and strides is None and order == "C":  # the usual one
            self._array, self._gpudata = allocated_in_order(self._allocator, axes, kind)
            self._note_null()
            return
        steps = strides_of(axes, kind.itemsize, order)
        if strides is not None:
            steps = tuple(int(one) for one in strides)
            if len(steps) != len(axes):
                raise ww.ArgumentValueError(f"strides {steps} for the shape {axes}")
        if gpudata is None:
            self._array, self._gpudata = allocated(self._allocator, axes, kind, steps)
        else:
            self._array = array_over(gpudata, axes, kind, steps, base)
            self._gpudata = gpudata
        self._note_null()

    def _note_null(self) -> None:
        """Address 0 is given where memory is assigned later: `gpudata` is that number until then,
        from _view_gpudata(), and every use of the elements raises."""
        if isinstance(self._gpudata, int) and self._gpudata == 0 and self.base is None:
            self.base = 0

    @classmethod
    def _of(cls, array: ww.Array, allocator: Allocator | None = None) -> Self:
        """A GPUArray of a new array's elements, which will be in memory of the allocator's."""
        made = cls.__new__(cls)
        made._array = array
        if allocator is not mem_alloc:
            made._allocator = allocator
        return made

    def _place_in(self, given: Any) -> ww.Array:
        """The elements in memory of another kind than ours, in C order."""
        array = self._array
        steps = strides_of(array.shape, array.itemsize, "C")
        return self._moved(array_over(given, array.shape, array.dtype, steps, None), given)

    def _place_strided(self) -> ww.Array:
        """The elements in memory that the allocator gives now, with axes in their order."""
        array = self._array
        steps = array.strides
        if not array.is_f_contiguous:
            steps = compact_strides(steps, array.shape, array.itemsize)
        return self._moved(*allocated(self._allocator, array.shape, array.dtype, steps))

    def _moved(self, place: ww.Array, gpudata: Any) -> ww.Array:
        place[...] = self._array
        self._array, self._gpudata = place, gpudata
        return place

    def _view(self, array: ww.Array) -> Self:
        made = self.__class__.__new__(self.__class__)
        made._array = array
        made.base = self
        made._allocator = self._allocator
        return made

    # --- What it is.

    @property
    def shape(self) -> tuple[int, ...]:
        """Assigned to, another shape for the memory as it lies, as reshape() has it."""
        return self._array.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._array = self.reshape(shape_of(shape))._array

    @property
    def dtype(self) -> np.dtype[Any]:
        kind: np.dtype[Any] = self._array.dtype
        return kind

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return self._array.strides

    @_Derived
    def size(self) -> int:
        return self._array.size

    mem_size = size

    @_Derived
    def nbytes(self) -> int:
        return self._array.nbytes

    @_Derived
    def itemsize(self) -> int:
        return self._array.itemsize

    @_Derived
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def flags(self) -> ww.ArrayFlags:
        return self._array.flags

    @_Derived
    def allocator(self) -> Allocator:
        return self._allocator or mem_alloc

    @boundary
    def _set_gpudata(self, given: Any) -> None:
        """`gpudata` is assigned: the array is over that memory from now on."""
        array = self._array
        self._array = array_over(given, array.shape, array.dtype, array.strides, None)
        self._gpudata = given
        if isinstance(self.base, int):
            self.base = None
        self._note_null()

    @boundary
    def _view_gpudata(self) -> Any:
        """`gpudata` of a view: the address of its first element, an int that keeps the memory
        alive."""
        if self._array.size == 0:
            return None
        if isinstance(self.base, int):
            return self._gpudata
        memory = self._array.gpudata  # evaluates
        if self._gpudata is None:
            self._gpudata = MemoryAddress(self._array.ptr, memory)
        return self._gpudata

    @property
    @boundary
    def ptr(self) -> int:
        """The address of the first element. Evaluates; later operations on it run at once."""
        return self._placed().ptr

    @property
    def _buffer(self) -> Any:
        """What a kernel's launch takes for an array that is not in C order."""
        array = self._placed()
        if array.is_f_contiguous:
            return array.T
        return ww.Pointer(array.ptr) if any(one < 0 for one in array.strides) else array.gpudata

    @property
    def _grid(self) -> tuple[int, int]:
        """For kernels of pycuda.elementwise that are launched by hand."""
        return splay(self.mem_size)[0]

    @property
    def _block(self) -> tuple[int, int, int]:
        return splay(self.mem_size)[1]

    def __str__(self) -> str:
        return str(self.get())

    def __repr__(self) -> str:
        return repr(self.get())

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                f"The truth value of an array with {self.size} elements is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(self.get())

    # --- Transfers.

    @boundary
    def set(self, ary: Any, async_: bool = False, stream: Stream | None = None) -> None:
        """Copies a host array or a GPUArray of this size and dtype here, whatever its order."""
        if isinstance(ary, GPUArray):
            with on_stream(stream):
                store_array(self._array, ary._array)
            return
        store(self._array, ary, native(stream), async_, "set")

    @boundary
    def set_async(self, ary: Any, stream: Stream | None = None) -> None:
        """As set(), in the order of the stream; the array must not change before."""
        if isinstance(ary, GPUArray):
            self.set(ary, stream=stream)
            return
        store(self._array, ary, native(stream), True, "set_async")

    @boundary
    def get(
        self,
        ary: Any = None,
        pagelocked: bool = False,
        async_: bool = False,
        stream: Stream | None = None,
    ) -> Any:
        """The elements in a host array, new or `ary`, whose axes lie as here."""
        return fetch(self._placed(), ary, pagelocked, native(stream), async_)

    @boundary
    def get_async(self, stream: Stream | None = None, ary: Any = None) -> Any:
        """As get(); the elements are there when the stream has been synchronised."""
        return fetch(self._placed(), ary, False, native(stream), True)

    @boundary
    def copy(self, stream: Stream | None = None) -> Self:
        with on_stream(stream):
            return self._like(self._array.copy("K"))

    # --- Elements.

    @boundary
    def __setitem__(self, index: Any, value: Any) -> None:
        """Writes a number, a GPUArray or a host array, which broadcast."""
        target = at_index(self._array, index)
        if isinstance(value, GPUArray):
            target[...] = value._array
        elif isinstance(value, np.ndarray) and value.dtype == target.dtype:
            target[...] = ww.asarray(value)
        elif isinstance(value, np.ndarray):
            target[...] = ww.asarray(value.astype(target.dtype))
        else:
            _fill(target, value)

    @boundary
    def fill(self, value: Any, stream: Stream | None = None) -> Self:
        """Writes the number to every element; a float given for integers is truncated."""
        with on_stream(stream):
            _fill(self._array, value)
        return self

    @boundary
    def astype(self, dtype: npt.DTypeLike, stream: Stream | None = None) -> Self:
        with on_stream(stream):
            return self._like(ww.astype(self._array, np.dtype(dtype)))

    @boundary
    def reverse(self, stream: Stream | None = None) -> Self:
        """The elements in the reversed order of memory."""
        require_contiguous(self._array)
        array = self._array
        order = "C" if array.is_c_contiguous else "F"
        with on_stream(stream):
            backwards = in_memory_order(array)[::-1].copy()
            return self._like(relabelled(backwards, array.shape, order))

    @boundary
    def mul_add(
        self,
        selffac: Any,
        other: GPUArray,
        otherfac: Any,
        add_timer: Any = None,
        stream: Stream | None = None,
        out: GPUArray | None = None,
    ) -> GPUArray:
        """selffac * self + otherfac * other.

        `add_timer` is called with the number of elements read and written, and a function that
        gives the seconds that it took.
        """
        from .functions import delivered, timed

        def computed() -> GPUArray:
            return delivered(self, self._array * selffac + other._array * otherfac, out)

        with on_stream(stream):
            return computed() if add_timer is None else timed(computed, 3 * self.size, add_timer)

    @boundary
    def any(self, stream: Stream | None = None, allocator: Allocator | None = None) -> GPUArray:
        """Whether any element is not 0: a 0-d array of bool."""
        with on_stream(stream):
            return self._of(ww.any(self._array), allocator or self._allocator)

    @boundary
    def all(self, stream: Stream | None = None, allocator: Allocator | None = None) -> GPUArray:
        """Whether no element is 0: a 0-d array of bool."""
        with on_stream(stream):
            return self._of(ww.all(self._array), allocator or self._allocator)

    # --- Complex numbers.

    @property
    @boundary
    def real(self) -> Self:
        """The real parts, in an array of their own; an array of real numbers itself."""
        if self.dtype.kind != "c":
            return self
        return self._like(self._array.real.copy("K"))

    @property
    @boundary
    def imag(self) -> Self:
        """The imaginary parts, in an array of their own."""
        if self.dtype.kind != "c":
            return self._like(ww.zeros_like(self._array))
        return self._like(self._array.imag.copy("K"))

    @boundary
    def conj(self, out: GPUArray | None = None) -> Any:
        """The complex conjugates; an array of real numbers itself."""
        from .functions import delivered

        if self.dtype.kind != "c" and out is None:
            return self
        return delivered(self, ww.conj(self._array), out)

    conjugate = conj


def _fill(array: ww.Array, value: Any) -> None:
    kind = array.dtype
    if isinstance(value, GPUArray):
        array[...] = value._array
    elif kind.fields is not None:
        array[...] = ww.asarray(np.asarray(value, kind))
    else:
        array.fill(number_for(kind, value))


__all__ = ["GPUArray", "on_stream"]
