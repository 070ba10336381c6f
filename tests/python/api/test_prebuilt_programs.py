"""Programs that are installed with the library: a first call does not wait for a compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import devices
import pytest

import warpwise as ww

FILE = "warpwise-programs.bin"
PACKAGE = Path(ww.__file__).parent
FOLDERS = (PACKAGE, PACKAGE.parents[1] / "lib")  # of a wheel, and of a build
FAKE = PACKAGE.parents[1] / "lib/libfake_cuda.so"  # a driver that loads any kernel and runs none

FIRST_CALLS = {
    "random": "rng.random(1000)",
    "random float32": "rng.random(1000, dtype=np.float32)",
    "normal": "rng.normal(1.0, 2.0, 1000)",
    "a deviation alone": "rng.normal(0.0, 0.1, 1000)",
    "a mean alone": "rng.normal(5.0, 1.0, 1000)",
    "uniform": "rng.uniform(2.0, 3.0, 1000)",
    "integers": "rng.integers(0, 10, 1000)",
    "exponential": "rng.exponential(2.0, 1000)",
    "gamma": "rng.gamma(2.0, 1.0, 1000)",
    "beta": "rng.beta(2.0, 3.0, 1000)",
    "poisson": "rng.poisson(4.0, 1000)",
    "binomial": "rng.binomial(10, 0.3, 1000)",
    "dirichlet": "rng.dirichlet([1.0, 2.0, 3.0], 100)",
    "many of dirichlet": "rng.dirichlet([1.0, 2.0, 3.0], 100_000)",
    "permutation": "rng.permutation(x)",
    "rows of random numbers": "rng.normal(size=(100, 3))",
    "sort": "ww.sort(x)",
    "sort of integers": "ww.sort(k)",
    "sort of a thousand": "ww.sort(ww.asarray(np.arange(1000.0)))",
    "argsort of thousands": "ww.argsort(ww.asarray(np.arange(3000)))",
    "argsort": "ww.argsort(y)",
    "cumulative sum": "ww.cumulative_sum(x)",
    "unique values": "ww.unique_values(k)",
    "histogram": "ww.histogram(x)[0]",
    "search": "ww.searchsorted(x, x)",
    "mask": "x[x > 3]",
    "gather": "x[k]",
    "nonzero": "ww.nonzero(x)[0]",
    "median": "ww.median(x)",
    "interpolation": "ww.interp(x, x, x)",
    "sparse product": "a @ x",
    "conjugate gradients": "ww.sparse.linalg.cg(a, x)[0]",
}

PROGRAM = """
import json, sys
import numpy as np
import warpwise as ww

numbers = np.arange(20.0)
x, y, k = ww.asarray(numbers), ww.asarray(numbers.astype(np.float32)), ww.asarray(np.arange(20))
a = ww.sparse.csr_array(np.eye(20) * 2)
rng = ww.random.default_rng(1)
misses = {}
for name, call in json.loads(sys.argv[1]).items():
    before = ww.cache_info().misses
    ww.evaluate(eval(call))
    misses[name] = ww.cache_info().misses - before
print(json.dumps(misses))
"""


# Groups of operations are interpreted while their kernels compile; here they wait for a compiler.
OF_GPU = {"WARPWISE_TIER": "full"}
OF_FAKE_GPU = {
    **OF_GPU,
    "WARPWISE_DEVICE": "cuda:0",
    "WARPWISE_CUDA_DRIVER": str(FAKE),
    "FAKE_CUDA_VERSION": "13000",
}


def compiled(calls: dict[str, str], cache: Path, **environment: str) -> dict[str, int]:
    """What each call compiles in a process of a user whose cache is empty."""
    env = {
        **os.environ,
        "WARPWISE_CACHE_DIR": str(cache),
        "WARPWISE_DEVICE": "cpu",
        "WARPWISE_TIER": "quick",  # nothing is compiled in the background
        **environment,
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(calls)],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    is_there = any((folder / FILE).exists() for folder in FOLDERS)
    assert is_there, f"{FILE} is missing: `ninja warpwise_programs` writes it"
    return compiled(FIRST_CALLS, tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("name", FIRST_CALLS)
def test_a_first_call_compiles_nothing(name: str, counts: dict[str, int]) -> None:
    assert counts[name] == 0


def test_expressions_of_ones_own_are_compiled(tmp_path: Path) -> None:
    """What the counts above would show."""
    call = {"fused": "ww.log(rng.gamma(2.0, 1.0, 100) + 1) * 3"}
    assert compiled(call, tmp_path)["fused"] > 0


def test_kernels_that_are_compiled_in_full_are_not_installed(tmp_path: Path) -> None:
    counts = compiled({"sort": "ww.sort(x)"}, tmp_path, WARPWISE_TIER="full")
    assert counts["sort"] > 0


@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3"])
def test_other_levels_have_programs_too(level: str, tmp_path: Path) -> None:
    call = {"normal": FIRST_CALLS["normal"], "sort": FIRST_CALLS["sort"]}
    assert compiled(call, tmp_path, WARPWISE_CPU=level) == {"normal": 0, "sort": 0}


def has_gpu_programs() -> bool:
    files = [folder / FILE for folder in FOLDERS if (folder / FILE).exists()]
    return any(b"sm_90" in file.read_bytes() for file in files)


@pytest.fixture(scope="module")
def gpu_counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    if not FAKE.exists():
        pytest.skip("takes the fake driver of the build")
    if not has_gpu_programs():
        pytest.skip("the build had no NVRTC")
    return compiled(FIRST_CALLS, tmp_path_factory.mktemp("cache"), **OF_FAKE_GPU)


@pytest.mark.parametrize("name", FIRST_CALLS)
def test_a_first_call_compiles_nothing_for_a_gpu(name: str, gpu_counts: dict[str, int]) -> None:
    assert gpu_counts[name] == 0


@pytest.mark.usefixtures("gpu_counts")
def test_expressions_of_ones_own_are_compiled_for_a_gpu(tmp_path: Path) -> None:
    call = {"fused": "ww.log(rng.gamma(2.0, 1.0, 100) + 1) * 3"}
    assert compiled(call, tmp_path, **OF_FAKE_GPU)["fused"] > 0


@pytest.mark.skipif(devices.IS_CPU, reason="takes a GPU")
def test_a_first_call_compiles_nothing_on_this_gpu(tmp_path: Path) -> None:
    """Of compute capability 9, which every build has programs for."""
    counts = compiled(FIRST_CALLS, tmp_path, **OF_GPU, WARPWISE_DEVICE=devices.NAME)
    assert counts == dict.fromkeys(FIRST_CALLS, 0)
