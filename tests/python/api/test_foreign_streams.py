"""Streams of other libraries, by handle and by protocol: what is refused without a GPU."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("GPUs have all of this")


class Foreign:
    def __init__(self, answer: object) -> None:
        self.answer = answer

    def __cuda_stream__(self) -> object:
        return self.answer


def test_streams_of_the_cpu_have_no_handle() -> None:
    with pytest.raises(ww.UnsupportedError, match="streams of cpu have no handles"):
        ww.Stream().handle  # noqa: B018
    with pytest.raises(ww.UnsupportedError, match="belong to GPUs"):
        ww.Stream.from_handle(1)
    with pytest.raises(ww.UnsupportedError):
        ww.Stream().__cuda_stream__()


@pytest.mark.parametrize("use", ["Stream", "launch", "bound", "fill", "graph", "record", "copy"])
def test_streams_of_other_libraries_are_refused_on_the_cpu(add: ww.Kernel, use: str) -> None:
    foreign: Any = Foreign((0, 4096))
    buffer, host = ww.mem_alloc(16), np.zeros(4, np.float32)
    with ww.Stream().capture() as graph:
        pass
    uses = {
        "Stream": lambda: ww.Stream(foreign),
        "launch": lambda: add(buffer, buffer, buffer, 4, block=4, stream=foreign),
        "bound": lambda: add[1, 4, foreign],
        "fill": lambda: buffer.fill(0, stream=foreign),
        "graph": lambda: graph.launch(foreign),
        "record": lambda: ww.Event().record(foreign),
        "copy": lambda: buffer.copy_from(host, stream=foreign),
    }
    with pytest.raises(ww.UnsupportedError, match="have no handles"):
        uses[use]()


@pytest.mark.parametrize("answer", [4096, (0,), (0, "a"), ("0", 1), (0, -1), None])
def test_a_protocol_that_gives_no_handle_is_refused(answer: object) -> None:
    with pytest.raises(ww.ArgumentError, match="it must return"):
        ww.Stream(Foreign(answer))


def test_another_version_of_the_protocol_is_refused() -> None:
    with pytest.raises(ww.ArgumentError, match="has version 3"):
        ww.Stream(Foreign((3, 4096)))


def test_what_is_no_stream_is_refused(add: ww.Kernel) -> None:
    wrong: Any = "a stream"
    with pytest.raises(ww.ArgumentError, match="stream"):
        ww.mem_alloc(16, stream=wrong)
    with pytest.raises(ww.ArgumentError, match="stream expects"):
        add[1, 1, wrong]


def test_a_stream_of_a_stream_is_the_same() -> None:
    stream = ww.Stream()
    assert ww.Stream(stream) == stream
    with pytest.raises(ww.ArgumentError, match="takes no priority"):
        ww.Stream(stream, priority=-1)


def test_each_thread_has_a_stream_of_its_own() -> None:
    own, others = ww.Stream.per_thread(), []
    thread = threading.Thread(target=lambda: others.append(ww.Stream.per_thread()))
    thread.start()
    thread.join()
    assert ww.Stream.per_thread() == own != ww.Stream.current()
    assert not own.is_default
    # The thread is on the default device, which may be another.
    assert others[0] != own


def test_the_cpu_ignores_priorities() -> None:
    assert ww.Device().stream_priorities == (0, 0)
    ww.Stream(priority=-3).synchronize()
