"""Draws a record of `./dev bench cpu --json RECORD`: share of hand-written C++ for each work.

./dev python benchmarks/cpu/plot.py RECORD PICTURE.svg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure


def draw(record: Path, picture: Path) -> None:
    results = json.loads(record.read_text())
    works = [row for row in results["results"]["cpu"] if "work" in row]
    works.reverse()  # barh counts from below
    names = sorted({name for row in works for name in row["rivals"]} - {"cpp"})
    contestants = ["ours", *names]
    height = 0.8 / len(contestants)
    figure = Figure(figsize=(9, 0.7 * len(works) + 1.5))
    axes = figure.subplots()
    for offset, who in enumerate(contestants):
        places, shares = [], []
        for place, row in enumerate(works):
            took = row["ours_ms"] if who == "ours" else row["rivals"].get(who)
            if took is not None:
                places.append(place + 0.4 - (offset + 0.5) * height)
                shares.append(100 * row["rivals"]["cpp"] / took)
        axes.barh(places, shares, height, label="Warpwise" if who == "ours" else who)
    goals = [100 * row["goal"] for row in works]
    axes.scatter(goals, range(len(works)), marker="|", s=400, color="black", label="goal")
    axes.axvline(100, color="gray", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(works)), [row["work"] for row in works])
    axes.set_xlabel("share of hand-written C++, % (more is faster)")
    machine = results["machine"]
    axes.set_title(f"{machine['processor']}, {machine['cores']} cores, {machine['date']}")
    axes.legend(loc="lower right")
    figure.tight_layout()
    # With a salt of its own, the same record gives the same file.
    with mpl.rc_context({"svg.hashsalt": "warpwise"}):
        figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
