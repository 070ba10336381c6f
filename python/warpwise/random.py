"""Random numbers: NumPy's generators on every device, with the same values on all of them.

>>> import warpwise as ww
>>> rng = ww.random.default_rng(42)
>>> x = rng.normal(0.0, 2.0, size=(1000, 3), dtype=ww.float32)
>>> mean = rng.random(1 << 20).mean()  # never stored
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._core import XORWOW, Device, Generator, Philox, SeedSequence, SobolSequence, default_rng
from ._errors import UnsupportedError
from ._later import refuse as _refuse

__all__ = [
    "XORWOW",
    "Generator",
    "Philox",
    "SeedSequence",
    "Sobol",
    "SobolSequence",
    "default_rng",
]


def Sobol(  # noqa: N802 - spelled as SciPy's class
    d: int,
    *,
    scramble: bool = True,
    bits: int = 30,
    seed: int | Sequence[int] | SeedSequence | None = None,
    directions: Any = None,
    device: Device | str | None = None,
) -> SobolSequence:
    """Quasi-random points of `d` dimensions, as `scipy.stats.qmc.Sobol` has them.

    The direction numbers are those of Joe and Kuo (up to 21,201 dimensions), which SciPy holds: it
    is imported here. `directions`, a table of shape (d, bits), takes their place. Without
    `scramble` the points are SciPy's, number by number. Scrambled ones are random by a seed of
    their own, by the same method: triangular matrices and a shift.
    """
    table = _joe_kuo(d, bits) if directions is None else directions
    return SobolSequence(table, scramble=scramble, seed=seed, device=device)


def _joe_kuo(d: int, bits: int) -> Any:
    try:
        from scipy.stats import qmc  # type: ignore[import-untyped,unused-ignore]

        return qmc.Sobol(d, scramble=False, bits=bits)._sv
    except (ImportError, AttributeError) as error:
        raise UnsupportedError(
            "Sobol takes the direction numbers of Joe and Kuo from SciPy, which is not installed "
            "or has them elsewhere; install scipy, or pass directions= of shape (d, bits)"
        ) from error


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        return _refuse(name, __name__)
