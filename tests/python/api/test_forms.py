"""Kernels compiled again for the shape of their blocks: when, and that nothing else changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpu_only("how it compiles a kernel again for its launches")

REVERSE = '''
import sys, time
import numpy as np
import warpwise as ww

SOURCE = """
__device__ int launches;
__global__ void reverse(float *x, int *calls, int n)
{
    __shared__ float s[256];
    static int own;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = x[i];
    // A wait needs fibers, except in a block that is one gang.
    while (*(volatile int*)&launches < 0) {}
    __syncthreads();
    x[i] = s[blockDim.x - 1 - threadIdx.x] * 0.1f + blockDim.x;
    if (i == 0) calls[0] = ++own, calls[1] = ++launches;
}"""
N = 1 << 15
module = ww.SourceModule(SOURCE)
kernel = module["reverse"]

def launch(block=256):
    x, calls = np.arange(N, dtype=np.float32), np.zeros(2, np.int32)
    kernel(ww.InOut(x), ww.Out(calls), N, grid=N // block, block=block)
    expected = np.arange(N, dtype=np.float32).reshape(-1, block)[:, ::-1].reshape(-1)
    assert np.allclose(x, expected * np.float32(0.1) + block)
    return tuple(map(int, calls))

def wait_for_form():
    for _ in range(1000):
        if module["reverse"].executor == "regions":
            return
        time.sleep(0.01)
    raise SystemExit("no form was made")
'''


def run(body: str, tmp_path: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", REVERSE + body],
        env={**os.environ, "WARPWISE_CACHE_DIR": str(tmp_path / "cache"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return (done.stderr if "WARPWISE_LOG" in environment else done.stdout).strip()


def logs(wanted: str, body: str, tmp_path: Path) -> bool:
    """Whether the program says so in its log before it ends, which it does after a minute."""
    with subprocess.Popen(
        [sys.executable, "-c", REVERSE + body + "\ntime.sleep(60)"],
        env={**os.environ, "WARPWISE_CACHE_DIR": str(tmp_path / "cache"), "WARPWISE_LOG": "info"},
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stderr is not None
        is_said = any(wanted in line for line in program.stderr)
        program.kill()
    return is_said


def test_full_compiles_for_the_first_launch(tmp_path: Path) -> None:
    assert (
        run("launch(); print(module['reverse'].executor)", tmp_path, WARPWISE_TIER="full")
        == "regions"
    )


def test_quick_never_does(tmp_path: Path) -> None:
    body = "[launch() for _ in range(9)]; time.sleep(0.2); print(module['reverse'].executor)"
    assert run(body, tmp_path, WARPWISE_TIER="quick") == "gang"


def test_auto_compiles_after_the_launches(tmp_path: Path) -> None:
    body = "[launch() for _ in range(4)]; wait_for_form(); launch(); print(launch(64), launch())"
    assert run(body, tmp_path, WARPWISE_TIER="auto") == "(6, 6) (7, 7)"


def test_auto_does_for_one_launch_that_takes_long(tmp_path: Path) -> None:
    body = """
source = '''__global__ void spin(double *x, int turns) {
    double sum = x[threadIdx.x];
    for (int i = 0; i < turns; i++) sum = sum * 0.5 + i;
    if (sum == 1) x[blockIdx.x] = 0;
}'''
x = np.zeros(1 << 12)
ww.SourceModule(source)["spin"](ww.In(x), 200_000, grid=4096, block=64)
"""
    assert logs("compiled for blocks of 64x1x1", body, tmp_path)


def test_auto_makes_one_form_for_many_shapes(tmp_path: Path) -> None:
    body = """
for k in range(9): launch(1 << k)
for k in range(3): launch(256)
"""
    assert logs("compiled for blocks of any shape", body, tmp_path)


def test_variables_are_one_for_all_forms(tmp_path: Path) -> None:
    body = "print(launch(), launch(128), launch(64), launch())"
    expected = "(1, 1) (2, 2) (3, 3) (4, 4)"
    assert run(body, tmp_path, WARPWISE_TIER="full") == expected


def test_after_many_shapes_the_form_for_any_serves(tmp_path: Path) -> None:
    body = "[launch(1 << k) for k in range(9)]; [launch(32), print(launch(256))]"
    assert run(body, tmp_path, WARPWISE_TIER="full") == "(11, 11)"


@pytest.mark.parametrize("pause", [0, 0.004, 0.009])
def test_a_process_may_end_meanwhile(tmp_path: Path, pause: float) -> None:
    run(f"launch(); launch(); launch(); time.sleep({pause})", tmp_path)


def test_a_process_may_end_before_it_has_opened_the_compiler(tmp_path: Path) -> None:
    run("launch()", tmp_path)
    for _ in range(10):
        run("launch(); launch(); launch()", tmp_path)


def test_no_compiler_is_opened_for_forms_of_a_cached_program(tmp_path: Path) -> None:
    body = """
for _ in range(4): launch()
wait_for_form()
print("libwarpwise_compiler" in open("/proc/self/maps").read())
"""
    run("launch()", tmp_path)
    assert run(body, tmp_path) == "False"


def test_a_module_may_go_meanwhile(tmp_path: Path) -> None:
    run("launch(); launch(); launch(); del kernel, module; time.sleep(0.1)", tmp_path)


def test_a_child_of_fork_compiles_for_itself(tmp_path: Path) -> None:
    body = """
import os
launch(); launch(); launch()
child = os.fork()
if child == 0:
    launch(128); launch(128); launch(128); wait_for_form()
    os._exit(0)
wait_for_form()
print(os.waitpid(child, 0)[1])
"""
    assert run(body, tmp_path) == "0"
