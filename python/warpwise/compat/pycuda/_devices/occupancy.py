"""pycuda.tools: DeviceData and OccupancyRecord, from the device's attributes."""

from __future__ import annotations

import warpwise as ww

from .._basics.errors import boundary
from .context import Context
from .device import Device

# Of every device since Kepler: registers are given to warps in units, to four warps at a time;
# shared memory to blocks in units of 128 bytes, 1 KiB of each reserved since Ampere.
_REGISTER_UNIT = 256
_WARPS_AT_ONCE = 4
_SHARED_UNIT = 128
_CHANNELS = (1, 2, 4)


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


class DeviceData:
    """What occupancy is computed from. Without `dev`: of the current device."""

    @boundary
    def __init__(self, dev: Device | None = None) -> None:
        device = Context.get_device() if dev is None else dev
        self.max_threads = device.max_threads_per_block
        self.warp_size = device.warp_size
        self.warps_per_mp = device.max_threads_per_multiprocessor // self.warp_size
        self.thread_blocks_per_mp = device.max_blocks_per_multiprocessor
        self.registers = device.max_registers_per_multiprocessor
        self.shared_memory = device.max_shared_memory_per_multiprocessor
        self.reserved_shared_memory = device.reserved_shared_memory_per_block
        self.smem_granularity = 32  # banks
        self.smem_alloc_granularity = _SHARED_UNIT
        self.register_allocation_unit = "warp"

    def align(self, bytes: int, word_size: int = 4) -> int:
        """Bytes up to the next boundary that accesses of such words are combined at."""
        return _up(bytes, self.align_bytes(word_size))

    def align_dtype(self, elements: int, dtype_size: int) -> int:
        return self.align(elements * dtype_size, dtype_size) // dtype_size

    def align_words(self, word_size: int) -> int:
        return self.align_bytes(word_size) // word_size

    @boundary
    def align_bytes(self, word_size: int = 4) -> int:
        boundaries = {4: 64, 8: 128, 16: 128}
        if word_size not in boundaries:
            raise ww.ArgumentValueError(f"accesses are of 4, 8 or 16 bytes, got {word_size}")
        return boundaries[word_size]

    def coalesce(self, thread_count: int) -> int:
        """Threads up to the next multiple of half a warp."""
        return _up(thread_count, self.warp_size // 2)

    @staticmethod
    @boundary
    def make_valid_tex_channel_count(size: int) -> int:
        """The smallest number of channels of a texel that holds `size`."""
        found = next((count for count in _CHANNELS if size <= count), None)
        if found is None:
            raise ww.ArgumentValueError(f"a texel has at most 4 channels, got {size}")
        return found


class OccupancyRecord:
    """How many blocks fit a multiprocessor at once, and what the limit is."""

    @boundary
    def __init__(
        self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0
    ) -> None:
        if not 0 < threads <= devdata.max_threads:
            raise ww.ArgumentValueError(
                f"a block of this device has 1 to {devdata.max_threads} threads, got {threads}"
            )
        warps = _up(threads, devdata.warp_size) // devdata.warp_size
        limits = [
            (devdata.thread_blocks_per_mp, "device"),
            (devdata.warps_per_mp // warps, "warps"),
        ]
        if registers > 0:
            of_warp = _up(registers * devdata.warp_size, _REGISTER_UNIT)
            fitting = devdata.registers // of_warp // _WARPS_AT_ONCE * _WARPS_AT_ONCE
            limits.append((fitting // warps, "regs"))
        if shared_mem > 0:
            of_block = _up(shared_mem + devdata.reserved_shared_memory, _SHARED_UNIT)
            limits.append((devdata.shared_memory // of_block, "smem"))
        self.tb_per_mp_limits = limits
        self.tb_per_mp, self.limited_by = min(limits)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp
        if self.tb_per_mp == 0:
            raise ww.ArgumentValueError(
                f"a block of {threads} threads with {registers} registers each and {shared_mem} "
                f"bytes of shared memory does not fit a multiprocessor, by its {self.limited_by}"
            )
