"""pycuda._cluda: macros for kernels that are written for CUDA and OpenCL alike."""

from __future__ import annotations

__all__ = ["CLUDA_PREAMBLE"]

# What a kernel's source calls each part of CUDA.
_MEANINGS = {
    "local_barrier()": "__syncthreads();",
    "WITHIN_KERNEL": "__device__",
    "KERNEL": 'extern "C" __global__',
    "GLOBAL_MEM": "",
    "LOCAL_MEM": "__shared__",
    "LOCAL_MEM_ARG": "",
    "REQD_WG_SIZE(x, y, z)": "__launch_bounds__((x) * (y) * (z), 1)",
}
# OpenCL's ids and sizes, of work items and groups, along each axis.
_OF_AXES = {"LID": "threadIdx", "GID": "blockIdx", "LDIM": "blockDim", "GDIM": "gridDim"}

CLUDA_PREAMBLE = "\n".join(
    [
        "",
        *(f"#define {name} {meaning}" for name, meaning in _MEANINGS.items()),
        *(
            f"#define {name}_{number} {variable}.{axis}"
            for name, variable in _OF_AXES.items()
            for number, axis in enumerate("xyz")
        ),
        "",
    ]
)
