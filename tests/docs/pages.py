"""Reading Markdown pages: their links, their headings, and the examples in their fenced blocks.

The info string after the fence says how an example is treated:
  python          run; the blocks of one page share their names, from top to bottom
  python error    run; must raise, and the text block after it holds the end of the message
  cpp             a whole program: compiled against the public headers, and run
  python/cpp part shown only: a fragment, or something that a test cannot run
A ```text block directly after a block that runs is its expected output; `...` matches anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    line: int
    info: str
    text: str
    printed: str | None  # the text block directly after it

    @property
    def language(self) -> str:
        return self.info.split(" ")[0]


def pages() -> list[Path]:
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")]
    return sorted(path.relative_to(ROOT) for path in found)


def blocks(text: str) -> Iterator[Block]:
    """Fenced blocks, each with the text block that follows it, separated by blank lines at most."""
    found = list(_FENCE.finditer(text))
    for i, match in enumerate(found):
        printed = None
        if i + 1 < len(found) and found[i + 1].group(1).strip() == "text":
            between = text[match.end() : found[i + 1].start()]
            if not between.strip():
                printed = found[i + 1].group(2)
        line = text.count("\n", 0, match.start()) + 1
        yield Block(line, match.group(1).strip(), match.group(2), printed)


def anchor(heading: str) -> str:
    """The fragment that links to a page's heading."""
    plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return plain.strip().replace(" ", "-")


def broken_links(path: Path, text: str, root: Path) -> Iterator[str]:
    """Links to files or headings that do not exist. Web addresses are not checked."""
    prose = _FENCE.sub("", text)
    for match in _LINK.finditer(prose):
        target = match.group(1)
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        where = (root / path).parent / file if file else root / path
        if not where.exists():
            yield f"{path}: no such file: {target}"
        elif fragment and where.suffix == ".md":
            headings = _HEADING.findall(_FENCE.sub("", where.read_text(encoding="utf-8")))
            if fragment not in map(anchor, headings):
                yield f"{path}: no such heading: {target}"


def unlisted(index: Path, root: Path) -> Iterator[str]:
    """Pages below the index's folder that the index does not link to."""
    folder = (root / index).parent
    linked = {(folder / target).resolve() for target in _LINK.findall((root / index).read_text())}
    for page in sorted(folder.glob("**/*.md")):
        if page.resolve() not in linked and page != root / index:
            yield f"{index}: has no link to {page.relative_to(folder)}"


def unknown_infos(path: Path, text: str) -> Iterator[str]:
    """Fences with none of the info strings above: a misspelled one would never run."""
    known = re.compile(
        r"^((python|cpp)( part)?|python error|text|console|sh|cmake|cuda|json|toml|mermaid|)$"
    )
    for block in blocks(text):
        if not known.match(block.info):
            yield f"{path}:{block.line}: unknown kind of block '{block.info}'"


def matches(printed: str, expected: str) -> bool:
    """Whether output matches a page: line by line, `...` for anything, trailing blanks ignored."""

    def tidy(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = ".*?".join(re.escape(piece) for piece in tidy(expected).split("..."))
    return re.fullmatch(pattern, tidy(printed), re.DOTALL) is not None
