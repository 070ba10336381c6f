"""Streams, events, host functions and graphs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import warpwise as ww

STEP = "__global__ void step(int *p) { *p = *p * 3 + 1; }"


def test_with_makes_a_stream_current() -> None:
    before = ww.Stream.current()
    with ww.Stream() as outer, ww.Stream() as inner:
        assert ww.Stream.current() == inner != outer
    assert ww.Stream.current() == before


def test_the_default_stream_is_current_at_first() -> None:
    assert ww.Stream.current().is_default
    assert ww.Stream.current() == ww.Device().default_stream


def test_a_with_block_cannot_be_exited_in_another_thread() -> None:
    stream, caught = ww.Stream(), []
    stream.__enter__()

    def leave() -> None:
        try:
            stream.__exit__(None, None, None)
        except ww.ArgumentError as error:
            caught.append(error)

    thread = threading.Thread(target=leave)
    thread.start()
    thread.join()
    stream.__exit__(None, None, None)
    assert "thread" in str(caught[0])


def test_streams_are_hashable() -> None:
    a, b = ww.Stream(), ww.Stream()
    assert len({a, b, a}) == 2


def test_work_runs_in_order() -> None:
    step, cell = ww.SourceModule(STEP)["step"], np.zeros(1, np.int32)
    with ww.Stream() as stream:
        buffer = ww.mem_alloc(4)
        buffer.copy_from(cell, stream=stream)
        for _ in range(5):
            step(buffer, block=1)
        buffer.copy_to(cell, stream=stream)
        stream.synchronize()
    assert stream.is_done()
    assert cell[0] == (3**5 - 1) // 2


def test_events_order_streams() -> None:
    first, second, order = ww.Stream(), ww.Stream(), []
    gate = threading.Event()
    first.call_host(lambda: (gate.wait(10), order.append("first")))
    second.wait(first.record())
    second.call_host(lambda: order.append("second"))
    gate.set()
    second.synchronize()
    assert order == ["first", "second"]


def test_events_measure_time() -> None:
    stream = ww.Stream()
    start = stream.record()
    stream.call_host(lambda: threading.Event().wait(0.02))
    end = stream.record()
    end.synchronize()
    assert start.time_till(end) >= 19
    assert end.time_since(start) == start.time_till(end)


def test_record_gives_the_event_itself() -> None:
    event = ww.Event()
    assert event.is_done()
    assert event.record() is event
    event.synchronize()
    assert event.is_done()


def test_events_without_time_refuse_to_measure() -> None:
    stream = ww.Stream()
    start, end = ww.Event(timing=False).record(stream), ww.Event().record(stream)
    end.synchronize()
    with pytest.raises(ww.ArgumentError, match=r"timing|time"):
        start.time_till(end)


def test_events_never_recorded_refuse_to_measure() -> None:
    with pytest.raises(ww.ArgumentError, match="recorded"):
        ww.Event().time_till(ww.Event())


def test_errors_of_host_functions_surface_at_synchronisation() -> None:
    stream = ww.Stream()
    stream.call_host(lambda: 1 // 0)
    with pytest.raises(ww.Error, match="ZeroDivisionError"):
        stream.synchronize()
    stream.synchronize()


ADD_ONE = "__global__ void add_one(float *x) { x[threadIdx.x] += 1; }"


@pytest.mark.parametrize("make", [ww.Stream, lambda: ww.Stream(non_blocking=True)])
@pytest.mark.parametrize("where", ["its own", "the default"])
@pytest.mark.parametrize("what", ["copy", "launch", "synchronize", "copy_box"])
def test_a_host_function_that_waits_for_its_device_is_refused(
    make: Callable[[], ww.Stream], where: str, what: str
) -> None:
    stream, kernel = make(), ww.SourceModule(ADD_ONE)["add_one"]
    used = stream if where == "its own" else None
    buffer, host = ww.mem_alloc(16), np.zeros(4, np.float32)

    def waits() -> None:
        with used if used is not None else contextlib.nullcontext():
            if what == "copy":
                buffer.copy_to(host)
            elif what == "launch":
                kernel(ww.InOut(host), block=4)
            elif what == "copy_box":
                ww.copy_box(host, buffer, 16)
            else:
                ww.Stream.current().synchronize()

    stream.call_host(waits)
    with pytest.raises(ww.Error, match="waits for work of its own device"):
        stream.synchronize()
    stream.synchronize()


@pytest.mark.cpu_only("GPUs refuse every call from a host function")
def test_a_host_function_may_start_what_it_does_not_wait_for() -> None:
    stream, kernel = ww.Stream(), ww.SourceModule(ADD_ONE)["add_one"]
    buffer, host = ww.mem_alloc(16), np.zeros(4, np.float32)
    buffer.copy_from(host)
    stream.call_host(lambda: kernel(buffer, block=4, stream=stream))
    stream.synchronize()
    stream.synchronize()
    buffer.copy_to(host)
    assert host.tolist() == [1, 1, 1, 1]


def test_waiting_lets_other_threads_run() -> None:
    stream, seen = ww.Stream(), threading.Event()
    stream.call_host(lambda: seen.wait(10))
    thread = threading.Thread(target=seen.set)
    thread.start()
    stream.synchronize()
    assert seen.is_set()
    thread.join()


def test_graphs_run_again_and_again() -> None:
    step, buffer, cell = ww.SourceModule(STEP)["step"], ww.mem_alloc(4), np.zeros(1, np.int32)
    buffer.copy_from(cell)
    with ww.Stream().capture() as graph:
        step(buffer, block=1)
        step(buffer, block=1)
    assert len(graph) == 2
    buffer.copy_to(cell)
    assert cell[0] == 0
    for _ in range(3):
        graph.launch()
    buffer.copy_to(cell)
    assert cell[0] == (3**6 - 1) // 2


def test_graphs_keep_the_host_memory_of_their_copies() -> None:
    stream, buffer, result = ww.Stream(), ww.mem_alloc(8000), np.zeros(1000)
    with stream.capture() as graph:
        buffer.copy_from(np.full(1000, 4.0), stream=stream)
    buffer.fill(0)
    graph.launch(stream)
    stream.synchronize()
    buffer.copy_to(result)
    assert (result == 4).all()


def test_unfinished_graphs_cannot_be_launched() -> None:
    with ww.Stream().capture() as graph:
        assert repr(graph) == "Graph(not captured)"
        with pytest.raises(ww.ArgumentError, match="not ended"):
            graph.launch()


def test_a_failed_capture_leaves_the_stream_usable() -> None:
    stream = ww.Stream()
    with pytest.raises(KeyError), stream.capture() as graph:
        raise KeyError
    assert not stream.is_capturing()
    with pytest.raises(ww.ArgumentError, match="ended with an error"):
        graph.launch()


def test_host_arrays_cannot_be_captured(add: ww.Kernel) -> None:
    x = np.zeros(4, np.float32)
    with ww.Stream().capture(), pytest.raises(ww.Error, match="captur"):
        add(ww.In(x), ww.In(x), ww.Out(x), 4, block=4)


WILD = "__global__ void wild(int *p) { *p = 1; }"


@pytest.mark.cpu_only("it survives what kernels do wrong")
@pytest.mark.parametrize("lost", ["while it works", "when it is done"])
@pytest.mark.parametrize("waits", ["event", "device"])
def test_the_error_of_a_stream_without_a_handle_is_raised_once(waits: str, lost: str) -> None:
    stream = ww.Stream()
    if lost == "while it works":
        stream.call_host(lambda: time.sleep(0.05))
    ww.SourceModule(WILD)["wild"][1, 1, stream](ww.Pointer(64))
    event = stream.record()
    while lost == "when it is done" and not event.is_done():
        time.sleep(0.001)
    del stream
    wait = event.synchronize if waits == "event" else ww.Device().synchronize
    with pytest.raises(ww.LaunchError, match="wild"):
        wait()
    event.synchronize()
    ww.Device().synchronize()
