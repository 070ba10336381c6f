"""cuda.stream, event, devices and contexts."""

from __future__ import annotations

import asyncio

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda


def test_events_measure_time():
    stream = cuda.stream()
    start, end = cuda.event(), cuda.event()
    start.record(stream)
    array = cuda.to_device(np.zeros(1000), stream=stream)
    end.record(stream)
    end.synchronize()
    assert start.query() and end.query() and array.size == 1000
    assert cuda.event_elapsed_time(start, end) >= 0
    assert start.elapsed_time(end) == cuda.event_elapsed_time(start, end)
    with pytest.raises(TypeError, match=r"expects a cuda.event\(\) for 'evtend', got 5"):
        cuda.event_elapsed_time(start, 5)


def test_a_stream_waits_for_an_event_of_another():
    one, other = cuda.stream(), cuda.stream()
    array = cuda.to_device(np.zeros(3), stream=one)
    event = cuda.event(timing=False)
    event.record(one)
    event.wait(other)
    array.copy_to_device(np.ones(3), stream=other)
    other.synchronize()
    assert array.copy_to_host().tolist() == [1, 1, 1]


def test_callbacks_get_stream_status_and_argument():
    stream = cuda.stream()
    seen = []
    stream.add_callback(lambda *given: seen.append(given), "argument")
    stream.add_callback(lambda *given: seen.append(given))
    stream.synchronize()
    assert seen == [(stream, 0, "argument"), (stream, 0, None)]
    with pytest.raises(TypeError, match="a function for 'callback'"):
        stream.add_callback(3)


def test_streams_can_be_awaited():
    async def work() -> list[object]:
        streams = [cuda.stream() for _ in range(3)]
        return [await stream.async_done() for stream in streams]

    assert all(isinstance(each, cuda.Stream) for each in asyncio.run(work()))


def test_default_streams():
    assert int(cuda.default_stream()) == 0
    assert int(cuda.legacy_default_stream()) == 1
    assert int(cuda.per_thread_default_stream()) == 2
    assert cuda.default_stream() == cuda.default_stream()
    assert cuda.stream() != cuda.stream()
    for given in (0, 1, 2, None, cuda.default_stream(), ww.Stream()):
        assert cuda.to_device(np.arange(3), stream=given)[2] == 2
    texts = {
        repr(cuda.stream()),
        repr(cuda.default_stream()),
        repr(cuda.per_thread_default_stream()),
    }
    assert len(texts) == 3


def test_auto_synchronize_waits_at_the_end_of_its_block():
    stream = cuda.stream()
    array = cuda.to_device(np.arange(4))
    out = np.zeros(4, np.int64)
    with stream.auto_synchronize():
        array.copy_to_host(out, stream=stream)
    assert out.tolist() == [0, 1, 2, 3]


def test_devices_have_cudas_attributes():
    device = cuda.get_current_device()
    assert device == cuda.gpus[device.id] == cuda.gpus.current
    assert list(cuda.gpus) == list(cuda.list_devices()) and len(cuda.gpus) >= 1
    assert device.MAX_THREADS_PER_BLOCK == 1024 and device.WARP_SIZE == 32
    assert device.MULTIPROCESSOR_COUNT >= 1 and device.compute_capability >= (7, 0)
    assert device.MAX_REGISTERS_PER_BLOCK == 65536
    assert device.name and device.uuid.startswith("GPU-") and device.supports_float16
    assert device.uuid == cuda.get_current_device().uuid
    assert set(device.get_device_identity()) == {"pci_domain_id", "pci_bus_id", "pci_device_id"}
    with pytest.raises(AttributeError, match="NO_SUCH_THING"):
        device.NO_SUCH_THING  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        device.other  # noqa: B018
    with pytest.raises(IndexError, match="no device 99"):
        cuda.gpus[99]


def test_contexts():
    context = cuda.current_context()
    free, total = context.get_memory_info()
    assert 0 < free <= total
    with cuda.gpus[context.id], cuda.current_context() as inner:
        assert inner == context
        inner.synchronize()
    assert context.memalloc(16).size == 16
    assert context.create_event().query() and isinstance(context.create_stream(), cuda.Stream)
    assert context.get_default_stream() == cuda.default_stream()
    with cuda.defer_cleanup():
        assert context.deallocations.is_locked
        with cuda.defer_cleanup():
            pass
        assert context.deallocations.is_locked
    assert not context.deallocations.is_locked
    context.deallocations.clear()
    assert len(context.deallocations) == 0
    context.reset()


def test_a_device_is_selected():
    before = cuda.get_current_device()
    assert cuda.select_device(before.id) == before
    cuda.close()
    assert cuda.get_current_device() == before


def test_what_there_is(capsys):
    assert cuda.is_available() and cuda.is_supported_version() and cuda.is_float16_supported()
    assert cuda.runtime.get_version() >= (12, 0) and cuda.runtime.is_supported_version()
    assert cuda.detect() is True
    printed = capsys.readouterr().out
    assert "Found" in printed and "[SUPPORTED]" in printed and "Compute Capability" in printed


def test_profiles():
    with pytest.raises(ww.Error, match="not running"):
        cuda.profile_stop()
    cuda.profile_start()
    with pytest.raises(ww.Error, match="is running"):
        cuda.profile_start()
    cuda.to_device(np.arange(1000))
    assert cuda.profile_stop().records
    with cuda.profiling():
        cuda.synchronize()


@pytest.mark.cpu_only("handles are of GPUs")
def test_external_streams_are_of_gpus():
    with pytest.raises(ww.Error):
        cuda.external_stream(12345)


def test_what_only_kernels_may_call():
    for name in ("grid", "syncthreads", "shfl_sync", "popc", "float32x4"):
        with pytest.raises(TypeError, match="for kernels and device functions"):
            getattr(cuda, name)(1)
    with pytest.raises(TypeError, match=r"cuda\.shared\.array is for kernels"):
        cuda.shared.array(4, np.float32)
    assert cuda.float4 is cuda.float32x4 and cuda.ulonglong2 is cuda.uint64x2
    assert repr(cuda.threadIdx.x) == "<cuda.threadIdx.x>"
    with pytest.raises(AttributeError, match="attribute 'mul'; it has add, sub"):
        cuda.atomic.mul  # noqa: B018
    with pytest.raises(AttributeError, match=r"ww\.Device"):
        cuda.set_memory_manager  # noqa: B018
    assert devices.NAME


@cuda.jit
def last_in_the_stream(x):
    total = 0.0
    for i in range(300_000):
        total += i * x[1]
    x[0] = 1 + 0 * total


@pytest.mark.parametrize("fetch", [
    lambda array, host, stream: array.copy_to_host(host, stream),
    lambda array, host, stream: array.copy_to_host(host, stream=stream),
    lambda array, host, stream: np.copyto(host, array.copy_to_host(stream=stream)),
])  # fmt: skip
def test_copies_to_memory_that_is_not_page_locked_have_arrived(fetch):
    stream, host = cuda.stream(), np.zeros(2)
    array = cuda.to_device(host, stream)
    last_in_the_stream[1, 1, stream](array)
    fetch(array, host, stream)
    assert host[0] == 1


def test_memory_that_is_not_page_locked_may_be_changed_after_a_copy_from_it():
    stream, busy, host = cuda.stream(), cuda.to_device(np.zeros(2)), np.arange(4.0)
    last_in_the_stream[1, 1, stream](busy)
    new, old = cuda.to_device(host, stream), cuda.device_array(4)
    old.copy_to_device(host, stream)
    host[:] = -1
    stream.synchronize()
    assert new.copy_to_host().tolist() == old.copy_to_host().tolist() == [0, 1, 2, 3]


def test_page_locked_memory_is_known():
    from warpwise.cuda._arrays.page_locked import is_page_locked

    plain = np.zeros((4, 2))
    assert is_page_locked(cuda.pinned_array(3)[1:]) and is_page_locked(cuda.mapped_array(2))
    assert is_page_locked(cuda.managed_array(2)) and not is_page_locked(plain)
    with cuda.pinned(plain):
        assert is_page_locked(plain[::-2]) and is_page_locked(plain.T)
        assert not is_page_locked(np.zeros(2))
    assert not is_page_locked(plain)
