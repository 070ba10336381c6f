"""Classes whose objects come from functions: calling one is an error that names these functions."""

from __future__ import annotations

import re
from functools import reduce
from types import ModuleType

import pytest

import warpwise as ww
from warpwise import _core

MODULES: list[ModuleType] = [ww, ww.random, ww.sparse, ww.sparse.linalg, ww.cuda, _core]
CLASSES = {
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, type) and value.__module__.startswith("warpwise")
}
REFUSAL = re.compile(r"(\w+) has no constructor; get one from (.*)")


def refused_by(cls: type, *args: object) -> str:
    try:
        cls(*args)
    except (TypeError, ww.Error) as error:
        return str(error)
    return ""


def refusal(cls: type) -> re.Match[str] | None:
    return REFUSAL.fullmatch(refused_by(cls, 16))


# A test of all at once would stop at the first.
@pytest.mark.parametrize("cls", sorted(CLASSES, key=str), ids=lambda cls: cls.__qualname__)
def test_no_class_answers_in_the_words_of_what_binds_it(cls: type) -> None:
    for args in [(), (16,), (object(), "two")]:
        assert "no constructor defined" not in refused_by(cls, *args)


@pytest.mark.parametrize(
    "cls", sorted(filter(refusal, CLASSES), key=str), ids=lambda cls: cls.__qualname__
)
def test_the_error_names_what_makes_such_an_object(cls: type) -> None:
    found = refusal(cls)
    assert found is not None
    assert found[1] == cls.__name__
    paths = re.findall(r"\bww\.([\w.]+)", found[2])
    assert paths
    for path in paths:
        reduce(getattr, path.split("."), ww)


def test_arguments_and_names_do_not_matter() -> None:
    message = r"Buffer has no constructor; get one from ww\.mem_alloc\(nbytes\) or"
    for call in (lambda: ww.Buffer(), lambda: ww.Buffer(16, device=None)):
        with pytest.raises(ww.ArgumentError, match=message) as caught:
            call()
        assert isinstance(caught.value, TypeError)


def test_a_subclass_is_refused_alike() -> None:
    class Mine(ww.Buffer):
        pass

    with pytest.raises(TypeError, match=r"Buffer has no constructor"):
        Mine(16)
