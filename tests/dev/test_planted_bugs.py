"""tools/planted_bugs.py plants by text: a change of the vectoriser must take its bugs along."""

import sys

import pytest

from step import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from planted_bugs import BUGS, GANG, Bug


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.what)
def test_a_planted_bug_has_its_place(bug: Bug):
    assert (ROOT / GANG / bug.file).read_text().count(bug.right) == 1
