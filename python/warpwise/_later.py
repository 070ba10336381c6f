"""Names that modules of Warpwise do not have: what to use in their place.

A planned name raises an UnsupportedError that is an AttributeError too. A name of NumPy, CuPy or
SciPy that is spelled differently here raises an AttributeError that says how.
"""

from __future__ import annotations

import sys
from typing import NoReturn

from ._errors import UnsupportedNameError

_SOURCE = "ww.SourceModule with CUDA C++ source"

# What each belongs to, and what there is instead.
LATER = {
    "fft": ("Fourier transforms", _SOURCE),
    "linalg": (
        "linear algebra",
        "ww.matmul and ww.tensordot for products, " + _SOURCE + " for the rest",
    ),
    "jit": (
        "Python functions over whole arrays",
        "warpwise.cuda.jit for kernels in Python, ww.vectorize for functions of one element",
    ),
    "check": ("checked mode", "WARPWISE_POOL=guard for accesses past a buffer's end (CPU)"),
    "tune": ("the tuner", "kernel.suggested_block_size"),
}


_GENERATOR = "ww.random.default_rng(seed).{}(...)".format

# What each name is here, by the module that is asked for it.
INSTEAD = {
    "warpwise": {
        "absolute": "ww.abs",
        "amax": "ww.max",
        "amin": "ww.min",
        "arccos": "ww.acos",
        "arccosh": "ww.acosh",
        "arcsin": "ww.asin",
        "arcsinh": "ww.asinh",
        "arctan": "ww.atan",
        "arctan2": "ww.atan2",
        "arctanh": "ww.atanh",
        "around": "ww.round",
        "ascontiguousarray": "x.copy()",
        "asnumpy": "x.get()",
        "concatenate": "ww.concat",
        "conjugate": "ww.conj",
        "copy": "x.copy()",
        "degrees": "ww.rad2deg",
        "fabs": "ww.abs",
        "fuse": "the array functions themselves, which are fused",
        "identity": "ww.eye",
        "invert": "ww.bitwise_invert",
        "left_shift": "ww.bitwise_left_shift",
        "mod": "ww.remainder",
        "power": "ww.pow",
        "radians": "ww.deg2rad",
        "RawKernel": "ww.SourceModule(source)[name]",
        "RawModule": "ww.SourceModule",
        "ravel": "x.ravel()",
        "right_shift": "ww.bitwise_right_shift",
        "rint": "ww.round",
        "swapaxes": "ww.permute_dims",
        "transpose": "x.transpose() or ww.permute_dims",
        "true_divide": "ww.divide",
    },
    "warpwise.random": {
        "normal": _GENERATOR("normal"),
        "permutation": _GENERATOR("permutation"),
        "rand": _GENERATOR("random"),
        "randint": _GENERATOR("integers"),
        "randn": _GENERATOR("standard_normal"),
        "random": _GENERATOR("random"),
        "seed": "ww.random.default_rng(seed), which returns a generator of its own",
        "shuffle": _GENERATOR("shuffle"),
        "uniform": _GENERATOR("uniform"),
    },
    "warpwise.sparse": {
        "coo_matrix": "ww.sparse.coo_array",
        "csc_matrix": "ww.sparse.csc_array",
        "csr_matrix": "ww.sparse.csr_array",
    },
    "warpwise.sparse.linalg": {
        "spilu": "ww.sparse.linalg.ilu0",
        "spsolve": "ww.sparse.linalg.cg, bicgstab or gmres; factors are incomplete only, by ilu0",
    },
}


def refuse(name: str, module: str = "warpwise") -> NoReturn:
    """Raises UnsupportedNameError for a planned name, AttributeError for any other."""
    if module == "warpwise" and name in LATER:
        part, instead = LATER[name]
        raise UnsupportedNameError(
            f"warpwise.{name} belongs to {part}, which this version of Warpwise does not have; "
            f"use {instead}"
        )
    known = INSTEAD[module].get(name)
    advice = "" if known is None else f"; use {known}"
    # With the module a traceback suggests the nearest name.
    raise AttributeError(
        f"module '{module}' has no attribute '{name}'{advice}", name=name, obj=sys.modules[module]
    )
