"""Graphs: what a captured launch can be given later, and what host memory a launch holds."""

from __future__ import annotations

import gc
import threading

import devices
import numpy as np
import pytest

import warpwise as ww

FILL = """
__global__ void fill(int *x, int value, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = value; }
"""


@pytest.fixture(scope="module")
def fill() -> ww.Kernel:
    return ww.SourceModule(FILL, name="fill.cu", device=ww.Device(devices.NAME))["fill"]


def values(buffer: ww.Buffer) -> list[int]:
    result = np.zeros(buffer.nbytes // 4, np.int32)
    buffer.copy_to(result)
    return result.tolist()


def test_kernels_of_a_graph_are_listed(fill: ww.Kernel) -> None:
    x = ww.mem_alloc(16)
    with ww.Stream().capture() as graph:
        x.fill(0)
        fill[(2, 1), 8](x, 1, 4)
    (kernel,) = graph.kernels
    assert isinstance(kernel, ww.GraphKernel)
    assert (kernel.name, kernel.grid, kernel.block) == ("fill", (2, 1, 1), (8, 1, 1))
    assert (kernel.shared, kernel.cooperative) == (0, False)
    assert kernel.signature.parameters[1].name == "value"
    assert repr(kernel) == "<GraphKernel fill grid=(2, 1, 1) block=(8, 1, 1)>"


def test_kernels_take_new_arguments(fill: ww.Kernel) -> None:
    x, y = ww.mem_alloc(16), ww.mem_alloc(16)
    with ww.Stream().capture() as graph:
        fill[1, 4](x, 1, 4)
    graph.launch()
    graph.kernels[0].set_arguments(y, np.int32(2), 4)
    graph.launch()
    assert values(x) == [1, 1, 1, 1]
    assert values(y) == [2, 2, 2, 2]


def test_kernels_take_another_grid_and_block(fill: ww.Kernel) -> None:
    x = ww.mem_alloc(16)
    x.fill(0)
    with ww.Stream().capture() as graph:
        fill[1, 1](x, 1, 4)
    kernel = graph.kernels[0]
    kernel.set_config(block=2)
    graph.launch()
    assert values(x) == [1, 1, 0, 0]
    kernel.set_config(grid=(2,), shared=64)
    assert (kernel.grid, kernel.block, kernel.shared) == ((2, 1, 1), (2, 1, 1), 64)
    graph.launch()
    assert values(x) == [1, 1, 1, 1]


def test_changes_do_not_affect_launches_in_progress(fill: ww.Kernel) -> None:
    stream, gate, x = ww.Stream(), threading.Event(), ww.mem_alloc(4)
    seen = np.zeros(2, np.int32)
    with stream.capture() as graph:
        fill[1, 1](x, 1, 1)
    stream.call_host(lambda: gate.wait(10))
    graph.launch(stream)
    x.copy_to(seen[:1], stream=stream)
    graph.kernels[0].set_arguments(x, 2, 1)
    graph.launch(stream)
    x.copy_to(seen[1:], stream=stream)
    gate.set()
    stream.synchronize()
    assert seen.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1,), "takes 3 arguments"),
        ((None, 2.5, 1), "value"),
        ((np.zeros(4, np.int32), 1, 4), "ww.In"),
        ((ww.InOut(np.zeros(4, np.int32)), 1, 4), "cannot be part of a graph"),
    ],
)
def test_wrong_arguments_change_nothing(
    fill: ww.Kernel, arguments: tuple[object, ...], message: str
) -> None:
    x = ww.mem_alloc(4)
    with ww.Stream().capture() as graph:
        fill[1, 1](x, 1, 1)
    with pytest.raises(ww.ArgumentError, match=message):
        graph.kernels[0].set_arguments(*arguments)
    graph.launch()
    assert values(x) == [1]


def test_wrong_extents_change_nothing(fill: ww.Kernel) -> None:
    x = ww.mem_alloc(4)
    with ww.Stream().capture() as graph:
        fill[1, 1](x, 1, 1)
    kernel = graph.kernels[0]
    with pytest.raises(ww.LaunchError, match="at most"):
        kernel.set_config(block=100_000)
    with pytest.raises(ww.ArgumentError, match="at least 1"):
        kernel.set_config(grid=0)
    with pytest.raises(ww.ArgumentError, match="grid expects"):
        kernel.set_config(grid="many")  # type: ignore[arg-type]
    assert (kernel.grid, kernel.block) == ((1, 1, 1), (1, 1, 1))


def test_a_launch_keeps_the_host_memory_of_a_released_graph() -> None:
    stream, gate, x = ww.Stream(), threading.Event(), ww.mem_alloc(1 << 20)
    with stream.capture() as graph:
        x.copy_from(np.full(1 << 18, 7, np.int32), stream=stream)
    stream.call_host(lambda: gate.wait(10))
    graph.launch(stream)
    del graph
    gc.collect()
    others = [np.zeros(1 << 18, np.int32) for _ in range(4)]
    gate.set()
    stream.synchronize()
    assert set(values(x)) == {7}
    del others


def test_streams_join_a_capture_by_waiting() -> None:
    """A branch on another stream is part of the graph, host memory of its copies too."""
    stream, other = ww.Stream(), ww.Stream()
    left, right = ww.mem_alloc(16), ww.mem_alloc(16)
    result = np.zeros(8, np.int32)
    with stream.capture() as graph:
        fork = stream.record()
        assert fork.is_captured()
        other.wait(fork)
        assert other.is_capturing()
        right.copy_from(np.full(4, 7, np.int32), stream=other)
        left.copy_from(np.full(4, 5, np.int32), stream=stream)
        stream.wait(other.record())
        left.copy_to(result[:4], stream=stream)
        right.copy_to(result[4:], stream=stream)
    assert not other.is_capturing()
    assert not fork.is_captured()
    gc.collect()
    for _ in range(2):
        result[:] = 0
        graph.launch(stream)
        stream.synchronize()
        assert result.tolist() == [5] * 4 + [7] * 4


def test_a_branch_that_is_not_joined_is_named(fill: ww.Kernel) -> None:
    stream, other, buffer = ww.Stream(), ww.Stream(), ww.mem_alloc(64)
    buffer.fill(0)
    with pytest.raises(ww.ArgumentError, match="the launch of fill"), stream.capture():
        other.wait(stream.record())
        fill[1, 16, other](buffer, 1, 16)
    assert not other.is_capturing()
    other.synchronize()


def test_an_error_in_the_block_is_not_hidden_by_a_branch(fill: ww.Kernel) -> None:
    stream, other, buffer = ww.Stream(), ww.Stream(), ww.mem_alloc(64)
    with pytest.raises(KeyError), stream.capture():
        other.wait(stream.record())
        fill[1, 16, other](buffer, 1, 16)
        raise KeyError
    assert not stream.is_capturing()
    assert not other.is_capturing()


def test_copies_of_arrays_are_part_of_a_graph() -> None:
    stream, array = ww.Stream(), ww.CudaArray((4, 8), np.float32)
    source, result = np.zeros((4, 8), np.float32), np.zeros((4, 8), np.float32)
    with stream.capture() as graph:
        ww.copy_box(array, source, 32, 4, stream=stream)
        ww.copy_box(result, array, 32, 4, stream=stream)
    for value in (1, 2):
        source[:] = value
        graph.launch(stream)
        stream.synchronize()
        assert np.array_equal(result, source)
