"""Profiles and ranges."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww

SOURCE = """
template <class T> __global__ void scale(T *x, T f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f;
}
"""


@pytest.fixture
def scale() -> ww.Kernel:
    return ww.SourceModule(SOURCE)["scale<float>"]


def test_a_profile_has_kernels_copies_fills_and_ranges(scale: ww.Kernel) -> None:
    host = np.ones(100_000, np.float32)
    buffer = ww.mem_alloc(host.nbytes)
    with ww.profile() as p:
        with ww.range("upload"):
            buffer.copy_from(host)
        scale(buffer, 2.0, host.size, grid=391, block=256)
        ww.mark("launched")
        buffer.fill(0)
    kernel = next(r for r in p.records if r.kind == "kernel")
    assert kernel.name == "scale<float>"
    assert (kernel.grid, kernel.block) == ((391, 1, 1), (256, 1, 1))
    assert kernel.device == p.device == ww.Device().name
    assert kernel.duration > 0
    copy = next(r for r in p.records if r.kind == "copy")
    assert (copy.bytes, copy.direction) == (host.nbytes, "host to device")
    assert copy.bytes_per_second > 0
    assert {r.kind for r in p.records} == {"kernel", "copy", "fill", "range", "mark"}
    upload = next(r for r in p.records if r.kind == "range")
    assert upload.name == "upload"
    assert upload.thread == threading.get_native_id()
    assert [r.start for r in p.records] == sorted(r.start for r in p.records)


def test_the_table_sums_by_name(scale: ww.Kernel) -> None:
    buffer = ww.mem_alloc(4096)
    with ww.profile() as p:
        for _ in range(3):
            scale(buffer, 2.0, 1024, grid=4, block=256)
    row = next(line for line in p.table().splitlines() if line.startswith("scale<float>"))
    assert row.split()[1] == "3"
    assert f"times by {p.source}" in p.table()


def test_a_trace_is_json_that_chrome_reads(scale: ww.Kernel, tmp_path: Path) -> None:
    buffer = ww.mem_alloc(4096)
    with ww.profile() as p, ww.range('a "name" with \\ and \n'):
        scale(buffer, 2.0, 1024, grid=4, block=256)
    p.save(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert events == json.loads(p.trace())["traceEvents"]
    kernel = next(e for e in events if e.get("cat") == "kernel")
    assert (kernel["ph"], kernel["name"]) == ("X", "scale<float>")
    assert kernel["dur"] > 0
    assert any(e["name"] == 'a "name" with \\ and \n' for e in events)


def test_a_trace_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with ww.profile() as p:
        pass
    with pytest.raises(ww.DeviceError, match=r"cannot be written to '.*nowhere"):
        p.save(str(tmp_path / "nowhere" / "trace.json"))


def test_profiles_of_one_device_exclude_each_other() -> None:
    with ww.profile(), pytest.raises(ww.ArgumentError, match="runs already"), ww.profile():
        pass


def test_a_profile_is_used_once_and_read_afterwards() -> None:
    p = ww.profile()
    with pytest.raises(ww.ArgumentError, match="has not begun"):
        p.table()
    with p, pytest.raises(ww.ArgumentError, match="has not ended"):
        p.records  # noqa: B018
    with pytest.raises(ww.ArgumentError, match="has been used"), p:
        pass
    assert p.records == []


def test_a_source_that_the_device_lacks_is_refused() -> None:
    with pytest.raises(ww.ArgumentError, match=r"no source 'sundial' .* it has"):
        ww.profile(source="sundial")


def test_another_device_than_the_current_one_is_profiled() -> None:
    other = ww.Device("null")
    with ww.profile(device=other) as p, other:
        ww.mem_alloc(64).fill(1)
    assert (p.device, p.source) == ("null", "clock")
    assert [r.kind for r in p.records] == ["fill"]


def test_an_error_inside_is_the_one_that_is_seen() -> None:
    with pytest.raises(ZeroDivisionError), ww.profile() as p:
        1 / 0  # noqa: B018
    assert p.records == []
    with ww.profile():
        pass


@pytest.mark.cpu_only("a fault ends a GPU for the process")
def test_a_fault_inside_is_raised_where_the_block_ends() -> None:
    kernel = ww.SourceModule("__global__ void wild(int *p) { *p = 1; }")["wild"]
    with pytest.raises(ww.LaunchError, match="wild"), ww.profile() as p:
        kernel(ww.Pointer(16), block=1)
    assert [r.name for r in p.records] == ["wild"]


def test_ranges_decorate_functions() -> None:
    with pytest.raises(ww.ArgumentError, match=r"a function is named by @ww\.range"):
        ww.range(lambda: 1)  # type: ignore[arg-type]

    @ww.range("solve")
    def solve(x: int) -> int:
        return x + 1

    with ww.profile() as p:
        assert [solve(1), solve(2)] == [2, 3]
    assert [(r.kind, r.name) for r in p.records] == [("range", "solve")] * 2
    assert solve.__name__ == "solve"


def test_a_range_ends_when_its_block_fails() -> None:
    with ww.profile() as p, pytest.raises(ZeroDivisionError), ww.range("fails"):
        1 / 0  # noqa: B018
    assert [r.name for r in p.records] == ["fails"]


def test_a_range_ends_in_its_own_thread() -> None:
    caught: list[ww.ArgumentError] = []

    def leave(entered: ww.range) -> None:
        try:
            entered.__exit__()
        except ww.ArgumentError as error:
            caught.append(error)

    with ww.range("mine") as entered:
        thread = threading.Thread(target=leave, args=(entered,))
        thread.start()
        thread.join()
    assert "in the thread that began it" in str(caught[0])


@pytest.mark.cpu_only("a forked child has no GPU")
def test_a_forked_child_works_while_its_parent_profiles(scale: ww.Kernel) -> None:
    with ww.profile() as p:
        scale(ww.InOut(np.ones(4, np.float32)), 2.0, 4, block=4)
        child = os.fork()
        if child == 0:
            x = np.ones(4, np.float32)
            scale(ww.InOut(x), 3.0, 4, block=4)
            with ww.range("in the child"):
                pass
            os._exit(0 if x[0] == 3 else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert [r.name for r in p.records if r.kind == "kernel"] == ["scale<float>"]


@pytest.fixture
def drawn(scale: ww.Kernel) -> Any:
    """The axes of a profile with two launches, a range inside of a range, and a mark."""
    mpl = pytest.importorskip("matplotlib")
    mpl.use("Agg")
    buffer = ww.mem_alloc(4096)
    with ww.profile() as p:
        with ww.range("outer"), ww.range("inner"):
            scale(buffer, 2.0, 1024, grid=4, block=256)
            scale(buffer, 2.0, 1024, grid=4, block=256)
        ww.mark("launched")
    axes = p.plot()
    yield p, axes
    mpl.pyplot.close(axes.figure)


def test_a_plot_has_a_bar_for_each_launch(drawn: Any) -> None:
    profile, axes = drawn
    bars = next(c for c in axes.collections if c.get_label() == "scale<float>")
    assert len(bars.get_paths()) == sum(r.kind == "kernel" for r in profile.records)


def test_a_plot_has_rows_for_threads_and_streams(drawn: Any) -> None:
    profile, axes = drawn
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert [label.split()[0] for label in labels] == ["thread", f"{profile.device},"]


def test_a_plot_draws_inner_ranges_lower(drawn: Any) -> None:
    heights = {c.get_label(): c.get_paths()[0].get_extents().height for c in drawn[1].collections}
    assert heights["inner"] == pytest.approx(heights["outer"] / 2)


def test_a_plot_names_its_marks(drawn: Any) -> None:
    assert "launched" in [text.get_text() for text in drawn[1].texts]


def test_a_plot_uses_the_given_axes(drawn: Any) -> None:
    assert drawn[0].plot(drawn[1]) is drawn[1]


def test_an_empty_profile_is_drawn_too() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    with ww.profile() as p:
        pass
    assert not p.plot().collections


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    with ww.profile() as p:
        pass
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ww.UnsupportedError, match=r"pip install warpwise\[plot\]"):
        p.plot()
