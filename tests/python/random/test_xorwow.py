"""XORWOW: cuRAND's words, golden numbers, states, jumps and children, and what it refuses."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww
from warpwise.random import XORWOW, Generator, Philox, SeedSequence, default_rng

GOLDEN = Path(__file__).parents[2] / "golden" / "random" / "xorwow1.json"
STREAMS = 16_384
PLACES = [0, 1, 255, 256, 511, 512, 1023, 1024, 16_383, 16_384, 65_535, 65_536, 65_800, 69_999]
N = 70_000

DRAWS: dict[str, Any] = {
    "random": lambda g, s: g.random(s),
    "random of 32 bits": lambda g, s: g.random(s, np.float32),
    "normal": lambda g, s: g.normal(1.5, 2.0, s),
    "normal of 32 bits": lambda g, s: g.standard_normal(s, np.float32),
    "lognormal": lambda g, s: g.lognormal(0.25, 0.5, s),
    "exponential": lambda g, s: g.exponential(2.0, s),
    "laplace of 32 bits": lambda g, s: g.laplace(size=s, dtype=np.float32),
    "cauchy": lambda g, s: g.standard_cauchy(s),
    "weibull": lambda g, s: g.weibull(1.5, s),
    "gamma": lambda g, s: g.standard_gamma(2.5, s),
    "small gamma": lambda g, s: g.standard_gamma(0.25, s),
    "beta": lambda g, s: g.beta(0.5, 2.5, s),
    "integers of a byte": lambda g, s: g.integers(-3, 90, s, np.int8),
    "integers of 32 bits": lambda g, s: g.integers(0, 3 << 30, s, np.uint32),
    "integers of 64 bits": lambda g, s: g.integers(-5, 3 << 61, s),
    "poisson": lambda g, s: g.poisson(4.5, s),
    "large poisson": lambda g, s: g.poisson(1234.5, s),
    "binomial": lambda g, s: g.binomial(1000, 0.75, s),
    "geometric": lambda g, s: g.geometric(0.125, s),
    "noncentral chisquare": lambda g, s: g.noncentral_chisquare(0.5, 30.0, s),
    "vonmises": lambda g, s: g.vonmises(0.0, 2.5, s),
    "hypergeometric": lambda g, s: g.hypergeometric(70, 50, 30, s),
    "zipf": lambda g, s: g.zipf(1.75, s),
}


def generator(position: int = 1 << 33) -> Generator:
    bits = XORWOW(7)
    bits.state = bits.state | {"position": position, "jumps": 3}
    return Generator(bits)


def texts(values: np.ndarray[Any, Any]) -> list[str]:
    if values.dtype.kind == "f":
        return [float(x).hex() for x in values[PLACES]]
    return [str(x) for x in values[PLACES]]


def test_streams_are_those_of_their_version() -> None:
    """WARPWISE_UPDATE_GOLDEN=1 writes the file anew: only for a new version of streams."""
    found = {name: texts(draw(generator(), N).get()) for name, draw in DRAWS.items()}
    if os.environ.get("WARPWISE_UPDATE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(GOLDEN.read_text())


CURAND = """
#include <curand_kernel.h>
__global__ void words(unsigned *out, unsigned long long seed, unsigned long long first,
                      unsigned long long offset)
{
    const unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    curand_init(seed, first + g, offset, &state);
    for (int i = 0; i < 8; ++i) out[g * 8 + i] = curand(&state);
}"""


@pytest.mark.parametrize(("position", "jumps"), [(0, 0), (5, 0), ((1 << 40) + 3, 9)])
def test_words_are_those_of_curand(position: int, jumps: int) -> None:
    bits = XORWOW([1, 2, position])
    bits.state = bits.state | {"position": position, "jumps": jumps}
    seed = bits.state["seed"]
    theirs = np.empty((STREAMS, 8), dtype=np.uint32)
    mod = ww.SourceModule(CURAND, name="words_of_curand.cu")
    mod["words"](ww.Out(theirs), seed, jumps * STREAMS, 4 * position, grid=64, block=256)
    place = np.arange(N)
    tile, item, lane = place // 1024, place // 256 % 4, place % 256
    expected = theirs[tile % 64 * 256 + lane, tile // 64 * 4 + item]
    assert np.array_equal(bits.random_raw(N), expected)


@pytest.mark.parametrize("name", DRAWS)
def test_numbers_depend_on_their_position_alone(name: str) -> None:
    whole = DRAWS[name](generator(), N).get()
    for size in (1, 257, 1025, 16_385):
        assert np.array_equal(DRAWS[name](generator(), size).get(), whole[:size])
    assert np.array_equal(DRAWS[name](generator(), (70, 1000)).get().ravel(), whole)


# The states that a generator keeps on the device are those of its position.
def test_kept_states_are_those_of_the_position() -> None:
    kept = generator(0)
    for size in (100, 70_000, 1, 0, 3, 140_000):
        before = kept.bit_generator.state
        fresh = Generator(XORWOW(7))
        fresh.bit_generator.state = before
        assert np.array_equal(kept.random(size).get(), fresh.random(size).get())
        assert kept.bit_generator.state == fresh.bit_generator.state
    first = kept.bit_generator.state
    again = kept.normal(size=50).get()
    kept.bit_generator.state = first
    assert np.array_equal(kept.normal(size=50).get(), again)


def test_lazy_values_and_parameters_of_arrays() -> None:
    means = ww.asarray(np.arange(1.0, 6.0))
    drawn = generator().poisson(means, size=(40_000, 5)).get()
    assert np.allclose(drawn.mean(axis=0), np.arange(1, 6), atol=0.06)
    scaled = generator().gamma(means[:, None], 2.0, size=(5, 30_000)).get()
    assert np.allclose(scaled.mean(axis=1), 2 * np.arange(1, 6), rtol=0.03)
    wide = generator().integers(ww.asarray([0, 10]), ww.asarray([5, 12]), size=(1000, 2)).get()
    assert wide[:, 0].min() == 0 and wide[:, 0].max() == 4 and set(wide[:, 1]) == {10, 11}


def test_moments_and_pairs() -> None:
    from scipy import stats

    x = Generator(XORWOW(11)).random(200_000).get()
    z = Generator(XORWOW(12)).standard_normal(200_000, np.float32).get()
    assert stats.kstest(x, "uniform").pvalue > 1e-4
    assert stats.kstest(z.astype(float), "norm").pvalue > 1e-4
    for shift in (1, 255, 256, 1024, 16_384):
        assert abs(np.corrcoef(x[:-shift], x[shift:])[0, 1]) < 0.012
        assert abs(np.corrcoef(z[:-shift], z[shift:])[0, 1]) < 0.012
    counts = np.bincount(np.frombuffer(Generator(XORWOW(2)).bytes(1 << 16), np.uint8))
    assert ((counts - 256) ** 2 / 256).sum() < 350


def test_choices_and_shuffles() -> None:
    for size in (100, 10_000):
        order = Generator(XORWOW(5)).permutation(size).get()
        assert sorted(order.tolist()) == list(range(size)) and order[0] != 0
        assert not np.array_equal(order, Generator(XORWOW(6)).permutation(size).get())
    rng = Generator(XORWOW(5))
    x = ww.arange(1000)
    rng.shuffle(x)
    assert sorted(x.get().tolist()) == list(range(1000))
    assert len(set(rng.choice(1000, 500, replace=False).get().tolist())) == 500
    weighted = rng.choice(3, 20_000, p=[0.2, 0.3, 0.5]).get()
    assert np.allclose(np.bincount(weighted) / 20_000, [0.2, 0.3, 0.5], atol=0.02)
    parts = rng.dirichlet([0.05, 0.02, 0.03], 5000).get()
    assert np.allclose(parts.sum(axis=-1), 1) and np.allclose(
        parts.mean(axis=0), [0.5, 0.2, 0.3], atol=0.04
    )


def test_states_jumps_and_children() -> None:
    bits = XORWOW(3)
    assert bits.jumped().state == bits.state | {"jumps": 1}
    assert bits.jumped(5).jumped(2).state["jumps"] == 7
    assert not np.array_equal(XORWOW(3).random_raw(8), XORWOW(3).jumped().random_raw(8))
    other = XORWOW(3)
    bits.random_raw(STREAMS * 4 + 1)
    assert other.advance(2).state == bits.state
    children = [child.random_raw(4).tolist() for child in XORWOW(3).spawn(3)]
    seeds = [XORWOW(seed).random_raw(4).tolist() for seed in SeedSequence(3).spawn(3)]
    assert children == seeds
    child = Generator(XORWOW(3)).spawn(1)[0]
    assert isinstance(child.bit_generator, XORWOW)
    assert XORWOW(3).random_raw() == XORWOW(3).random_raw(1)[0]
    assert isinstance(XORWOW().seed_seq, SeedSequence) and XORWOW(3).jumped().seed_seq is None


def test_generators_are_pickled_with_their_state() -> None:
    rng = Generator(XORWOW(7))
    rng.random(5000)
    copied: Generator = pickle.loads(pickle.dumps(rng))
    assert repr(copied) == "Generator(XORWOW)" and "XORWOW(seed=" in repr(copied.bit_generator)
    assert np.array_equal(copied.random(9).get(), rng.random(9).get())
    jumped: XORWOW = pickle.loads(pickle.dumps(XORWOW(7).jumped()))
    assert jumped.state == XORWOW(7).jumped().state
    assert default_rng(XORWOW(7)).random() == Generator(XORWOW(7)).random()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_out_is_written_and_returned(dtype: Any) -> None:
    target = ww.zeros((6, 7), dtype=dtype)
    view = target[1:, ::2]
    assert Generator(XORWOW(8)).normal(1, 2, out=view) is view
    expected = Generator(XORWOW(8)).normal(1, 2, (5, 4), dtype).get()
    assert np.array_equal(target.get()[1:, ::2], expected) and not target.get()[0].any()


def test_it_refuses_what_is_no_state() -> None:
    bits = XORWOW(1)
    with pytest.raises(ValueError, match=r"below 2\^62"):
        bits.state = bits.state | {"position": 1 << 62}
    with pytest.raises(ValueError, match=r"fewer than 2\^50"):
        bits.jumped(1 << 50)
    with pytest.raises(ValueError, match="state of an XORWOW"):
        bits.state = Philox(1).state
    with pytest.raises(ValueError, match="stream version 99"):
        bits.state = bits.state | {"version": 99}
    with pytest.raises(TypeError, match="seed sequence"):
        bits.jumped().spawn(1)
    with pytest.raises(ValueError, match="n_children"):
        bits.spawn(-1)
    with pytest.raises(TypeError, match="Philox or an XORWOW"):
        Generator(np.random.PCG64(1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="seed"):
        XORWOW("seven")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="scale=-1"):
        Generator(bits).normal(0, -1)


def test_a_captured_draw_starts_again_with_every_launch() -> None:
    expected = Generator(XORWOW(3)).random(N).get()
    drawn = Generator(XORWOW(3))
    stream = ww.Stream()
    with stream.capture() as graph:
        numbers = drawn.random(N)
    for _ in range(3):
        numbers[:] = 0
        ww.evaluate(numbers)
        graph.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(numbers.get(), expected)
    # The generator has moved on once, by the call.
    following = Generator(XORWOW(3))
    following.random(N)
    np.testing.assert_array_equal(drawn.random(N).get(), following.random(N).get())
