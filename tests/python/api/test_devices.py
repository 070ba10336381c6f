"""Devices by name, as current device, and their attributes."""

from __future__ import annotations

import os
import threading

import devices
import pytest

import warpwise as ww


def test_the_cpu_is_a_device() -> None:
    assert "cpu" in [device.name for device in ww.devices()]


def test_devices_describe_themselves() -> None:
    cpu = ww.Device("cpu")
    assert repr(cpu) == f"Device('cpu', {cpu.info.name})"


def test_a_device_can_be_printed() -> None:
    cpu = ww.Device("cpu")
    assert repr(cpu.info).startswith(f"DeviceInfo(name={cpu.info.name!r}, architecture='x86-64-")
    assert repr(cpu.memory()).startswith("MemoryInfo(free=")
    assert (cpu.kind, cpu.ordinal) == ("cpu", 0)


def test_devices_compare_by_what_they_name() -> None:
    assert ww.Device(devices.NAME) == ww.Device()
    assert ww.Device("cpu") != ww.Device("null")
    assert len({ww.Device("cpu"), ww.Device("cpu")}) == 1


def test_with_makes_a_device_current() -> None:
    with ww.Device("null") as null:
        assert ww.Device() == null
        with ww.Device("cpu") as cpu:
            assert ww.Device() == cpu
        assert ww.Device() == null


def test_the_current_device_is_per_thread() -> None:
    names: list[str] = []
    with ww.Device("null"):
        thread = threading.Thread(target=lambda: names.append(ww.Device().name))
        thread.start()
        thread.join()
    assert names != ["null"]


@pytest.mark.parametrize("name", ["gpu", "cpu:7", "cuda:99", "", "CPU?"])
def test_unknown_names_are_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(ww.Error, match="cpu"):
        ww.Device(name)


def test_limits_are_those_of_cuda() -> None:
    info = ww.Device("cpu").info
    assert info.max_threads_per_block == 1024
    assert info.warp_size == 32
    assert info.compute_capability >= (8, 0)
    assert info.shares_host_memory


def test_the_cpu_device_has_the_cores_the_process_may_use() -> None:
    assert 1 <= ww.Device("cpu").info.multiprocessors <= len(os.sched_getaffinity(0))


def test_memory_is_free_and_total() -> None:
    memory = ww.Device("cpu").memory()
    assert 0 < memory.free <= memory.total
