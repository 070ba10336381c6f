"""Names of the interface that this version does not have.

Using one raises an UnsupportedError that is an AttributeError too.
"""

from __future__ import annotations

from typing import NoReturn

from ._errors import UnsupportedNameError

_ARRAYS = """
abs acos acosh add all any arange argmax argmin argsort array asarray asin asinh astype atan atan2
atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
broadcast_arrays broadcast_to can_cast ceil clip concat conj copysign cos cosh count_nonzero
cumulative_prod cumulative_sum diff divide empty empty_like equal exp expand_dims expm1 eye finfo
flip floor floor_divide from_dlpack full full_like greater greater_equal hypot iinfo imag isdtype
isfinite isin isinf isnan less less_equal linspace log log10 log1p log2 logaddexp logical_and
logical_not logical_or logical_xor matmul matrix_transpose max maximum mean meshgrid min minimum
moveaxis multiply negative nextafter nonzero not_equal ones ones_like permute_dims positive pow prod
real reciprocal remainder repeat reshape result_type roll round searchsorted sign signbit sin sinh
sort sqrt square squeeze stack std subtract sum take take_along_axis tan tanh tensordot tile tril
triu trunc unique_all unique_counts unique_inverse unique_values unstack var vecdot where zeros
zeros_like Array evaluate explain lazy fft linalg random sparse
""".split()

_OTHERS = {
    "ElementwiseKernel": "kernels over arrays",
    "ReductionKernel": "kernels over arrays",
    "InclusiveScanKernel": "kernels over arrays",
    "ExclusiveScanKernel": "kernels over arrays",
    "jit": "Python functions as kernels",
    "vectorize": "Python functions as kernels",
    "cuda": "Python functions as kernels",
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
