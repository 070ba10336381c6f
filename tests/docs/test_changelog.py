"""The change log has its form; each rule is shown a sample that it must refuse."""

from __future__ import annotations

import pytest

from changelog import order_violations, violations
from pages import ROOT

GOOD = "# Changelog\n\nIntro.\n\n## Unreleased\n\n### Added\n\n- One.\n  Two.\n  Three.\n- Four.\n"


def test_the_change_log_has_its_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert not list(violations(text))
    assert not list(order_violations(text))


def test_a_good_sample_passes() -> None:
    assert not list(violations(GOOD))


@pytest.mark.parametrize(
    ("addition", "complaint"),
    [
        ("- 1\n  2\n  3\n  4\n", "at most 3 lines"),
        ("## 0.2\n", "neither"),
        ("### Improved\n", "none of Added, Changed, Fixed"),
        ("### Added\n", "each once"),
        ("### Fixed\n\n### Changed\n", "each once"),
        ("## 0.1.0 - 2030-01-31\n\n- An entry.\n", "stands under a version and one of"),
        ("Prose.\n", "not a heading"),
        ("- " + "word " * 30 + "\n", "columns"),
    ],
)
def test_a_bad_addition_is_found(addition: str, complaint: str) -> None:
    found = list(violations(GOOD + addition))
    assert len(found) == 1
    assert complaint in found[0]


def test_versions_are_listed_newest_first() -> None:
    text = "## Unreleased\n## 0.1.0 - 2030-01-31\n## 0.2.0 - 2030-02-28\n"
    assert list(order_violations(text))
    assert not list(order_violations("## Unreleased\n## 0.2.0 - 2030-02-28\n"))


def test_the_log_begins_with_what_is_unreleased() -> None:
    assert list(order_violations("## 0.1.0 - 2030-01-31\n"))
