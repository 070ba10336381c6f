"""Random numbers: NumPy's generators on every device, with the same values on all of them.

>>> import warpwise as ww
>>> rng = ww.random.default_rng(42)
>>> x = rng.normal(0.0, 2.0, size=(1000, 3), dtype=ww.float32)
>>> mean = rng.random(1 << 20).mean()  # never stored
"""

from __future__ import annotations

from ._core import Generator, Philox, SeedSequence, default_rng

__all__ = ["Generator", "Philox", "SeedSequence", "default_rng"]
