"""States of xoroshiro128+ generators, made on the host as Numba makes them.

The step of the generator is linear over the two-element field, so a jump of 2**64 steps is a
128 x 128 matrix of bits J, and the state of generator i is J**i applied to the first. It is applied
to many states at once, byte by byte through tables.

Source: David Blackman and Sebastiano Vigna, xoroshiro128+ and splitmix64 (prng.di.unimi.it), with
the constants (55, 14, 36) of 2016.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

States = npt.NDArray[np.uint64]  # of shape (n, 2)

_JUMP = (0xBEAC0467EBA5FACB, 0xD86B048B86AA9922)
_MASK = 2**64 - 1


def seeded(seed: int) -> tuple[int, int]:
    """The first state for a seed: one value of splitmix64, twice, as Numba has it."""
    z = (seed + 0x9E3779B97F4A7C15) & _MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    z ^= z >> 31
    return z, z


def states_of(n: int, seed: int, start: int) -> States:
    """The states of generators start, start + 1, ... start + n - 1 of a seed."""
    states = np.empty((max(n, 1), 2), np.uint64)
    states[0] = seeded(seed & _MASK)
    power, done = _jump_matrix(), 1
    first, square = start, power
    while first:
        if first & 1:
            states[:1] = _apply(square, states[:1])
        first >>= 1
        square = _apply(square, square)
    while done < n:
        count = min(done, n - done)
        states[done : done + count] = _apply(power, states[:count])
        done += count
        power = _apply(power, power)
    return states[:n]


def _turned(x: Any, bits: int) -> Any:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


def _advanced(states: States) -> States:
    s0 = states[:, 0]
    s1 = states[:, 1] ^ s0
    return np.stack([_turned(s0, 55) ^ s1 ^ (s1 << np.uint64(14)), _turned(s1, 36)], axis=1)


@cache
def _jump_matrix() -> States:
    """What a jump makes of each single bit of a state."""
    bits = np.zeros((128, 2), np.uint64)
    for bit in range(128):
        bits[bit, bit // 64] = 1 << bit % 64
    jumped = np.zeros_like(bits)
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                jumped ^= bits
            bits = _advanced(bits)
    jumped.flags.writeable = False
    return jumped


def _apply(matrix: States, states: States) -> States:
    """A matrix, given by its images of single bits, applied to every state."""
    data = np.ascontiguousarray(states, "<u8").view(np.uint8)
    result = np.zeros_like(states)
    for byte in range(16):
        table = np.zeros((256, 2), np.uint64)
        for bit in range(8):
            table[1 << bit : 2 << bit] = table[: 1 << bit] ^ matrix[8 * byte + bit]
        result ^= table[data[:, byte]]
    return result
