"""pycuda.driver: versions, devices, the stack of contexts, limits, streams and events."""

from __future__ import annotations

import threading

import devices
import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule

import warpwise as ww


def test_versions_are_those_of_cuda() -> None:
    drv.init()
    drv.init(0)
    major, minor, revision = drv.get_version()
    assert (major, minor, revision) >= (12, 0, 0)
    assert drv.get_driver_version() >= 12000
    assert drv.Context.get_api_version(drv.Device(0).retain_primary_context()) >= 12000
    assert drv.init() is None


def test_devices_are_found_by_their_pci_address() -> None:
    device = drv.Device(0)
    domain, bus, rest = device.pci_bus_id().split(":")
    assert (len(domain), len(bus), len(rest)) == (4, 2, 4)
    assert drv.Device(device.pci_bus_id()) == drv.Device(pci_bus_id=device.pci_bus_id()) == device
    assert (drv.Device(device.pci_bus_id().lower()) != device) is False
    assert hash(drv.Device(device.pci_bus_id())) == hash(device)
    with pytest.raises(drv.LogicError, match="FFFF:00:00"):
        drv.Device("FFFF:00:00.0")


def test_every_attribute_has_an_answer() -> None:
    device = drv.Device(0)
    known = device.get_attributes()
    assert known[drv.device_attribute.WARP_SIZE] == 32
    assert known[drv.device_attribute.MAX_THREADS_PER_BLOCK] == 1024
    assert device.get_attribute(drv.device_attribute.COMPUTE_MODE) in drv.compute_mode
    assert isinstance(device.compute_mode, drv.compute_mode)
    assert device.texture_alignment > 0
    if devices.IS_CPU:
        assert set(drv.device_attribute) == set(known)
        assert all(device.get_attribute(attribute) == known[attribute] for attribute in known)


def test_a_static_array_may_have_the_shared_memory_that_the_device_reports() -> None:
    names = drv.device_attribute
    plain = drv.Context.get_device().get_attribute(names.MAX_SHARED_MEMORY_PER_BLOCK)
    text = """
        extern "C" __global__ void k(char *x) {{
            __shared__ char s[{}];
            s[threadIdx.x] = *x;
            __syncthreads();
            *x = s[blockDim.x - 1 - threadIdx.x];
        }}"""
    assert SourceModule(text.format(plain)).get_function("k").shared_size_bytes == plain
    with pytest.raises(drv.CompileError, match="shared"):
        SourceModule(text.format(plain + 4))


def test_more_shared_memory_is_reported_where_there_is_more() -> None:
    names = drv.device_attribute
    get = drv.Context.get_device().get_attribute
    plain = get(names.MAX_SHARED_MEMORY_PER_BLOCK)
    most = get(names.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    assert plain <= most <= get(names.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)


def test_an_unknown_attribute_of_a_device_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="colour"):
        drv.Device(0).colour  # noqa: B018


@pytest.mark.cpu_only("host copies lie in its memory")
def test_the_cpu_device_counts_half_of_the_memory() -> None:
    free, total = drv.mem_get_info()
    assert total == drv.Device(0).total_memory() == ww.Device().memory().total // 2
    memory = drv.mem_alloc(1 << 26)
    assert drv.mem_get_info()[0] < free
    memory.free()
    assert 0 < free <= total


def test_contexts_nest() -> None:
    device = drv.Device(0)
    before = drv.Context.get_current()
    outer, inner = device.make_context(), device.make_context(drv.ctx_flags.SCHED_YIELD)
    assert drv.Context.get_current() is inner
    inner.push()
    drv.Context.pop()
    assert drv.Context.get_current() is inner
    drv.Context.pop()
    assert drv.Context.get_current() is outer
    inner.detach()
    assert drv.Context.get_current() is outer
    outer.detach()
    assert drv.Context.get_current() == before
    assert outer == inner and (outer != inner) is False and hash(outer) == hash(inner)
    assert outer.handle == inner.handle != 0
    assert drv.Context.get_device() == device


def test_detached_contexts_cannot_be_used() -> None:
    context = drv.Device(0).make_context()
    context.detach()
    with pytest.raises(drv.LogicError, match="detached"):
        context.push()
    with pytest.raises(drv.LogicError, match="detached before"):
        context.detach()


def test_the_current_context_can_be_attached() -> None:
    with pytest.raises(drv.LogicError, match="no context is current"):
        drv.Context.attach()
    context = drv.Device(0).make_context()
    attached = drv.Context.attach(0)
    assert attached == context
    attached.detach()
    assert drv.Context.get_current() is context
    context.detach()


def test_stacks_belong_to_threads() -> None:
    """Section 4.6, #242, #296: one context is shared by threads, pushed and popped in each."""
    context, seen = drv.Device(0).retain_primary_context(), []
    memory = drv.to_device(np.full(4, 7, np.int32))

    def work() -> None:
        seen.append(drv.Context.get_current())
        context.push()
        seen.append(drv.Context.get_current())
        seen.append(drv.from_device(memory, 4, np.int32).tolist())
        context.pop()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen.count(None) == 3
    assert seen.count(context) == 3
    assert seen.count([7] * 4) == 3


def test_limits_are_those_of_the_device() -> None:
    stack = drv.Context.get_limit(drv.limit.STACK_SIZE)
    assert stack >= 1024
    drv.Context.set_limit(drv.limit.STACK_SIZE, stack)
    assert drv.Context.get_limit(drv.limit.STACK_SIZE) == stack
    drv.Context.set_limit(drv.limit.MALLOC_HEAP_SIZE, 8 << 20)
    assert drv.Context.get_limit(drv.limit.MALLOC_HEAP_SIZE) >= 8 << 20
    assert drv.Context.get_limit(drv.limit.PRINTF_FIFO_SIZE) > 0
    with pytest.raises(drv.LogicError, match="0 or more"):
        drv.Context.set_limit(drv.limit.STACK_SIZE, -1)


@pytest.mark.cpu_only("what it has at most")
def test_the_cpu_device_refuses_limits_beyond_its_own() -> None:
    heap = drv.Context.get_limit(drv.limit.MALLOC_HEAP_SIZE)
    with pytest.raises(drv.LogicError, match="MALLOC_HEAP_SIZE"):
        drv.Context.set_limit(drv.limit.MALLOC_HEAP_SIZE, heap + 1)


def test_cache_configurations_hold_for_functions_obtained_later() -> None:
    assert drv.Context.get_cache_config() == drv.func_cache.PREFER_NONE
    drv.Context.set_cache_config(drv.func_cache.PREFER_L1)
    assert drv.Context.get_cache_config() is drv.func_cache.PREFER_L1
    drv.Context.set_cache_config(drv.func_cache.PREFER_NONE)
    with pytest.raises(ValueError, match="17"):
        drv.Context.set_cache_config(17)


def test_banks_have_four_bytes() -> None:
    drv.Context.set_shared_config(drv.shared_config.EIGHT_BYTE_BANK_SIZE)
    assert drv.Context.get_shared_config() is drv.shared_config.FOUR_BYTE_BANK_SIZE
    with pytest.raises(ValueError, match="3"):
        drv.Context.set_shared_config(3)


def test_peer_access_to_itself_is_refused() -> None:
    context = drv.Device(0).retain_primary_context()
    assert not drv.Device(0).can_access_peer(drv.Device(0))
    for change in (drv.Context.enable_peer_access, drv.Context.disable_peer_access):
        with pytest.raises(drv.LogicError, match="peer"):
            change(context, 0)
    with pytest.raises(drv.LogicError):
        drv.Context.enable_peer_access(context)
    with pytest.raises(drv.LogicError):
        drv.Context.disable_peer_access(context)


@pytest.mark.parametrize(
    ("owner", "name", "instead"),
    [
        (drv.Context, "get_error", "synchronize"),
        (drv, "Success", "raise"),
        (drv, "get_error", "synchronize"),
    ],
)
def test_names_that_only_the_guide_has_name_what_to_use(
    owner: object, name: str, instead: str
) -> None:
    assert not hasattr(owner, name)
    with pytest.raises(AttributeError, match=instead) as caught:
        getattr(owner, name)
    assert name in str(caught.value)


def test_streams_finish() -> None:
    stream, other = drv.Stream(), drv.Stream(1)
    stream.synchronize()
    assert stream.is_done() and other.is_done()
    assert stream.handle != other.handle
    start = drv.Event(drv.event_flags.DEFAULT).record(stream)
    end = drv.Event().record(stream).synchronize()
    assert end.time_since(start) == pytest.approx(start.time_till(end))
    with pytest.raises(TypeError, match="Stream"):
        start.record(7)


@pytest.mark.cpu_only("GPUs have handles")
def test_events_of_the_cpu_device_stay_in_the_process() -> None:
    with pytest.raises(drv.Error, match="INTERPROCESS"):
        drv.Event().ipc_handle()
