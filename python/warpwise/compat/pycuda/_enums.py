"""PyCUDA's flags and attribute names, as far as Warpwise answers to them."""

from __future__ import annotations

import enum


class ctx_flags(enum.IntFlag):  # noqa: N801
    SCHED_AUTO = 0
    SCHED_SPIN = 1
    SCHED_YIELD = 2
    BLOCKING_SYNC = 4
    SCHED_BLOCKING_SYNC = 4
    SCHED_MASK = 7
    MAP_HOST = 8
    LMEM_RESIZE_TO_MAX = 16
    FLAGS_MASK = 31


class event_flags(enum.IntFlag):  # noqa: N801
    DEFAULT = 0
    BLOCKING_SYNC = 1
    DISABLE_TIMING = 2
    INTERPROCESS = 4


class host_alloc_flags(enum.IntFlag):  # noqa: N801
    PORTABLE = 1
    DEVICEMAP = 2
    WRITECOMBINED = 4


class mem_host_register_flags(enum.IntFlag):  # noqa: N801
    PORTABLE = 1
    DEVICEMAP = 2


class mem_attach_flags(enum.IntFlag):  # noqa: N801
    GLOBAL = 1
    HOST = 2
    SINGLE = 4


class ipc_mem_flags(enum.IntFlag):  # noqa: N801
    LAZY_ENABLE_PEER_ACCESS = 1


class func_cache(enum.IntEnum):  # noqa: N801
    PREFER_NONE = 0
    PREFER_SHARED = 1
    PREFER_L1 = 2
    PREFER_EQUAL = 3


class function_attribute(enum.Enum):  # noqa: N801
    """The value is the name of Warpwise's attribute of a Kernel."""

    MAX_THREADS_PER_BLOCK = "max_threads_per_block"
    SHARED_SIZE_BYTES = "static_shared_bytes"
    CONST_SIZE_BYTES = "constant_bytes"
    LOCAL_SIZE_BYTES = "local_bytes"
    NUM_REGS = "num_regs"


class device_attribute(enum.IntEnum):  # noqa: N801
    MAX_THREADS_PER_BLOCK = 1
    MAX_BLOCK_DIM_X = 2
    MAX_BLOCK_DIM_Y = 3
    MAX_BLOCK_DIM_Z = 4
    MAX_GRID_DIM_X = 5
    MAX_GRID_DIM_Y = 6
    MAX_GRID_DIM_Z = 7
    MAX_SHARED_MEMORY_PER_BLOCK = 8
    SHARED_MEMORY_PER_BLOCK = 8
    WARP_SIZE = 10
    CLOCK_RATE = 13
    MULTIPROCESSOR_COUNT = 16
    CONCURRENT_KERNELS = 31
    UNIFIED_ADDRESSING = 41
    COMPUTE_CAPABILITY_MAJOR = 75
    COMPUTE_CAPABILITY_MINOR = 76


class array_format(enum.IntEnum):  # noqa: N801
    UNSIGNED_INT8 = 1
    UNSIGNED_INT16 = 2
    UNSIGNED_INT32 = 3
    SIGNED_INT8 = 8
    SIGNED_INT16 = 9
    SIGNED_INT32 = 10
    HALF = 16
    FLOAT = 32


# By name, because one of the names begins with a digit.
array3d_flags = enum.IntFlag(
    "array3d_flags",
    {
        "ARRAY3D_2DARRAY": 1,
        "ARRAY3D_LAYERED": 1,
        "2DARRAY": 1,
        "SURFACE_LDST": 2,
        "CUBEMAP": 4,
        "TEXTURE_GATHER": 8,
    },
    module=__name__,
)


class address_mode(enum.IntEnum):  # noqa: N801
    WRAP = 0
    CLAMP = 1
    MIRROR = 2
    BORDER = 3


class filter_mode(enum.IntEnum):  # noqa: N801
    POINT = 0
    LINEAR = 1
