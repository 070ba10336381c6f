"""The rule of assertion_rules.py: against a bad sample and good ones, then applied to all tests."""

from __future__ import annotations

import pytest

import assertion_rules
from sources import sources


def found(text: str, helpers: frozenset[str] = frozenset()) -> list[str]:
    return list(assertion_rules.tests_assert("tests/a.py", text, helpers))


def test_a_test_that_only_calls_is_refused() -> None:
    (complaint,) = found("\ndef test_a():\n    launch()\n    value = compute() == 3\n")
    assert complaint.startswith("tests/a.py:2: test_a asserts nothing")


@pytest.mark.parametrize(
    "line",
    [
        "assert compute() == 3",
        "with pytest.raises(ValueError): compute()",
        "np.testing.assert_array_equal(compute(), 3)",
        "for x in y:\n        assert x",
    ],
)
def test_a_test_that_asserts_passes(line: str) -> None:
    assert not found(f"def test_a():\n    {line}\n")


def test_a_helper_may_assert_through_another_one() -> None:
    helpers = assertion_rules.asserting_helpers(
        {
            "tests/a.py": "from b import same\ndef check(x): same(x)\n",
            "tests/b.py": "def same(x):\n    assert x\n",
        }
    )
    assert not found("def test_a():\n    check(3)\n", helpers["tests/a.py"])


def test_a_helper_that_asserts_nothing_does_not_count() -> None:
    helpers = assertion_rules.asserting_helpers({"tests/a.py": "def check(x): return x\n"})
    assert found("def test_a():\n    check(3)\n", helpers["tests/a.py"])


def test_a_helper_of_a_module_that_is_not_imported_does_not_count() -> None:
    texts = {"tests/a.py": "import c\n", "tests/b.py": "def check(x):\n    assert x\n"}
    helpers = assertion_rules.asserting_helpers(texts)
    assert found("def test_a():\n    check(3)\n", helpers["tests/a.py"])


def test_every_test_asserts_something() -> None:
    texts = dict(sources(".py", under=("tests/",)))
    helpers = assertion_rules.asserting_helpers(texts)
    complaints = [
        line
        for path, text in texts.items()
        for line in assertion_rules.tests_assert(path, text, helpers[path])
    ]
    assert not complaints, "\n" + "\n".join(complaints)
