"""DeviceRecord: one record on a device."""

from __future__ import annotations

from typing import Any

from ..._core import value_text
from ..._errors import ArgumentIndexError
from .device_array import DeviceNDArray


class DeviceRecord(DeviceNDArray):
    """One record on a device. Its fields are read and written by name."""

    def __init__(self, dtype: Any, stream: Any = 0, gpu_data: Any = None) -> None:
        """A record with undefined contents, or in the memory of the buffer `gpu_data`."""
        super().__init__((), (), dtype, stream, gpu_data)

    @property
    def _numba_type_(self) -> Any:
        from .._installed_numba import own_type
        from ..types import from_dtype

        return own_type(from_dtype(self.dtype))

    def __getitem__(self, key: Any, /) -> Any:
        self._check(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        self._check(key)
        super().__setitem__(key, value)

    def _check(self, key: Any) -> None:
        if isinstance(key, str) and key not in (self.dtype.names or ()):
            raise ArgumentIndexError(
                f"the record has no field {value_text(key)}; it has {', '.join(self.dtype.names)}"
            )
