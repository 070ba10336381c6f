"""pycuda.driver: copies between devices, and memory of other processes."""

from __future__ import annotations

from typing import Any

import warpwise as ww

from .._basics.documented import documented
from .._basics.enums import ipc_mem_flags, require_flags
from .._basics.errors import boundary
from .._devices.context import Context, require_context
from .._devices.device import Stream, native
from .memory import memory_at, remember_foreign


def _memory(pointer: Any, size: int, context: Context | None) -> ww.Buffer:
    """Of the device of `context`, where the pointer is a number; None is the current one."""
    if context is None:
        return memory_at(pointer, size)
    with require_context(context).native:
        return memory_at(pointer, size)


def _copy(
    dest: Any,
    src: Any,
    size: int,
    dest_context: Context | None,
    src_context: Context | None,
    stream: Stream | None,
) -> ww.Stream:
    to, source = _memory(dest, size, dest_context), _memory(src, size, src_context)
    with to.device:
        where = native(stream) or ww.Stream.current()
    to.copy_from(source, nbytes=size, stream=where)
    return where


@boundary
def memcpy_peer(
    dest: Any,
    src: Any,
    size: int,
    dest_context: Context | None = None,
    src_context: Context | None = None,
) -> None:
    _copy(dest, src, size, dest_context, src_context, None).synchronize()


@boundary
def memcpy_peer_async(
    dest: Any,
    src: Any,
    size: int,
    dest_context: Context | None = None,
    src_context: Context | None = None,
    stream: Stream | None = None,
) -> None:
    _copy(dest, src, size, dest_context, src_context, stream)


@boundary
def mem_get_ipc_handle(devptr: Any) -> bytearray:
    """Stands for the memory from the pointer to its allocation's end in another process, for
    IPCMemoryHandle."""
    memory = memory_at(devptr, 1)
    if (whole := ww.find_memory(memory.address, memory.device)) is not None:
        memory = whole[memory.address - whole.address :]
    return bytearray(memory.ipc_handle())


class IPCMemoryHandle:
    """Memory of another process. int() is its address here."""

    @documented(ipc_handle="handle")
    @boundary
    def __init__(
        self,
        handle: bytes | bytearray,
        flags: int = ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS,
    ) -> None:
        require_flags(flags, ipc_mem_flags, "flags of IPC memory")
        self._buffer: ww.Buffer | None = ww.open_ipc_memory(bytes(handle))

    @boundary
    def close(self) -> None:
        if self._buffer is None:
            raise ww.ArgumentValueError("this IPC memory was closed before")
        self._buffer = None

    @boundary
    def __int__(self) -> int:
        if self._buffer is None:
            raise ww.ArgumentValueError("this IPC memory was closed")
        remember_foreign(self)
        return self._buffer.address

    __index__ = __int__
