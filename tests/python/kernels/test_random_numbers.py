"""Random numbers from <curand_kernel.h>, as simulations use them."""

import numpy as np
import pytest

import warpwise as ww

WORDS = [1388865699, 4190861580, 1026520588, 1248001722]
STATES = ["curandStateXORWOW_t", "curandStatePhilox4_32_10_t", "curandStateMRG32k3a_t"]


def test_the_words_are_curands(run):
    """Seed 5, subsequences 0 to 3: the first words that NVIDIA's header gives."""
    out = np.zeros(4, np.uint32)
    run(
        """#include <curand_kernel.h>
        __global__ void kernel(unsigned *out) {
            curandState state;
            curand_init(5, threadIdx.x, 0, &state);
            out[threadIdx.x] = curand(&state);
        }""",
        ww.Out(out), block=4,
    )  # fmt: skip
    assert out.tolist() == WORDS


@pytest.mark.parametrize("state", STATES)
def test_states_in_memory_go_on_in_the_next_kernel(run, rng, state):
    """Two kernels of five numbers each give what one of ten does."""
    module = ww.SourceModule(f"""
        #include <curand_kernel.h>
        typedef {state} State;
        __global__ void setup(State *states, unsigned long long seed) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            curand_init(seed, i, 3, &states[i]);
        }}
        __global__ void draw(State *states, float *out, int count) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            State mine = states[i];
            for (int k = 0; k < count; ++k) out[i * count + k] = curand_normal(&mine);
            states[i] = mine;
        }}
        __global__ void size(unsigned long long *bytes) {{ *bytes = sizeof(State); }}""")
    n, seed = 96, int(rng.integers(2**63))
    size = np.zeros(1, np.uint64)
    module["size"](ww.Out(size), grid=1, block=1)
    states = ww.mem_alloc(n * int(size[0]))
    halves = np.zeros((2, n, 5), np.float32)
    whole = np.zeros((n, 10), np.float32)
    module["setup"](states, seed, grid=3, block=32)
    for half in halves:
        module["draw"](states, ww.Out(half), 5, grid=3, block=32)
    module["setup"](states, seed, grid=3, block=32)
    module["draw"](states, ww.Out(whole), 10, grid=3, block=32)
    assert np.array_equal(np.concatenate(halves, axis=1), whole)


@pytest.mark.parametrize("state", STATES)
def test_threads_draw_independent_numbers(run, state):
    n = 4096
    x, y = np.zeros((2, n), np.float64)
    run(
        f"""#include <curand_kernel.h>
        __global__ void kernel(double *x, double *y) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            {state} state;
            curand_init(1, i, 0, &state);
            x[i] = curand_uniform_double(&state);
            y[i] = curand_uniform_double(&state);
        }}""",
        ww.Out(x), ww.Out(y), grid=n // 64, block=64,
    )  # fmt: skip
    # Five standard deviations of a mean and of a correlation; the seed is fixed.
    assert abs(x.mean() - 0.5) < 5 * np.sqrt(1 / 12 / n)
    assert abs(np.corrcoef(x, y)[0, 1]) < 5 / np.sqrt(n)
    assert abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 5 / np.sqrt(n)


def test_poisson_counts_have_their_mean_as_variance(run):
    n, means = 4096, np.array([0.5, 30, 400, 6000])
    counts = np.zeros((4, n), np.uint32)
    run(
        """#include <curand_kernel.h>
        __global__ void kernel(unsigned *counts, const double *means, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            curandState state;
            curand_init(7, i, 0, &state);
            for (int k = 0; k < 4; ++k) counts[k * n + i] = curand_poisson(&state, means[k]);
        }""",
        ww.Out(counts), ww.In(means), n, grid=n // 64, block=64,
    )  # fmt: skip
    assert np.allclose(counts.mean(axis=1), means, atol=5 * np.sqrt(means / n))
    assert np.allclose(counts.var(axis=1), means, rtol=0.15)


@pytest.mark.cpu_only("on a GPU only cuRAND's host library makes such a distribution")
@pytest.mark.parametrize("state", STATES)
def test_discrete_numbers_have_their_distribution(run, state):
    n, weights = 1 << 14, np.array([1, 0, 5, 2, 8], np.float64)
    function = ww.to_device(np.cumsum(weights) / weights.sum())
    distribution = np.zeros(1, [("function", np.uint64), ("first", "u4"), ("count", "u4")])
    distribution[0] = function.address, 3, weights.size
    numbers = np.zeros(2 * n, np.uint32)
    several = "curand_discrete4(&state, d).w" if "Philox" in state else "curand_discrete(&state, d)"
    run(
        f"""#include <curand_kernel.h>
        __global__ void kernel(unsigned *numbers, curandDiscreteDistribution_t d, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            {state} state;
            curand_init(7, i, 0, &state);
            numbers[i] = curand_discrete(&state, d);
            numbers[n + i] = {several};
        }}""",
        ww.Out(numbers), ww.In(distribution), n, grid=n // 64, block=64,
    )  # fmt: skip
    for half in numbers.reshape(2, n):
        counts = np.bincount(half, minlength=8)
        expected = n * weights / weights.sum()
        assert counts.size == 8
        assert counts[:3].sum() == counts[4] == 0
        # The seed is fixed; five standard deviations.
        assert (abs(counts[3:] - expected) <= 5 * np.sqrt(expected)).all()


def test_a_sobol_sequence_integrates_better_than_chance(run):
    n = 1 << 12
    vectors = (np.uint32(1) << np.arange(31, -1, -1, dtype=np.uint32)).astype(np.uint32)
    values = np.zeros(n, np.float32)
    run(
        """#include <curand_kernel.h>
        __global__ void kernel(curandDirectionVectors32_t *vectors, float *values) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            curandStateSobol32 state;
            curand_init(vectors[0], i, &state);
            float x = curand_uniform(&state);
            values[i] = x * x;
        }""",
        ww.In(vectors), ww.Out(values), grid=n // 64, block=64,
    )  # fmt: skip
    assert abs(values.mean(dtype=np.float64) - 1 / 3) < 2 / n
