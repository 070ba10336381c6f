"""Lets the tests find NVRTC where pip has put it, in a run from the build folder too."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

_NVRTC = Path(sysconfig.get_path("purelib")) / "nvidia/cu13/lib/libnvrtc.so.13"
if _NVRTC.exists():
    os.environ.setdefault("WARPWISE_NVRTC", str(_NVRTC))
