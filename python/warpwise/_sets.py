"""What functions on sets return: the array API's named tuples."""

from __future__ import annotations

from typing import NamedTuple

from ._core import Array


class UniqueCounts(NamedTuple):
    """What unique_counts returns."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What unique_inverse returns."""

    values: Array
    inverse_indices: Array


class UniqueAll(NamedTuple):
    """What unique_all returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array
