"""Strings that UTF-8 has no bytes for, as os.fsdecode() makes of names in other encodings: used as
text they are refused by parameter and place, and shown they are escaped."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

ODD = "a\udcff"
SOURCE = "__global__ void k(float *x) {}"
RECORDS: Any = np.zeros(3, np.dtype([(ODD, "f4"), ("b", "f4")]))

REFUSED: dict[str, Callable[[], object]] = {
    "from_file": lambda: ww.SourceModule.from_file(ODD),
    "from_bytes": lambda: ww.Module.from_bytes(ODD),  # type: ignore[arg-type]
    "link": lambda: ww.link([ODD]),
    "options": lambda: ww.SourceModule(SOURCE, options=[ODD]),
    "include_dirs": lambda: ww.SourceModule(SOURCE, include_dirs=[ODD]),
    "headers": lambda: ww.SourceModule(SOURCE, headers={"a.h": ODD}),
    "device": lambda: ww.zeros(3, device=ODD),
    "dtype_out": lambda: ww.ReductionKernel(ODD, "0", "a+b"),
    "map_expr": lambda: ww.ReductionKernel(np.float32, "0", "a+b", ODD, "float *x"),
    "arguments": lambda: ww.ElementwiseKernel(ODD, "x[i] = 1"),
    "the name of a struct's field": lambda: ww.In(RECORDS),
}


@pytest.mark.parametrize("role", REFUSED)
def test_text_that_is_used_is_refused_by_parameter(role: str) -> None:
    words = rf"{role} expects Unicode text, got the lone surrogate '\udcff' at index 1"
    with pytest.raises(ww.ArgumentError, match=re.escape(words)):
        REFUSED[role]()


SHOWN: dict[str, Callable[[], object]] = {
    "array field": lambda: ww.zeros(3, np.float32)[ODD],
    "order": lambda: ww.zeros(3, np.float32).copy(ODD),
    "kind": lambda: ww.sort(ww.zeros(3, np.float32), kind=ODD),
    "address": lambda: ww.Texture(ww.mem_alloc(64), np.float32, address=ODD),
    "keyword": lambda: ww.SourceModule(SOURCE)["k"][1, 32](**{ODD: 1}),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_word_that_is_none_of_the_known_is_shown_escaped(name: str) -> None:
    with pytest.raises(ww.ArgumentError, match=r"a\\+udcff"):
        SHOWN[name]()


def test_an_exception_of_a_host_function_is_reported_with_its_text_escaped() -> None:
    def fail() -> None:
        raise ValueError(ODD)

    stream = ww.Stream()
    stream.call_host(fail)
    with pytest.raises(ww.Error, match=r"in fail[\s\S]*ValueError: a\\udcff"):
        stream.synchronize()
