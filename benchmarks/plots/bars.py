"""Horizontal bars as SVG text, without a plotting library: the same record gives the same bytes on
every machine, so that a test can compare a committed picture with its record.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

OURS, INK, FAINT = "#2563eb", "#1f2937", "#6b7280"
PEERS = ("#94a3b8", "#d6b98c", "#b8c4a8", "#c7b8d6")


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    text: str
    colour: str


@dataclass(frozen=True)
class Group:
    """Bars on one linear scale from zero, under a title."""

    title: str
    bars: tuple[Bar, ...]


def text(x: float, y: float, words: str, **style: str) -> str:
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{escape(words)}</text>'


def bar(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
    )


def groups(x: float, y: float, label: float, width: float, rows: list[Group]) -> Iterator[str]:
    """Groups below each other: labels in the first `label` columns, bars in the next `width`."""
    for group in rows:
        y += 16
        yield text(x, y, group.title, font_weight="bold", fill=INK)
        most = max(entry.value for entry in group.bars)
        for entry in group.bars:
            y += 16
            length = width * entry.value / most
            yield text(x + label - 6, y, entry.label, text_anchor="end", fill=INK)
            yield bar(x + label, y - 9, length, 11, entry.colour)
            yield text(x + label + length + 5, y, entry.text, fill=FAINT)
        y += 10


@dataclass(frozen=True)
class Series:
    name: str
    colour: str
    thickness: float
    values: tuple[float | None, ...]


def shares(
    x: float, y: float, label: float, width: float, names: list[str], series: list[Series]
) -> Iterator[str]:
    """Values in percent on a logarithmic scale, a row for each name and a bar for each series."""
    low, high, step = 1.0, 1000.0, 27

    def place(value: float) -> float:
        inside = min(max(value, low), high)
        return x + label + width * math.log(inside / low) / math.log(high / low)

    bottom = y + step * len(names)
    for value in (1, 10, 100, 1000):
        line = INK if value == 100 else "#e5e7eb"
        at = f'x1="{place(value):.1f}" x2="{place(value):.1f}" y1="{y:.1f}" y2="{bottom:.1f}"'
        yield f'<line {at} stroke="{line}"/>'
        yield text(place(value), bottom + 14, f"{value} %", text_anchor="middle", fill=FAINT)
    for row, name in enumerate(names):
        top = y + step * row + 3
        yield text(x + label - 6, top + 13, name, text_anchor="end", fill=INK)
        for one in series:
            value = one.values[row]
            if value is not None:
                right = place(value)
                yield bar(x + label, top, right - x - label, one.thickness, one.colour)
                if one.colour == OURS:
                    halo = {"stroke": "#ffffff", "stroke_width": "3", "paint_order": "stroke"}
                    yield text(right + 4, top + 9, f"{value:.0f} %", fill=FAINT, **halo)
            top += one.thickness + 1


def legend(x: float, y: float, entries: list[tuple[str, str]]) -> Iterator[str]:
    for name, colour in entries:
        yield bar(x, y - 9, 10, 10, colour)
        yield text(x + 15, y, name, fill=INK)
        x += 15 + 6.2 * len(name) + 16


def picture(width: int, height: int, title: str, parts: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(title)}" font-family="Helvetica, Arial, sans-serif" font-size="11.5">'
    )
    back = f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>'
    return "\n".join([head, back, *parts, "</svg>"]) + "\n"
