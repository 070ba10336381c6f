"""Functions of libraries that kernels know, by the object."""

from __future__ import annotations

import builtins
import cmath
import dataclasses
import functools
import itertools
import math
import operator
from typing import Any

import numpy as np

# Functions of libraries that kernels know, by the object. Filled by `known`.
KNOWN: dict[int, tuple[Any, str]] = {}


def known(value: Any, name: str) -> Any:
    """Makes the object stand for the function `name` of kernels: "cuda.grid"; returns it."""
    KNOWN[id(value)] = (value, name)
    return value


def _fill_known() -> None:
    for module in (math, cmath, np, operator):
        for name in dir(module):
            value = getattr(module, name)
            is_class = isinstance(value, type)
            if callable(value) and not is_class and not name.startswith("_"):
                # A ufunc has several names: numpy.acos is numpy.arccos.
                own = value.__name__ if isinstance(value, np.ufunc) else name
                KNOWN.setdefault(id(value), (value, f"{module.__name__}.{own}"))
    names = "abs all any divmod enumerate len max min next ord pow print range reversed round"
    for name in (*names.split(), "filter", "hasattr", "map", "sorted", "sum", "zip"):
        known(getattr(builtins, name), f"builtins.{name}")
    for name in ("det", "inv", "norm", "solve"):
        known(getattr(np.linalg, name), f"numpy.linalg.{name}")
    for one in (functools.partial, functools.reduce):
        KNOWN[id(one)] = (one, f"functools.{one.__name__}")
    KNOWN[id(dataclasses.replace)] = (dataclasses.replace, "dataclasses.replace")
    selections = "combinations combinations_with_replacement permutations product"
    counted = "accumulate chain count cycle islice pairwise repeat"
    for name in (*counted.split(), *selections.split()):
        value = getattr(itertools, name)
        KNOWN[id(value)] = (value, f"itertools.{name}")
    for builtin in (isinstance, tuple, list, str, bytes):
        KNOWN[id(builtin)] = (builtin, f"builtins.{builtin.__name__}")
    abstract = (np.integer, np.signedinteger, np.unsignedinteger, np.floating, np.inexact)
    for base in (*abstract, np.complexfloating, np.number, np.ndarray):
        KNOWN[id(base)] = (base, f"numpy.{base.__name__}")
    for kind in (np.dtype, np.finfo, np.iinfo, np.ndindex, np.ndenumerate):
        KNOWN[id(kind)] = (kind, f"numpy.{kind.__name__}")


_fill_known()
