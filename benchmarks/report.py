"""How a benchmark hands over its rows: one JSON object a line on standard output, read by
`./dev bench`. A row is a quantity measured several times; the median is what counts."""

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
