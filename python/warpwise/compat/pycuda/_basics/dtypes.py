"""pycuda.tools: which type of C belongs to a NumPy dtype, and kernels' arguments by them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .errors import boundary

# Most specific name last: the first of a dtype is the one it is written as.
_SCALARS: list[tuple[Any, Sequence[str]]] = [
    (np.bool_, ["bool"]),
    (np.int8, ["signed char", "int8_t"]),
    (np.int8, ["char"]),
    (np.uint8, ["unsigned char", "uint8_t"]),
    (np.int16, ["short", "signed short", "short int", "signed short int", "int16_t"]),
    (np.uint16, ["unsigned short", "unsigned short int", "uint16_t"]),
    (np.int32, ["int", "signed int", "signed", "int32_t"]),
    (np.uint32, ["unsigned int", "unsigned", "uint32_t"]),
    (np.int64, ["long", "long int", "signed long", "signed long int", "int64_t", "ptrdiff_t",
                "ssize_t", "intptr_t"]),
    (np.int64, ["long long", "long long int", "signed long long"]),
    (np.uint64, ["unsigned long", "unsigned long int", "uint64_t", "size_t", "uintptr_t"]),
    (np.uint64, ["unsigned long long", "unsigned long long int"]),
    (np.float16, ["__half", "half"]),
    (np.float32, ["float"]),
    (np.float64, ["double"]),
    (np.complex64, ["pycuda::complex<float>"]),
    (np.complex128, ["pycuda::complex<double>"]),
]  # fmt: skip

VECTORS: dict[str, tuple[Any, int]] = {
    "char": (np.int8, 4), "uchar": (np.uint8, 4), "short": (np.int16, 4),
    "ushort": (np.uint16, 4), "int": (np.int32, 4), "uint": (np.uint32, 4),
    "long": (np.int64, 4), "ulong": (np.uint64, 4), "longlong": (np.int64, 2),
    "ulonglong": (np.uint64, 2), "float": (np.float32, 4), "double": (np.float64, 2),
}  # fmt: skip

_OF_TEXTURES = {
    np.dtype(np.float32): "fp_tex_float",
    np.dtype(np.float64): "fp_tex_double",
    np.dtype(np.complex64): "fp_tex_cfloat",
    np.dtype(np.complex128): "fp_tex_cdouble",
}


def vector_dtype(element: Any, count: int) -> np.dtype[Any]:
    """Of CUDA's vector types: fields x, y, z and w."""
    return np.dtype([(axis, element) for axis in "xyzw"[:count]])


class DTypeRegistry:
    """Names of C types and the dtypes that they stand for."""

    def __init__(self) -> None:
        self.name_to_dtype: dict[str, np.dtype[Any]] = {}
        self.dtype_to_name: dict[np.dtype[Any], str] = {}

    @boundary
    def get_or_register_dtype(
        self, names: str | Sequence[str], dtype: npt.DTypeLike | None = None
    ) -> np.dtype[Any]:
        """The dtype of a C type's name; with `dtype`, after registering it under the name or names.

        A dtype keeps the first name it was registered under. Raises ValueError for a name that
        another dtype has, or that is unknown where there is no dtype.
        """
        listed = [names] if isinstance(names, str) else list(names)
        if dtype is None:
            if listed[0] not in self.name_to_dtype:
                raise ww.ArgumentValueError(
                    f"no dtype is registered as '{listed[0]}'; call register_dtype(dtype, name)"
                )
            return self.name_to_dtype[listed[0]]
        made = np.dtype(dtype)
        for one in listed:
            known = self.name_to_dtype.setdefault(one, made)
            if known != made:
                raise ww.ArgumentValueError(f"'{one}' is registered as {known}, not {made}")
        self.dtype_to_name.setdefault(made, listed[0])
        return made

    @boundary
    def dtype_to_ctype(self, dtype: npt.DTypeLike) -> str:
        """The C type of a dtype."""
        if dtype is None:
            raise ww.ArgumentValueError("dtype may not be None")
        found = np.dtype(dtype)
        if found not in self.dtype_to_name:
            raise ww.ArgumentValueError(
                f"{found} has no C type; call register_dtype(dtype, name) for a struct of yours"
            )
        return self.dtype_to_name[found]


TYPE_REGISTRY = DTypeRegistry()


def get_or_register_dtype(
    name: str | Sequence[str], dtype: npt.DTypeLike | None = None
) -> np.dtype[Any]:
    """TYPE_REGISTRY's."""
    return TYPE_REGISTRY.get_or_register_dtype(name, dtype)


def register_dtype(dtype: npt.DTypeLike, name: str | Sequence[str]) -> None:
    """Makes a dtype known under the name of a C type, or under several names."""
    get_or_register_dtype(name, dtype)


for _kind, _names in _SCALARS:
    get_or_register_dtype(_names, _kind)
for _name, (_kind, _most) in VECTORS.items():
    for _count in range(1, _most + 1):
        get_or_register_dtype(f"{_name}{_count}", vector_dtype(_kind, _count))


@boundary
def dtype_to_ctype(dtype: npt.DTypeLike, with_fp_tex_hack: bool = False) -> str:
    """The C type of a dtype; with the hack, that of texels that stand for it."""
    if with_fp_tex_hack and dtype is not None and np.dtype(dtype) in _OF_TEXTURES:
        return _OF_TEXTURES[np.dtype(dtype)]
    return TYPE_REGISTRY.dtype_to_ctype(dtype)


def _aligned(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def _alignment(dtype: np.dtype[Any]) -> int:
    base = dtype.base
    if base.fields is None:
        return base.itemsize
    if re.fullmatch(r"[a-z]+[24]", TYPE_REGISTRY.dtype_to_name.get(base, "")):
        return min(16, base.itemsize)  # CUDA's vectors of two and four are aligned as a whole
    return max(_alignment(field[0]) for field in base.fields.values())


@boundary
def match_dtype_to_c_struct(
    device: Any, name: str, dtype: npt.DTypeLike, context: Any = None
) -> tuple[np.dtype[Any], str]:
    """The dtype laid out as device code lays out the struct of its fields, and that struct in C.

    The layout is CUDA's, the same for every device. Fields are of registered dtypes or arrays of
    them.
    """
    fields = np.dtype(dtype).fields
    if fields is None:
        raise ww.ArgumentValueError(f"'{name}' wants a dtype with fields, got {np.dtype(dtype)}")
    offset, widest, offsets, lines = 0, 1, [], []
    kinds = [(one, fields[one][0]) for one in np.dtype(dtype).names or ()]
    for field, kind in kinds:
        alignment = _alignment(kind)
        widest = max(widest, alignment)
        offsets.append(_aligned(offset, alignment))
        offset = offsets[-1] + kind.itemsize
        extent = "".join(f"[{length}]" for length in kind.shape)
        lines.append(f"  {dtype_to_ctype(kind.base)} {field}{extent};\n")
    made = np.dtype({
        "names": [field for field, _ in kinds],
        "formats": [kind for _, kind in kinds],
        "offsets": offsets,
        "itemsize": _aligned(offset, widest),
    })  # fmt: skip
    return made, f"typedef struct {{\n{''.join(lines)}}} {name};\n\n"


class Argument:
    """A parameter of a kernel: a dtype and a name."""

    def __init__(self, dtype: npt.DTypeLike, name: str) -> None:
        self.dtype = np.dtype(dtype)
        self.name = name

    def declarator(self) -> str:
        """The declaration in C."""
        raise NotImplementedError(f"{type(self).__name__} does not define declarator()")

    @property
    def struct_char(self) -> str:
        """For Function.prepare."""
        raise NotImplementedError(f"{type(self).__name__} does not define struct_char")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.dtype, self.name))


class VectorArg(Argument):
    """A pointer to elements of the dtype."""

    @property
    def struct_char(self) -> str:
        return "P"

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """A value of the dtype."""

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} {self.name}"

    @property
    def struct_char(self) -> str:
        """For Function.prepare: the code of the dtype, or its size in bytes for a struct."""
        return f"{self.dtype.itemsize}s" if self.dtype.kind == "V" else self.dtype.char


_QUALIFIERS = re.compile(r"\b(const|volatile|__restrict__|restrict|register)\b")
_DECLARATOR = re.compile(
    r"^(?P<type>[\w:<>,\s]+?)\s*(?P<pointer>\**)\s*(?P<name>\w+)\s*(?P<array>\[\s*\w*\s*\])?$"
)


@boundary
def parsed_declarator(c_arg: str) -> tuple[str, str, bool]:
    """The type and the name that a parameter of C declares, and whether it is a pointer."""
    plain = " ".join(_QUALIFIERS.sub(" ", c_arg).split())
    found = _DECLARATOR.match(plain)
    if found is None or len(found["pointer"]) > 1:
        raise ww.ArgumentValueError(f"cannot read the parameter {c_arg!r}")
    kind = " ".join(found["type"].split())
    return kind, found["name"], bool(found["pointer"] or found["array"])


@boundary
def parse_c_arg(c_arg: str) -> VectorArg | ScalarArg:
    """The argument that a parameter of C declares: "const float *x", "int n", "double v[3]"."""
    kind, name, is_vector = parsed_declarator(c_arg)
    dtype = TYPE_REGISTRY.name_to_dtype.get(kind)
    if dtype is None:
        raise ww.ArgumentValueError(
            f"the type '{kind}' of {c_arg!r} is unknown; call register_dtype(dtype, {kind!r})"
        )
    return (VectorArg if is_vector else ScalarArg)(dtype, name)


def get_arg_type(c_arg: str) -> str:
    """The struct code of a parameter of C, for Function.prepare."""
    return parse_c_arg(c_arg).struct_char
