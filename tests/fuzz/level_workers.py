"""One process for each level of the instruction set, since WARPWISE_CPU is read once in a process.

A worker that dies (a kernel took it along) is a failure of the call that it served, and the next
call gets a new one."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")  # SSE4, AVX2, AVX-512


def levels_here() -> tuple[str, ...]:
    import warpwise as ww

    return LEVELS[: LEVELS.index(ww.Device("cpu").info.architecture) + 1]


def _choose(level: str) -> None:
    os.environ["WARPWISE_CPU"] = level


class LevelWorkers:
    def __init__(self) -> None:
        self._pools: dict[str, ProcessPoolExecutor] = {}

    def submit(self, level: str, work: Callable[..., Any], *arguments: object) -> Future[Any]:
        try:
            return self._pool(level).submit(work, *arguments)
        except BrokenProcessPool:
            del self._pools[level]
            return self._pool(level).submit(work, *arguments)

    def close(self) -> None:
        for pool in self._pools.values():
            pool.shutdown(cancel_futures=True)

    def _pool(self, level: str) -> ProcessPoolExecutor:
        if level not in self._pools:
            self._pools[level] = ProcessPoolExecutor(
                1, multiprocessing.get_context("spawn"), _choose, (level,)
            )
        return self._pools[level]
