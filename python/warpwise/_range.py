"""Ranges: names for what the program does, for profiles and for NVIDIA's tools."""

from __future__ import annotations

from contextlib import ContextDecorator

from ._core import pop_range, push_range, value_text
from ._errors import ArgumentTypeError


class range(ContextDecorator):  # noqa: N801 (what users write)
    """Names what runs inside: `with ww.range("assemble"):`, or `@ww.range("solve")` on a function.

    Ranges nest, and belong to the thread that enters them. They appear among the records of
    ww.profile() and in tools that listen to NVTX (Nsight Systems, Nsight Compute).
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"ww.range expects a name, got {value_text(name)}; "
                'a function is named by @ww.range("name")'
            )
        self.name = name

    def __enter__(self) -> range:
        push_range(self.name)
        return self

    def __exit__(self, *error: object) -> None:
        pop_range()

    def __repr__(self) -> str:
        return f"warpwise.range({self.name!r})"
