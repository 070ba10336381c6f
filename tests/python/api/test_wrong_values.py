"""Every public function and method, called with values it cannot take.

What comes out is an error of Warpwise that says which value is wrong, never the list of signatures
that the binding library would print.
"""

from __future__ import annotations

import enum
import functools
import random
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww


class Nothing:
    """An object that is no value of any kind."""


# No int of this zoo is a size or an address that could be meant.
ZOO: list[Any] = [
    None, 1.5, float("nan"), 1j, -1, 2**63, 2**64, -(2**63) - 1, 10**5000, "text", "", b"bytes",
    bytearray(b"x"), [], [1, "a"], {}, {"a": 1}, (1, 2, 3), Nothing(), Nothing, np.zeros(3),
    np.float32(1.5), np.zeros((2, 2))[:, 0], np.array("text"), slice(1), NotImplemented,
]  # fmt: skip

SOURCE = "__global__ void k(int n) {}"


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Classes and functions under their public names; errors are made by the library, and values
    such as `finfo` by NumPy, whose words those are."""
    for name in [*ww.__all__, "compile", "range"]:
        value = getattr(ww, name)
        is_value_type = isinstance(value, type) and issubclass(
            value, Exception | np.generic | enum.Enum
        )
        is_of_numpy = isinstance(value, type) and value.__module__.startswith("numpy")
        if callable(value) and not is_value_type and not is_of_numpy:
            yield f"ww.{name}", value


def objects() -> list[Any]:
    """One of each class that has methods."""
    module = ww.SourceModule(SOURCE)
    kernel = module["k"]
    stream = ww.Stream()
    with stream.capture() as graph:
        kernel[1, 1](3)
    return [
        ww.Device(), ww.Device().pool, stream, ww.Event(), ww.mem_alloc(64), ww.Pointer(1), module,
        kernel, kernel[1, 1], kernel.signature, graph, stream.capture(), ww.HostBuffer(64),
        ww.In(np.zeros(3)), ww.setting_rows()[0],
    ]  # fmt: skip


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Methods as an object has them, and as a class has them; setters of properties."""
    for each in objects():
        kind = type(each)
        for name, member in vars(kind).items():
            if type(member).__name__ == "nb_method" and name != "__init__":
                yield f"{kind.__name__}().{name}", getattr(each, name)
                yield f"{kind.__name__}.{name}", member
            if isinstance(member, property) and member.fset is not None:
                yield f"{kind.__name__}().{name} =", functools.partial(member.fset, each)


def outcome(
    name: str, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
) -> str:
    """The message of what is raised, which must be an error of Warpwise."""
    try:
        function(*args, **kwargs)
    except ww.Error as error:
        assert str(error), name
        return str(error)
    except (FileNotFoundError, BufferError) as error:
        return str(error)  # of the system about a path, of an array about its export
    except TypeError as error:
        # Python's own words, for its own functions and for classes without a constructor.
        written = function.__init__ if isinstance(function, type) else function
        of_python = isinstance(written, types.FunctionType) and "argument" in str(error)
        has_none = "no constructor defined" in str(error) or "cannot create" in str(error)
        assert of_python or has_none, (name, args, kwargs, error)
    return ""


@pytest.mark.parametrize("seed", range(8))
def test_wrong_values_are_errors_of_warpwise(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # `savez` takes any text for a file's name
    random_source = random.Random(seed)
    names = ["nbytes", "stream", "grid", "blocks", "device", "name", "source", "offset", "shared"]
    for name, function in [*functions(), *methods()]:
        for _ in range(8):
            args = random_source.choices(ZOO, k=random_source.randint(1, 4))
            keywords = random_source.sample(names, k=random_source.choice([0, 0, 1, 2]))
            kwargs = dict(zip(keywords, random_source.choices(ZOO, k=2), strict=False))
            message = outcome(name, function, args, kwargs)
            assert "incompatible function arguments" not in message, name
            assert "_core" not in message, name


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ww.save(3, ww.asarray([1])), "save expects a path .* for 'file', got 3"),
        (lambda: ww.savez(b"a"), "savez expects a path .* open binary file for 'file', got b'a'"),
        (lambda: ww.load(None), "load expects a path .* for 'file', got None"),
        (lambda: ww.result_type([]), "result_type got an array of records without fields"),
        (lambda: ww.stack(np.array(3)), "stack expects a tuple or list of arrays, got "),
        (lambda: ww.stack(ww.ones(3)), r"a tuple or list of arrays, got a warpwise\.Array$"),
        (lambda: ww.tril(np.eye(2)), r"NumPy array .*; make it an array once with ww\.asarray"),
        (lambda: ww.lazy(np.zeros(3)), "lazy expects True or False for 'enabled', got "),
        (lambda: ww.isdtype(1.5, "bool"), "isdtype expects a dtype for 'dtype', got 1.5"),
        (lambda: ww.isdtype(np.int8, [1]), "isdtype expects a dtype for 'kind', got a list"),
        (lambda: ww.mem_alloc(1.5), r"mem_alloc\(\) expects an int for 'nbytes', got 1.5"),
        (lambda: ww.SourceModule(None), r"SourceModule\(\) expects a str for 'source', got None"),
        (lambda: ww.SourceModule(b""), "got b'' .bytes.; decode it first"),
        (lambda: ww.SourceModule(Path("k.cu")), r"SourceModule.from_file\(path\) reads a file"),
        (lambda: ww.zeros(2, 3), r"got 3; a shape of several axes is one tuple: \(2, 3\)"),
        (lambda: ww.Device(10**5000), r"expects a str for 'name', got an int of 16610 bits$"),
        (
            lambda: ww.Device(3),
            r"Device\(\) expects a str for 'name', got 3; write .cuda:3. for that GPU, or .cpu.",
        ),
        (lambda: ww.Device(None), r"Device\(\) expects a str for 'name', got None$"),
        (lambda: ww.Stream(device="cpu"), r"for 'device', got 'cpu'; pass ww.Device\('cpu'\)"),
        (lambda: ww.SourceModule("", headers=3), "headers expects a dict .* got 3"),
        (lambda: ww.SourceModule("", options=[3]), "options expects strings, got 3"),
        (lambda: ww.SourceModule("", options=np.array("x")), "options expects a list of strings"),
        (lambda: ww.mem_alloc(4).copy_to(np.zeros(1), offset="x"), "for 'offset', got 'x'"),
        (lambda: ww.mem_alloc(4, 5, 6), "'nbytes', 'stream' by position, got 3 by position"),
        (lambda: ww.mem_alloc(), "is missing 'nbytes'"),
        (lambda: ww.mem_alloc(4, nbytes=4), "got 'nbytes' twice"),
        (lambda: setattr(ww.Device().pool, "limit", "x"), "an int or None for 'limit', got 'x'"),
    ],
)
def test_the_message_names_the_value_and_what_is_expected(
    call: Callable[[], Any], words: str
) -> None:
    with pytest.raises(ww.ArgumentError, match=words) as caught:
        call()
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ww.Pointer(-1), "expects 0 or more for 'address', got -1"),
        (lambda: ww.Pointer(2**64), "a number closer to 0 for 'address', got 18446744073709551616"),
        (lambda: ww.mem_alloc(-1), "nbytes expects 0 or more, got -1"),
        (lambda: ww.mem_alloc(4).copy_to(np.zeros(1), 2**63), "fits in memory, got 92233720368547"),
        (lambda: ww.mem_alloc(4).fill("x"), "expects a number and a dtype that holds it, got 'x'"),
        (lambda: ww.mem_alloc(4).fill(1.5), "got 1.5, which is no uint8; .*dtype='float32'"),
    ],
)
def test_values_out_of_range_are_value_errors(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ww.ArgumentError, match=words) as caught:
        call()
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("nbytes", [2**62, 2**63, 2**64, 10**30])
@pytest.mark.parametrize("allocate", [ww.mem_alloc, ww.HostBuffer])
def test_sizes_beyond_every_memory_are_out_of_memory(
    allocate: Callable[[int], Any], nbytes: int
) -> None:
    with pytest.raises(ww.OutOfMemoryError, match=str(nbytes)):
        allocate(nbytes)


def test_an_unknown_launch_keyword_is_named_with_the_nearest_known_one(add: ww.Kernel) -> None:
    with pytest.raises(ww.ArgumentError, match=r"no parameter 'blocks'; did you mean 'block'\?"):
        add(1, blocks=3)


def test_a_method_called_on_another_object_names_it() -> None:
    with pytest.raises(ww.ArgumentError, match=r"belongs to a ww\.Buffer, got 3 instead"):
        ww.Buffer.free(3)
