"""The C++ library and Thrust inside kernels, and host types together with them, on every executor."""

import numpy as np
import pytest

import warpwise as ww

EXECUTORS = ["gang", "reference"]


@pytest.fixture(params=EXECUTORS)
def each(run, request):
    def launch(source, *args, **kw):
        run(source, *args, options=[f"--warpwise-executor={request.param}", "-std=c++17"], **kw)

    return launch


def test_a_thread_sorts_partitions_and_searches_its_row(each, rng):
    x = rng.integers(0, 50, (40, 12)).astype(np.int32)
    low, ordered, middle = np.zeros_like(x), np.zeros_like(x), np.zeros(40, np.int32)
    facts = np.zeros((40, 6), np.int32)
    each(
        """#include <algorithm>
        #include <numeric>
        __global__ void kernel(const int *x, int *low, int *ordered, int *middle, int *facts) {
            const int *row = x + 12 * threadIdx.x;
            int *a = low + 12 * threadIdx.x, *b = ordered + 12 * threadIdx.x;
            int *f = facts + 6 * threadIdx.x;
            std::copy_n(row, 12, a);
            f[0] = std::partition(a, a + 12, [](int v) { return v < 25; }) - a;
            std::copy(row, row + 12, b);
            std::nth_element(b, b + 6, b + 12);
            middle[threadIdx.x] = b[6];
            std::make_heap(b, b + 12);
            std::sort_heap(b, b + 12);
            auto ends = std::minmax_element(row, row + 12);
            f[1] = *ends.first, f[2] = *ends.second;
            f[3] = std::count_if(row, row + 12, [](int v) { return v % 2 == 1; });
            f[4] = std::is_sorted(b, b + 12) && std::binary_search(b, b + 12, row[3]);
            int kept[12];
            std::copy(b, b + 12, kept);
            f[5] = std::unique(kept, kept + 12) - kept;
        }""",
        ww.In(x), ww.Out(low), ww.Out(ordered), ww.Out(middle), ww.Out(facts), block=40,
    )  # fmt: skip
    want = np.sort(x, axis=1)
    assert np.array_equal(ordered, want)
    assert np.array_equal(middle, want[:, 6])
    assert np.array_equal(np.sort(low, axis=1), want)
    assert facts[:, 0].tolist() == (x < 25).sum(axis=1).tolist()
    assert all((low[i, : facts[i, 0]] < 25).all() for i in range(40))
    assert np.array_equal(facts[:, 1:3], np.stack([x.min(1), x.max(1)], 1))
    assert facts[:, 3].tolist() == (x % 2).sum(axis=1).tolist()
    assert facts[:, 4].all()
    assert facts[:, 5].tolist() == [len(set(row)) for row in x.tolist()]


def test_rotations_removals_merges_and_scans(each):
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
    rotated, kept, merged, sums = (np.zeros(8, np.int32) for _ in range(4))
    each(
        """#include <algorithm>
        #include <functional>
        #include <numeric>
        __global__ void kernel(const int *x, int *rotated, int *kept, int *merged, int *sums) {
            std::copy(x, x + 8, rotated);
            std::rotate(rotated, rotated + 3, rotated + 8);
            std::copy(x, x + 8, kept);
            int *end = std::remove(kept, kept + 8, 1);
            std::fill(end, kept + 8, -1);
            int a[4], b[4];
            std::partial_sort(std::begin(a), std::copy(x, x + 4, a), std::end(a));
            std::copy(x + 4, x + 8, b);
            std::sort(b, b + 4, std::less<int>());
            std::merge(a, a + 4, b, b + 4, merged);
            std::exclusive_scan(x, x + 8, sums, 10, std::plus<int>());
        }""",
        ww.In(x), ww.Out(rotated), ww.Out(kept), ww.Out(merged), ww.Out(sums),
    )  # fmt: skip
    assert rotated.tolist() == np.roll(x, -3).tolist()
    assert kept.tolist() == [3, 4, 5, 9, 2, 6, -1, -1]
    assert merged.tolist() == sorted(x.tolist())
    assert sums.tolist() == (10 + np.cumsum(x) - x).tolist()


def test_pairs_tuples_and_arrays_compare_and_destructure(each):
    out = np.zeros(8, np.int32)
    each(
        """#include <array>
        #include <functional>
        #include <tuple>
        #include <utility>
        __global__ void kernel(int *out) {
            std::pair<int, float> p(1, 2.5f);
            auto [number, value] = p;
            out[0] = number + (int)(2 * value);
            out[1] = std::make_pair(1, 3) > std::make_pair(1, 2);
            int a, b;
            std::tie(a, std::ignore, b) = std::make_tuple(7, 1.0f, 9);
            out[2] = 10 * a + b;
            out[3] = std::make_tuple(1, 2) < std::make_tuple(1, 3);
            std::array<int, 3> c{1, 2, 3};
            auto [x, y, z] = c;
            out[4] = x + y * z;
            out[5] = std::apply([](int i, int j) { return i - j; }, std::make_tuple(5, 3));
            out[6] = std::invoke(std::multiplies<>(), 6, 7);
            out[7] = std::get<1>(p) == 2.5f;
        }""",
        ww.Out(out),
    )
    assert out.tolist() == [6, 1, 79, 1, 7, 2, 42, 1]


def test_functions_of_complex_numbers(each, rng):
    # Not near the poles of tan and tanh, where the last bits of z count many times over.
    z = rng.uniform(-1.2, 1.2, 64) + 1j * rng.uniform(-1.2, 1.2, 64)
    names = ["sin", "cos", "tan", "sinh", "cosh", "tanh", "log10", "exp", "sqrt"]
    out = np.zeros((len(names) + 1, 64), np.complex128)
    calls = "".join(f"out[{64 * i} + threadIdx.x] = thrust::{n}(z);" for i, n in enumerate(names))
    each(
        f"""#include <thrust/complex.h>
        typedef thrust::complex<double> number;
        __global__ void kernel(const number *in, number *out) {{
            number z = in[threadIdx.x];
            {calls}
            out[{64 * len(names)} + threadIdx.x] = thrust::pow(z, 2.5) / number(0, 2)
                + thrust::pow(2, number(0.0)) + 0 * z;
        }}""",
        ww.In(z), ww.Out(out), block=64,
    )  # fmt: skip
    for i, name in enumerate(names):
        np.testing.assert_allclose(out[i], getattr(np, name)(z), rtol=1e-12, err_msg=name)
    np.testing.assert_allclose(out[-1], z**2.5 / 2j + 1, rtol=1e-12)


def test_thrust_algorithms_work_through_a_row_by_one_thread(each, rng):
    keys = rng.integers(0, 9, (33, 10)).astype(np.int32)
    values = np.tile(np.arange(10, dtype=np.int32), (33, 1))
    out = np.zeros((33, 4), np.int32)
    want = np.stack([keys.sum(1), keys.max(1), (keys == 3).sum(1), keys[:, 0] * 2], 1)
    order = np.argsort(keys, axis=1, kind="stable")
    each(
        """#include <thrust/execution_policy.h>
        #include <thrust/extrema.h>
        #include <thrust/functional.h>
        #include <thrust/sort.h>
        #include <thrust/transform_reduce.h>
        #include <thrust/iterator/counting_iterator.h>
        struct twice { __host__ __device__ int operator()(int x) const { return 2 * x; } };
        __global__ void kernel(int *keys, int *values, int *out) {
            int *k = keys + 10 * threadIdx.x, *o = out + 4 * threadIdx.x;
            o[0] = thrust::reduce(thrust::seq, k, k + 10, 0, thrust::plus<int>());
            o[1] = *thrust::max_element(k, k + 10);
            o[2] = thrust::count(thrust::device, k, k + 10, 3);
            o[3] = thrust::transform_reduce(thrust::seq, k, k + 1, twice(), 0, thrust::plus<>());
            thrust::sort_by_key(thrust::seq, k, k + 10, values + 10 * threadIdx.x);
            thrust::counting_iterator<int> first(0);
            o[0] += thrust::reduce(thrust::seq, first, first + 3) - 3;
        }""",
        ww.InOut(keys), ww.InOut(values), ww.Out(out), block=33,
    )  # fmt: skip
    assert np.array_equal(out, want)
    assert np.array_equal(values, order)
    assert (np.diff(keys, axis=1) >= 0).all()


def test_thrust_shuffles_are_permutations_each_as_likely(each):
    rows, count = 2400, 4
    here, copied = np.zeros((rows, count), np.int32), np.zeros((rows, count), np.int32)
    drawn = np.zeros(1, np.uint32)
    each(
        """#include <thrust/shuffle.h>
        #include <thrust/random.h>
        #include <thrust/sequence.h>
        #include <thrust/execution_policy.h>
        __global__ void kernel(int *here, int *copied, unsigned *drawn) {
            thrust::default_random_engine engine(5), fresh(5);
            for (int i = 0; i < 2400; ++i) {
                int *row = here + 4 * i;
                thrust::sequence(row, row + 4);
                if (i % 2) thrust::shuffle(thrust::seq, row, row + 4, engine);
                else thrust::shuffle(row, row + 4, engine);
            }
            thrust::shuffle_copy(thrust::device, here, here + 9600, copied, engine);
            *drawn = engine() == fresh();
            long long *none = nullptr;
            thrust::shuffle(none, none, thrust::minstd_rand(3));
        }""",
        ww.Out(here), ww.Out(copied), ww.Out(drawn),
    )  # fmt: skip
    orders, often = np.unique(here, axis=0, return_counts=True)
    assert len(orders) == 24 and (np.sort(orders, axis=1) == np.arange(4)).all()
    assert ((often > 50) & (often < 150)).all()  # 100 on average, within five deviations
    assert (np.sort(copied, axis=None) == np.sort(here, axis=None)).all()
    assert (copied != here).any()
    assert drawn[0] == 0, "the engine did not go on"


def test_thrust_random_numbers_follow_their_recurrence(each):
    out, uniform = np.zeros(4, np.uint32), np.zeros(2, np.float32)
    each(
        """#include <thrust/random.h>
        __global__ void kernel(unsigned *out, float *uniform) {
            thrust::default_random_engine engine(17);
            out[0] = engine();
            out[1] = engine();
            thrust::minstd_rand ahead(17);
            ahead.discard(1000);
            out[2] = ahead();
            thrust::uniform_real_distribution<float> real(2.0f, 4.0f);
            thrust::minstd_rand fresh(17);
            uniform[0] = real(fresh);
            thrust::uniform_int_distribution<int> whole(0, 9);
            out[3] = whole(fresh);
            thrust::normal_distribution<float> normal(0.0f, 1.0f);
            uniform[1] = normal(fresh);
        }""",
        ww.Out(out), ww.Out(uniform),
    )  # fmt: skip
    modulus, states = 2**31 - 1, [17]
    for _ in range(1001):
        states.append(states[-1] * 48271 % modulus)
    assert out[:3].tolist() == [states[1], states[2], states[1001]]
    assert out[3] == int((states[2] - 1) / (modulus - 1) * 10)
    assert uniform[0] == pytest.approx(2 + 2 * (states[1] - 1) / (modulus - 1), rel=1e-6)
    from statistics import NormalDist

    assert uniform[1] == pytest.approx(NormalDist().inv_cdf(states[3] / modulus), rel=1e-4)


def test_structs_with_host_containers_keep_their_layout(each):
    out = np.zeros(2, np.int32)
    each(
        """#include <chrono>
        #include <map>
        #include <memory>
        #include <random>
        #include <string>
        #include <vector>
        #include <thrust/device_vector.h>
        struct Config {
            std::vector<float> weights;
            std::string name;
            std::chrono::time_point<std::chrono::steady_clock> start;
            std::mt19937 engine;
            std::map<std::string, std::unique_ptr<int>> table;
            thrust::device_vector<int> data;
            int steps;
            __device__ int twice() const { return 2 * steps; }
            void load(const std::vector<std::string>& lines);
        };
        std::vector<int> all = {1, 2, 3};
        void Config::load(const std::vector<std::string>& lines) { name = lines[0]; }
        __global__ void kernel(int *out) {
            out[0] = sizeof(std::vector<float>) + sizeof(std::string);
            out[1] = (int)(size_t)&((Config *)0)->steps;
        }""",
        ww.Out(out),
    )
    assert out.tolist() == [24 + 32, 24 + 32 + 8 + 5000 + 48 + 32]


def test_a_type_of_ones_own_named_texture(each):
    out = np.zeros(4, np.float32)
    each(
        """struct texture { float u, v; };
        typedef struct { int handle; } surface;
        __global__ void kernel(float *out) {
            texture t = {1.0f + threadIdx.x, 2.0f};
            surface s = {3};
            out[threadIdx.x] = t.u * t.v + s.handle;
        }""",
        ww.Out(out), block=4,
    )  # fmt: skip
    assert out.tolist() == [5.0, 7.0, 9.0, 11.0]


def test_old_names_of_classes_and_conversions(each):
    x = np.array([1.5, np.inf, -np.inf, np.nan], np.float32)
    out = np.zeros((4, 5), np.int32)
    each(
        """__global__ void kernel(const float *x, int *out) {
            float v = x[threadIdx.x];
            int *o = out + 5 * threadIdx.x;
            o[0] = __isnanf(v) + isnanf(v);
            o[1] = __isinff(v) != 0;
            o[2] = __finitef(v) + finite((double)v);
            o[3] = __signbitd(float2double(v)) != 0 && v == v;
            o[4] = __isnan((double)v) + __isinf((double)v);
        }""",
        ww.In(x), ww.Out(out), block=4,
    )  # fmt: skip
    want = [[0, 0, 2, 0, 0], [0, 1, 0, 0, 1], [0, 1, 0, 1, 1], [2, 0, 0, 0, 1]]
    assert out.tolist() == want


@pytest.mark.cpu_only("it leaves out parts of a source")
def test_a_kernel_with_a_missing_type_in_its_head_is_refused_alone():
    module = ww.SourceModule(
        """#include <missing_library.h>
        __global__ void broken(missing_type *p, int n) { p[0].x = n; }
        template <class T> __device__ T helper(other_missing<T> v) { return v.get(); }
        __global__ void kernel(int *out) { out[0] = 5; }"""
    )
    out = np.zeros(1, np.int32)
    module.get_function("kernel")(ww.Out(out), block=1)
    assert out[0] == 5
    with pytest.raises(ww.CompileError, match="missing_type"):
        module.get_function("broken")


def test_functions_that_objects_hold(each):
    out = np.zeros((33, 4), np.int32)
    each(
        """#include <nvfunctional>
        __device__ int twice(int x) { return 2 * x; }
        __global__ void kernel(int *out) {
            int *o = out + 4 * threadIdx.x, base = threadIdx.x;
            nvstd::function<int(int)> f = twice;
            o[0] = f(base);
            f = [=](int x) { return x + base; };
            nvstd::function<int(int)> g = f;
            o[1] = g(100);
            int table[16];
            for (int i = 0; i < 16; i++) table[i] = i * base;
            g = [=](int x) { return table[x]; };
            o[2] = g(5);
            g = nullptr;
            o[3] = (f ? 1 : 0) + (g ? 2 : 0);
        }""",
        ww.Out(out), block=33,
    )  # fmt: skip
    i = np.arange(33)
    assert np.array_equal(out, np.stack([2 * i, 100 + i, 5 * i, np.ones(33)], 1))


def test_a_hand_written_atomic_sum_of_doubles(each):
    out = np.zeros(2)
    each(
        """__device__ double atomicAdd(double *address, double value) {
            auto *word = (unsigned long long *)address;
            unsigned long long old = *word, seen;
            do {
                seen = old;
                double sum = value + __longlong_as_double(seen);
                old = atomicCAS(word, seen, __double_as_longlong(sum));
            } while (seen != old);
            return __longlong_as_double(old);
        }
        __global__ void kernel(double *out) {
            double before = atomicAdd(&out[0], threadIdx.x);
            if (before < 0) out[1] = 1;
        }""",
        ww.InOut(out), block=64, grid=3,
    )  # fmt: skip
    assert out.tolist() == [3 * sum(range(64)), 0]


def test_structs_may_hold_handles_of_cudas_libraries(each):
    out = np.zeros(4, np.int32)
    each(
        """#include <cublas_v2.h>
        #include <pthread.h>
        struct Owner {
            std::shared_ptr<void> data;
            std::unique_ptr<const void> rest;
        };
        struct Context {
            cublasHandle_t blas;
            cudnnStatus_t status;
            cudaTextureDesc texture;
            pthread_mutex_t lock;
            int n;
            Owner *owner;
        };
        cublasStatus_t check(cublasStatus_t status) { return status; }
        __global__ void kernel(int *out) {
            out[0] = sizeof(Context);
            out[1] = offsetof(Context, texture);
            out[2] = offsetof(Context, lock);
            out[3] = offsetof(Context, n);
        }""",
        ww.Out(out), block=1,
    )  # fmt: skip
    assert out.tolist() == [144, 12, 88, 128]


def test_roots_among_the_constants_of_mathematics(each):
    out = np.zeros(6)
    each(
        """#include <math_constants.h>
        __global__ void kernel(double *out) {
            out[0] = CUDART_SQRT_2PI, out[1] = CUDART_SQRT_PIO2, out[2] = CUDART_SQRT_2OPI;
            out[3] = CUDART_SQRT_THREE, out[4] = CUDART_CBRT_TWO, out[5] = CUDART_CBRT_THREE;
        }""",
        ww.Out(out), block=1,
    )  # fmt: skip
    pi = np.pi
    want = [(2 * pi) ** 0.5, (pi / 2) ** 0.5, (2 / pi) ** 0.5, 3**0.5, 2 ** (1 / 3), 3 ** (1 / 3)]
    np.testing.assert_allclose(out, want, rtol=4e-16)


def test_constants_of_mathematics_need_no_header(each):
    out = np.zeros(2, np.float64)
    each(
        """__global__ void kernel(double *out) {
            out[0] = CUDART_PI;
            out[1] = CUDART_INF_F;
        }""",
        ww.Out(out),
    )
    assert out.tolist() == [np.pi, np.inf]


def test_thrust_scans_by_key_restart_at_each_key(each, rng):
    keys = np.sort(rng.integers(0, 5, (32, 20)), axis=1).astype(np.int32)
    x = rng.integers(-9, 9, (32, 20)).astype(np.int32)
    out = np.zeros((4, 32, 20), np.int32)
    each(
        """#include <thrust/scan.h>
        #include <thrust/transform.h>
        #include <thrust/unique.h>
        #include <thrust/execution_policy.h>
        __global__ void kernel(int *keys, int *x, int *out) {
            const int n = 20, all = 32 * n;
            int *k = keys + threadIdx.x * n, *v = x + threadIdx.x * n, *o = out + threadIdx.x * n;
            thrust::inclusive_scan_by_key(thrust::seq, k, k + n, v, o);
            thrust::exclusive_scan_by_key(thrust::seq, k, k + n, v, o + all, 100);
            thrust::transform_if(thrust::seq, v, v + n, o + 2 * all, [](int a) { return 2 * a; },
                                 [](int a) { return a > 0; });
            auto ends = thrust::unique_by_key(thrust::seq, k, k + n, v);
            for (int i = 0; i < ends.first - k; ++i) o[3 * all + i] = k[i] * 100 + v[i];
        }""",
        ww.In(keys.copy()), ww.In(x.copy()), ww.InOut(out), block=32,
    )  # fmt: skip
    for row in range(32):
        heads = [i for i in range(20) if i == 0 or keys[row, i] != keys[row, i - 1]]
        sums = np.concatenate([np.cumsum(part) for part in np.split(x[row], heads[1:])])
        assert out[0, row].tolist() == sums.tolist()
        assert out[1, row].tolist() == (sums - x[row] + 100).tolist()
        assert out[2, row].tolist() == np.where(x[row] > 0, 2 * x[row], 0).tolist()
        firsts = [int(keys[row, i]) * 100 + int(x[row, i]) for i in heads]
        assert out[3, row].tolist() == firsts + [0] * (20 - len(heads))


def test_declarations_may_mention_files(each):
    out = np.zeros(1, np.int32)
    each(
        """struct report { FILE *to; int value; };
        extern "C" { int print(const report *what, FILE *to); }
        __global__ void kernel(int *out) { report r = {nullptr, 5}; out[0] = r.value; }""",
        ww.Out(out),
    )
    assert out[0] == 5


@pytest.mark.cpu_only("NVRTC declares it with the device run time only")
def test_conditional_graph_handles_compile_and_are_refused_when_used():
    module = ww.SourceModule(
        "__global__ void kernel(cudaGraphConditionalHandle handle, int *p) {"
        " if (*p > 0) cudaGraphSetConditional(handle, 1); else *p = 7; }"
    )
    value = np.zeros(1, np.int32)
    module["kernel"](0, ww.InOut(value), block=1)
    assert value[0] == 7
    with pytest.raises(ww.LaunchError, match="graphs of the CPU device have no conditional nodes"):
        module["kernel"](0, ww.InOut(value), block=1)
