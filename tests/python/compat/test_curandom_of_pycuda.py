"""pycuda.curandom: distributions, reproducibility, skipping, and Sobol's sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import curandom, gpuarray
from pycuda.curandom import (
    MRG32k3aRandomNumberGenerator,
    ScrambledSobol32RandomNumberGenerator,
    ScrambledSobol64RandomNumberGenerator,
    Sobol32RandomNumberGenerator,
    Sobol64RandomNumberGenerator,
    XORWOWRandomNumberGenerator,
)

import warpwise as ww

SEEDED = [XORWOWRandomNumberGenerator, MRG32k3aRandomNumberGenerator]
SOBOL = [Sobol32RandomNumberGenerator, Sobol64RandomNumberGenerator]
SCRAMBLED = [ScrambledSobol32RandomNumberGenerator, ScrambledSobol64RandomNumberGenerator]
ALL: list[Any] = [*SEEDED, *SOBOL, *SCRAMBLED]
N = 50_000


def seeds(value: int) -> Any:
    return lambda count: gpuarray.zeros(count, np.int32).fill(value)


def moments(
    values: np.ndarray, mean: float, deviation: float, errors: float = 5, points: float = np.inf
) -> None:
    """Within so many standard errors. `points`: of each dimension, where they are Sobol's: the
    dimensions err together, the first 2^k points of each by 2^-k-1."""
    flat = values.astype(np.float64).ravel()
    error = max(errors * deviation / np.sqrt(flat.size), 8 * deviation / points)
    assert abs(flat.mean() - mean) < error
    assert abs(flat.std() - deviation) < error


def many(generator: Any) -> tuple[int, float]:
    """How many numbers, and how many points of each dimension they are: a GPU has tens of thousands
    of dimensions."""
    if "Sobol" not in type(generator).__name__:
        return N, np.inf
    states = generator.block_count * generator.generators_per_block
    n = max(N, 256 * states)
    return n, n / states


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint32"])
@pytest.mark.parametrize("shape", [(N,), (7, 11, 13), (0,), (3,), N + 1])
def test_rand(dtype: str, shape: Any) -> None:
    stream = drv.Stream()
    numbers = curandom.rand(shape, dtype=dtype, stream=stream)
    stream.synchronize()
    host = numbers.get()
    assert host.dtype == np.dtype(dtype)
    assert numbers.shape == (shape if isinstance(shape, tuple) else (shape,))
    if dtype.startswith("float") and host.size:
        assert 0 < host.min() <= host.max() <= 1
        moments(host, 0.5, 12**-0.5)
    if "int" in dtype and host.size > 1000:
        moments(host.view(np.uint32) / 2.0**32, 0.5, 12**-0.5)
    assert len(np.unique(host)) >= 0.98 * host.size


def test_rand_is_stored_only_where_it_is_read() -> None:
    """Its sum is one kernel, which draws the numbers."""
    np.random.seed(5)
    stored = curandom.rand(10_000)
    assert stored.gpudata is not None
    np.random.seed(5)
    total = gpuarray.sum(curandom.rand(10_000))
    assert ww.explain(total._array).count("kernel ") == 1
    assert total.get() == gpuarray.sum(stored).get()


def test_rand_follows_numpys_seed() -> None:
    np.random.seed(5)
    first = curandom.rand(100).get()
    assert not np.array_equal(first, curandom.rand(100).get())
    np.random.seed(5)
    np.testing.assert_array_equal(curandom.rand(100).get(), first)
    with pytest.raises(TypeError, match="complex64"):
        curandom.rand(3, np.complex64)


@pytest.mark.parametrize("make", ALL)
def test_distributions(make: Any) -> None:
    generator, stream = make(), drv.Stream()
    n, points = many(generator)
    assert generator.block_count >= 1
    assert generator.generators_per_block >= 32
    assert isinstance(generator.state, drv.DeviceAllocation)
    for dtype in (np.float32, np.float64):
        uniform = generator.gen_uniform((n,), dtype, stream=stream)
        normal = generator.gen_normal((n // 2, 2), dtype, stream=stream)
        log_normal = generator.gen_log_normal(n, dtype, 1, 0.5, stream=stream)
        stream.synchronize()
        assert 0 < uniform.get().min() <= uniform.get().max() <= 1
        moments(uniform.get(), 0.5, 12**-0.5, points=points)
        moments(normal.get(), 0, 1, points=points)
        moments(np.log(log_normal.get()), 1, 0.5, points=points)
        data = gpuarray.empty(n, dtype)
        generator.fill_uniform(data, stream=stream)
        stream.synchronize()
        moments(data.get(), 0.5, 12**-0.5, points=points)
        generator.fill_normal(data, stream=stream)
        stream.synchronize()
        moments(data.get(), 0, 1, points=points)
        generator.fill_log_normal(data, -1, 0.25, stream=stream)
        stream.synchronize()
        moments(np.log(data.get()), -1, 0.25, points=points)
    assert "fill_normal<float>" in generator.generators


@pytest.mark.parametrize("make", ALL)
def test_poisson_counts(make: Any) -> None:
    generator, stream = make(), drv.Stream()
    n, points = many(generator)
    errors = 5 if make in SEEDED else 20
    for dtype in (np.uint32, np.int32, np.float32, np.float64):
        counts = generator.gen_poisson((n,), dtype, 6.5, stream=stream)
        stream.synchronize()
        assert counts.dtype == dtype
        moments(counts.get(), 6.5, 6.5**0.5, errors, points)
    data = gpuarray.empty(n, np.uint32)
    generator.fill_poisson(data, lambda_value=100, stream=stream)
    stream.synchronize()
    moments(data.get(), 100, 10, errors, points)
    own = np.repeat(np.array([2, 50], np.float32), n // 2)
    means = gpuarray.to_gpu(own)
    generator.fill_poisson(means)
    moments(means.get()[: n // 2], 2, 2**0.5, errors, points)
    moments(means.get()[n // 2 :], 50, 50**0.5, errors, points)
    with pytest.raises(ValueError, match="lambda_value"):
        generator.fill_poisson(data, -1)


@pytest.mark.parametrize("make", ALL)
def test_integers_are_raw_words(make: Any) -> None:
    generator = make()
    n, points = many(generator)
    is_wide = "64" in make.__name__
    for dtype in (np.int64, np.uint64) if is_wide else (np.int32, np.uint32):
        words = generator.gen_uniform((n,), dtype).get()
        shares = words.view(f"u{words.itemsize}") / 2.0 ** (8 * words.itemsize)
        moments(shares, 0.5, 12**-0.5, points=points)
    with pytest.raises(TypeError, match="fill_uniform"):
        generator.gen_uniform(5, np.int16 if is_wide else np.int64)


@pytest.mark.parametrize("make", SEEDED)
def test_seeds_and_offsets_reproduce(make: Any) -> None:
    first = make(seed_getter=seeds(7))
    count = first.block_count * first.generators_per_block
    words = first.gen_uniform(3 * count, np.uint32).get()
    again = make(seed_getter=seeds(7), offset=1).gen_uniform(2 * count, np.uint32).get()
    np.testing.assert_array_equal(again, words[count:])
    other = make(seed_getter=seeds(8)).gen_uniform(count, np.uint32).get()
    assert not np.array_equal(other, words[:count])


@pytest.mark.parametrize("make", ALL)
def test_states_skip_numbers(make: Any) -> None:
    stream = drv.Stream()
    dtype = np.uint64 if "64" in make.__name__ else np.uint32

    def fresh() -> Any:
        return make(seed_getter=seeds(3)) if make in SEEDED else make()

    one, other = fresh(), fresh()
    count = one.block_count * one.generators_per_block
    words = one.gen_uniform(4 * count, dtype).get().reshape(4, count)
    other.call_skip_ahead(2, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(other.gen_uniform(count, dtype).get(), words[2])
    third = fresh()
    steps = np.arange(count, dtype=np.uint32) % 4
    third.call_skip_ahead_array(gpuarray.to_gpu(steps), stream=stream)
    stream.synchronize()
    got = third.gen_uniform(count, dtype).get()
    np.testing.assert_array_equal(got, words[steps, np.arange(count)])
    with pytest.raises(ValueError, match="skip"):
        one.call_skip_ahead(-1)
    with pytest.raises(TypeError, match="int32"):
        one.call_skip_ahead_array(gpuarray.zeros(count, np.float32))
    with pytest.raises(ValueError, match="states"):
        one.call_skip_ahead_array(gpuarray.zeros(1, np.int32))


@pytest.mark.parametrize("make", SEEDED)
def test_states_skip_sequences(make: Any) -> None:
    stream = drv.Stream()
    one, other = make(seed_getter=seeds(3)), make(seed_getter=seeds(3))
    count = one.block_count * one.generators_per_block
    other.call_skip_ahead_sequence(1, stream=stream)
    stream.synchronize()
    # All have one seed, so state i is now where state i + 1 was.
    words = one.gen_uniform(count, np.uint32).get()
    shifted = other.gen_uniform(count, np.uint32).get()
    if make is XORWOWRandomNumberGenerator:
        np.testing.assert_array_equal(shifted[:-1], words[1:])
    third = make(seed_getter=seeds(3))
    third.call_skip_ahead_sequence_array(gpuarray.ones(count, np.int32), stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(third.gen_uniform(count, np.uint32).get(), shifted)


def test_states_skip_subsequences() -> None:
    make = MRG32k3aRandomNumberGenerator
    one, other, third = (make(seed_getter=seeds(3)) for _ in range(3))
    count = one.block_count * one.generators_per_block
    words = one.gen_uniform(count, np.uint32).get()
    other.call_skip_ahead_subsequence(1)
    shifted = other.gen_uniform(count, np.uint32).get()
    np.testing.assert_array_equal(shifted[:-1], words[1:])
    third.call_skip_ahead_subsequence_array(gpuarray.ones(count, np.uint64))
    np.testing.assert_array_equal(third.gen_uniform(count, np.uint32).get(), shifted)


@pytest.mark.parametrize("make", SEEDED)
def test_distances_may_have_64_bits(make: Any) -> None:
    """As PyCUDA's kernels read them."""
    one, other = make(seed_getter=seeds(3)), make(seed_getter=seeds(3))
    count = one.block_count * one.generators_per_block
    one.call_skip_ahead(2**33)
    other.call_skip_ahead_array(gpuarray.to_gpu(np.full(count, 2**33, np.uint64)))
    words = one.gen_uniform(count, np.uint32).get()
    np.testing.assert_array_equal(other.gen_uniform(count, np.uint32).get(), words)


@pytest.mark.parametrize("make", [Sobol64RandomNumberGenerator,
                                  ScrambledSobol64RandomNumberGenerator])  # fmt: skip
def test_words_of_32_bits_of_wide_sequences_are_spread(make: Any) -> None:
    generator = make()
    n, points = many(generator)
    words = generator.gen_uniform(n, np.uint32).get()
    moments(words / 2.0**32, 0.5, 12**-0.5, points=points)


def test_only_pseudo_random_generators_make_normal_numbers_in_pairs() -> None:
    assert XORWOWRandomNumberGenerator.has_box_muller
    assert not Sobol32RandomNumberGenerator.has_box_muller


def test_every_parameter_by_name() -> None:
    assert XORWOWRandomNumberGenerator(seed_getter=seeds(1), offset=2).block_count
    assert MRG32k3aRandomNumberGenerator(seed_getter=seeds(1), offset=2).block_count
    assert Sobol32RandomNumberGenerator(dir_vector=None, offset=2).block_count
    assert Sobol64RandomNumberGenerator(dir_vector=None, offset=2).block_count
    narrow = ScrambledSobol32RandomNumberGenerator(dir_vector=None, scramble_vector=None, offset=2)
    wide = ScrambledSobol64RandomNumberGenerator(dir_vector=None, scramble_vector=None, offset=2)
    assert narrow.block_count == wide.block_count


def test_seed_getters() -> None:
    uniform = curandom.seed_getter_uniform(50).get()
    unique = curandom.seed_getter_unique(50).get()
    assert len(set(uniform.tolist())) == 1
    assert len(set(unique.tolist())) > 40
    with pytest.raises(TypeError, match="seed_getter"):
        XORWOWRandomNumberGenerator(lambda count: np.zeros(count, np.int32))
    with pytest.raises(ValueError, match="states"):
        XORWOWRandomNumberGenerator(lambda count: gpuarray.zeros(1, np.int32))


# --- Sobol's sequences.


def sequence(vectors: np.ndarray, count: int) -> np.ndarray:
    """The first numbers of a dimension, by Gray code."""
    word, numbers = 0, [0]
    for i in range(1, count):
        word ^= int(vectors[(i & -i).bit_length() - 1])
        numbers.append(word)
    return np.array(numbers, vectors.dtype)


@pytest.mark.parametrize("kind", list(curandom.direction_vector_set))
def test_every_dimension_fills_its_interval(kind: Any) -> None:
    """Of any 2**k consecutive numbers one is in each of the 2**k equal parts."""
    vectors = curandom.generate_direction_vectors(600, kind).get()
    bits = 64 if "64" in kind.name else 32
    assert vectors.shape == (600, bits)
    assert vectors.dtype == np.dtype(f"u{bits // 8}")
    for row in vectors[::37]:
        numbers = sequence(row, 256)
        assert len(set((numbers >> np.array(bits - 8, numbers.dtype)).tolist())) == 256
    assert len({tuple(row) for row in vectors.tolist()}) == 600


def test_the_first_dimension_is_van_der_corputs() -> None:
    vectors = curandom.generate_direction_vectors(count=1).get()[0]
    np.testing.assert_array_equal(vectors, 2 ** np.arange(31, -1, -1, dtype=np.uint64))


@pytest.mark.parametrize("make", [*SOBOL, *SCRAMBLED])
def test_generators_follow_their_vectors(make: Any) -> None:
    bits = 64 if "64" in make.__name__ else 32
    is_scrambled = make in SCRAMBLED
    name = f"{'SCRAMBLED_' if is_scrambled else ''}VECTOR_{bits}"
    generator = make()
    count = generator.block_count * generator.generators_per_block
    kind = getattr(curandom.direction_vector_set, name)
    vectors = curandom.generate_direction_vectors(count, kind)
    constants = getattr(curandom, f"generate_scramble_constants{bits}")(count)
    more = {"scramble_vector": constants} if is_scrambled else {}
    words = make(dir_vector=vectors, offset=0, **more).gen_uniform(64 * count, f"u{bits // 8}")
    got = words.get().reshape(64, count)
    for dimension in (0, 1, count - 1):
        want = sequence(vectors.get()[dimension], 64)
        if is_scrambled:
            want = want ^ constants.get()[dimension]
        np.testing.assert_array_equal(got[:, dimension], want)
    later = make(dir_vector=vectors, offset=10, **more).gen_uniform(count, f"u{bits // 8}").get()
    np.testing.assert_array_equal(later, got[10])
    default = generator.gen_uniform(count, f"u{bits // 8}").get()
    np.testing.assert_array_equal(default, got[0])


@pytest.mark.parametrize("dtype", [np.uint32, np.int32])
def test_narrow_words_of_wide_sequences_are_their_high_halves(dtype: Any) -> None:
    """PyCUDA gives the low ones, which are 0 in the first numbers of a Sobol sequence."""
    wide = Sobol64RandomNumberGenerator(offset=3).gen_uniform(1000, np.uint64).get()
    narrow = Sobol64RandomNumberGenerator(offset=3).gen_uniform(1000, dtype).get()
    np.testing.assert_array_equal(narrow.view(np.uint32), (wide >> 32).astype(np.uint32))


def test_scramble_constants_differ() -> None:
    narrow = curandom.generate_scramble_constants32(count=1000).get()
    wide = curandom.generate_scramble_constants64(count=1000).get()
    assert narrow.dtype == np.uint32
    assert wide.dtype == np.uint64
    assert len(set(narrow.tolist())) == len(set(wide.tolist())) == 1000


def test_wrong_vectors() -> None:
    with pytest.raises(TypeError, match="dir_vector"):
        Sobol32RandomNumberGenerator(gpuarray.zeros(5, np.float32))
    with pytest.raises(ValueError, match="words"):
        Sobol64RandomNumberGenerator(gpuarray.zeros(5, np.uint64))
    with pytest.raises(ValueError, match="scramble_vector"):
        ScrambledSobol32RandomNumberGenerator(scramble_vector=gpuarray.zeros(5, np.uint32))
    with pytest.raises(ValueError, match="count"):
        curandom.generate_direction_vectors(-1)
    with pytest.raises(ValueError, match="7"):
        curandom.generate_direction_vectors(1, 7)


def test_arrays_that_cannot_be_filled() -> None:
    generator = XORWOWRandomNumberGenerator()
    with pytest.raises(TypeError, match="GPUArray"):
        generator.fill_uniform(np.zeros(3, np.float32))
    with pytest.raises(RuntimeError, match="contiguous"):
        generator.fill_normal(gpuarray.zeros(6, np.float32)[::2])
    with pytest.raises(TypeError, match="float32"):
        generator.fill_normal(gpuarray.zeros(6, np.int32))
    generator.fill_normal(gpuarray.zeros(0, np.float32))
    assert curandom.get_curand_version() >= (10, 0, 0)
