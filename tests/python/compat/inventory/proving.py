"""A plugin of pytest that runs tests with stand-ins in place of PyCUDA's names.

`WARPWISE_STAND_INS=check`: of `proofs.txt`, those of the collected files; each must make its test
fail. `WARPWISE_STAND_INS=find`: writes `proofs.txt` anew from the collected tests, and prints what
none of them notices. A test that fails half way may leave something behind that later ones see, so
that `check`, which runs one file in a process, has the last word:

    PYTHONPATH=build/dev/python:tests/python/compat WARPWISE_STAND_INS=find \
        python -m pytest -q -p inventory.proving tests/python/compat/test_*_of_pycuda.py
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from . import read
from .stand_ins import Notes, StandIn, found, in_place, of

LIMIT_S = 30  # of a test that waits for what a stand-in never does
_REPEATS = 3
_TRIES = 60  # tests of a name: those that mention it, then others, the quickest first


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    items = {_node(item): item for item in session.items}
    if os.environ["WARPWISE_STAND_INS"] == "find":
        _find(items)
    else:
        session.testsfailed = _check(items)
    return True


def _node(item: pytest.Item) -> str:
    return item.nodeid.rpartition("/")[2]


def _check(items: dict[str, pytest.Item]) -> int:
    unnoticed, files = 0, {node.partition("::")[0] for node in items}
    for key, kind, node in read.proofs():
        if node.partition("::")[0] not in files:
            continue
        if node not in items:
            print(f"\nthere is no test {node}")
            unnoticed += 1
        elif not _notices(items[node], StandIn(key, kind), Notes()):
            print(f"\n{node} passes with the stand-in '{kind}' for {key}")
            unnoticed += 1
    return unnoticed


def _notices(item: pytest.Item, stand_in: StandIn, notes: Notes) -> bool:
    with in_place(read.by_key()[stand_in.key], stand_in.kind, notes):
        return not _passes(item)


def _always_notices(item: pytest.Item, stand_in: StandIn) -> bool:
    """Not by chance, as where a test happens to be quicker than a kernel."""
    return all(_notices(item, stand_in, Notes()) for _ in range(_REPEATS))


def _passes(item: Any) -> bool:
    with _limited():
        item._initrequest()
        return all(not one.failed for one in runtestprotocol(item, log=False, nextitem=None))


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _find(items: dict[str, pytest.Item]) -> None:
    users, plain = _users(items)
    rows, unnoticed = [], []
    known = {StandIn(key, kind): node for key, kind, node in read.proofs()}
    for key, name in read.by_key().items():
        for stand_in in of(name):
            if stand_in.kind == "other" and key not in plain:
                continue
            candidates = users.get(key, [])
            first = [node for node in candidates if node == known.get(stand_in)]
            candidates = first + candidates[:_TRIES]
            node = next((n for n in candidates if _always_notices(items[n], stand_in)), None)
            if node is None:
                unnoticed.append(f"{key} {stand_in.kind} ({len(candidates)} tests)")
            else:
                rows.append(f"{key} {stand_in.kind}: {node}")
    head = "# stand-in: the test that notices it. Written by proving.py.\n"
    (read.HERE / "proofs.txt").write_text(head + "\n".join(sorted(rows)) + "\n")
    print("\nunnoticed:", *unnoticed, sep="\n")


def _users(items: dict[str, pytest.Item]) -> tuple[dict[str, list[str]], set[str]]:
    """The tests of each name, the quickest first, and the names that give plain values."""
    users: dict[str, list[tuple[int, float, str]]] = {}
    plain: set[str] = set()
    notes = {key: Notes() for key in read.by_key()}
    with contextlib.ExitStack() as stack:
        for key, name in read.by_key().items():
            stack.enter_context(in_place(name, "none", notes[key]))
        for node, item in items.items():
            source = inspect.getsource(item.function)  # type: ignore[attr-defined]
            for note in notes.values():
                note.was_used = False
            begin = time.perf_counter()
            if not _passes(item):
                print(f"\n{node} fails by itself")
                continue
            took = time.perf_counter() - begin
            for key, name in read.by_key().items():
                is_user = name.last in source if _is_no_call(name) else notes[key].was_used
                if is_user:
                    users.setdefault(key, []).append((_distance(name, node, source), took, node))
    plain = {key for key, note in notes.items() if note.gave_other}
    return {key: [node for *_, node in sorted(found)] for key, found in users.items()}, plain


def _distance(name: read.Name, node: str, source: str) -> int:
    """How unlikely it is that a test is about a name."""
    is_mentioned = re.search(rf"\b{name.last}\b", source) is not None
    is_likely = is_mentioned or node.startswith("test_answers_of_pycuda")
    return 2 - is_mentioned - is_likely


def _is_no_call(name: read.Name) -> bool:
    """A constant, a class or an exception, of which no use is noted."""
    if name.word.startswith("exception") or name.word == "class" or name.parameters == []:
        return True
    return name.word == "attribute" and not name.owner and not callable(found(name.path))
