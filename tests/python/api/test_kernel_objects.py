"""Attributes of kernels and devices that are meaningful on the CPU device."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww


def test_attributes_by_cudas_names() -> None:
    device = ww.Device("cpu")
    assert device.attribute("warp_size") == 32
    assert device.attribute("max_threads_per_block") == device.info.max_threads_per_block
    assert device.attributes["multiprocessor_count"] == device.info.multiprocessors


def test_attributes_of_gpus_alone_are_refused() -> None:
    with pytest.raises(ww.UnsupportedError, match="cpu does not report its texture_alignment"):
        ww.Device("cpu").attribute("texture_alignment")


def test_misspelt_attributes_are_refused() -> None:
    with pytest.raises(ww.ArgumentError, match="did you mean 'warp_size'"):
        ww.Device("cpu").attribute("warpsize")


def test_hints_leave_the_results_as_they_are(add: ww.Kernel) -> None:
    add.prefer_cache("shared")
    add.set_shared_carveout(50)
    x, z = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    add(ww.In(x), ww.In(x), ww.Out(z), x.size, grid=1, block=64)
    np.testing.assert_array_equal(z, 2 * x)


def test_wrong_hints_are_refused(add: ww.Kernel) -> None:
    with pytest.raises(ww.ArgumentError, match="'none', 'shared', 'l1' or 'equal', got 'l2'"):
        add.prefer_cache("l2")  # type: ignore[arg-type]
    with pytest.raises(ww.ArgumentError, match="101 percent"):
        add.set_shared_carveout(101)


@pytest.mark.cpu_only("what it has not")
def test_the_cpu_has_no_limit_of_cooperative_blocks(add: ww.Kernel) -> None:
    with pytest.raises(ww.UnsupportedError, match="no limit"):
        add.max_cooperative_blocks(256)


@pytest.mark.cpu_only("what it has not")
def test_gpu_attributes_are_zero_on_the_cpu(add: ww.Kernel) -> None:
    assert (add.ptx_version, add.binary_version, add.cluster) == (0, 0, None)
    assert add.max_dynamic_shared_bytes == ww.Device("cpu").info.max_shared_bytes_per_block


def launch(add: ww.Kernel, **config: object) -> float:
    x = np.ones(4, np.float32)
    z = np.zeros(4, np.float32)
    add(ww.In(x), ww.In(x), ww.Out(z), 4, block=4, **config)  # type: ignore[arg-type]
    return float(z.sum())


def test_a_cluster_of_one_block_is_none(add: ww.Kernel) -> None:
    assert launch(add, cluster=1) == 8


@pytest.mark.cpu_only("what it has not")
def test_clusters_are_refused_on_the_cpu(add: ww.Kernel) -> None:
    with pytest.raises(ww.UnsupportedError, match=r"cpu has no thread block clusters"):
        launch(add, grid=2, cluster=2)


def test_kernels_that_may_start_early_run_in_order_on_the_cpu(add: ww.Kernel) -> None:
    assert launch(add, programmatic=True) == 8
