"""x.flat beside NumPy's: reading and writing by every kind of index, of arrays and views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import warpwise as ww

VIEWS: dict[str, Any] = {
    "whole": lambda x: x,
    "transposed": lambda x: x.transpose(2, 0, 1),
    "backwards": lambda x: x[::-1, :, ::-2],
    "every second": lambda x: x[:, ::2],
    "a row": lambda x: x[1, 2],
    "an element": lambda x: x[1, 2, 3:4].reshape(()),
    "nothing": lambda x: x[:, :0],
}
KEYS: dict[str, Any] = {
    "all": slice(None),
    "steps": slice(1, None, 3),
    "backwards": slice(None, None, -2),
    "...": ...,
    "a tuple": (slice(0, 4),),
}


def both(view: str) -> tuple[Any, Any, Any, Any]:
    host = np.arange(60).reshape(3, 4, 5)
    array = ww.asarray(host)
    return host, array, VIEWS[view](host), VIEWS[view](array)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("key", KEYS)
def test_reading_parts(view: str, key: str) -> None:
    _, _, host, array = both(view)
    assert np.array_equal(array.flat[KEYS[key]].get(), host.flat[KEYS[key]])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("values", [9, [7], [1, 2, 3], range(100, 180), np.float32(2.5)], ids=str)
def test_writing_parts(view: str, key: str, values: Any) -> None:
    given = [*values] if isinstance(values, range) else values
    base, array_base, host, array = both(view)
    host.flat[KEYS[key]] = given
    array.flat[KEYS[key]] = given
    assert np.array_equal(array_base.get(), base)


@pytest.mark.parametrize("view", ["whole", "transposed", "backwards", "every second", "a row"])
def test_indices(view: str) -> None:
    base, array_base, host, array = both(view)
    mask = np.arange(host.size) % 3 == 1
    assert array.flat[3] == host.flat[3] and array.flat[-1] == host.flat[-1]
    assert np.array_equal(array.flat[[2, 0, 2]].get(), host.flat[[2, 0, 2]])
    assert np.array_equal(array.flat[mask].get(), host.flat[mask])
    host.flat[-2] = array.flat[-2] = 1000
    host.flat[[0, 3]] = array.flat[[0, 3]] = [1001, 1002]
    host.flat[mask] = -1
    array.flat[ww.asarray(mask)] = -1
    assert np.array_equal(array_base.get(), base)


@pytest.mark.parametrize("view", VIEWS)
def test_iteration(view: str) -> None:
    _, _, host, array = both(view)
    assert [int(x) for x in array.flat] == [int(x) for x in host.flat]
    assert len(array.flat) == len(host.flat) and array.flat.base is array
    assert np.array_equal(array.flat.copy().get(), host.flat.copy())


@pytest.mark.cpu_only("NumPy reads the memory of the CPU device")
@pytest.mark.parametrize("view", VIEWS)
def test_numpy_reads_the_elements(view: str) -> None:
    _, _, host, array = both(view)
    assert np.array_equal(np.asarray(array.flat), np.asarray(host.flat))


def test_places_of_the_iterator() -> None:
    host, array = np.arange(6).reshape(2, 3).flat, ww.asarray(np.arange(6).reshape(2, 3)).flat
    for _ in range(4):
        assert int(next(array)) == int(next(host))
        assert (array.index, array.coords) == (host.index, host.coords)


@pytest.mark.parametrize("view", ["whole", "transposed", "backwards"])
def test_assigning_flat_itself(view: str) -> None:
    base, array_base, host, array = both(view)
    host.flat = [1, 2, 3, 4, 5, 6, 7]
    array.flat = ww.asarray([1, 2, 3, 4, 5, 6, 7])
    assert np.array_equal(array_base.get(), base)


def test_what_was_read_is_not_changed() -> None:
    x = ww.asarray([1, 2, 3])
    read, some = x.flat[1], x.flat[1:]
    x += 10
    assert int(read) == 2 and some.get().tolist() == [2, 3]


@pytest.mark.parametrize("key", [(0, 1), None, 99, -61])
def test_what_flat_refuses(key: Any) -> None:
    x = ww.ones((3, 4, 5))
    with pytest.raises(IndexError):
        x.flat[key]
    with pytest.raises(IndexError):
        x.flat[key] = 1
    with pytest.raises(ValueError, match="no values"):
        x.flat[:2] = []
