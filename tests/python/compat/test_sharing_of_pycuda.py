"""pycuda.driver: copies between devices, peers, and other processes."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from multiprocessing import shared_memory

import devices
import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

import warpwise as ww

INSTALL = "import warpwise.compat\nwarpwise.compat.install()\n"


def run_python(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", INSTALL + script, *arguments]
    environment = os.environ | {"WARPWISE_DEVICE": devices.NAME}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_peer_copies_take_memory_of_one_device_too() -> None:
    data = np.arange(8, dtype=np.float32)
    source, dest = drv.to_device(data), drv.mem_alloc(data.nbytes)
    drv.memcpy_peer(dest, source, data.nbytes)
    assert (drv.from_device_like(dest, data) == data).all()
    stream, context = drv.Stream(), drv.Device(0).retain_primary_context()
    drv.memset_d8(dest, 0, data.nbytes)
    drv.memcpy_peer(dest, source, 8, dest_context=context, src_context=context)
    assert (drv.from_device(dest, 2, np.float32) == data[:2]).all()
    drv.memcpy_peer_async(int(dest), int(source), 16, context, context, stream)
    stream.synchronize()
    assert (drv.from_device(dest, 4, np.float32) == data[:4]).all()


def test_a_device_is_no_peer_of_itself() -> None:
    device = drv.Device(0)
    assert not device.can_access_peer(device)
    with pytest.raises(drv.LogicError, match="no peer of itself"):
        drv.Context.enable_peer_access(device.retain_primary_context())


def test_a_stream_has_a_handle() -> None:
    assert isinstance(drv.Stream().handle, int)


def test_a_handle_leads_from_the_pointer_to_the_end_of_its_allocation() -> None:
    memory = drv.to_device(np.arange(64, dtype=np.float32))
    for pointer, first in ((memory, 0), (int(memory) + 128, 32)):
        script = (
            "import sys, numpy as np, pycuda.autoinit, pycuda.driver as drv\n"
            "memory = drv.IPCMemoryHandle(bytes.fromhex(sys.argv[1]))\n"
            f"values = drv.from_device(memory, {64 - first}, np.float32)\n"
            "print(values[0], values[-1])\n"
        )
        done = run_python(script, bytes(drv.mem_get_ipc_handle(pointer)).hex())
        assert done.stdout.split() == [str(float(first)), "63.0"], done.stderr


def test_processes_wait_for_each_others_events() -> None:
    flags = drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING
    event = drv.Event(flags)
    script = (
        "import sys, pycuda.autoinit, pycuda.driver as drv\n"
        "event = drv.Event.from_ipc_handle(bytes.fromhex(sys.argv[1]))\n"
        "event.record()\n"
        "event.synchronize()\n"
        "print(event.query())\n"
    )
    done = run_python(script, bytes(event.ipc_handle()).hex())
    assert done.stdout.split() == ["True"], done.stderr
    event.synchronize()
    assert event.query()


def test_processes_share_registered_memory() -> None:
    """Memory of the system, seen at two addresses."""
    one = shared_memory.SharedMemory(create=True, size=16)
    other = shared_memory.SharedMemory(one.name)
    arrays = [np.ndarray(4, np.float32, buffer=memory.buf) for memory in (one, other)]
    arrays[0][:] = range(4)
    registered = drv.register_host_memory(arrays[1])
    address = registered.base.get_device_pointer()
    twice = SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")
    twice.get_function("twice")(np.intp(address), block=(4, 1, 1))
    drv.Context.synchronize()
    assert arrays[0].tolist() == [0, 2, 4, 6]
    registered.base.unregister()
    del registered, arrays
    gc.collect()
    for memory in (one, other):
        memory.close()
    one.unlink()


def test_what_is_no_handle_is_refused() -> None:
    assert drv.ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS == 1
    with pytest.raises(drv.LogicError, match="IPC handle"):
        drv.IPCMemoryHandle(bytearray(64))
    with pytest.raises(drv.LogicError, match="IPC handle"):
        drv.Event.from_ipc_handle(bytearray(64))


def test_arrays_are_made_over_the_memory_of_a_handle(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = drv.to_device(np.arange(4, dtype=np.float32))
    monkeypatch.setattr(ww, "open_ipc_memory", lambda handle: memory._buffer)
    opened = drv.IPCMemoryHandle(b"handle")
    array = gpuarray.GPUArray((4,), np.float32, gpudata=opened)
    array *= 2
    assert drv.from_device(memory, 4, np.float32).tolist() == [0, 2, 4, 6]


def test_closed_ipc_memory_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = drv.mem_alloc(16)
    monkeypatch.setattr(ww, "open_ipc_memory", lambda handle: memory._buffer)
    handle = drv.IPCMemoryHandle(b"handle", drv.ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS)
    assert int(handle) == int(memory)
    handle.close()
    with pytest.raises(drv.LogicError, match="closed"):
        int(handle)
    with pytest.raises(drv.LogicError, match="closed before"):
        handle.close()
