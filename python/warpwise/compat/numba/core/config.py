"""numba.core.config: settings, from NUMBA_... variables; programs set the attributes.

ENABLE_CUDASIM is always 0: NUMBA_ENABLE_CUDASIM=1 chooses the CPU device.
"""

from __future__ import annotations

import os
import sys


def _of_environment(name: str, default: int) -> int:
    text = os.environ.get(f"NUMBA_{name}", "")
    return int(text) if text.isdigit() else default


ENABLE_CUDASIM = 0
CUDA_LOW_OCCUPANCY_WARNINGS = _of_environment("CUDA_LOW_OCCUPANCY_WARNINGS", 1)
CUDA_WARN_ON_IMPLICIT_COPY = _of_environment("CUDA_WARN_ON_IMPLICIT_COPY", 1)
CUDA_DEBUGINFO_DEFAULT = _of_environment("CUDA_DEBUGINFO", 0)
DISABLE_PERFORMANCE_WARNINGS = _of_environment("DISABLE_PERFORMANCE_WARNINGS", 0)
DISABLE_CUDA = 0
DISABLE_JIT = 0
CUDA_MEMORY_MANAGER = "default"
CUDA_USE_NVIDIA_BINDING = 0
CUDA_PER_THREAD_DEFAULT_STREAM = 0
CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY = 0
CUDA_INCLUDE_PATH = ""
CUDA_LOG_LEVEL = ""
CUDA_LOG_SIZE = 1024
NUMBA_DEFAULT_NUM_THREADS = NUMBA_NUM_THREADS = len(os.sched_getaffinity(0))
IS_WIN32 = sys.platform.startswith("win32")
IS_OSX = sys.platform.startswith("darwin")
IS_32BITS = False
