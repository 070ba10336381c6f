"""Profile.plot(): a profile as a picture. Imported when it is called, as is matplotlib."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ._core import Profile, ProfileRecord
from ._errors import UnsupportedError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_COLOURS = 9
OTHERS = "lightgrey"
UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


def timeline(profile: Profile, ax: Axes | None) -> Axes:
    """A row for each stream and for each thread with ranges, in the order of time."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise UnsupportedError(
            "Profile.plot() draws with matplotlib, which is not installed; pip install "
            "warpwise[plot], or save() a trace for ui.perfetto.dev"
        ) from error
    records = profile.records
    if ax is None:
        height = 1.5 + 0.5 * len({_row(record) for record in records})
        _, ax = pyplot.subplots(figsize=(10, height), layout="constrained")
    scale, unit = _unit(records)
    colours = _colours(records)
    bars = [record for record in records if record.kind != "mark"]
    rows = {row: place for place, row in enumerate(sorted({_row(record) for record in bars}))}
    for (row, name, height), spans in _spans(bars, scale).items():
        colour = colours.get(name, OTHERS)
        ax.broken_barh(
            spans, (rows[row] - height / 2, height), color=colour, linewidth=0.5, label=name
        )
    for record in records:
        if record.kind == "mark":
            ax.axvline(record.start / scale, color="black", linestyle=":", linewidth=1)
            ax.text(
                record.start / scale,
                0.03,
                record.name,
                transform=ax.get_xaxis_transform(),
                rotation=90,
                horizontalalignment="right",
                fontsize="small",
            )
    ax.set_yticks(list(rows.values()), [label for _, label in rows])
    ax.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    ax.set_xlabel(unit)
    ax.set_title(f"{profile.device}, times by {profile.source}", loc="right", fontsize="small")
    _name_colours(ax, colours)
    return ax


def _row(record: ProfileRecord) -> tuple[int, str]:
    """Threads first, because they start the streams' work."""
    if record.kind in ("range", "mark"):
        return 0, f"thread {record.thread}"
    return 1, f"{record.device}, stream {record.stream}"


def _unit(records: Iterable[ProfileRecord]) -> tuple[float, str]:
    end = max((record.start + record.duration for record in records), default=0)
    return next(((scale, unit) for scale, unit in UNITS if end >= scale), UNITS[-1])


def _colours(records: Iterable[ProfileRecord]) -> dict[str, str]:
    """For the names that took longest."""
    total: dict[str, int] = defaultdict(int)
    for record in records:
        if record.kind != "mark":
            total[record.name] += record.duration
    longest = sorted(total, key=lambda name: -total[name])[:MOST_COLOURS]
    return {name: f"C{i}" for i, name in enumerate(longest)}


def _spans(
    bars: Iterable[ProfileRecord], scale: float
) -> dict[tuple[tuple[int, str], str, float], list[tuple[float, float]]]:
    """Start and length of the bars that are drawn alike: by row, name and height. A nested range
    is lower than the enclosing one."""
    found: dict[tuple[tuple[int, str], str, float], list[tuple[float, float]]] = defaultdict(list)
    ends: dict[tuple[int, str], list[int]] = defaultdict(list)  # of enclosing ones
    for record in bars:
        row = _row(record)
        around = ends[row]
        while around and around[-1] <= record.start:
            around.pop()
        height = 0.8 / (1 + len(around)) if record.kind == "range" else 0.8
        around.append(record.start + record.duration)
        found[row, record.name, height].append((record.start / scale, record.duration / scale))
    return found


def _name_colours(ax: Axes, colours: dict[str, str]) -> None:
    """One entry of the legend for each name that has a colour."""
    drawn = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    named = [name for name in colours if name in drawn]
    if named:
        ax.legend([drawn[name] for name in named], named, loc="upper left", bbox_to_anchor=(1, 1))
