"""Ctrl-C: the main thread raises KeyboardInterrupt soon, whatever it waits for."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# A process started in the background may have inherited an ignored SIGINT.
BEGIN = """
import os, signal, threading, time
import numpy as np
import warpwise as ww
signal.signal(signal.SIGINT, signal.default_int_handler)
"""

# How long a process may take that was interrupted; without the interrupt it would take for ever.
PATIENCE = 60


def interrupted(program: str) -> str:
    """What the program prints behind "waiting", after which it gets a Ctrl-C."""
    with subprocess.Popen(
        [sys.executable, "-c", BEGIN + program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "waiting\n"
            time.sleep(0.3)  # long enough to be inside the call; any time would do
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=PATIENCE)
        finally:
            child.kill()
    assert child.returncode == 0, err
    return out


# Clang evaluates a million steps a hundred times.
COMPILE = """
source = '''
constexpr int slow(int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) for (int j = 0; j < 1000; ++j) sum += i ^ j;
    return sum;
}
template <int N> struct Slow { static constexpr int value = slow(900) + N; };
__global__ void k(int *p) { *p = TERMS; ERROR }
'''
terms = " + ".join(f"Slow<{i}>::value" for i in range(100))
print("waiting", flush=True)
try:
    ww.SourceModule(source.replace("TERMS", terms).replace("ERROR", ERROR))
except KeyboardInterrupt:
    print("interrupted", flush=True)
module = ww.SourceModule("__global__ void one(int *p) { *p = 1; }")
array = np.zeros(1, np.int32)
module["one"](ww.Out(array), block=1)
print(array[0], flush=True)
"""


@pytest.mark.parametrize("error", ["", "undeclared;"])
def test_ctrl_c_ends_the_wait_for_a_compile(error: str) -> None:
    assert interrupted(COMPILE.replace("ERROR)", f"{error!r})")).split() == ["interrupted", "1"]


FOR_A_GPU = (
    COMPILE[: COMPILE.index("    ww.SourceModule(source")]
    + """
    ww.compile(source.replace("TERMS", terms).replace("ERROR", ""), target="sm_80", format="cubin")
except KeyboardInterrupt:
    print("interrupted", flush=True)
time.sleep(0.1)
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, flush=True)
"""
)


def test_ctrl_c_ends_the_wait_for_a_compile_by_nvrtc() -> None:
    """NVRTC has a handler of its own, which ends the process with status 4."""
    assert interrupted(FOR_A_GPU).split() == ["interrupted", "True"]


# Kernels that never end, and what their end would look like to the compiler: none, a wait in
# memory, a barrier in every round, a call of the run time.
KERNELS = """
source = '''
#include <cooperative_groups.h>
__global__ void spin(int *p) { while (true) atomicAdd(p, 1); }
__global__ void count(int *p) { for (unsigned i = 0; p[1] == 0; ++i) p[threadIdx.x + 2] += i; }
__global__ void wait(int *p) { while (*(volatile int *)(p + 1) == 0) ; }
__global__ void meet(int *p) { while (true) { __syncthreads(); atomicAdd(p, 1); } }
__global__ void ask(int *p) { while (true) p[2] = __shfl_sync(~0u, p[0], 1); }
__global__ void sleep(int *p) { while (true) __nanosleep(4000000000u); }
__global__ void allocate(int *p) { while (true) free(malloc(8)); }
__global__ void one(int *p) { *p = 1; }
'''
module = ww.SourceModule(source, options=["--warpwise-executor=EXECUTOR"])
p = ww.mem_alloc(4096)
p.fill(0)
stream = ww.Stream()
array = np.zeros(64, np.int32)
ww.Device().synchronize()
"""

LAUNCH = (
    KERNELS
    + """
kernel = module["KERNEL"]
def synchronize(): kernel(p, block=32); ww.Device().synchronize()
def many_blocks(): kernel(p, grid=1000, block=32); ww.Device().synchronize()
def copy_out(): kernel(ww.InOut(array), block=32)
def copy_to(): kernel(p, block=32); p.copy_to(array)
def stream_wait(): kernel(p, block=32, stream=stream); stream.synchronize()
def event_wait(): kernel(p, block=32, stream=stream); stream.record().synchronize()
def graph():
    with stream.capture() as graph:
        kernel(p, block=32)
    graph.launch(stream)
    stream.synchronize()

print("waiting", flush=True)
try:
    CALL()
except KeyboardInterrupt:
    print("interrupted", flush=True)
module["one"](ww.Out(array), block=1)
print(array[0], flush=True)
"""
)


@pytest.mark.cpu_only("a kernel of a GPU cannot be stopped")
@pytest.mark.parametrize(
    "call",
    [
        "synchronize",
        "many_blocks",
        "copy_out",
        "copy_to",
        "stream_wait",
        "event_wait",
        "graph",
    ],
)
def test_ctrl_c_stops_an_endless_kernel(call: str) -> None:
    program = LAUNCH.replace("EXECUTOR", "auto").replace("KERNEL", "spin").replace("CALL", call)
    assert interrupted(program).split() == ["interrupted", "1"]


@pytest.mark.cpu_only("a kernel of a GPU cannot be stopped")
@pytest.mark.parametrize("executor", ["reference", "gang", "auto"])
@pytest.mark.parametrize("kernel", ["spin", "count", "wait", "meet", "ask", "sleep", "allocate"])
def test_ctrl_c_stops_every_kind_of_loop(kernel: str, executor: str) -> None:
    program = LAUNCH.replace("EXECUTOR", executor).replace("KERNEL", kernel)
    assert interrupted(program.replace("CALL", "many_blocks")).split() == ["interrupted", "1"]


HANDLER = (
    KERNELS
    + """
beats = []
def beat(*arguments):
    array = np.zeros(1, np.int32)
    other = ww.Stream(non_blocking=True)
    with other:  # the handler may run kernels, while one is interrupted
        module["one"](ww.Out(array), block=1)
    beats.append(array[0])
    if len(beats) == 3:
        p.copy_from(np.ones(2, np.int32), stream=other)  # ends the kernel
signal.signal(signal.SIGALRM, beat)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
module["count"](p, grid=1, block=1)
ww.Device().synchronize()
signal.setitimer(signal.ITIMER_REAL, 0)
print(*beats[:3])
"""
)


@pytest.mark.cpu_only("the waiting thread runs kernels itself")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_signal_handler_runs_inside_a_kernel_which_goes_on(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWISE_NUM_THREADS", threads)
    program = BEGIN + HANDLER.replace("EXECUTOR", "auto").replace(
        "p[1] == 0", "((volatile int *)p)[1] == 0"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "1 1 1\n", done.stderr
