"""Programs of `programs/` that PyCUDA 2026.1 with CUDA 13 and NumPy 2 cannot run, and why.

Each keeps to PyCUDA's interface and runs under `warpwise run`; `under_pycuda.py` leaves them out,
for there is nothing to compare with.
"""

from __future__ import annotations

BEYOND_PYCUDA = {
    "heat_textures": "reads through a texture reference, which CUDA 12 removed",
    "nested_launches": "links a device function from another source, which PyCUDA does not find",
    "poisson_equation": "pycuda.sparse needs pymetis and texture references; CUDA 12 removed those",
    "rotation_texture": "reads through a texture reference, which CUDA 12 removed",
    "sobol_integration": "a column of many dimensions: PyCUDA's copy of it fails",
    "streams": "a call with a missing argument must raise; PyCUDA does not count the arguments",
    "surfaces_of_doubles": "pycuda-helpers.hpp needs surface references, which CUDA 12 removed",
    "texture_tables": "pycuda-helpers.hpp needs texture references, which CUDA 12 removed",
}
