"""tools/planted_script_bugs.py plants by text: changes of the translation take its bugs along."""

import sys

import pytest

from step import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from script_bugs import BUGS, SCRIPT, Bug


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.what)
def test_a_planted_bug_has_its_place(bug: Bug):
    assert (ROOT / SCRIPT / bug.file).read_text().count(bug.right) == 1


def test_there_are_as_many_bugs_as_promised():
    assert len(BUGS) >= 15
    assert len({bug.what for bug in BUGS}) == len(BUGS)
