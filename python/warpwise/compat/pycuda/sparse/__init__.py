"""pycuda.sparse, which PyCUDA has long deprecated: products with sparse matrices, and CG."""

from __future__ import annotations

import warnings

warnings.warn(
    "pycuda.sparse is deprecated in PyCUDA; SciPy's sparse matrices are what it is built from",
    DeprecationWarning,
    stacklevel=2,
)
