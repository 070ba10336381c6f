"""The end of the process: daemon threads inside a call, work that is still queued, lost errors."""

from __future__ import annotations

import time
from typing import Any

import pytest

DAEMON = """
import sys, threading, time
import numpy as np
import warpwise as ww

module = ww.SourceModule('''
__global__ void quick(int *p) { p[threadIdx.x] = 7; }
__global__ void slow(float *p, int n) {
    float v = p[threadIdx.x];
    for (int i = 0; i < n; ++i) v = v * 1.0000001f + 1e-7f;
    p[threadIdx.x] = v;
}
''')
p = ww.mem_alloc(4096)
p.fill(0)
array = np.zeros(32, np.int32)

def launch(): module["quick"](p, block=32)
def copy(): module["quick"](ww.Out(array), block=32)
def synchronize(): module["slow"](p, 100_000, block=32); ww.Device().synchronize()
def compile(): ww.SourceModule(f"__global__ void k(long *p) {{ *p = {time.time_ns()}; }}")
def fail():
    try:
        module["quick"](array, block=32)
    except ww.ArgumentError:
        pass
def fetch(): ww.arange(1000).get()
def text(): str(ww.arange(4))
def sort(): ww.sort(ww.arange(1000)).get()
def draw(): ww.random.default_rng(1).random(1000).get()
def convert():
    try:
        ww.array([1, 2, "a"])
    except TypeError:
        pass

def run():
    while True:
        CALL()
threading.Thread(target=run, daemon=True).start()
time.sleep(0.3)
"""


@pytest.mark.parametrize(
    "call",
    [
        "launch",
        "copy",
        "synchronize",
        "compile",
        "fail",
        "fetch",
        "text",
        "sort",
        "draw",
        "convert",
    ],
)
def test_a_script_ends_quietly_while_a_daemon_thread_is_in_a_call(script: Any, call: str) -> None:
    """What a thread does when the interpreter shuts down below it varies: several ends."""
    for _ in range(3):
        done = script(DAEMON.replace("CALL", call))
        assert (done.returncode, done.stderr) == (0, "")


KERNELS = """
import threading
import warpwise as ww

module = ww.SourceModule('''
#include <cstdio>
__global__ void print(int *p) { printf("block %d\\\\n", blockIdx.x); }
__global__ void spin(int *p) { while (true) atomicAdd(p, 1); }
__global__ void fail(int *p) { *p = 1; }
''')
p = ww.mem_alloc(64)
"""


def test_the_end_of_a_script_is_a_synchronisation(script: Any) -> None:
    done = script(KERNELS + 'module["print"](p, grid=2, block=1)')
    assert (done.returncode, done.stdout, done.stderr) == (0, "block 0\nblock 1\n", "")


def test_values_that_nobody_reads_are_not_computed_at_the_end(script: Any) -> None:
    # They take 80 TB.
    done = script("import warpwise as ww\ny = ww.zeros(10**13) + 1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_pending_writes_to_arrays_that_are_there_are_made_at_the_end(script: Any) -> None:
    done = script("""
import warpwise as ww
x = ww.evaluate(ww.zeros(4))
x[ww.asarray([1, 7])] = 1
""")
    assert "got index 7, which is out of bounds for axis 0 with size 4" in done.stderr


def test_user_kernels_over_pending_values_run_at_the_end(script: Any) -> None:
    done = script(r"""
import warpwise as ww
say = ww.ElementwiseKernel("float *x", 'printf("%g\\n", x[i])', "say")
say(ww.ones(1, ww.float32) + 1)
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


@pytest.mark.cpu_only("faults of GPUs are sticky")
def test_errors_that_nothing_has_waited_for_are_reported_at_the_end(script: Any) -> None:
    done = script(KERNELS + 'module["fail"](ww.Pointer(64), block=1)\nprint("end")')
    assert (done.returncode, done.stdout) == (0, "end\n")
    assert "kernel 'fail': write of invalid address 0x40, in block (0, 0, 0)" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.cpu_only("faults of GPUs are sticky")
def test_a_device_that_is_waited_for_reports_the_errors_of_all_streams(script: Any) -> None:
    done = script("""
import warpwise as ww
module = ww.SourceModule('''
__global__ void first() { __trap(); }
__global__ void second() { assert(blockDim.x == 0); }''')
for name in "first", "second":
    module[name](block=1, stream=ww.Stream())
for _ in range(2):
    try:
        ww.Device().synchronize()
        print("good")
    except ww.LaunchError as error:
        print("raised:", str(error).splitlines()[0])
""")
    raised, after = done.stdout.splitlines()
    assert (done.returncode, after) == (0, "good") and raised.startswith("raised: ")
    assert done.stderr.count("beside the error that synchronize() of cpu raises") == 1
    # Which is raised depends on which stream's end is seen first.
    in_raised, in_stderr = ("second", "first") if "second" in raised else ("first", "second")
    assert f"'{in_raised}'" in raised and f"'{in_stderr}'" in done.stderr


@pytest.mark.cpu_only("faults of GPUs are sticky")
def test_each_stream_has_its_error_reported_at_the_end(script: Any) -> None:
    done = script(
        KERNELS
        + """
first, second = ww.Stream(), ww.Stream()
module["fail"](ww.Pointer(64), block=1, stream=first)
module["fail"](ww.Pointer(128), block=1, stream=second)
"""
    )
    assert "invalid address 0x40" in done.stderr
    assert "invalid address 0x80" in done.stderr
    assert done.stderr.count("\n") == 2


def test_an_invalid_setting_is_reported_where_it_is_needed_alone(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWISE_POOL", "swimming")
    done = script("import warpwise as ww\nww.mem_alloc(64)")
    assert done.returncode == 1
    assert done.stderr.count("WARPWISE_POOL is 'swimming'") == 1


@pytest.mark.cpu_only("a kernel of a GPU cannot be stopped")
@pytest.mark.parametrize("wait", ["0", "0.3"])
@pytest.mark.parametrize(
    "call",
    [
        "",
        "threading.Thread(target=ww.Device().synchronize, daemon=True).start()",
        "p.copy_to(bytearray(64), stream=ww.Stream(non_blocking=True))",
    ],
)
def test_the_end_waits_no_longer_than_the_setting_says(
    script: Any, wait: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWISE_EXIT_WAIT", wait)
    done = script(KERNELS + f'module["spin"](p, block=32)\n{call}\nprint("end")')
    assert (done.returncode, done.stdout) == (0, "end\n")
    assert "still running on cpu at the end of the program, and were stopped" in done.stderr
    assert f"WARPWISE_EXIT_WAIT to more than {wait} seconds" in done.stderr


@pytest.mark.parametrize("body", ["time.sleep(1000)", "while True: pass"])
def test_the_end_does_not_wait_for_a_host_function_beyond_the_setting(
    script: Any, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWISE_EXIT_WAIT", "0.5")
    source = f"""
import time
import warpwise as ww
def endless():
    {body}
stream = ww.Stream()
stream.call_host(endless)
print("end")"""
    begin = time.monotonic()
    done = script(source)
    assert (done.returncode, done.stdout) == (0, "end\n")
    assert "still running on" in done.stderr
    assert time.monotonic() - begin < 20  # it was without end


COMPILING = """
import sys, threading, time
import warpwise as ww
source = '''
constexpr int slow(int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) for (int j = 0; j < 1000; ++j) sum += i ^ j;
    return sum;
}
template <int N> struct Slow { static constexpr int value = slow(900) + N; };
__global__ void k(int *p) { *p = TERMS; }
'''
terms = " + ".join(f"Slow<{i}>::value" for i in range(100))
compile = lambda: ww.SourceModule(source.replace("TERMS", terms))
threading.Thread(target=compile, daemon=True).start()
time.sleep(0.5)
print("end")
sys.exit(3)
"""


def test_the_end_does_not_wait_for_a_long_compile(
    script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWISE_EXIT_WAIT", "0.3")
    done = script(COMPILING)
    assert (done.returncode, done.stdout, done.stderr) == (3, "end\n", "")
