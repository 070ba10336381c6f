"""Headers that sources include by habit, under NVRTC: there without a toolkit, or named with what
brings them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import warpwise as ww

# Of the C library and the toolkit.
BY_HABIT = [
    "assert.h",
    "cassert",
    "cfloat",
    "cinttypes",
    "climits",
    "cmath",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "errno.h",
    "float.h",
    "inttypes.h",
    "iostream",
    "limits",
    "limits.h",
    "math.h",
    "math_constants.h",
    "math_functions.h",
    "new",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "sys/types.h",
    "time.h",
    "unistd.h",
    "vector_functions.h",
    "vector_types.h",
]
# Of the toolkit alone, and the package that has them.
OF_PACKAGES = {
    "cuda_fp16.h": "nvidia-cuda-runtime",
    "cooperative_groups.h": "nvidia-cuda-runtime",
    "curand_kernel.h": "nvidia-curand",
}
KERNEL = "__global__ void k(float *p) { *p = 1; }"


def test_all_compile_together() -> None:
    includes = "".join(f"#include <{name}>\n" for name in BY_HABIT)
    assert ww.compile(includes + KERNEL, target="sm_90", format="cubin")[:4] == b"\x7fELF"


@pytest.mark.parametrize("name", BY_HABIT)
def test_each_compiles(name: str) -> None:
    code = ww.compile(f"#include <{name}>\n{KERNEL}", target="sm_90", format="cubin")
    assert code[:4] == b"\x7fELF"


def test_limits_are_those_of_the_types() -> None:
    source = """
#include <limits>
#include <math_constants.h>
static_assert(std::numeric_limits<int>::digits10 == 9, "");
static_assert(std::numeric_limits<unsigned long long>::digits10 == 19, "");
static_assert(std::numeric_limits<unsigned char>::max() == 255, "");
static_assert(std::numeric_limits<double>::infinity() > 1e308, "");
template <class T> __device__ T largest() { return std::numeric_limits<T>::max(); }
__global__ void k(float *p) { *p = largest<int>() + largest<double>() + CUDART_PI_F; }
"""
    assert ww.compile(source, target="sm_90", format="cubin")[:4] == b"\x7fELF"


@pytest.mark.parametrize(("header", "package"), OF_PACKAGES.items())
def test_a_missing_one_is_named_with_its_package(header: str, package: str, tmp_path: Path) -> None:
    if Path("/usr/local/cuda/include/cuda_fp16.h").exists():
        pytest.skip("there is a toolkit")
    # Away from the packages beside it.
    nvrtc = Path(os.environ["WARPWISE_NVRTC"])
    for file in nvrtc.parent.glob("libnvrtc*"):
        shutil.copy(file, tmp_path)
    program = (
        "import warpwise as ww\n"
        f"ww.compile('#include <{header}>\\n{KERNEL}', target='sm_90', format='cubin')"
    )
    env = {**os.environ, "WARPWISE_NVRTC": str(tmp_path / nvrtc.name), "WARPWISE_CACHE_SIZE": "0"}
    for name in ("CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV"):
        env.pop(name, None)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert header in done.stderr
    assert f"pip install {package}" in done.stderr
