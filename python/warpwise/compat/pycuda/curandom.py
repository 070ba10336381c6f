"""pycuda.curandom: random numbers, by generators of one state a thread or by rand()."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from ._basics.documented import documented
from ._basics.errors import boundary
from ._basics.named_numbers import Number, add_tables
from ._devices.device import Stream
from ._gpuarray.array import GPUArray, on_stream
from ._gpuarray.creation import to_gpu
from ._gpuarray.memory import shape_of
from ._random.generators import (
    MRG32k3aRandomNumberGenerator,
    ScrambledSobol32RandomNumberGenerator,
    ScrambledSobol64RandomNumberGenerator,
    Sobol32RandomNumberGenerator,
    Sobol64RandomNumberGenerator,
    XORWOWRandomNumberGenerator,
)
from ._random.sobol_directions import directions, scramble_constants

__all__ = [
    "MRG32k3aRandomNumberGenerator",
    "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator",
    "Sobol32RandomNumberGenerator",
    "Sobol64RandomNumberGenerator",
    "XORWOWRandomNumberGenerator",
    "direction_vector_set",
    "generate_direction_vectors",
    "generate_scramble_constants32",
    "generate_scramble_constants64",
    "get_curand_version",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]


class direction_vector_set(Number):  # noqa: N801 - PyCUDA's name
    """Which vectors Sobol sequences are made of."""

    VECTOR_32 = 101
    SCRAMBLED_VECTOR_32 = 102
    VECTOR_64 = 103
    SCRAMBLED_VECTOR_64 = 104


add_tables(direction_vector_set)


def get_curand_version() -> tuple[int, int, int]:
    """The release of cuRAND whose words the generators give."""
    return (10, 3, 0)


_RAND_TYPES = ("float32", "float64", "uint32", "int32")


@boundary
def rand(shape: Any, dtype: npt.DTypeLike = np.float32, stream: Stream | None = None) -> GPUArray:
    """Uniformly distributed numbers above 0, up to 1; for integers random words. The seed is drawn
    from numpy.random."""
    kind, axes = np.dtype(dtype), shape_of(shape)
    if kind.name not in _RAND_TYPES:
        raise ww.ArgumentTypeError(f"rand gives {', '.join(_RAND_TYPES)}, not {kind}")
    seed = int(np.random.randint(0, 2**63 - 1, dtype=np.int64))
    with on_stream(stream):
        generator = ww.random.default_rng(seed)
        if kind.kind == "f":
            return GPUArray._of(1 - generator.random(axes, dtype=kind))
        ends = np.iinfo(kind)
        return GPUArray._of(generator.integers(ends.min, ends.max, axes, kind, endpoint=True))


@documented(n="N")
@boundary
def seed_getter_uniform(N: int) -> GPUArray:  # noqa: N803 - PyCUDA's name
    """One random seed, N times."""
    seed = np.random.randint(0, 2**31 - 1, dtype=np.int32)
    return GPUArray((N,), np.int32).fill(seed)


@documented(n="N")
@boundary
def seed_getter_unique(N: int) -> GPUArray:  # noqa: N803 - PyCUDA's name
    """N random seeds."""
    return to_gpu(np.random.randint(0, 2**31 - 1, N, dtype=np.int32))


@boundary
def generate_direction_vectors(
    count: int, direction: direction_vector_set = direction_vector_set.VECTOR_32
) -> GPUArray:
    """A row of 32 or 64 words for each of `count` dimensions of a Sobol sequence."""
    chosen = direction_vector_set(direction)
    if count < 0:
        raise ww.ArgumentValueError(f"generate_direction_vectors got count {count}, below 0")
    bits = 64 if chosen.name.endswith("64") else 32
    return to_gpu(directions(int(count), bits, chosen.name.startswith("SCRAMBLED")))


@boundary
def generate_scramble_constants32(count: int) -> GPUArray:
    """A word of 32 bits for each dimension."""
    return to_gpu(scramble_constants(int(count), 32))


@boundary
def generate_scramble_constants64(count: int) -> GPUArray:
    """A word of 64 bits for each dimension."""
    return to_gpu(scramble_constants(int(count), 64))
