"""Named tuples, dataclasses and tuples of arrays as arguments of kernels."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function


class Point(NamedTuple):
    x: float
    y: int = 3


class Table(NamedTuple):
    values: np.ndarray
    origin: Point


@dataclasses.dataclass
class Settings:
    scale: float
    table: Table


@Function
def named(out, point, table):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = point.x * table.values[i] + table.origin.y + len(point)
        table.values[i] = -table.origin[0]


def test_named_tuples():
    out, values = np.zeros(4), np.arange(4.0)
    named[1, 4](out, Point(0.5), Table(values, Point(2.0, 7)))
    assert out.tolist() == [9, 9.5, 10, 10.5] and values.tolist() == [-2] * 4


def test_arrays_on_the_device_and_other_types():
    out = ww.zeros(4)
    values = ww.arange(4, dtype=np.int32)
    named[1, 4](out, Point(2), Table(values, Point(2, np.float32(1.5))))
    assert out.get().tolist() == [3.5, 5.5, 7.5, 9.5] and values.get().tolist() == [-2] * 4
    named[1, 4](out, Point(1), Table(values, Point(2, np.float32(1.5))))
    assert out.get().tolist() == [1.5] * 4


def test_dataclasses():
    def kernel(out, settings):
        out[0] = settings.scale * settings.table.values.size + settings.table.origin.x

    out = np.zeros(1)
    Function(kernel)[1, 1](out, Settings(1.5, Table(np.zeros((2, 3)), Point(0.25))))
    assert out[0] == 9.25


def test_tuples_of_arrays():
    def kernel(outputs, inputs, empty):
        (first, second), (a, (b, factor)) = outputs, inputs
        for i in range(len(first)):
            first[i] = a[i] * factor
            second[i] = b[i] + len(empty)
        for k, each in enumerate(outputs):
            each[0] += 10 * (k + 1)

    first, second = np.zeros(3), np.zeros(3)
    inputs = (np.arange(3.0), (np.arange(3), 2))
    Function(kernel)[1, 1]((first, second), inputs, ())
    assert first.tolist() == [10, 2, 4] and second.tolist() == [20, 1, 2]


def test_arrays_that_overlap_share_their_memory():
    def kernel(pair):
        pair[0][0] = 5
        pair[1][1] = pair[1][0] + 1

    whole = np.zeros(4)
    Function(kernel)[1, 1]((whole[1:], whole[1:3]))
    assert whole.tolist() == [0, 5, 6, 0]


def test_each_shape_is_compiled_once():
    for _ in range(3):
        named[1, 4](np.zeros(4), Point(1), Table(np.zeros(4), Point(1.0)))
    shapes = [key for key in named._shaped if key[1] == (Point, Table)]
    assert len(shapes) == 1


def test_exceptions_have_the_line_of_the_kernel():
    @cuda.jit(debug=True, opt=False)
    def kernel(table):
        table.values[cuda.grid(1) + 3] = 1

    with pytest.raises(IndexError, match="index 3"):
        kernel[1, 1](Table(np.zeros(3), Point(1.0)))


def test_what_is_refused_has_its_line():
    def kernel(point, out):
        out[0] = point.z

    with pytest.raises(ww.CompileError, match="has no field 'z'; did you mean") as caught:
        Function(kernel)[1, 1](Point(1.0), np.zeros(1))
    assert "out[0] = point.z" in str(caught.value)
    with pytest.raises(TypeError, match="argument 1 is a set, which is no argument"):
        Function(kernel)[1, 1](Point({3}), np.zeros(1))
