"""kernel.report() and kernel.compile_fully(): which lines of a kernel are vector accesses."""

from __future__ import annotations

from typing import Any

import devices
import numpy as np
import pytest

import warpwise as ww

SOURCE = """__global__ void copy(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
__global__ void pick(const float *x, const int *places, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] =
        x[places[i]];
}
__global__ void put(const float *x, const int *places, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[places[i]] = x[i];
}
__global__ void add(unsigned *counts, const int *places) {
    atomicAdd(counts + places[threadIdx.x], 1u);
}
"""
pytestmark = pytest.mark.cpu_only("forms of kernels are the CPU device's")


@pytest.fixture
def module() -> ww.SourceModule:
    return ww.SourceModule(SOURCE, name="report.cu", options=["--warpwise-executor=gang"])


def full_form(kernel: ww.Kernel, block: Any = 256) -> ww.KernelForm:
    kernel.compile_fully(block)
    return kernel.report().forms[-1]


def line_of(form: ww.KernelForm, number: int) -> ww.LineReport:
    (line,) = (line for line in form.lines if line.line == number)
    return line


def test_a_kernel_has_a_form_for_any_block_first(module: ww.SourceModule) -> None:
    (form,) = module["copy"].report().forms
    assert form.block is None
    assert form.executor == "gang"


def test_a_form_is_made_for_the_block(module: ww.SourceModule) -> None:
    assert full_form(module["copy"], (64, 2)).block == (64, 2, 1)


def test_a_form_is_made_once(module: ww.SourceModule) -> None:
    module["copy"].compile_fully(128)
    module["copy"].compile_fully(128)
    assert [form.block for form in module["copy"].report().forms] == [None, (128, 1, 1)]


def test_neighbours_are_vectors(module: ww.SourceModule) -> None:
    line = line_of(full_form(module["copy"]), 3)
    assert (line.file, line.vectors, line.gathers, line.scatters) == ("report.cu", 2, 0, 0)


def test_a_gather_is_reported_at_its_line(module: ww.SourceModule) -> None:
    form = full_form(module["pick"])
    assert (line_of(form, 8).gathers, line_of(form, 7).gathers) == (1, 0)


def test_a_scatter_is_reported_at_its_line(module: ww.SourceModule) -> None:
    assert line_of(full_form(module["put"]), 12).scatters == 1


def test_what_runs_for_single_threads_is_reported(module: ww.SourceModule) -> None:
    form = full_form(module["add"])
    assert form.lane_by_lane > 0
    assert line_of(form, 15).lane_by_lane > 0


def test_the_table_names_the_lines_that_are_no_vectors(module: ww.SourceModule) -> None:
    module["pick"].compile_fully(256)
    text = str(module["pick"].report())
    assert "blocks of 256 x 1 x 1: executor gang" in text
    assert "report.cu:8" in text


def test_the_table_says_that_all_are_vectors(module: ww.SourceModule) -> None:
    module["copy"].compile_fully(256)
    assert "all 2 accesses of memory by several threads are vectors" in str(module["copy"].report())


def test_a_launch_uses_the_form(module: ww.SourceModule) -> None:
    x, y = np.arange(512, dtype=np.float32), np.zeros(512, np.float32)
    module["copy"].compile_fully(256)
    module["copy"](ww.In(x), ww.Out(y), 512, grid=2, block=256)
    assert (x == y).all()


def test_reports_survive_the_cache(module: ww.SourceModule) -> None:
    again = ww.SourceModule(SOURCE, name="report.cu", options=["--warpwise-executor=gang"])
    assert str(full_form(module["put"]).lines) == str(full_form(again["put"]).lines)


def test_executor_reference_has_one_form() -> None:
    kernel = ww.SourceModule(SOURCE, options=["--warpwise-executor=reference"])["copy"]
    kernel.compile_fully(256)
    (form,) = kernel.report().forms
    assert (form.executor, form.lane_by_lane, form.lines) == ("reference", 1.0, [])


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (0, "axis 0 may be 1 to 1024"),
        ((1, 1, 65), "axis 2 may be 1 to 64"),
        ((64, 32), "2048 threads, and at most 1024"),
    ],
)
def test_a_block_beyond_limits_is_refused(module: ww.SourceModule, block: Any, text: str) -> None:
    with pytest.raises(ww.ArgumentError, match=text):
        module["copy"].compile_fully(block)


def test_the_objects_have_texts(module: ww.SourceModule) -> None:
    report = module["pick"].report()
    assert repr(report) == "<KernelReport of 'pick', 1 forms>"
    assert repr(report.forms[0]) == "<KernelForm for any block, executor gang>"
    assert report.device == devices.NAME
