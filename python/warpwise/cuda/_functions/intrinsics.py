"""What only kernels may call: objects that stand for CUDA's variables and functions.

A kernel's front end knows them by `__warpwise_known__`, their name from `cuda` on. Python
code that calls one gets an error, since it has no thread.
"""

from __future__ import annotations

import itertools
from typing import Any

from ..._errors import ArgumentTypeError


class Intrinsic:
    """A function, a variable or a namespace of device code."""

    def __init__(self, name: str, doc: str = "", members: tuple[str, ...] = ()) -> None:
        self.__warpwise_known__ = f"cuda.{name}"
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = name
        self.__module__ = "warpwise.cuda"
        self.__doc__ = doc or None
        self._members = members
        for member in members:
            setattr(self, member, Intrinsic(f"{name}.{member}"))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise ArgumentTypeError(
            f"{self.__warpwise_known__} is for kernels and device functions: call it in a "
            "function decorated with @cuda.jit"
        )

    def __getattr__(self, name: str) -> Any:
        own = vars(self).get("__warpwise_known__", "cuda")
        known = ", ".join(vars(self).get("_members", ()))
        raise AttributeError(
            f"{own} has no attribute '{name}'" + (f"; it has {known}" if known else "")
        )

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of a vector type."""
        return tuple(name for name, one in VECTOR_ALIASES.items() if one is self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _by_name, (self.__warpwise_known__,)

    def __copy__(self) -> Intrinsic:
        return self

    def __deepcopy__(self, memo: Any) -> Intrinsic:
        return self

    def __repr__(self) -> str:
        return f"<{self.__warpwise_known__}>"


_XYZ = ("x", "y", "z")
_ATOMICS = (
    "add", "sub", "and_", "or_", "xor", "inc", "dec", "exch", "max", "min", "nanmax", "nanmin",
    "compare_and_swap", "cas",
)  # fmt: skip
_HALVES = (
    "hadd", "hsub", "hmul", "hdiv", "hfma", "hneg", "habs", "hsin", "hcos", "hlog", "hlog10",
    "hlog2", "hexp", "hexp10", "hexp2", "hfloor", "hceil", "hsqrt", "hrsqrt", "hrcp", "hrint",
    "htrunc", "heq", "hne", "hge", "hgt", "hle", "hlt", "hmax", "hmin",
)  # fmt: skip
_NAMESPACES = {
    "threadIdx": (_XYZ, "The thread's index in its block."),
    "blockIdx": (_XYZ, "The block's index in the grid."),
    "blockDim": (_XYZ, "The shape of a block."),
    "gridDim": (_XYZ, "The shape of the grid."),
    "shared": (("array",), "Memory of a block."),
    "local": (("array",), "Memory of a thread."),
    "const": (("array_like",), "Constant memory."),
    "atomic": (_ATOMICS, "Operations on memory that other threads cannot interrupt."),
    "fp16": (_HALVES, "Functions of float16."),
}
_FUNCTIONS = {
    "grid": "The thread's index in the whole grid, of 1, 2 or 3 axes.",
    "gridsize": "The threads of the whole grid, of 1, 2 or 3 axes.",
    "laneid": "The thread's index in its warp.",
    "warpsize": "The threads of a warp.",
    "syncthreads": "Waits until all threads of the block are here.",
    "syncthreads_count": "As syncthreads; returns how many threads' predicate is true.",
    "syncthreads_and": "As syncthreads; returns whether all threads' predicate is true.",
    "syncthreads_or": "As syncthreads; returns whether any thread's predicate is true.",
    "syncwarp": "Waits until the threads of a mask of the warp are here.",
    "threadfence": "Orders memory accesses as seen by the device.",
    "threadfence_block": "Orders memory accesses as seen by the block.",
    "threadfence_system": "Orders memory accesses as seen by host and devices.",
    "shfl_sync": "A lane's value.",
    "shfl_up_sync": "The value of the lane `delta` below.",
    "shfl_down_sync": "The value of the lane `delta` above.",
    "shfl_xor_sync": "The value of the lane whose index is this one's XOR the mask.",
    "shfl_sync_intrinsic": "A shuffle by mode; returns (value, whether the lane is in range).",
    "all_sync": "Whether the predicate is true in all threads of the mask.",
    "any_sync": "Whether the predicate is true in any thread of the mask.",
    "eq_sync": "Whether the predicate is the same in all threads of the mask.",
    "ballot_sync": "A bit for each lane of the mask whose predicate is true.",
    "vote_sync_intrinsic": "A vote by mode; returns (ballot, predicate).",
    "match_any_sync": "A bit for each lane of the mask with this lane's value.",
    "match_all_sync": "(the mask or 0, whether all lanes of the mask have one value).",
    "activemask": "A bit for each lane that executes now.",
    "lanemask_lt": "A bit for each lane below this one.",
    "popc": "How many bits are 1.",
    "brev": "The bits in reverse order.",
    "clz": "Zeros above the highest bit that is 1.",
    "ffs": "The lowest bit that is 1, counted from 1; 0 without one.",
    "fma": "a * b + c, rounded once.",
    "cbrt": "The cube root.",
    "selp": "a if condition else b, without a branch.",
    "nanosleep": "Suspends the thread for about so many nanoseconds.",
    "ldca": "A load that caches in all levels.",
    "ldcg": "A load that caches in L2 only.",
    "ldcs": "A load of what is read once.",
    "ldlu": "A load of what is not used again.",
    "ldcv": "A load that reads memory again.",
    "stcg": "A store that caches in L2 only.",
    "stcs": "A store of what is not used soon.",
    "stwb": "A store that caches in all levels.",
    "stwt": "A store through to memory.",
}
_ELEMENTS = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
)  # fmt: skip
# CUDA's names for them.
_ALIASES = {
    "char": "int8", "short": "int16", "int": "int32", "long": "int64", "longlong": "int64",
    "uchar": "uint8", "ushort": "uint16", "uint": "uint32", "ulong": "uint64",
    "ulonglong": "uint64", "float": "float32", "double": "float64",
}  # fmt: skip

INTRINSICS: dict[str, Intrinsic] = {
    name: Intrinsic(name, doc, members) for name, (members, doc) in _NAMESPACES.items()
} | {name: Intrinsic(name, doc) for name, doc in _FUNCTIONS.items()}

VECTOR_TYPES: dict[str, Intrinsic] = {
    f"{element}x{count}": Intrinsic(f"{element}x{count}", f"A vector of {count} {element}.")
    for element, count in itertools.product(_ELEMENTS, (1, 2, 3, 4))
}
VECTOR_ALIASES: dict[str, Intrinsic] = {
    f"{alias}{count}": VECTOR_TYPES[f"{element}x{count}"]
    for (alias, element), count in itertools.product(_ALIASES.items(), (1, 2, 3, 4))
}


def _by_name(name: str) -> Any:
    """What pickle calls: the one object of that name."""
    from importlib import import_module

    found: Any = import_module("warpwise.cuda")
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found
