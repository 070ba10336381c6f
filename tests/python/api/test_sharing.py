"""Several devices and several processes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import devices
import numpy as np
import pytest

import warpwise as ww


@pytest.mark.cpu_only("GPUs have peers")
def test_the_cpu_has_no_peers() -> None:
    cpu, null = ww.Device("cpu"), ww.Device("null")
    assert not cpu.can_access_peer(null)
    assert not cpu.can_access_peer(cpu)
    with pytest.raises(ww.UnsupportedError, match="cpu cannot access memory of null"):
        cpu.enable_peer_access(null)
    with pytest.raises(ww.UnsupportedError, match="only GPUs"):
        cpu.disable_peer_access(null)
    with pytest.raises(ww.ArgumentError, match="no peer of itself"):
        cpu.enable_peer_access(cpu)


@pytest.mark.cpu_only("copies to GPUs do not wait")
def test_copies_between_devices_of_different_kinds_go_through_the_host() -> None:
    here, host = ww.mem_alloc(16), np.zeros(4, np.int32)
    with ww.Device("null"):
        there = ww.mem_alloc(16)
        there.fill(7, "int32")
    here.copy_from(there)
    here.copy_to(host)
    assert host.tolist() == [7, 7, 7, 7]


HEAD = """
import sys, numpy as np, warpwise as ww
handles = [bytes.fromhex(text) for text in sys.argv[1:]]
"""


def start_beside(script: str, *handles: bytes, **settings: str) -> subprocess.Popen[str]:
    """Another process, which gets the handles as `handles`."""
    command = [sys.executable, "-c", HEAD + script, *(handle.hex() for handle in handles)]
    environment = os.environ | {"WARPWISE_DEVICE": devices.NAME} | settings
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)


def run_beside(script: str, *handles: bytes, **settings: str) -> str:
    """What it prints."""
    with start_beside(script, *handles, **settings) as other:
        printed, errors = other.communicate()
    assert other.returncode == 0, errors
    return printed


SCALE = """
module = ww.SourceModule("__global__ void scale(float *x) { x[threadIdx.x] *= 3; }")
buffer = ww.open_ipc_memory(handles[0])
module.get_function("scale")[1, buffer.size // 4](buffer)
ww.Device().synchronize()
print(buffer.size)
"""


@pytest.mark.parametrize("count", [4, 1000, 1_000_000])
def test_a_kernel_of_another_process_writes_our_memory(count: int) -> None:
    memory = ww.to_device(np.arange(count, dtype=np.float32))
    first = memory[: 4 * min(count, 256)]
    assert run_beside(SCALE, first.ipc_handle()).split() == [str(first.size)]
    values = np.arange(count, dtype=np.float32)
    values[:256] *= 3
    host = np.empty_like(values)
    memory.copy_to(host)
    np.testing.assert_array_equal(host, values)


@pytest.mark.parametrize("pool", ["none", "guard", "reserved", "segments"])
def test_memory_of_every_kind_of_pool_is_shared(pool: str) -> None:
    if not devices.IS_CPU and pool in ("guard", "reserved"):
        pytest.skip("ends at guards, or lies in reserved addresses: GPUs have no handle for it")
    script = (
        "import subprocess\n"
        "memory = ww.to_device(np.arange(5, dtype=np.int32))\n"
        "code = ('import sys, numpy as np, warpwise as ww\\n'\n"
        "    'memory = ww.open_ipc_memory(bytes.fromhex(sys.argv[1]))\\n'\n"
        "    'memory.copy_from(np.full(5, 7, np.int32))')\n"
        "subprocess.run([sys.executable, '-c', code, memory.ipc_handle().hex()], check=True)\n"
        "host = np.empty(5, np.int32)\n"
        "memory.copy_to(host)\n"
        "print(*host)\n"
        "memory.free()\n"
    )
    assert run_beside(script, WARPWISE_POOL=pool).split() == ["7"] * 5


def test_a_stream_waits_for_what_another_process_records() -> None:
    ready, done = ww.Event(interprocess=True), ww.Event(interprocess=True)
    memory = ww.mem_alloc(4)
    memory.fill(1, "int32")
    ready.record()
    script = (
        "memory = ww.open_ipc_memory(handles[0])\n"
        "ready, done = map(ww.Event.from_ipc_handle, handles[1:])\n"
        "ww.Stream.current().wait(ready)\n"
        "memory.fill(2, 'int32')\n"
        "done.record()\n"
        "done.synchronize()\n"
    )
    run_beside(script, memory.ipc_handle(), ready.ipc_handle(), done.ipc_handle())
    stream, host = ww.Stream(), np.zeros(1, np.int32)
    stream.wait(done)
    memory.copy_to(host, stream=stream)
    stream.synchronize()
    assert host[0] == 2


def test_a_stream_is_held_until_another_process_records() -> None:
    event = ww.Event(interprocess=True)
    memory = ww.mem_alloc(4)
    memory.fill(0, "int32")
    event.record()
    # The other process records an event that waits for a host call of its own, and so is not done
    # when this one begins to wait.
    script = (
        "import time\n"
        "event, stream = ww.Event.from_ipc_handle(handles[0]), ww.Stream()\n"
        "stream.call_host(lambda: time.sleep(0.5))\n"
        "event.record(stream)\n"
        "print('recorded', flush=True)\n"
        "stream.synchronize()\n"
    )
    with start_beside(script, event.ipc_handle()) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "recorded\n"
        stream = ww.Stream()
        stream.wait(event)
        memory.fill(1, "int32", stream=stream)
        assert not stream.is_done()
        stream.synchronize()
        assert event.is_done()
    assert other.returncode == 0


def test_an_event_is_shared_only_when_made_for_it() -> None:
    with pytest.raises(ww.ArgumentError, match="interprocess"):
        ww.Event().ipc_handle()


@pytest.mark.cpu_only("the driver of GPUs knows the memory of other libraries")
def test_memory_that_is_not_ours_is_not_shared() -> None:
    host = np.zeros(4, np.float32)
    wrapped = ww.wrap_memory(host.ctypes.data, host.nbytes, owner=host)
    with pytest.raises(ww.ArgumentError, match="owned elsewhere"):
        wrapped.ipc_handle()


def test_memory_whose_process_has_ended_is_not_there() -> None:
    handle = bytes.fromhex(run_beside("print(ww.mem_alloc(16).ipc_handle().hex())"))
    with pytest.raises(ww.ArgumentError, match="stands for no memory"):
        ww.open_ipc_memory(handle)


@pytest.mark.cpu_only("the driver of GPUs opens events of processes that have ended")
def test_an_event_whose_process_has_ended_is_not_there() -> None:
    event = bytes.fromhex(run_beside("print(ww.Event(interprocess=True).ipc_handle().hex())"))
    with pytest.raises(ww.ArgumentError, match="stands for no event"):
        ww.Event.from_ipc_handle(event)


@pytest.mark.parametrize("handle", [b"", bytes(120), b"WWI1" + bytes(116)])
def test_bytes_that_are_no_ipc_handle_are_refused(handle: bytes) -> None:
    with pytest.raises(ww.ArgumentError, match="IPC handle"):
        ww.open_ipc_memory(handle)
    with pytest.raises(ww.ArgumentError, match="IPC handle"):
        ww.Event.from_ipc_handle(handle)


def test_what_is_no_bytes_is_refused() -> None:
    wrong: Any = "handle"
    with pytest.raises(ww.ArgumentError, match="bytes"):
        ww.open_ipc_memory(wrong)
