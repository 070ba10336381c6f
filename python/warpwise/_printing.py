"""How arrays print: as NumPy's, with at most a few elements fetched of large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import ArgumentTypeError

if TYPE_CHECKING:
    from ._core import Array


def representation(array: Array) -> str:
    """`Array([1., 2.], dtype=float32, device='cpu')`."""
    shown, options = _shown(array)
    prefix = "Array("
    values = np.array2string(shown, separator=", ", prefix=prefix, **options)
    details = []
    if (array.size == 0 and array.shape != (0,)) or options:
        details.append(f"shape={array.shape}")
    details += [f"dtype={_type_name(array.dtype)}", f"device='{array.device.name}'"]
    return f"{prefix}{values}, {', '.join(details)})"


def text(array: Array) -> str:
    """The values, as NumPy prints them."""
    if array.ndim == 0:
        return str(array.get()[()])
    shown, options = _shown(array)
    return np.array2string(shown, **options)


def formatted(array: Array, spec: str) -> str:
    """`format(array, spec)`: of an array without axes the number's, else only the empty one."""
    if array.ndim == 0:
        return format(array.get()[()], spec)
    if spec:
        raise ArgumentTypeError(
            f"format got '{spec}' for an array of shape {array.shape}; format its elements"
        )
    return text(array)


def _shown(array: Array) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
    """What NumPy prints: all elements, or those at the edges and options to leave gaps between.

    Of an axis that is cut, one element more than the edges is fetched: it stands for those between.
    """
    settings = np.get_printoptions()
    if array.size <= settings["threshold"]:
        return array.get(), {}
    edge = settings["edgeitems"]
    part = array
    for axis, extent in enumerate(array.shape):
        if extent > 2 * edge + 1:
            part = _edges(part, axis, edge)
    return part.get(), {"threshold": 0, "edgeitems": edge}


def _edges(array: Array, axis: int, edge: int) -> Array:
    from ._core import concat

    before = (slice(None),) * axis
    parts = [array[(*before, slice(edge + 1))], array[(*before, slice(-edge, None))]]
    return concat(parts, axis=axis)


def _type_name(dtype: np.dtype[Any]) -> str:
    return dtype.name if dtype.names is None else str(dtype)
