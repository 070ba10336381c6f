"""Settings with Numba's names: those of its config module where one is imported, else the
environment's (NUMBA_...)."""

from __future__ import annotations

import os
import sys

DEFAULTS: dict[str, int] = {
    "CUDA_LOW_OCCUPANCY_WARNINGS": 1,
    "CUDA_WARN_ON_IMPLICIT_COPY": 1,
    "DISABLE_PERFORMANCE_WARNINGS": 0,
    "CUDA_DEBUGINFO_DEFAULT": 0,
}
_VARIABLES = {"CUDA_DEBUGINFO_DEFAULT": "NUMBA_CUDA_DEBUGINFO"}


def setting(name: str) -> bool:
    """The value of one of DEFAULTS."""
    config = sys.modules.get("numba.core.config")
    if config is not None and hasattr(config, name):
        return bool(getattr(config, name))
    text = os.environ.get(_VARIABLES.get(name, f"NUMBA_{name}"), "")
    return bool(int(text)) if text.isdigit() else bool(DEFAULTS[name])
