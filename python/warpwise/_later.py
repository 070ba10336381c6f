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


# Beside the functions of _numpy/functions.py.
_UFUNCS_OF_NUMPY = ("divmod", "float_power")

# What makes arrays of what lies on the host, and what is about types and single numbers.
_MADE_BY_NUMPY = (
    "bartlett", "blackman", "frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt",
    "hamming", "hanning", "kaiser", "loadtxt", "polyfit", "roots",
)  # fmt: skip
_SAME_IN_NUMPY = ("isscalar", "issubdtype", "iterable", "printoptions", "set_printoptions")

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
        "asanyarray": "ww.asarray",
        "ascontiguousarray": 'ww.asarray(x, order="C")',
        "asfortranarray": 'ww.asarray(x, order="F")',
        "asnumpy": "x.get()",
        "bitwise_not": "ww.bitwise_invert",
        "c_": "ww.column_stack",
        "concatenate": "ww.concat",
        "conjugate": "ww.conj",
        "copy": "x.copy()",
        "degrees": "ww.rad2deg",
        "diag_indices": "numpy.diag_indices, whose result may index arrays",
        "fabs": "ww.abs",
        "fromfunction": "the function of ww.indices(shape)",
        "fuse": "the array functions themselves, which are fused",
        "identity": "ww.eye",
        "in1d": "ww.isin",
        "invert": "ww.bitwise_invert",
        "left_shift": "ww.bitwise_left_shift",
        "mgrid": "ww.indices, or ww.meshgrid of ranges",
        "mod": "ww.remainder",
        "ndim": "x.ndim",
        "ogrid": "ww.indices(shape, sparse=True), or ww.meshgrid of ranges",
        "power": "ww.pow",
        "promote_types": "ww.result_type",
        "r_": "ww.concat",
        "radians": "ww.deg2rad",
        "RawKernel": "ww.SourceModule(source)[name]",
        "RawModule": "ww.SourceModule",
        "ravel": "x.ravel()",
        "right_shift": "ww.bitwise_right_shift",
        "rint": "ww.round",
        "row_stack": "ww.vstack",
        "savetxt": "numpy.savetxt(file, x.get())",
        "savez_compressed": "numpy.savez_compressed(file, x=x.get())",
        "shape": "x.shape",
        "swapaxes": "ww.permute_dims",
        "transpose": "x.transpose() or ww.permute_dims",
        "trapz": "ww.trapezoid",
        "tril_indices": "numpy.tril_indices, whose result may index arrays",
        "triu_indices": "numpy.triu_indices, whose result may index arrays",
        "tri": "ww.tril(ww.ones((n, m)))",
        "true_divide": "ww.divide",
        **{name: f"ww.asarray(numpy.{name}(...))" for name in _MADE_BY_NUMPY},
        **{name: f"numpy.{name}" for name in _SAME_IN_NUMPY},
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
    if known is None and module == "warpwise" and _is_of_numpy(name):
        known = f"numpy.{name}, which takes arrays of Warpwise"
    advice = "" if known is None else f"; use {known}"
    # With the module a traceback suggests the nearest name.
    raise AttributeError(
        f"module '{module}' has no attribute '{name}'{advice}", name=name, obj=sys.modules[module]
    )


def _is_of_numpy(name: str) -> bool:
    """Whether a function that NumPy alone has takes arrays of Warpwise, and gives them."""
    from ._numpy.functions import FUNCTIONS  # only where a name is missing

    return name in _UFUNCS_OF_NUMPY or any(name == function.__name__ for function in FUNCTIONS)
