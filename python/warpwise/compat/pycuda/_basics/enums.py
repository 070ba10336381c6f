"""PyCUDA's enumerations and flags, with the numbers of cuda.h."""

from __future__ import annotations

import operator
from typing import Any

import warpwise as ww

from .device_attributes import device_attribute as device_attribute
from .named_numbers import Flag, Number, add_tables


class ctx_flags(Flag):  # noqa: N801
    SCHED_AUTO = 0
    SCHED_SPIN = 1
    SCHED_YIELD = 2
    BLOCKING_SYNC = 4
    SCHED_BLOCKING_SYNC = 4
    SCHED_MASK = 7
    MAP_HOST = 8
    LMEM_RESIZE_TO_MAX = 16
    FLAGS_MASK = 31


def require_flags(flags: int, known: type[Flag], parameter: str) -> int:
    """The flags as a number, if these are flags of this kind."""
    number = operator.index(flags)
    every = sum({int(one) for one in known if int(one).bit_count() == 1})
    unknown = number & ~every
    if number < 0 or unknown:
        raise ww.ArgumentValueError(
            f"{parameter} are those of {known.__name__}, got {number:#x}"
            + (f": {unknown:#x} is none of them" if number >= 0 else "")
        )
    return number


def require_none(flags: int, call: str) -> None:
    """CUDA defines no flags of this call."""
    if operator.index(flags) != 0:
        raise ww.ArgumentValueError(f"flags of {call} are 0, not {flags}")


class event_flags(Flag):  # noqa: N801
    DEFAULT = 0
    BLOCKING_SYNC = 1
    DISABLE_TIMING = 2
    INTERPROCESS = 4


class host_alloc_flags(Flag):  # noqa: N801
    PORTABLE = 1
    DEVICEMAP = 2
    WRITECOMBINED = 4


class mem_host_register_flags(Flag):  # noqa: N801
    PORTABLE = 1
    DEVICEMAP = 2


class mem_attach_flags(Flag):  # noqa: N801
    GLOBAL = 1
    HOST = 2
    SINGLE = 4


class ipc_mem_flags(Flag):  # noqa: N801
    LAZY_ENABLE_PEER_ACCESS = 1


class func_cache(Number):  # noqa: N801
    PREFER_NONE = 0
    PREFER_SHARED = 1
    PREFER_L1 = 2
    PREFER_EQUAL = 3


class function_attribute(Number):  # noqa: N801
    MAX_THREADS_PER_BLOCK = 0
    SHARED_SIZE_BYTES = 1
    CONST_SIZE_BYTES = 2
    LOCAL_SIZE_BYTES = 3
    NUM_REGS = 4
    PTX_VERSION = 5
    BINARY_VERSION = 6
    CACHE_MODE_CA = 7
    MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
    PREFERRED_SHARED_MEMORY_CARVEOUT = 9
    MAX = 16


class shared_config(Number):  # noqa: N801
    DEFAULT_BANK_SIZE = 0
    FOUR_BYTE_BANK_SIZE = 1
    EIGHT_BYTE_BANK_SIZE = 2


class compute_mode(Number):  # noqa: N801
    DEFAULT = 0
    EXCLUSIVE = 1
    PROHIBITED = 2
    EXCLUSIVE_PROCESS = 3


class memory_type(Number):  # noqa: N801
    HOST = 1
    DEVICE = 2
    ARRAY = 3
    UNIFIED = 4


class pointer_attribute(Number):  # noqa: N801
    CONTEXT = 1
    MEMORY_TYPE = 2
    DEVICE_POINTER = 3
    HOST_POINTER = 4


class profiler_output_mode(Number):  # noqa: N801
    KEY_VALUE_PAIR = 0
    CSV = 1


class limit(Number):  # noqa: N801
    STACK_SIZE = 0
    PRINTF_FIFO_SIZE = 1
    MALLOC_HEAP_SIZE = 2
    DEV_RUNTIME_SYNC_DEPTH = 3
    DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4


class jit_option(Number):  # noqa: N801
    MAX_REGISTERS = 0
    THREADS_PER_BLOCK = 1
    WALL_TIME = 2
    INFO_LOG_BUFFER = 3
    INFO_LOG_BUFFER_SIZE_BYTES = 4
    ERROR_LOG_BUFFER = 5
    ERROR_LOG_BUFFER_SIZE_BYTES = 6
    OPTIMIZATION_LEVEL = 7
    TARGET_FROM_CUCONTEXT = 8
    TARGET = 9
    FALLBACK_STRATEGY = 10


class jit_fallback(Number):  # noqa: N801
    PREFER_PTX = 0
    PREFER_BINARY = 1


class jit_target(Number):  # noqa: N801
    COMPUTE_10 = 10
    COMPUTE_11 = 11
    COMPUTE_12 = 12
    COMPUTE_13 = 13
    COMPUTE_20 = 20
    COMPUTE_21 = 21
    COMPUTE_30 = 30
    COMPUTE_32 = 32
    COMPUTE_35 = 35
    COMPUTE_37 = 37
    COMPUTE_50 = 50
    COMPUTE_52 = 52
    COMPUTE_53 = 53
    COMPUTE_60 = 60
    COMPUTE_61 = 61
    COMPUTE_62 = 62
    COMPUTE_70 = 70
    COMPUTE_72 = 72
    COMPUTE_75 = 75
    COMPUTE_80 = 80
    COMPUTE_86 = 86
    COMPUTE_90 = 90
    COMPUTE_90A = 0x10000 + 90


class jit_input_type(Number):  # noqa: N801
    CUBIN = 0
    PTX = 1
    FATBINARY = 2
    OBJECT = 3
    LIBRARY = 4


class array_format(Number):  # noqa: N801
    UNSIGNED_INT8 = 1
    UNSIGNED_INT16 = 2
    UNSIGNED_INT32 = 3
    SIGNED_INT8 = 8
    SIGNED_INT16 = 9
    SIGNED_INT32 = 10
    HALF = 16
    FLOAT = 32


# By name, because one of the names begins with a digit.
_named_flag: Any = Flag
array3d_flags = _named_flag(
    "array3d_flags",
    {
        "ARRAY3D_2DARRAY": 1,
        "ARRAY3D_LAYERED": 1,
        "LAYERED": 1,
        "2DARRAY": 1,
        "SURFACE_LDST": 2,
        "CUBEMAP": 4,
        "TEXTURE_GATHER": 8,
    },
    module=__name__,
)


class address_mode(Number):  # noqa: N801
    WRAP = 0
    CLAMP = 1
    MIRROR = 2
    BORDER = 3


class filter_mode(Number):  # noqa: N801
    POINT = 0
    LINEAR = 1


class array_cubemap_face(Number):  # noqa: N801
    POSITIVE_X = 0
    NEGATIVE_X = 1
    POSITIVE_Y = 2
    NEGATIVE_Y = 3
    POSITIVE_Z = 4
    NEGATIVE_Z = 5


class graphics_register_flags(Flag):  # noqa: N801
    NONE = 0
    READ_ONLY = 1
    WRITE_DISCARD = 2
    SURFACE_LDST = 4
    TEXTURE_GATHER = 8


for _kind in list(globals().values()):
    if isinstance(_kind, type) and issubclass(_kind, Number | Flag):
        add_tables(_kind)
