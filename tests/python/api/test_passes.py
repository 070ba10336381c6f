"""The vectoriser's passes from outside: left out, and their IR written to files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("the passes of its vectoriser")

COMPILES = """
import warpwise as ww
for _ in range(2):
    ww.SourceModule('extern "C" __global__ void halve(float *x) { x[threadIdx.x] *= 0.5f; }',
                    options=["--warpwise-tier=full"])
"""

RUNS = """
import numpy as np
import warpwise as ww
x = np.arange(100, dtype=np.float32)
ww.SourceModule('extern "C" __global__ void halve(float *x) { x[threadIdx.x] *= 0.5f; }',
                options=["--warpwise-tier=full"])["halve"](ww.InOut(x), block=100)
print(x.sum())
"""


def python(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)


def dumped(folder: Path, tmp_path: Path, name: str) -> list[str]:
    done = python(
        COMPILES,
        WARPWISE_DUMP=name,
        WARPWISE_DUMP_FOLDER=str(folder),
        WARPWISE_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert done.returncode == 0, done.stderr
    return sorted(path.name for path in (folder / "halve").iterdir())


def test_one_pass_is_written_before_and_after(tmp_path):
    files = dumped(tmp_path / "out", tmp_path, "choose-layout")
    assert [name.partition("-")[2] for name in files] == [
        "choose-layout.after.ll",
        "choose-layout.before.ll",
    ]


def test_all_passes_are_numbered_in_their_order(tmp_path):
    files = dumped(tmp_path / "out", tmp_path, "all")
    first = [name for name in files if name.startswith("001-")]
    assert first == ["001-scalarize.after.ll", "001-scalarize.before.ll"]
    assert any(name.endswith("-mem2reg.after.ll") for name in files)


def test_a_program_in_the_cache_is_compiled_again_to_be_written(tmp_path):
    dumped(tmp_path / "first", tmp_path, "emit")
    assert dumped(tmp_path / "second", tmp_path, "emit")


def test_a_pass_that_does_not_exist_cannot_be_written(tmp_path):
    done = python(COMPILES, WARPWISE_DUMP="emitt", WARPWISE_DUMP_FOLDER=str(tmp_path))
    assert "'emitt' that WARPWISE_DUMP names does not exist; use all, or one of" in done.stderr


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    done = python(COMPILES, WARPWISE_DUMP="emit", WARPWISE_DUMP_FOLDER=str(file))
    assert "WARPWISE_DUMP_FOLDER" in done.stderr


def test_results_are_the_same_without_optional_passes():
    usual = python(RUNS)
    without = python(RUNS, WARPWISE_SKIP_PASS="inst-combine,licm,few-lanes")
    assert (without.stdout, without.stderr) == (usual.stdout, "")


def test_a_mandatory_pass_cannot_be_skipped():
    done = python(RUNS, WARPWISE_SKIP_PASS="emit")
    assert "'emit' that WARPWISE_SKIP_PASS" in done.stderr
    assert "is mandatory; optional passes: merge-guard-chains" in done.stderr


# Stores to places that were computed before a branch or a barrier.
TREE = """
extern "C" __global__ void sum(const float *x, float *y, size_t columns) {
    __shared__ float part[256];
    float own = 0;
    for (size_t j = threadIdx.x; j < columns; j += blockDim.x) own += x[j];
    part[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
"""
NETWORK = """
extern "C" __global__ void sort(unsigned *x) {
    __shared__ unsigned part[256];
    unsigned t = threadIdx.x;
    part[t] = x[t];
    for (unsigned size = 2; size <= 256; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            unsigned other = t ^ step;
            if (other > t) {
                unsigned a = part[t], b = part[other];
                if ((a > b) == ((t & size) == 0)) part[t] = b, part[other] = a;
            }
        }
    __syncthreads();
    x[t] = part[t];
}
"""


@pytest.mark.parametrize(("source", "is_changed"), [(TREE, False), (NETWORK, True)])
def test_sunk_addresses_are_those_without_a_step_from_lane_to_lane(source, is_changed):
    options = ["--warpwise-block=256,1,1", "--warpwise-tier=full"]
    skip = "--warpwise-skip-pass=sink-addresses"
    usual = ww.compile(source, target="cpu", format="llvm", options=options)
    without = ww.compile(source, target="cpu", format="llvm", options=[*options, skip])
    assert (usual != without) == is_changed
