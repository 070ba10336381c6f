"""Calls that programs make in loops have a fast path to the core; arguments in any other form
means the same and is refused in the same words."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww


class MyStream(ww.Stream):
    pass


class MyEvent(ww.Event):
    pass


def forms_of_a_stream() -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    stream = ww.Stream()
    made = "".join(["str", "eam"])  # no name that the interpreter has interned
    return [((), {}), ((None,), {}), ((stream,), {}), ((), {"stream": stream}),
            ((), {"stream": None}), ((MyStream(),), {}), ((), {made: stream})]  # fmt: skip


def test_every_form_of_record_records() -> None:
    for args, words in forms_of_a_stream():
        for event in (ww.Event(), MyEvent()):
            assert event.record(*args, **words) is event
            event.synchronize()
            assert event.is_done()
    record = ww.Event.record
    event = ww.Event()
    assert record(event) is event


def test_every_form_of_wait_waits() -> None:
    for stream in (ww.Stream(), MyStream()):
        for event in (ww.Event().record(), MyEvent().record()):
            stream.wait(event)
            stream.wait(event=event)
            stream.synchronize()
            assert event.is_done()


def test_every_form_of_copying_copies() -> None:
    data = np.arange(64, dtype=np.uint8)
    for args, words in forms_of_a_stream():
        by_place = (0, *args) if args else ()
        for host in (data, data.tobytes(), memoryview(data)):
            buffer, back = ww.mem_alloc(64), np.zeros(64, np.uint8)
            buffer.copy_from(host, *by_place, **words)
            ww.Device().synchronize()
            buffer.copy_to(back, *by_place, **words)
            ww.Device().synchronize()
            np.testing.assert_array_equal(back, data)
    part = np.zeros(8, np.uint8)
    buffer.copy_to(part, 8)
    np.testing.assert_array_equal(part, data[8:16])
    buffer.copy_to(part, offset=16)
    np.testing.assert_array_equal(part, data[16:24])
    other = ww.mem_alloc(64)
    other.copy_from(buffer)
    other.copy_to(part)
    np.testing.assert_array_equal(part, data[:8])


def test_every_form_of_allocating_allocates() -> None:
    for args, words in forms_of_a_stream():
        for size in (1, 1000, np.int64(1000), True):
            for _ in range(3):  # from the second on the pool has one ready
                assert ww.mem_alloc(size, *args, **words).size == int(size)
        assert ww.mem_alloc(nbytes=100, **words).size == 100
        assert ww.mem_alloc(0, *args, **words).size == 0


def test_a_block_is_allocated_once() -> None:
    buffers = [ww.mem_alloc(1000) for _ in range(4)]
    addresses = {buffer.address for buffer in buffers}
    del buffers
    again = [ww.mem_alloc(1000) for _ in range(4)]
    assert len({buffer.address for buffer in again}) == 4
    assert {buffer.address for buffer in again} == addresses
    again[0].free()
    assert again[0].is_freed
    assert not ww.mem_alloc(1000).is_freed


def test_a_buffer_is_freed_once() -> None:
    for buffer in (ww.mem_alloc(64), ww.mem_alloc_unpooled(64, ww.Device())):
        buffer.free()
        with pytest.raises(ww.ArgumentError, match="freed before"):
            buffer.free()
        with pytest.raises(ww.ArgumentError, match="freed before"):
            buffer.copy_from(b"x")
        with pytest.raises(ww.ArgumentError, match="freed before"):
            buffer.copy_to(bytearray(1), stream=ww.Stream())


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: ww.Event().record(1), r"Event\.record\(\) expects .* for 'stream', got 1"),
    (lambda: ww.Event().record(ww.Event()), r"Event\.record\(\) expects .* for 'stream'"),
    (lambda: ww.Event().record(None, None), r"Event\.record\(\) takes 'stream' by position, got 2"),
    (lambda: ww.Event().record(strem=None), r"no parameter 'strem'; did you mean 'stream'"),
    (lambda: ww.Event().record(None, stream=None), r"got 'stream' twice"),
    (lambda: ww.Event.record(ww.Stream()), r"belongs to a ww\.Event"),
    (lambda: ww.Stream().wait(), r"Stream\.wait\(\) is missing 'event'"),
    (lambda: ww.Stream().wait(None), r"expects a ww\.Event for 'event', got None"),
    (lambda: ww.Stream().wait(ww.Stream()), r"expects a ww\.Event for 'event'"),
    (lambda: ww.Stream().wait(ww.Event(), 1), r"takes 'event' by position, got 2"),
    (lambda: ww.mem_alloc(), r"mem_alloc\(\) is missing 'nbytes'"),
    (lambda: ww.mem_alloc(1.5), r"expects an int for 'nbytes', got 1\.5; convert it with int\(\)"),
    (lambda: ww.mem_alloc(-1), r"nbytes expects 0 or more, got -1"),
    (lambda: ww.mem_alloc(8, 8), r"for 'stream', got 8"),
    (lambda: ww.mem_alloc(8, size=8), r"no parameter 'size'"),
    (lambda: ww.mem_alloc(8).free(1), r"Buffer\.free\(\) takes nothing by position"),
    (lambda: ww.mem_alloc(8).copy_from(), r"copy_from\(\) is missing"),
    (lambda: ww.mem_alloc(8).copy_from("text"), r"copy_from got 'text'"),
    (lambda: ww.mem_alloc(8).copy_from(b"123456789"), r"past its end"),
    (lambda: ww.mem_alloc(8).copy_to(b"x"), r"read-only"),
    (lambda: ww.mem_alloc(8).copy_to(np.zeros((4, 4))[:, 0]), r"not contiguous"),
    (lambda: ww.mem_alloc(8).copy_to(np.zeros(1), stream=3), r"for 'stream', got 3"),
    (lambda: ww.mem_alloc(8).copy_to(np.zeros(1), on=None), r"no parameter 'on'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_refusals_say_what_is_wrong(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ww.ArgumentError, match=words):
        call()


def test_more_than_there_can_be_is_out_of_memory() -> None:
    with pytest.raises(ww.OutOfMemoryError):
        ww.mem_alloc(2**70)


@pytest.mark.filterwarnings("ignore:nanobind")
def test_objects_without_a_value_are_refused() -> None:
    for call in (
        lambda: ww.Event.__new__(ww.Event).record(),
        lambda: ww.Stream.__new__(ww.Stream).wait(ww.Event()),
        lambda: ww.Stream().wait(ww.Event.__new__(ww.Event)),
        lambda: ww.Buffer.__new__(ww.Buffer).free(),
        lambda: ww.Buffer.__new__(ww.Buffer).copy_from(b"x"),
        lambda: ww.Kernel.__new__(ww.Kernel)[1, 1],
        lambda: ww.Kernel.__new__(ww.Kernel)(block=1),
    ):
        with pytest.raises((TypeError, RuntimeError)):
            call()


def test_a_stream_that_is_captured_refuses_memory() -> None:
    stream = ww.Stream()
    ww.mem_alloc(500, stream)
    with stream.capture(), pytest.raises(ww.ArgumentError, match="captured"):
        ww.mem_alloc(500, stream)


@pytest.fixture(scope="module")
def kernel() -> ww.Kernel:
    source = (
        "__global__ void k(int *out, int n) { out[blockIdx.x * blockDim.x + threadIdx.x] = n; }"
    )
    return ww.SourceModule(source)["k"]


def test_every_form_of_a_launch_launches(kernel: ww.Kernel) -> None:
    stream = ww.Stream()
    block, four = "block", {"grid": (2, 1), "block": (4, 1, 1), "stream": stream, "shared": 16}
    launches: list[Callable[[ww.Buffer, int], Any]] = [
        lambda out, n: kernel(out, n, grid=2, block=4),
        lambda out, n: kernel(out, n, **four),
        lambda out, n: kernel(out, n, grid=[2], block=np.int32(4), stream=None),
        lambda out, n: kernel(*[out, n], **{"gr" + "id": 2, "".join(block): 4}),
        lambda out, n: kernel(out, n, grid=2, block=4, cooperative=False, programmatic=False),
        lambda out, n: ww.Kernel.__call__(kernel, out, n, grid=2, block=4),
        lambda out, n: kernel[2, 4](out, n),
        lambda out, n: kernel[(2,), (4, 1), stream, 16](out, n),
        lambda out, n: kernel.__getitem__((2, 4))(out, n),
        lambda out, n: ww.Kernel.__getitem__(kernel, (2, 4, None))(out, n),
    ]
    for n, launch in enumerate(launches, start=1):
        out, back = ww.mem_alloc(32), np.zeros(8, np.int32)
        launch(out, n)
        ww.Device().synchronize()
        out.copy_to(back)
        np.testing.assert_array_equal(back, n)


def test_refused_launches_say_what_is_wrong(kernel: ww.Kernel) -> None:
    out = ww.mem_alloc(32)
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: kernel(out, 1), "expects block="),
        (lambda: kernel(out, 1, grid=2), "expects block="),
        (lambda: kernel((2,), (4,), (out, 1)), r"CuPy's .* is kernel\[grid, block\]\("),
        (lambda: kernel(out, 1, block=None), "expects block="),
        (lambda: kernel(out, 1, block=4, blok=4), "no parameter 'blok'; did you mean 'block'"),
        (lambda: kernel(out, 1, block="four"), "block expects"),
        (lambda: kernel(out, 1, block=(1, 2, 3, 4)), "block expects 1 to 3 ints, got 4"),
        (lambda: kernel(out, 1, block=4, stream=5), "stream"),
        (lambda: kernel(out, 1, block=2**80), "exceeds every limit"),
        (lambda: kernel(out, block=4), "takes 2 arguments, but 1 was given"),
        (lambda: kernel(1, 1, block=4), "'out' expects int"),
        (lambda: kernel(out, 1.5, block=4), "'n' expects int"),
        (lambda: kernel[2](out, 1), "expects 2 to 4 entries, got 1"),
        (lambda: kernel[()], "expects 2 to 4 entries, got 0"),
        (lambda: kernel[1, 2, None, 0, 5], "expects 2 to 4 entries, got 5"),
        (lambda: kernel["a", 1], "grid expects"),
        (lambda: kernel[1, 1, 7], "stream"),
    ]
    for call, words in refused:
        with pytest.raises(ww.ArgumentError, match=words):
            call()


def counts(objects: list[Any]) -> list[int]:
    gc.collect()
    return [sys.getrefcount(each) for each in objects]


def test_calls_leak_no_references(kernel: ww.Kernel) -> None:
    stream, event, other = ww.Stream(), ww.Event(), ww.Stream()
    buffer, host, grid = ww.mem_alloc(64), np.zeros(16, np.int32), (1, 1)
    objects = [stream, event, other, buffer, host, grid, kernel, None, ww.Event, ww.Buffer,
               ww.Stream, ww.Kernel, type(kernel[1, 1])]  # fmt: skip

    def once() -> None:
        event.record(stream)
        event.record()
        event.record(stream=None)
        other.wait(event)
        buffer.copy_from(host)
        buffer.copy_to(host)
        ww.mem_alloc(1000)
        ww.mem_alloc(1000, stream).free()
        kernel[1, 1](buffer, 1)
        kernel[grid, grid, stream](buffer, 1)
        kernel(buffer, 1, grid=grid, block=grid, stream=stream)
        for wrong in (lambda: event.record(1), lambda: kernel(buffer, 1), lambda: kernel[1],
                      lambda: buffer.copy_to(b"x"), lambda: stream.wait(buffer)):  # fmt: skip
            with pytest.raises(ww.ArgumentError):
                wrong()

    for _ in range(10):
        once()
    ww.Device().synchronize()
    before = counts(objects)
    for _ in range(100):
        once()
    ww.Device().synchronize()
    grown = [b - a for a, b in zip(before, counts(objects), strict=True)]
    assert max(grown) < 50, dict(zip(map(repr, objects), grown, strict=True))


def test_threads_allocate_and_record_at_once() -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            stream, event = ww.Stream(), ww.Event()
            for i in range(300):
                buffer = ww.mem_alloc(500 + i % 3, stream)
                buffer.copy_from(b"x" * 500, stream=stream)
                event.record(stream)
                stream.wait(event)
            stream.synchronize()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
