"""Interpreted groups compute the bits that compiled ones do, at every level of the processor, and a
kernel takes over when it is ready."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import devices
import numpy as np
import pytest
from test_ops_on_device import same
from tier_values import KINDS

import warpwise as ww

PROGRAM = Path(__file__).with_name("tier_values.py")
CPU = {"WARPWISE_DEVICE": "cpu"}
ON_GPU = pytest.mark.skipif(devices.IS_CPU, reason="about the interpreter of GPUs")
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


def values(
    seed: int, out: Path, kinds: Sequence[str] = (), program: Path = PROGRAM, **settings: str
) -> dict[str, np.ndarray]:
    environment = os.environ | settings
    command = [sys.executable, str(program), str(seed), str(out), *kinds]
    subprocess.run(command, env=environment, check=True, timeout=900)
    with np.load(out) as saved:
        return dict(saved)


def host_has(level: str) -> bool:
    command = [sys.executable, "-c", "import warpwise as ww; ww.zeros(3).sum().item()"]
    environment = os.environ | {"WARPWISE_CPU": level, "WARPWISE_DEVICE": "cpu"}
    return subprocess.run(command, env=environment, capture_output=True).returncode == 0


def check_bits(
    interpreted: dict[str, np.ndarray], compiled: dict[str, np.ndarray], where: str
) -> None:
    assert interpreted.keys() == compiled.keys()
    for name, value in interpreted.items():
        assert value.dtype == compiled[name].dtype
        right = same(value, compiled[name])
        assert right.all(), (
            f"{name}, {where}: {value[~right][:3]}, compiled {compiled[name][~right][:3]}"
        )


@pytest.mark.cpu_only("groups are interpreted on the CPU device")
def test_interpreted_groups_have_the_bits_of_compiled_ones(tmp_path: Path) -> None:
    seed = int(np.random.SeedSequence().entropy) % 2**32  # type: ignore[arg-type]
    compiled = values(seed, tmp_path / "compiled.npz", WARPWISE_TIER="full", **CPU)
    assert len(compiled) > 400
    for level in LEVELS:
        if not host_has(level):
            continue
        out = tmp_path / f"{level}.npz"
        interpreted = values(seed, out, WARPWISE_TIER="quick", WARPWISE_CPU=level, **CPU)
        check_bits(interpreted, compiled, f"seed {seed}, {level}")


@pytest.mark.cpu_only("groups are interpreted on the CPU device")
def test_a_new_expression_waits_for_no_compiler() -> None:
    x = ww.asarray(np.random.default_rng().random(1000, np.float32))
    (x + 1).get()
    start = time.perf_counter()
    # Constants are no part of a kernel; the operations' order is.
    y = ww.sqrt(ww.abs(ww.sin(x) - ww.minimum(x, 0.25) * 3.5) + 0.125) / (x + 2)
    result = y.get()
    assert time.perf_counter() - start < 0.02
    host = x.get()
    wide = host.astype(np.float64)
    expected = np.sqrt(np.abs(np.sin(wide) - np.minimum(wide, 0.25) * 3.5) + 0.125) / (wide + 2)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.cpu_only("groups are interpreted on the CPU device")
def test_the_compiled_kernel_takes_over_with_the_same_bits() -> None:
    x = ww.asarray(np.random.default_rng().random(100_003, np.float32))

    def result() -> bytes:
        return bytes((ww.exp(ww.sin(x) * 0.5 - x) + ww.tanh(x)).sum().get().tobytes())

    first = result()
    end = time.perf_counter() + 10
    while time.perf_counter() < end:
        assert result() == first
        time.sleep(0.01)
        if "ww_fused" in kernels_of(result):
            break
    else:
        pytest.fail("no kernel was compiled in the background")
    assert result() == first


def without_functions(folder: Path) -> dict[str, str]:
    """Settings of a process that finds no interpreter of all ops in its cache."""
    return {"WARPWISE_CACHE_DIR": str(folder / "cache")}


@ON_GPU
def test_groups_that_gpus_interpret_have_the_bits_of_compiled_ones(tmp_path: Path) -> None:
    seed = int(np.random.SeedSequence().entropy) % 2**32  # type: ignore[arg-type]
    # A group of a kind takes NVRTC 160 ms: two of the five kinds, others each time.
    kinds = np.random.default_rng(seed).choice(KINDS, 2, replace=False)
    compiled = values(seed, tmp_path / "compiled.npz", kinds, WARPWISE_TIER="full")
    # The first is without NVRTC, the second has the functions that NVRTC has compiled.
    for tier, settings in (("quick", without_functions(tmp_path)), ("auto", {})):
        out = tmp_path / f"{tier}.npz"
        interpreted = values(seed, out, kinds, WARPWISE_TIER=tier, **settings)
        check_bits(interpreted, compiled, f"seed {seed}, {kinds}, {tier}")


QUICK = """
import warpwise as ww
x, y = ww.arange(5000, dtype="float32"), ww.ones((70, 50), dtype="int64")
ww.evaluate(x, y)
with ww.profile() as profile:
    for value in (ww.sqrt(x * 3 + 1), (y[::-1] + 2).sum(axis=0), ww.sin(x)):
        ww.evaluate(value)
print(*sorted({record.name for record in profile.records}))
"""


@ON_GPU
def test_gpus_interpret_what_is_exact_and_compile_the_rest(tmp_path: Path) -> None:
    environment = os.environ | without_functions(tmp_path) | {"WARPWISE_TIER": "quick"}
    command = [sys.executable, "-c", QUICK]
    run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert {"ww_interpreted", "ww_interpreted_reduction", "ww_fused"} <= set(run.stdout.split())


@ON_GPU
def test_the_compiled_kernel_takes_over_on_gpus() -> None:
    x = ww.asarray(np.random.default_rng().random(100_003, np.float32))
    end = time.perf_counter() + 60

    def digits_of(number: int) -> ww.Array:
        """An expression of its own for each number."""
        value = x
        for digit in f"{number:b}":
            value = value + 1 if digit == "1" else value * 2
        return value

    for number in itertools.count():
        if "ww_interpreted" in kernels_of(lambda number=number: ww.evaluate(digits_of(number))):
            break
        assert time.perf_counter() < end, "the interpreter was not loaded"

    def result() -> bytes:
        return bytes((ww.sqrt(x * 0.5 + 3) / (x + 1) - ww.abs(x - 2)).sum().get().tobytes())

    assert "ww_fused" not in kernels_of(result)
    first = result()
    while "ww_fused" not in kernels_of(result):
        assert result() == first
        assert time.perf_counter() < end, "no kernel was compiled in the background"
        time.sleep(0.01)
    assert result() == first


def kernels_of(run: object) -> set[str]:
    with ww.profile() as profile:
        run()  # type: ignore[operator]
        ww.Device().synchronize()
    return {record.name for record in profile.records}
