"""The form of CHANGELOG.md: versions, newest first, with entries grouped under Added, Changed and
Fixed. An entry is short enough to be read in a list: at most three lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

GROUPS = ("Added", "Changed", "Fixed")
ENTRY_LINES = 3
COLUMNS = 110
_VERSION = re.compile(r"## (?:Unreleased|(\d+)\.(\d+)\.(\d+) - \d{4}-\d{2}-\d{2})$")


def violations(text: str) -> Iterator[str]:
    """What in a change log's text breaks its form, each with the line."""
    version = group = ""
    groups: list[str] = []
    started = 0  # the line where the current entry begins, 0 outside of entries
    for number, line in enumerate(text.splitlines(), 1):
        where = f"CHANGELOG.md:{number}"
        if len(line) > COLUMNS:
            yield f"{where}: {len(line)} columns, the limit is {COLUMNS}"
        if line.startswith("## "):
            version, group, groups, started = line, "", [], 0
            if not _VERSION.match(line):
                yield f"{where}: '{line}' is neither '## Unreleased' nor '## 1.2.3 - 2030-12-31'"
        elif line.startswith("#") and version:
            group, started = line.removeprefix("### "), 0
            groups.append(group)
            if group not in GROUPS:
                yield f"{where}: '{line}' is none of {', '.join(GROUPS)}"
            elif groups != sorted(set(groups), key=GROUPS.index):
                yield f"{where}: the groups of a version are {', '.join(GROUPS)}, each once"
        elif line.startswith("- "):
            started = number
            if not group:
                yield f"{where}: an entry stands under a version and one of {', '.join(GROUPS)}"
        elif line.startswith("  ") and started:
            if number == started + ENTRY_LINES:
                yield f"{where}: an entry has at most {ENTRY_LINES} lines; shorten or split it"
        elif line and version:
            yield f"{where}: not a heading, an entry, or an entry's next line: '{line[:40]}'"


def order_violations(text: str) -> Iterator[str]:
    """Versions out of order: Unreleased comes first, then the newest."""
    headings = re.findall(r"^## .*$", text, re.MULTILINE)
    if not headings or headings[0] != "## Unreleased":
        yield "CHANGELOG.md: begin with '## Unreleased'"
    found = [_VERSION.match(heading) for heading in headings[1:]]
    numbers = [tuple(map(int, match.groups())) for match in found if match and match.group(1)]
    for newer, older in pairwise(numbers):
        if newer <= older:
            yield f"CHANGELOG.md: {older} stands below {newer}; the newest version comes first"
