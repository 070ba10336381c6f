"""A grid that does nothing but wait ends with the line it waits at."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpu_only("its watchdog")


def stuck(source, executor, blocks=2, block=64):
    """What a launch says that is not given more than a second of patience."""
    program = f"""
        import numpy as np, warpwise as ww
        source = {source!r}
        module = ww.SourceModule(source, options=["--warpwise-executor={executor}"], name="stuck.cu")
        words = ww.mem_alloc(4 * 4096)
        words.fill(0)
        module["stuck"](words, grid={blocks}, block={block})
        ww.Device().synchronize()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={"WARPWISE_WATCHDOG": "1", "WARPWISE_DEVICE": "cpu", **_environment()},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    return done.stderr


def _environment():
    import os

    return {name: value for name, value in os.environ.items() if not name.startswith("WARPWISE_WA")}


@pytest.mark.parametrize("executor", ["auto", "reference"])
def test_a_flag_that_is_never_set(executor):
    said = stuck(
        """
__global__ void stuck(volatile int *flag)
{
    if (threadIdx.x == 0)
        while (*flag == 0) {}
    __syncthreads();
}
""",
        executor,
    )
    assert "LaunchError" in said and "no progress for 1 s" in said
    assert "stuck.cu:5" in said
    assert "WARPWISE_WATCHDOG" in said


def test_a_lock_that_is_never_released():
    said = stuck(
        """
__global__ void stuck(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0) {}
    lock[1] += 1;
}
""",
        "auto",
    )
    assert "no progress for 1 s" in said and "stuck.cu:4" in said


def test_a_working_block_keeps_the_others_waiting():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(
            '''
            import numpy as np, warpwise as ww
            source = """
            __global__ void relay(volatile int *flag, int turns, float *x)
            {
                if (blockIdx.x == 0) {
                    float v = 1;
                    for (int i = 0; i < turns; ++i) v = sqrtf(v + i % 7);
                    x[threadIdx.x] = v;
                    __threadfence();
                    *flag = 1;
                } else {
                    if (threadIdx.x == 0)
                        while (*flag == 0) {}
                    __syncthreads();
                }
            }
            """
            flag, x = ww.mem_alloc(4), np.zeros(32, np.float32)
            flag.fill(0)
            ww.SourceModule(source)["relay"](flag, 200_000_000, ww.Out(x), grid=2, block=32)
            assert (x > 0).all()
            '''
        )],
        env={"WARPWISE_WATCHDOG": "1", "WARPWISE_DEVICE": "cpu", "WARPWISE_NUM_THREADS": "2",
             **_environment()},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_more_blocks_wait_for_each_other_than_there_are_stacks():
    # Stacks take up to a quarter of the areas of memory that the system allows a process.
    room = int(Path("/proc/sys/vm/max_map_count").read_text()) // 4 // 1024
    if room > 500:
        pytest.skip(f"there is room for {room} blocks")
    said = stuck(
        """
__global__ void stuck(volatile int *arrived)
{
    if (threadIdx.x == 0) atomicAdd((int *)arrived, 1);
    while (*arrived < gridDim.x) {}
}
""",
        "reference",
        blocks=room + 500,
        block=1024,
    )
    assert "no progress for 1 s" in said and "stuck.cu:5" in said
    assert "blocks that have not started may" in said
