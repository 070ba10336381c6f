"""pycuda.curandom's generators: cuRAND's device generators, a state for each thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.enums import device_attribute
from .._basics.errors import boundary
from .._devices.context import Context
from .._devices.device import Stream, native
from .._gpuarray.array import GPUArray
from .._gpuarray.memory import require_contiguous
from .._memory.memory import LinearAllocation
from .source import module_of

_SeedGetter = Callable[[int], GPUArray]
_GENERATORS_PER_BLOCK = 256

_Types = dict[np.dtype[Any], str]
_FLOATS: _Types = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
_NARROW: _Types = {np.dtype(np.int32): "unsigned int", np.dtype(np.uint32): "unsigned int"}
_WIDE: _Types = {
    np.dtype(np.int64): "unsigned long long",
    np.dtype(np.uint64): "unsigned long long",
}
_COUNTS: _Types = _FLOATS | {np.dtype(np.int32): "int", np.dtype(np.uint32): "unsigned int"}


class Generator:
    """What the generators share.

    Numbers fill arrays in the order of their memory; the states advance at the call.
    """

    _state_type: str
    _words: _Types = _NARROW  # dtypes of raw words
    has_box_muller = False  # whether normal numbers are made in pairs

    def __init__(self) -> None:
        device = Context.get_device()
        self.block_count: int = device.get_attribute(device_attribute.MULTIPROCESSOR_COUNT)
        self.generators_per_block = _GENERATORS_PER_BLOCK
        self._device = ww.Device()
        self._module = module_of(self._device, self._state_type)
        size = ww.empty((1,), np.uint64)
        self._module["size_of_state"][1, 1](size)
        self._states = ww.mem_alloc(self._count * int(size.get()[0]))
        self.state = LinearAllocation(self._states)
        # The kernels by name, as far as they were used.
        self.generators: dict[str, Any] = {}

    @property
    def _count(self) -> int:
        return self.block_count * self.generators_per_block

    def _launch(self, name: str, stream: Stream | None, *args: Any) -> None:
        if ww.Device() != self._device:
            raise ww.ArgumentValueError(
                f"this generator is on {self._device}, and the current device is {ww.Device()}"
            )
        kernel = self.generators.get(name)
        if kernel is None:
            kernel = self.generators[name] = self._module[name]
        grid, block = self.block_count, self.generators_per_block
        kernel[grid, block, native(stream)](self._states, *args)

    def _fill(
        self, what: str, data: GPUArray, types: dict[Any, str], stream: Stream | None, *args: Any
    ) -> None:
        if not isinstance(data, GPUArray):
            raise ww.ArgumentTypeError(f"{what} expects a GPUArray, got {type(data).__name__}")
        require_contiguous(data._array)
        if data.dtype not in types:
            raise ww.ArgumentTypeError(
                f"{what} fills arrays of {', '.join(map(str, types))}, got {data.dtype}"
            )
        if data.size == 0:
            return
        kind = types[data.dtype]
        array = data._placed()
        if data.dtype.kind == "i" and kind.startswith("unsigned"):
            array = array.view(np.dtype(f"u{data.itemsize}"))
        self._launch(f"{what}<{kind}>", stream, array, *args)

    @boundary
    def fill_uniform(self, data: GPUArray, stream: Stream | None = None) -> None:
        """Numbers above 0, up to 1; in arrays of integers random words."""
        self._fill_counted("fill_uniform", data, _FLOATS | self._words, stream)

    def _fill_counted(
        self, what: str, data: GPUArray, types: dict[Any, str], stream: Stream | None, *args: Any
    ) -> None:
        self._fill(what, data, types, stream, getattr(data, "size", 0), *args)

    @boundary
    def fill_normal(self, data: GPUArray, stream: Stream | None = None) -> None:
        """Normally distributed numbers of mean 0 and standard deviation 1."""
        self._fill_counted("fill_normal", data, _FLOATS, stream)

    @boundary
    def fill_log_normal(
        self, data: GPUArray, mean: float, stddev: float, stream: Stream | None = None
    ) -> None:
        """exp of normally distributed numbers of this mean and standard deviation."""
        self._fill_counted("fill_log_normal", data, _FLOATS, stream, float(mean), float(stddev))

    @boundary
    def fill_poisson(
        self, data: GPUArray, lambda_value: float | None = None, stream: Stream | None = None
    ) -> None:
        """Poisson distributed counts of mean `lambda_value`; without it of the mean that stands in
        each element."""
        if lambda_value is None:
            self._fill_counted("fill_poisson_in_place", data, _COUNTS, stream)
            return
        if not lambda_value >= 0:
            raise ww.ArgumentValueError(f"fill_poisson got lambda_value {lambda_value}, below 0")
        self._fill_counted("fill_poisson", data, _COUNTS, stream, float(lambda_value))

    @boundary
    def gen_uniform(
        self, shape: Any, dtype: npt.DTypeLike, stream: Stream | None = None
    ) -> GPUArray:
        """A new array with what fill_uniform() gives."""
        result = GPUArray(shape, dtype)
        self.fill_uniform(result, stream)
        return result

    @boundary
    def gen_normal(
        self, shape: Any, dtype: npt.DTypeLike, stream: Stream | None = None
    ) -> GPUArray:
        """A new array with what fill_normal() gives."""
        result = GPUArray(shape, dtype)
        self.fill_normal(result, stream)
        return result

    @boundary
    def gen_log_normal(
        self,
        shape: Any,
        dtype: npt.DTypeLike,
        mean: float,
        stddev: float,
        stream: Stream | None = None,
    ) -> GPUArray:
        """A new array with what fill_log_normal() gives."""
        result = GPUArray(shape, dtype)
        self.fill_log_normal(result, mean, stddev, stream)
        return result

    @boundary
    def gen_poisson(
        self, shape: Any, dtype: npt.DTypeLike, lambda_value: float, stream: Stream | None = None
    ) -> GPUArray:
        """A new array with what fill_poisson() gives."""
        result = GPUArray(shape, dtype)
        self.fill_poisson(result, lambda_value, stream)
        return result

    @boundary
    def call_skip_ahead(self, i: int, stream: Stream | None = None) -> None:
        """Each state skips `i` numbers."""
        self._launch("skip_ahead", stream, _distance(i))

    @boundary
    def call_skip_ahead_array(self, i: GPUArray, stream: Stream | None = None) -> None:
        """Each state skips as many numbers as its element, an integer of 32 or 64 bits."""
        self._skip("skip_ahead_array", i, stream)

    def _skip(self, what: str, distances: Any, stream: Stream | None) -> None:
        words = self._words_of(distances, "i", _NARROW | _WIDE)
        self._launch(f"{what}<{(_NARROW | _WIDE)[words.dtype]}>", stream, words)

    def _words_of(self, given: Any, name: str, types: _Types = _NARROW) -> ww.Array:
        """An array with an integer for each state."""
        if not isinstance(given, GPUArray) or given.dtype not in types:
            kind = given.dtype if isinstance(given, GPUArray) else type(given).__name__
            raise ww.ArgumentTypeError(
                f"{name} is to be a GPUArray of {', '.join(map(str, types))}, got {kind}"
            )
        if given.size < self._count:
            raise ww.ArgumentValueError(
                f"{name} has {given.size} elements, and there are {self._count} states"
            )
        require_contiguous(given._array)
        return given._placed().view(np.dtype(f"u{given.itemsize}"))


def _distance(i: int) -> int:
    if int(i) < 0:
        raise ww.ArgumentValueError(f"a generator cannot skip {i} numbers")
    return int(i)


class _SeededGenerator(Generator):
    """Each state has its own seed and sequence."""

    has_box_muller = True

    @boundary
    def __init__(self, seed_getter: _SeedGetter | None = None, offset: int = 0) -> None:
        from ..curandom import seed_getter_unique

        super().__init__()
        seeds = (seed_getter or seed_getter_unique)(self._count)
        self._launch("seed", None, self._words_of(seeds, "what seed_getter gives"),
                     _distance(offset))  # fmt: skip

    @boundary
    def call_skip_ahead_sequence(self, i: int, stream: Stream | None = None) -> None:
        """Each state goes `i` sequences ahead."""
        self._launch("skip_ahead_sequence", stream, _distance(i))

    @boundary
    def call_skip_ahead_sequence_array(self, i: GPUArray, stream: Stream | None = None) -> None:
        """Each state skips as many sequences as its element."""
        self._skip("skip_ahead_sequence_array", i, stream)


class XORWOWRandomNumberGenerator(_SeededGenerator):
    """cuRAND's default generator, of period 2**192 - 2**32."""

    _state_type = "curandStateXORWOW"


class MRG32k3aRandomNumberGenerator(_SeededGenerator):
    """L'Ecuyer's combined multiple recursive generator, of period 2**191."""

    _state_type = "curandStateMRG32k3a"

    @boundary
    def call_skip_ahead_subsequence(self, i: int, stream: Stream | None = None) -> None:
        """Each state goes `i` subsequences ahead."""
        self._launch("skip_ahead_subsequence", stream, _distance(i))

    @boundary
    def call_skip_ahead_subsequence_array(self, i: GPUArray, stream: Stream | None = None) -> None:
        """Each state skips as many subsequences as its element."""
        self._skip("skip_ahead_subsequence_array", i, stream)


class _SobolGenerator(Generator):
    """Each state is a dimension of a Sobol sequence."""

    _is_scrambled = False
    _dtype: np.dtype[Any] = np.dtype(np.uint32)

    @boundary
    def __init__(self, dir_vector: GPUArray | None = None, offset: int = 0) -> None:
        super().__init__()
        self._start(dir_vector, [], offset)

    def _start(self, dir_vector: GPUArray | None, more: list[ww.Array], offset: int) -> None:
        from ..curandom import direction_vector_set, generate_direction_vectors

        if dir_vector is None:
            name = f"{'SCRAMBLED_' if self._is_scrambled else ''}VECTOR_{self._bits}"
            dir_vector = generate_direction_vectors(self._count, direction_vector_set[name])
        vectors = self._checked(dir_vector, self._count * self._bits, "dir_vector")
        self._launch("start", None, ww.Pointer(vectors.ptr), *more, _distance(offset))
        self._kept = vectors

    @property
    def _bits(self) -> int:
        return self._dtype.itemsize * 8

    def _checked(self, given: Any, size: int, name: str) -> ww.Array:
        wanted = (self._dtype, np.dtype(self._dtype.str.replace("u", "i")))
        if not isinstance(given, GPUArray) or given.dtype not in wanted:
            kind = given.dtype if isinstance(given, GPUArray) else type(given).__name__
            raise ww.ArgumentTypeError(
                f"{name} is to be a GPUArray of {wanted[0]} or {wanted[1]}, got {kind}"
            )
        if given.size < size:
            raise ww.ArgumentValueError(f"{name} has {given.size} words, {size} are needed")
        require_contiguous(given._array)
        return given._placed().view(self._dtype)


class _ScrambledSobolGenerator(_SobolGenerator):
    _is_scrambled = True

    @boundary
    def __init__(
        self,
        dir_vector: GPUArray | None = None,
        scramble_vector: GPUArray | None = None,
        offset: int = 0,
    ) -> None:
        from ..curandom import generate_scramble_constants32, generate_scramble_constants64

        Generator.__init__(self)
        if scramble_vector is None:
            is_narrow = self._bits == 32
            make = generate_scramble_constants32 if is_narrow else generate_scramble_constants64
            scramble_vector = make(self._count)
        constants = self._checked(scramble_vector, self._count, "scramble_vector")
        self._start(dir_vector, [constants], offset)


class Sobol32RandomNumberGenerator(_SobolGenerator):
    """Sobol sequences of 32 bits."""

    _state_type = "curandStateSobol32_t"


class ScrambledSobol32RandomNumberGenerator(_ScrambledSobolGenerator):
    """Scrambled Sobol sequences of 32 bits."""

    _state_type = "curandStateScrambledSobol32_t"


class Sobol64RandomNumberGenerator(_SobolGenerator):
    """Sobol sequences of 64 bits."""

    _state_type = "curandStateSobol64_t"
    _dtype = np.dtype(np.uint64)
    _words = _NARROW | _WIDE


class ScrambledSobol64RandomNumberGenerator(_ScrambledSobolGenerator):
    """Scrambled Sobol sequences of 64 bits."""

    _state_type = "curandStateScrambledSobol64_t"
    _dtype = np.dtype(np.uint64)
    _words = _NARROW | _WIDE
