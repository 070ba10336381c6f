"""Kernel printf through sys.stdout, whatever that is at the time."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any

import devices
import pytest

import warpwise as ww

HELLO = '__global__ void hello() { printf("block %d\\n", blockIdx.x); }'


@pytest.fixture(scope="module")
def hello() -> ww.Kernel:
    return ww.SourceModule(HELLO, device=ww.Device(devices.NAME))["hello"]


def test_printf_goes_to_a_redirected_stdout(hello: ww.Kernel) -> None:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        hello(grid=3, block=1)
        ww.Device().synchronize()
    assert text.getvalue() == "block 0\nblock 1\nblock 2\n"


def test_a_blocking_copy_delivers_output(hello: ww.Kernel, capsys: Any) -> None:
    buffer = ww.mem_alloc(4)
    hello(grid=1, block=1)
    buffer.copy_to(bytearray(4))
    assert capsys.readouterr().out == "block 0\n"


def test_bytes_that_are_no_text_are_shown_escaped(capsys: Any) -> None:
    ww.SourceModule('__global__ void odd() { printf("\\xff|"); }')["odd"](block=1)
    ww.Device().synchronize()
    assert capsys.readouterr().out == "\\xff|"


def test_a_broken_stdout_does_not_break_the_wait(
    hello: ww.Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: seen.append(info.exc_value))
    broken = io.StringIO()
    broken.close()
    with contextlib.redirect_stdout(broken):
        hello(grid=1, block=1)
        ww.Device().synchronize()
    assert isinstance(seen[0], ValueError)


def test_no_stdout_means_no_output(hello: ww.Kernel, capfd: pytest.CaptureFixture[str]) -> None:
    with contextlib.redirect_stdout(None):
        hello(grid=1, block=1)
        ww.Device().synchronize()
    assert capfd.readouterr() == ("", "")
