"""The array API standard's inspection of a namespace: versions, devices and dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import isdtype
from ._core import Device
from ._errors import ArgumentTypeError, ArgumentValueError

VERSION = "2025.12"
# The namespace has what each of them asks for, of its main part.
_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", VERSION)
_NAMES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
)
_DTYPES = {name: np.dtype(name) for name in _NAMES.split()}


def namespace(api_version: Any) -> Any:
    """What Array.__array_namespace__ returns; an error for versions of the standard not known."""
    import warpwise

    if api_version is None or api_version in _VERSIONS:
        return warpwise
    if not isinstance(api_version, str):
        raise ArgumentTypeError(
            "__array_namespace__ expects a version such as '2025.12' for 'api_version', got "
            f"{_core.value_text(api_version)}"
        )
    raise ArgumentValueError(
        f"api_version got '{api_version}'; versions of the array API standard that Warpwise "
        f"implements are {', '.join(_VERSIONS)}"
    )


class NamespaceInfo:
    """What __array_namespace_info__() returns: the standard's inspection functions."""

    def capabilities(self) -> dict[str, Any]:
        """What the standard lets libraries leave out, by its names."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": _core.MAX_RANK,
        }

    def default_device(self) -> Device:
        """Where arrays are made without `device=`: the current device of the thread."""
        return Device()

    def devices(self) -> list[Device]:
        """All devices of the process."""
        return list(_core.devices())

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, np.dtype[Any]]:
        """The dtypes of what is made without `dtype=`; the same on every device."""
        _checked_device(device)
        return {
            "real floating": _DTYPES["float64"],
            "complex floating": _DTYPES["complex128"],
            "integral": _DTYPES["int64"],
            "indexing": _DTYPES["int64"],
        }

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """The standard's dtypes, those of a kind alone ('integral'); the same on every device."""
        _checked_device(device)
        if kind is None:
            return dict(_DTYPES)
        return {name: dtype for name, dtype in _DTYPES.items() if isdtype(dtype, kind)}


def _checked_device(device: Device | str | None) -> None:
    """Raises what making an array there would raise."""
    if isinstance(device, str):
        Device(device)
    elif not (device is None or isinstance(device, Device)):
        raise ArgumentTypeError(
            f"device expects a Device, its name or None, got {_core.value_text(device)}"
        )
