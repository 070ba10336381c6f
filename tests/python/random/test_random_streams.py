"""Streams: their golden numbers, states, seeds, and that a number depends on its position alone."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww
from warpwise.random import Generator, Philox, SeedSequence, default_rng

GOLDEN = Path(__file__).parents[2] / "golden" / "random" / "version1.json"
KEY = 0x0123456789ABCDEF
N = 2500
PLACES = [0, 1, 255, 256, 511, 512, 767, 1023, 1024, 1700, 2499]

DRAWS: dict[str, Any] = {
    "random": lambda g, s, t: g.random(s, t),
    "normal": lambda g, s, t: g.standard_normal(s, t),
    "exponential": lambda g, s, t: g.standard_exponential(s, t),
    "lognormal": lambda g, s, t: g.lognormal(0.25, 0.5, s, t),
    "gumbel": lambda g, s, t: g.gumbel(size=s, dtype=t),
    "laplace": lambda g, s, t: g.laplace(size=s, dtype=t),
    "logistic": lambda g, s, t: g.logistic(size=s, dtype=t),
    "cauchy": lambda g, s, t: g.standard_cauchy(s, t),
    "weibull": lambda g, s, t: g.weibull(1.5, s, t),
    "pareto": lambda g, s, t: g.pareto(2.5, s, t),
    "power": lambda g, s, t: g.power(2.5, s, t),
    "gamma": lambda g, s, t: g.standard_gamma(2.5, s, t),
    "small gamma": lambda g, s, t: g.standard_gamma(0.25, s, t),
    "beta": lambda g, s, t: g.beta(0.5, 2.5, s, t),
    "noncentral chisquare": lambda g, s, t: g.noncentral_chisquare(3.5, 2.0, s, t),
    "low noncentral chisquare": lambda g, s, t: g.noncentral_chisquare(0.5, 30.0, s, t),
    "vonmises": lambda g, s, t: g.vonmises(0.0, 2.5, s, t),
}
WHOLE: dict[str, Any] = {
    "integers of a byte": lambda g, s: g.integers(-3, 90, s, np.int8),
    "integers of 32 bits": lambda g, s: g.integers(0, 3 << 30, s, np.uint32),
    "integers of 64 bits": lambda g, s: g.integers(-5, 3 << 61, s),
    "all integers": lambda g, s: g.integers(0, 2**64 - 1, s, np.uint64, endpoint=True),
    "poisson": lambda g, s: g.poisson(4.5, s),
    "large poisson": lambda g, s: g.poisson(1234.5, s),
    "binomial": lambda g, s: g.binomial(20, 0.25, s),
    "large binomial": lambda g, s: g.binomial(1000, 0.75, s),
    "geometric": lambda g, s: g.geometric(0.125, s),
    "hypergeometric": lambda g, s: g.hypergeometric(70, 50, 30, s),
    "small hypergeometric": lambda g, s: g.hypergeometric(7, 5, 3, s),
    "logseries": lambda g, s: g.logseries(0.75, s),
    "zipf": lambda g, s: g.zipf(1.75, s),
    "permutation": lambda g, s: g.permutation(5000)[:s],
    "short permutation": lambda g, s: g.permutation(s),
}


def generator() -> Generator:
    return Generator(Philox(key=KEY, position=1 << 33))


def numbers(name: str, dtype: Any = None) -> np.ndarray[Any, Any]:
    array = WHOLE[name](generator(), N) if dtype is None else DRAWS[name](generator(), N, dtype)
    values: np.ndarray[Any, Any] = array.get()
    return values


def texts(values: np.ndarray[Any, Any]) -> list[str]:
    if values.dtype.kind == "f":
        return [float(x).hex() for x in values[PLACES]]
    return [str(x) for x in values[PLACES]]


def all_numbers() -> dict[str, list[str]]:
    result = {}
    for dtype in (np.float32, np.float64):
        for name in DRAWS:
            result[f"{name} {np.dtype(dtype).name}"] = texts(numbers(name, dtype))
    for name in WHOLE:
        result[name] = texts(numbers(name))
    return result


def test_streams_are_those_of_their_version() -> None:
    """WARPWISE_UPDATE_GOLDEN=1 writes the file anew: only for a new version of streams."""
    found = all_numbers()
    if os.environ.get("WARPWISE_UPDATE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(GOLDEN.read_text())


# Salmon and others' own answers, of Random123.
@pytest.mark.parametrize(
    ("key", "position", "words"),
    [
        (0, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ],
)
def test_philox_has_the_known_answers(key: int, position: int, words: list[int]) -> None:
    raw = Philox(key=key, position=position).random_raw(1024)
    assert raw[[0, 256, 512, 768]].tolist() == words


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_depend_on_their_position_alone(name: str, dtype: Any) -> None:
    whole = numbers(name, dtype)
    draw = DRAWS[name]
    for size in (1, 255, 256, 1025):
        assert np.array_equal(draw(generator(), size, dtype).get(), whole[:size])
    shaped = draw(generator(), (50, 50), dtype)
    assert np.array_equal(shaped.get().ravel(), whole)


@pytest.mark.parametrize("name", WHOLE)
def test_integers_depend_on_their_position_alone(name: str) -> None:
    if name == "short permutation":
        assert sorted(numbers(name).tolist()) == [*range(N)]
        return
    whole = numbers(name)
    for size in (1, 257, 1025):
        assert np.array_equal(WHOLE[name](generator(), size).get(), whole[:size])


# What is fused computes each number where it is read.
@pytest.mark.parametrize("name", DRAWS)
def test_fused_numbers_are_the_stored_ones(name: str) -> None:
    whole = numbers(name, np.float32).reshape(50, 50)
    draw = lambda: DRAWS[name](generator(), (50, 50), np.float32)  # noqa: E731
    assert np.array_equal((draw() + 1).get(), whole + 1)
    assert np.array_equal((draw()[3:, ::2] * 2).get(), whole[3:, ::2] * 2)
    assert np.array_equal((draw().T + 0).get(), whole.T + 0)
    assert np.array_equal((draw()[::-1, 7] - 1).get(), whole[::-1, 7] - 1)
    rows = ww.asarray(np.arange(50, dtype=np.float32))
    assert np.array_equal((draw() + rows[:, None]).get(), whole + rows.get()[:, None])
    x = draw()
    assert np.array_equal((x.T + x).get(), whole.T + whole)


@pytest.mark.parametrize("name", ["random", "normal", "gamma"])
@pytest.mark.parametrize("shape", [(100_001,), (300, 401), (4000, 7), (70, 5, 31)])
def test_sums_of_numbers_that_are_never_stored(name: str, shape: tuple[int, ...]) -> None:
    draw = DRAWS[name]
    stored = draw(generator(), shape, np.float64)
    ww.evaluate(stored)
    for axis in (None, 0, -1):
        fused = draw(generator(), shape, np.float64).sum(axis=axis)
        assert np.array_equal(fused.get(), stored.sum(axis=axis).get())


def test_eager_numbers_are_the_lazy_ones() -> None:
    lazy = default_rng(3).normal(2, 3, 1000).get()
    with ww.lazy(False):
        assert np.array_equal(default_rng(3).normal(2, 3, 1000).get(), lazy)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_numbers_do_not_depend_on_threads(threads: str, tmp_path: Path) -> None:
    source = (
        "import sys, numpy as np, warpwise as ww\n"
        "g = ww.random.default_rng(11)\n"
        "np.savez(sys.argv[1], a=g.normal(size=50001).get(), b=g.gamma(0.7, size=50001).get(), "
        "c=g.poisson(50, size=50001).get())\n"
    )
    file = tmp_path / "numbers.npz"
    env = os.environ | {"WARPWISE_NUM_THREADS": threads, "PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-c", source, str(file)], check=True, env=env)
    rng = default_rng(11)
    found = np.load(file)
    assert np.array_equal(found["a"], rng.normal(size=50001).get())
    assert np.array_equal(found["b"], rng.gamma(0.7, size=50001).get())
    assert np.array_equal(found["c"], rng.poisson(50, size=50001).get())


def test_state_advances_at_the_call() -> None:
    rng = default_rng(5)
    first = rng.random(10)
    before = rng.bit_generator.state
    second = rng.random(10)
    assert not np.array_equal(second.get(), first.get())
    rng.bit_generator.state = before
    assert np.array_equal(rng.random(10).get(), second.get())
    assert np.array_equal(default_rng(5).random(10).get(), first.get())


def test_generators_are_pickled_with_their_state() -> None:
    rng = default_rng(7)
    rng.random(5000)
    copied: Generator = pickle.loads(pickle.dumps(rng))
    assert np.array_equal(copied.random(9).get(), rng.random(9).get())
    child = pickle.loads(pickle.dumps(rng)).spawn(1)[0]
    assert np.array_equal(child.random(9).get(), rng.spawn(1)[0].random(9).get())
    bits: Philox = pickle.loads(pickle.dumps(Philox(key=5, position=3)))
    assert bits.state == Philox(key=5, position=3).state
    seed: SeedSequence = pickle.loads(pickle.dumps(SeedSequence(5, spawn_key=(1, 2))))
    assert np.array_equal(
        seed.generate_state(4), SeedSequence(5, spawn_key=(1, 2)).generate_state(4)
    )


SEEDS = [0, 1, 12345, 2**32, 2**32 - 1, 2**64, 2**130 + 17, [1, 2, 3], [0, 0], [2**40, 5]]


@pytest.mark.parametrize("seed", SEEDS)
def test_seed_sequences_are_those_of_numpy(seed: Any) -> None:
    ours, theirs = SeedSequence(seed), np.random.SeedSequence(seed)
    assert np.array_equal(ours.generate_state(9), theirs.generate_state(9))
    assert np.array_equal(ours.generate_state(5, np.uint64), theirs.generate_state(5, np.uint64))
    ours.spawn(2)
    theirs.spawn(2)
    for a, b in zip(ours.spawn(3), theirs.spawn(3), strict=True):
        assert a.spawn_key == b.spawn_key
        assert np.array_equal(a.generate_state(9), b.generate_state(9))
        pairs = zip(a.spawn(2), b.spawn(2), strict=True)
        assert all(np.array_equal(x.generate_state(4), y.generate_state(4)) for x, y in pairs)
    from_numpy = default_rng(np.random.SeedSequence(seed))
    assert from_numpy.bit_generator.state == default_rng(seed).bit_generator.state


def test_seed_sequences_of_larger_pools_are_those_of_numpy() -> None:
    ours = SeedSequence([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], spawn_key=(3,), pool_size=8)
    theirs = np.random.SeedSequence([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], spawn_key=(3,), pool_size=8)
    assert np.array_equal(ours.generate_state(20), theirs.generate_state(20))


def test_without_a_seed_every_generator_is_another() -> None:
    assert default_rng().bit_generator.state != default_rng().bit_generator.state
    assert SeedSequence().entropy != SeedSequence().entropy


def test_default_rng_takes_what_there_is() -> None:
    rng = default_rng(4)
    assert default_rng(rng) is rng
    bits = Philox(9)
    made = default_rng(bits)
    made.random(3)
    assert bits.state["position"] > 0  # shared
    assert default_rng(SeedSequence(4)).bit_generator.state == default_rng(4).bit_generator.state


def test_jumped_and_advanced_generators() -> None:
    bits = Philox(key=3)
    assert bits.jumped().state == bits.state | {"jumps": 1}
    assert bits.jumped(5).jumped(2).state["jumps"] == 7
    other = Philox(key=3)
    bits.random_raw(4096)
    assert other.advance(4096).state == bits.state
    assert not np.array_equal(Philox(key=3).random_raw(8), Philox(key=3).jumped().random_raw(8))


def test_bytes() -> None:
    data = default_rng(1).bytes(1001)
    assert len(data) == 1001 and data == default_rng(1).bytes(1001)
    assert default_rng(1).bytes(0) == b""
    words = default_rng(1).integers(0, 2**32, 251, dtype="uint32").get()
    assert data == words.astype("<u4").tobytes()[:1001]
    counts = np.bincount(np.frombuffer(default_rng(2).bytes(1 << 16), np.uint8), minlength=256)
    assert ((counts - 256) ** 2 / 256).sum() < 350


def test_a_scalar_is_an_array_without_axes() -> None:
    x = default_rng(1).random()
    assert x.shape == () and 0 <= float(x) < 1
    assert default_rng(1).random(()).shape == ()
    assert default_rng(1).random((3, 0, 2)).get().shape == (3, 0, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_out_is_written_and_returned(dtype: Any) -> None:
    target = ww.zeros((6, 7), dtype=dtype)
    view = target[1:, ::2]
    returned = default_rng(8).normal(1, 2, out=view)
    assert returned is view
    expected = default_rng(8).normal(1, 2, (5, 4), dtype).get()
    assert np.array_equal(target.get()[1:, ::2], expected) and not target.get()[0].any()
