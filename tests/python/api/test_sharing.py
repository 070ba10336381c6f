"""Several devices and several processes: what a machine without GPUs answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("GPUs have all of this")


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


def test_copies_between_devices_of_different_kinds_go_through_the_host() -> None:
    here, host = ww.mem_alloc(16), np.zeros(4, np.int32)
    with ww.Device("null"):
        there = ww.mem_alloc(16)
        there.fill(7, "int32")
    here.copy_from(there)
    here.copy_to(host)
    assert host.tolist() == [7, 7, 7, 7]


def test_memory_of_the_cpu_has_no_ipc_handle() -> None:
    with pytest.raises(ww.UnsupportedError, match="use shared memory of the system"):
        ww.mem_alloc(16).ipc_handle()


def test_events_of_the_cpu_have_no_ipc_handle() -> None:
    with pytest.raises(ww.UnsupportedError, match="events of cpu cannot be shared"):
        ww.Event(interprocess=True)
    with pytest.raises(ww.ArgumentError, match="interprocess"):
        ww.Event().ipc_handle()


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
