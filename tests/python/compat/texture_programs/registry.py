"""Programs with texture references in the manner of PyCUDA's users: a source, and what is done with
its module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

# A linear filter on hardware weighs with 8 bits, products of weights with 8 again.
FILTER = 1 / 128  # of the contrast between neighbours


class Program(NamedTuple):
    source: str
    run: Callable[[Any, np.random.Generator], None]
    no_extern_c: bool


PROGRAMS: dict[str, Program] = {}

Run = Callable[[Any, np.random.Generator], None]


def program(source: str, *, no_extern_c: bool = False) -> Callable[[Run], Run]:
    def keep(run: Run) -> Run:
        PROGRAMS[run.__name__] = Program(source, run, no_extern_c)
        return run

    return keep


def bilinear(image: Any, x: Any, y: Any) -> Any:
    """Means of four pixels, their centres at halves, edges repeated."""
    height, width = image.shape
    x, y = np.clip(x - 0.5, 0, width - 1), np.clip(y - 0.5, 0, height - 1)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    right, bottom = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    a, b = x - left, y - top
    upper = (1 - a) * image[top, left] + a * image[top, right]
    lower = (1 - a) * image[bottom, left] + a * image[bottom, right]
    return (1 - b) * upper + b * lower
