"""Names of the interface that this version does not have.

Using one raises an UnsupportedError that is an AttributeError too.
"""

from __future__ import annotations

from typing import NoReturn

from ._errors import UnsupportedNameError

_ARRAYS = """
fft linalg
""".split()

_OTHERS = {
    "jit": "Python functions as kernels",
    "check": "checked mode",
    "tune": "the tuner",
}

LATER = dict.fromkeys(_ARRAYS, "arrays") | _OTHERS


def refuse(name: str) -> NoReturn:
    """Raises UnsupportedNameError for a planned name, AttributeError for any other."""
    if name in LATER:
        raise UnsupportedNameError(
            f"warpwise.{name} belongs to {LATER[name]}, which this version of Warpwise does not "
            "have; use ww.SourceModule with CUDA C++ source"
        )
    raise AttributeError(f"module 'warpwise' has no attribute '{name}'")
