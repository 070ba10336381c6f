"""WARPWISE_TIME_LIMIT and Stream(time_limit=): kernels that run for too long fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import warpwise as ww

SOURCE = """
__global__ void spin(int *p) { while (blockIdx.x == 3) atomicAdd(p, 1); }
__global__ void meet(int *p) { while (true) { __syncthreads(); atomicAdd(p, 1); } }
__global__ void slow(int *p) { for (int i = 0; i < 300000; ++i) atomicAdd(p, 1); }
__global__ void one(int *p) { *p = 1; }
"""

POLL = "__global__ void poll(int *p) { while (*(volatile int *)p == 0); }"


@pytest.mark.cpu_only("a kernel of a GPU cannot be stopped")
@pytest.mark.parametrize("executor", ["reference", "gang", "regions"])
def test_a_kernel_beyond_the_limit_of_its_stream_fails(executor: str) -> None:
    module = ww.SourceModule(SOURCE, options=[f"--warpwise-executor={executor}"])
    stream = ww.Stream(time_limit=0.2)
    p = ww.mem_alloc(64)
    module["spin"](p, grid=8, block=32, stream=stream)
    with pytest.raises(
        ww.LaunchError, match=r"'spin': stopped after its time limit of 0\.2 s"
    ) as e:
        stream.synchronize()
    assert (e.value.kernel, e.value.block) == ("spin", (3, 0, 0))
    array = np.zeros(1, np.int32)
    with stream:
        module["one"](ww.Out(array), block=1)
    assert array[0] == 1


@pytest.mark.cpu_only("a kernel of a GPU cannot be stopped")
@pytest.mark.parametrize("kernel", ["meet", "poll", "slow"])
def test_the_limit_holds_for_kernels_that_wait_and_for_many_short_blocks(kernel: str) -> None:
    stream = ww.Stream(time_limit=0.2)
    p = ww.mem_alloc(64)
    p.fill(0)
    ww.SourceModule(SOURCE + POLL)[kernel](p, grid=10_000_000, block=4, stream=stream)
    with pytest.raises(ww.LaunchError, match=r"time limit of 0\.2 s") as e:
        stream.synchronize()
    assert e.value.kernel == kernel
    assert e.value.block is not None


def test_kernels_within_the_limit_are_unaffected() -> None:
    stream = ww.Stream(time_limit=100)
    array = np.zeros(1, np.int32)
    with stream:
        ww.SourceModule(SOURCE)["one"](ww.Out(array), block=1)
    assert array[0] == 1


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf")])
def test_wrong_limits_are_refused(limit: float) -> None:
    with pytest.raises(ww.ArgumentError, match=f"time_limit expects seconds from 0.* got {limit}"):
        ww.Stream(time_limit=limit)


LIMITED = f"""
import warpwise as ww
with ww.Device("cpu"):
    module = ww.SourceModule('''{SOURCE}''')
    p = ww.mem_alloc(64)
    module["spin"](p, grid=8, block=32, stream=STREAM)
    try:
        ww.Device().synchronize()
    except ww.LaunchError as error:
        print(error.kernel, error.block, "0.3 s" in str(error))
"""


@pytest.mark.parametrize("stream", ["None", "ww.Stream()", "ww.Stream.per_thread()"])
def test_the_setting_is_the_limit_of_every_stream(
    script: Any, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWISE_TIME_LIMIT", "0.3")
    done = script(LIMITED.replace("STREAM", stream))
    assert done.stdout == "spin (3, 0, 0) True\n", done.stderr
