"""Random numbers in kernels: xoroshiro128+ generators, with Numba's names and values.

>>> states = create_xoroshiro128p_states(blocks * threads, seed=1)
>>> @cuda.jit
... def draw(states, out):
...     i = cuda.grid(1)
...     if i < out.size:
...         out[i] = xoroshiro128p_uniform_float32(states, i)
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .._core import value_text
from .._errors import ArgumentTypeError, ArgumentValueError
from ._arrays.creation import device_array
from ._arrays.device_array import DeviceNDArray
from ._functions.dispatch import jit
from ._xoroshiro import states_of
from .types import float32, float64, from_dtype, int64, uint32, uint64

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)
xoroshiro128p_type = from_dtype(xoroshiro128p_dtype)


@jit(device=True)
def init_xoroshiro128p_state(states, index, seed):  # type: ignore[no-untyped-def]
    """Sets a state from a seed of 64 bits, by splitmix64."""
    z = uint64(seed) + uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> uint32(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint32(27))) * uint64(0x94D049BB133111EB)
    z = z ^ (z >> uint32(31))
    states[int64(index)]["s0"] = z
    states[int64(index)]["s1"] = z


@jit(device=True)
def rotl(x, k):  # type: ignore[no-untyped-def]
    """The bits of a uint64 turned left."""
    return (uint64(x) << uint32(k)) | (uint64(x) >> uint32(64 - k))


@jit(device=True)
def xoroshiro128p_next(states, index):  # type: ignore[no-untyped-def]
    """The next 64 bits of a generator."""
    i = int64(index)
    s0 = states[i]["s0"]
    s1 = states[i]["s1"]
    result = s0 + s1
    s1 = s1 ^ s0
    states[i]["s0"] = rotl(s0, uint32(55)) ^ s1 ^ (s1 << uint32(14))
    states[i]["s1"] = rotl(s1, uint32(36))
    return result


@jit(device=True)
def xoroshiro128p_jump(states, index):  # type: ignore[no-untyped-def]
    """Advances a generator by 2**64 steps."""
    i = int64(index)
    s0 = uint64(0)
    s1 = uint64(0)
    for word in (uint64(0xBEAC0467EBA5FACB), uint64(0xD86B048B86AA9922)):
        for bit in range(64):
            if (word >> uint64(bit)) & uint64(1):
                s0 = s0 ^ states[i]["s0"]
                s1 = s1 ^ states[i]["s1"]
            xoroshiro128p_next(states, i)
    states[i]["s0"] = s0
    states[i]["s1"] = s1


@jit(device=True)
def uint64_to_unit_float64(x):  # type: ignore[no-untyped-def]
    """A float64 in [0, 1) of 53 of the bits."""
    return float64(uint64(x) >> uint64(11)) * (1.0 / 9007199254740992.0)


@jit(device=True)
def uint64_to_unit_float32(x):  # type: ignore[no-untyped-def]
    """The same as a float32."""
    return float32(uint64_to_unit_float64(x))


@jit(device=True)
def xoroshiro128p_uniform_float32(states, index):  # type: ignore[no-untyped-def]
    """A float32 in [0, 1)."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@jit(device=True)
def xoroshiro128p_uniform_float64(states, index):  # type: ignore[no-untyped-def]
    """A float64 in [0, 1)."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


TWO_PI_FLOAT32 = np.float32(2 * math.pi)
TWO_PI_FLOAT64 = np.float64(2 * math.pi)


@jit(device=True)
def xoroshiro128p_normal_float32(states, index):  # type: ignore[no-untyped-def]
    """A float32 of the standard normal distribution, by Box and Muller."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-float32(2.0) * math.log(u1)) * math.cos(TWO_PI_FLOAT32 * u2)


@jit(device=True)
def xoroshiro128p_normal_float64(states, index):  # type: ignore[no-untyped-def]
    """A float64 of the standard normal distribution, by Box and Muller, of two float32."""
    u1 = xoroshiro128p_uniform_float32(states, index)
    u2 = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(-float64(2.0) * math.log(u1)) * math.cos(TWO_PI_FLOAT64 * u2)


def create_xoroshiro128p_states(
    n: int, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> DeviceNDArray:
    """States of n generators, on the current device.

    Generator i continues the sequence of the seed 2**64 * (subsequence_start + i) numbers on, so
    that generators are independent while none draws more than 2**64 numbers.
    """
    count = _whole(n, "n")
    states = device_array(count, xoroshiro128p_dtype, stream=stream)
    init_xoroshiro128p_states(states, seed, subsequence_start, stream)
    return states


def init_xoroshiro128p_states(
    states: DeviceNDArray, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> None:
    """Sets the states of an array that exists, as create_xoroshiro128p_states() does."""
    start = _whole(subsequence_start, "subsequence_start")
    host = np.empty(states.shape, xoroshiro128p_dtype)
    words = states_of(states.size, _integer(seed, "seed"), start)
    host["s0"], host["s1"] = words[:, 0].reshape(host.shape), words[:, 1].reshape(host.shape)
    states.copy_to_device(host, stream=stream)


def _integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name} expects an int, got {value_text(value)}") from None


def _whole(value: Any, name: str) -> int:
    count = _integer(value, name)
    if count < 0:
        raise ArgumentValueError(f"{name} expects 0 or more, got {count}")
    return count
