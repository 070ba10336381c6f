"""How a benchmark reports its rows: one JSON object a line on standard output, read by
`./dev bench`. A row is a quantity measured several times, whose median counts, or a comparison."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence


def row(name: str, samples: Sequence[float], unit: str) -> None:
    """Reports one quantity, measured len(samples) times."""
    ordered = sorted(samples)
    values = {
        "name": name,
        "median": statistics.median(ordered),
        "min": ordered[0],
        "max": ordered[-1],
        "samples": len(ordered),
        "unit": unit,
    }
    print(json.dumps(values), flush=True)


def comparison(
    work: str, ours_ms: float, rivals_ms: dict[str, float], yardstick: str, **more: object
) -> float:
    """Reports one work done by us and by others; returns the reference's time divided by ours."""
    ratio = rivals_ms[yardstick] / ours_ms
    values = {
        "work": work,
        "ours_ms": ours_ms,
        "rivals": rivals_ms,
        f"ratio_to_{yardstick}": ratio,
        **more,
    }
    print(json.dumps(values), flush=True)
    return ratio
