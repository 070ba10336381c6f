"""By function of NumPy, what it does with arrays of Warpwise where nothing here has its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from .bits import packbits, unpackbits
from .building import (
    apply_along_axis,
    block,
    concatenate,
    hstack,
    piecewise,
    resize,
    sort_complex,
    stack,
    trim_zeros,
    vander,
    vstack,
)
from .histograms import histogram2d, histogramdd
from .kinds import (
    array_equiv,
    iscomplex,
    iscomplexobj,
    isneginf,
    isposinf,
    isreal,
    isrealobj,
    real_if_close,
    size,
)
from .places import (
    diag_indices_from,
    ix_,
    tril_indices_from,
    triu_indices_from,
)
from .writing import copyto, fill_diagonal, place, putmask

FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    getattr(np, function.__name__): function
    for function in (
        apply_along_axis, array_equiv, block, concatenate, copyto, diag_indices_from,
        fill_diagonal, histogram2d, histogramdd, hstack, iscomplex, iscomplexobj,
        isneginf, isposinf, isreal, isrealobj, ix_, packbits, piecewise, place, putmask,
        real_if_close,
        resize, size, sort_complex, stack, tril_indices_from,
        trim_zeros, triu_indices_from, unpackbits, vander, vstack,
    )
} | {np.lib.stride_tricks.sliding_window_view: _core.sliding_window_view}  # fmt: skip
