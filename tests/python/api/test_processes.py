"""Child processes, signals and other users of the process: fork, multiprocessing, Ctrl-C."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import warpwise as ww

DOUBLE = "__global__ void twice(int *p) { p[threadIdx.x] *= 2; }"


def doubled(values: list[int]) -> list[int]:
    """Runs a kernel in whatever process calls it."""
    with ww.Device("cpu"):
        array = np.array(values, np.int32)
        ww.SourceModule(DOUBLE)["twice"](ww.InOut(array), block=array.size)
        return array.tolist()


def _end_at_once(values: list[int]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _fail(values: list[int]) -> None:
    raise ValueError(f"no {values}")


class _Odd(Exception):
    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


def _fail_oddly(values: list[int]) -> None:
    raise _Odd(*values)


def _give_a_buffer(values: list[int]) -> ww.Buffer:
    with ww.Device("cpu"):
        return ww.mem_alloc(values[0])


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_children_of_multiprocessing_run_kernels(method: str) -> None:
    assert doubled([1, 2]) == [2, 4]  # the parent's device is in use
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(doubled, [[1], [2, 3]]) == [[2], [4, 6]]


PREPARE_AND_FORK = """
import os, warpwise as ww
device = ww.Device("cpu")
device.prepare()
child = os.fork()
with device:
    ww.SourceModule(f"__global__ void k(int *p) {{ *p += {os.getpid()}; }}")
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_child_forked_while_its_device_is_prepared_compiles() -> None:
    subprocess.run([sys.executable, "-c", PREPARE_AND_FORK], check=True, timeout=120)


PREPARE = """
import time, warpwise as ww
ww.Device("cpu").prepare()
while "libwarpwise_compiler" not in open("/proc/self/maps").read():
    time.sleep(0.01)
"""


def test_preparing_a_device_opens_its_compiler() -> None:
    subprocess.run([sys.executable, "-c", PREPARE], check=True, timeout=120)


def test_a_forked_child_and_its_parent_both_go_on() -> None:
    assert doubled([1]) == [2]
    child = os.fork()
    if child == 0:
        os._exit(0 if doubled([5]) == [10] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert doubled([3]) == [6]


def test_isolated_functions_return_their_result() -> None:
    assert ww.isolated(doubled)([7]) == [14]


def test_isolated_functions_raise_what_they_raise() -> None:
    with pytest.raises(ValueError, match=r"no \[1\]"):
        ww.isolated(_fail)([1])


def test_an_error_that_cannot_be_pickled_arrives_as_text() -> None:
    with pytest.raises(ww.DeviceError, match=r"_fail_oddly\(\) raised _Odd: 1 and 2"):
        ww.isolated(_fail_oddly)([1, 2])


def test_a_result_that_cannot_travel_is_named() -> None:
    with pytest.raises(ww.ArgumentError, match=r"got a \S+Buffer as the result, which cannot"):
        ww.isolated(_give_a_buffer)([64])


@pytest.mark.parametrize("kind", [TypeError, ValueError])
def test_argument_errors_travel_as_what_they_are(kind: type[Exception]) -> None:
    with pytest.raises(ww.ArgumentError) as caught:
        ww.mem_alloc(1.5 if kind is TypeError else -1)  # type: ignore[arg-type]
    travelled = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(travelled, kind)
    assert (type(travelled), str(travelled)) == (type(caught.value), str(caught.value))


def test_the_end_of_an_isolated_process_is_reported() -> None:
    with pytest.raises(ww.DeviceError, match="SIGKILL"):
        ww.isolated(_end_at_once)([1])


def test_isolated_expects_an_importable_function() -> None:
    with pytest.raises(ww.ArgumentError, match="top level"):
        ww.isolated(lambda: 1)


# Blocks of about a millisecond each, for hours in all.
# A process started in the background may have inherited an ignored SIGINT.
SLOW_GRID = """
import signal
import warpwise as ww
signal.signal(signal.SIGINT, signal.default_int_handler)
module = ww.SourceModule('''
__global__ void slow(int *p) { for (int i = 0; i < 300000; ++i) atomicAdd(p, 1); }
__global__ void meet(int *p) {
    for (int i = 0; i < 20000; ++i) { __syncthreads(); if (threadIdx.x == 0) atomicAdd(p, 1); }
}
__global__ void quick(int *p) { *p = 1; }
''', options=["--warpwise-executor=EXECUTOR"])
with ww.Device("cpu"):
    p = ww.mem_alloc(4)
    p.fill(0)
    module["KERNEL"](p, grid=10_000_000, block=BLOCK)
    print("started", flush=True)
    try:
        ww.Device().synchronize()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    module["quick"](p, block=1)
    ww.Device().synchronize()
    print("alive", flush=True)
"""


@pytest.mark.cpu_only("a kernel of a GPU cannot be stopped")
@pytest.mark.parametrize(
    "kernel, block, executor",
    [
        ("slow", 1, "auto"),
        ("meet", 4, "reference"),
        ("meet", 200, "gang"),
        ("meet", 200, "regions"),
    ],
)
def test_ctrl_c_stops_a_long_grid_and_the_process_lives(
    kernel: str, block: int, executor: str
) -> None:
    program = SLOW_GRID.replace("EXECUTOR", executor).replace("KERNEL", kernel)
    with subprocess.Popen(
        [sys.executable, "-c", program.replace("BLOCK", str(block))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "started\n"
            time.sleep(0.2)  # long enough to be inside synchronize(); any time would do
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=60)
        finally:
            child.kill()
    assert out.split() == ["interrupted", "alive"], err
    assert child.returncode == 0


def test_other_signal_handlers_run_while_waiting(script: Any) -> None:
    source = (
        "import os, signal, threading, time\n"
        "import warpwise as ww\n"
        "class Stop(Exception): pass\n"
        "def stop(*args): raise Stop\n"
        "signal.signal(signal.SIGUSR1, stop)\n"
        "stream, gate = ww.Stream(device=ww.Device('cpu')), threading.Event()\n"
        "stream.call_host(lambda: gate.wait(10))\n"
        "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()\n"
        "try: stream.synchronize()\n"
        "except Stop: print('stopped')\n"
        "gate.set()\n"
    )
    done = script(source)
    assert done.stdout == "stopped\n", done.stderr


FAULT = (
    "import warpwise as ww\n"
    "kernel = ww.SourceModule('__global__ void k(int *p) { *p = 1; }')['k']\n"
    "with ww.Device('cpu'):\n"
    "    try:\n"
    "        kernel(ww.Pointer(64), block=1)\n"
    "        ww.Device().synchronize()\n"
    "    except ww.LaunchError as error:\n"
    "        print('caught', error.kernel, error.block, flush=True)\n"
)


@pytest.mark.cpu_only("faults of kernels are signals there")
def test_faulthandler_does_not_see_the_faults_of_kernels(script: Any) -> None:
    done = script(FAULT, "-X", "faulthandler")
    assert done.stdout == "caught k (0, 0, 0)\n"
    assert "Fatal Python error" not in done.stderr


@pytest.mark.cpu_only("faults of kernels are signals there")
def test_faulthandler_still_sees_other_faults(script: Any) -> None:
    done = script(FAULT + "import ctypes; ctypes.string_at(0)\n", "-X", "faulthandler")
    assert done.stdout == "caught k (0, 0, 0)\n"
    assert done.returncode == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in done.stderr


@pytest.mark.cpu_only("faults of kernels are signals there")
def test_faulthandler_may_be_enabled_afterwards(script: Any) -> None:
    source = FAULT + "import faulthandler; faulthandler.enable()\n" + FAULT.split("\n", 1)[1]
    done = script(source)
    assert done.stdout == "caught k (0, 0, 0)\n" * 2, done.stderr


def test_work_left_at_exit_does_no_harm(script: Any) -> None:
    source = (
        "import numpy as np, warpwise as ww\n"
        "with ww.Device('cpu'):\n"
        "    b, s = ww.mem_alloc(64 << 20), ww.Stream()\n"
        "    b.copy_from(np.zeros(64 << 20, np.uint8), stream=s)\n"
        "    ww.SourceModule('__global__ void k() { printf(\"late\"); }')['k'](block=1, stream=s)\n"
    )
    done = script(source)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
