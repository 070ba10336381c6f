"""Reading pages: each rule with a sample that it must refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import anchor, blocks, broken_links, matches, unknown_infos, unlisted

PAGE = Path("docs/page.md")


def test_a_block_knows_its_line_and_what_it_prints() -> None:
    found = list(blocks("# T\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n"))
    assert (found[0].line, found[0].info, found[0].printed) == (3, "python", "1\n")


def test_text_after_prose_belongs_to_no_block() -> None:
    found = list(blocks("```python\nx\n```\nprose\n```text\n1\n```\n"))
    assert found[0].printed is None


def test_a_link_without_a_target_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "there.md").write_text("# Real heading\n")
    text = "[a](gone.md) [b](there.md) [c](there.md#real-heading) [d](there.md#no) [e](https://x.y)"
    (tmp_path / PAGE).write_text(text)
    broken = list(broken_links(PAGE, text, tmp_path))
    assert [line.rsplit(" ", 1)[1] for line in broken] == ["gone.md", "there.md#no"]


def test_a_page_missing_from_the_index_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs" / "how-to").mkdir(parents=True)
    for page in ("docs/how-to/known.md", "docs/how-to/forgotten.md"):
        (tmp_path / page).write_text("# Page\n")
    (tmp_path / "docs" / "README.md").write_text("[known](how-to/known.md)")
    found = list(unlisted(Path("docs/README.md"), tmp_path))
    assert found == ["docs/README.md: has no link to how-to/forgotten.md"]


def test_links_inside_code_are_code(tmp_path: Path) -> None:
    assert not list(broken_links(PAGE, "```python\nx[0](gone)\n```\n", tmp_path))


def test_a_misspelled_fence_is_found() -> None:
    assert list(unknown_infos(PAGE, "```pyhton\nx\n```\n"))
    assert not list(unknown_infos(PAGE, "```python part\nx\n```\n"))


def test_anchors_match_those_of_rendered_pages() -> None:
    assert anchor("What `printf` does, exactly") == "what-printf-does-exactly"


@pytest.mark.parametrize(
    ("printed", "expected", "good"),
    [
        ("1\n2\n", "1\n2", True),
        ("1\n3\n", "1\n2", False),
        ("took 3 ms\n", "took ... ms\n", True),
        ("1\n2\n3\n", "1\n2\n", False),
    ],
)
def test_output_is_compared_whole(printed: str, expected: str, good: bool) -> None:
    assert matches(printed, expected) is good
