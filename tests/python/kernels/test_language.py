"""CUDA C++ beyond plain C: templates, classes, pointers to functions, recursion, the heap."""

import numpy as np
import pytest

import warpwise as ww


def test_templates_by_name_share_the_module_globals():
    module = ww.SourceModule("""
        __device__ int calls;
        template <class T> __global__ void scale(T *x, T f, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] *= f;
            if (i == 0) calls++;
        }""")
    x, y = np.arange(5, dtype=np.float32), np.arange(5, dtype=np.int64)
    module["scale<float>"](ww.InOut(x), 2.5, 5, grid=1, block=32)
    module.get_function("scale<long long>")(ww.InOut(y), 3, 5, grid=1, block=32)
    calls = np.zeros(1, np.int32)
    module.get_global("calls").copy_to(calls)
    assert np.array_equal(x, np.arange(5) * 2.5) and np.array_equal(y, np.arange(5) * 3)
    assert calls[0] == 2


def test_namespaces_and_overloads():
    module = ww.SourceModule("""
        namespace a { namespace b { __global__ void put(int *x) { *x = 1; } } }
        __global__ void over(int *x) { *x = 2; }
        __global__ void over(float *x) { *x = 3.5f; }""")
    i, f = np.zeros(1, np.int32), np.zeros(1, np.float32)
    module["a::b::put"](ww.Out(i), grid=1, block=1)
    assert i[0] == 1
    module["over(int *)"](ww.Out(i), grid=1, block=1)
    module["over(float *)"](ww.Out(f), grid=1, block=1)
    assert (i[0], f[0]) == (2, 3.5)


def test_a_struct_by_value_and_a_struct_pointer(run):
    body = np.dtype([("x", np.float32), ("tag", np.uint8), ("v", np.float64, (3,))], align=True)
    bodies = np.zeros(4, body)
    step = np.zeros((), body)
    step["x"], step["tag"], step["v"] = 1.5, 7, (1, 2, 3)
    run(
        """struct Body { float x; unsigned char tag; double v[3]; };
        __global__ void kernel(Body *b, Body step, int n) {
            int i = threadIdx.x;
            if (i >= n) return;
            b[i].x += step.x * i;
            b[i].tag = step.tag + i;
            for (int k = 0; k < 3; k++) b[i].v[k] = step.v[k] * i;
        }""",
        ww.InOut(bodies), step[()], 4, block=32,
    )  # fmt: skip
    assert np.array_equal(bodies["x"], np.arange(4) * np.float32(1.5))
    assert bodies["tag"].tolist() == [7, 8, 9, 10]
    assert np.array_equal(bodies["v"], np.outer(np.arange(4), [1, 2, 3]))


def test_a_large_struct_that_the_kernel_writes_to_stays_private(run):
    out = np.zeros(64, np.int32)
    big = np.zeros((), np.dtype([("a", np.int32, (64,))]))
    big["a"] = np.arange(64)
    run(
        """struct Big { int a[64]; };
        __global__ void kernel(int *out, Big big) {
            int t = threadIdx.x;
            for (int k = 0; k < 64; k++) big.a[k] += t;
            out[t] = big.a[63];
        }""",
        ww.Out(out), big[()], block=64,
    )  # fmt: skip
    assert np.array_equal(out, 63 + np.arange(64))


def test_constant_memory_and_device_variables():
    module = ww.SourceModule("""
        __constant__ float table[4] = {1, 2, 3, 4};
        static __device__ int hidden = 41;
        __device__ double sum = 0.25;
        __global__ void kernel(float *out) { out[threadIdx.x] = table[threadIdx.x]; sum += 1; hidden++; }
        """)
    out = np.zeros(4, np.float32)
    kernel = module["kernel"]
    kernel(ww.Out(out), grid=1, block=4)
    assert out.tolist() == [1, 2, 3, 4]
    module.get_global("table").copy_from(np.array([9, 8, 7, 6], np.float32))
    kernel(ww.Out(out), grid=1, block=4)
    assert out.tolist() == [9, 8, 7, 6]
    got = np.zeros(1)
    module.get_global("sum").copy_to(got)
    hidden = np.zeros(1, np.int32)
    module.get_global("hidden").copy_to(hidden)
    assert got[0] > 0.25 and hidden[0] > 41


def test_function_pointers_and_a_table_of_them(run):
    out = np.zeros(8, np.int32)
    run(
        """typedef int (*Op)(int, int);
        __device__ int add(int a, int b) { return a + b + threadIdx.x * 0; }
        __device__ int mul(int a, int b) { return a * b; }
        __device__ Op ops[2] = {add, mul};
        __global__ void kernel(int *out) { int t = threadIdx.x; out[t] = ops[t % 2](t, 3); }""",
        ww.Out(out), block=8,
    )  # fmt: skip
    assert out.tolist() == [t * 3 if t % 2 else t + 3 for t in range(8)]


def test_a_barrier_reached_through_a_function_pointer(run):
    out = np.zeros(32, np.int32)
    run(
        """typedef int (*Op)(int *, int);
        __device__ __noinline__ int swap(int *s, int t) { s[t] = t; __syncthreads(); return s[31 - t]; }
        __device__ __noinline__ int keep(int *s, int t) { return t; }
        __device__ Op ops[2] = {swap, keep};
        __global__ void kernel(int *out, int which) {
            __shared__ int s[32];
            out[threadIdx.x] = ops[which](s, threadIdx.x);
        }""",
        ww.Out(out), 0, block=32,
    )  # fmt: skip
    assert out.tolist() == list(range(31, -1, -1))


def test_virtual_functions(run):
    out = np.zeros(6, np.float32)
    run(
        """struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
        struct Square : Shape { float s; __device__ Square(float s) : s(s) {}
            __device__ float area() const override { return s * s; } };
        struct Disc : Shape { float r; __device__ Disc(float r) : r(r) {}
            __device__ float area() const override { return 3.0f * r * r; } };
        __global__ void kernel(float *out) {
            int t = threadIdx.x;
            Shape *shape = t % 2 ? (Shape *)new Disc(t) : (Shape *)new Square(t);
            out[t] = shape->area();
            delete shape;
        }""",
        ww.Out(out), block=6,
    )  # fmt: skip
    assert out.tolist() == [t * t * (3 if t % 2 else 1) for t in range(6)]


def test_recursion(run):
    out = np.zeros(20, np.int64)
    run(
        """__device__ long long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __global__ void kernel(long long *out) { out[threadIdx.x] = fib(threadIdx.x); }""",
        ww.Out(out), block=20,
    )  # fmt: skip
    fib = [0, 1]
    while len(fib) < 20:
        fib.append(fib[-1] + fib[-2])
    assert out.tolist() == fib


@pytest.mark.cpu_only("NVRTC takes no lambda of the host")
def test_lambdas_and_constexpr_and_cpp20(run):
    out = np.zeros(4, np.int32)
    run(
        """template <class T> concept Number = requires(T a) { a + a; };
        constexpr int cube(int x) { return x * x * x; }
        template <Number T, class F> __device__ T apply(T x, F f) { return f(x); }
        __global__ void kernel(int *out) {
            int k = cube(3);
            auto f = [=](int x) { return x + k; };
            out[threadIdx.x] = apply((int)threadIdx.x, f);
        }""",
        ww.Out(out), block=4, options=["-std=c++20"],
    )  # fmt: skip
    assert out.tolist() == [27, 28, 29, 30]


def test_integer_division_by_zero_does_not_trap(run):
    out = np.zeros(4, np.int32)
    run(
        """__global__ void kernel(int *out, int zero, int low, int minus) {
            out[0] = 7 % (zero + 2);
            out[1] = low / minus;
            out[2] = low % minus;
            out[3] = 5 / zero == 5 / zero;
        }""",
        ww.Out(out), 0, -(2**31), -1, block=1,
    )  # fmt: skip
    assert out.tolist() == [1, -(2**31), 0, 1]


@pytest.mark.parametrize("count", [1, 60, 200])
def test_a_kernel_with_many_arguments(run, count):
    parameters = ", ".join(f"{'double' if i % 3 else 'char'} p{i}" for i in range(count))
    body = "".join(f"out[{i}] = p{i};" for i in range(count))
    out = np.zeros(count)
    run(
        f"__global__ void kernel(double *out, {parameters}) {{ {body} }}",
        ww.Out(out), *[i % 100 for i in range(count)], block=1,
    )  # fmt: skip
    assert np.array_equal(out, np.arange(count) % 100)


def test_vector_types(run):
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    out = np.zeros((8, 4), np.float32)
    run(
        """__global__ void kernel(const float4 *x, float4 *out, float2 s) {
            float4 v = x[threadIdx.x];
            out[threadIdx.x] = make_float4(v.w * s.x, v.z, v.y, v.x + s.y);
        }""",
        ww.In(x), ww.Out(out), np.complex64(2 + 5j), block=8,
    )  # fmt: skip
    want = x[:, ::-1].copy()
    want[:, 0] *= 2
    want[:, 3] += 5
    assert np.array_equal(out, want)


def test_a_kernel_of_four_thousand_lines(run):
    lines = "\n".join(
        f"    v = v * 3 + {i}u; if ((v & {i % 7}u) == 1u) v ^= x[{i % 64}];" for i in range(4000)
    )
    x = np.arange(64, dtype=np.uint32) * 2654435761
    x = x.astype(np.uint32)
    out = np.zeros(2, np.uint32)
    run(
        f"__global__ void kernel(const unsigned *x, unsigned *out) {{ unsigned v = threadIdx.x;\n{lines}\n out[threadIdx.x] = v; }}",
        ww.In(x), ww.Out(out), block=2,
    )  # fmt: skip
    for t in range(2):
        v = t
        for i in range(4000):
            v = (v * 3 + i) % 2**32
            if v & (i % 7) == 1:
                v ^= int(x[i % 64])
        assert out[t] == v


def test_a_module_of_a_thousand_kernels():
    source = "\n".join(f"__global__ void k{i}(int *x) {{ *x += {i}; }}" for i in range(1000))
    module = ww.SourceModule(source)
    total = np.zeros(1, np.int32)
    for i in (0, 1, 499, 999):
        module[f"k{i}"](ww.InOut(total), grid=1, block=1)
    assert total[0] == 0 + 1 + 499 + 999


def test_a_struct_moved_word_by_word_arrives(run, rng):
    x = rng.standard_normal((64, 2))
    out = np.zeros_like(x)
    run(
        """struct Pair { double a, b; };
        template <class T> __device__ T copy(const T &value) {
            T result;
            const int *from = reinterpret_cast<const int *>(&value);
            int *to = reinterpret_cast<int *>(&result);
            for (int i = 0; i < int(sizeof(T) / sizeof(int)); i++) to[i] = from[i];
            return result;
        }
        __global__ void kernel(const double *x, double *out) {
            Pair p = {x[2 * threadIdx.x], x[2 * threadIdx.x + 1]};
            for (int i = 0; i < 3; i++) {
                Pair q = copy(p);
                p.a = q.b;
                p.b = q.a;
            }
            out[2 * threadIdx.x] = p.a;
            out[2 * threadIdx.x + 1] = p.b;
        }""",
        ww.In(x), ww.Out(out), block=64,
    )  # fmt: skip
    assert np.array_equal(out, x[:, ::-1])


@pytest.mark.cpu_only("NVRTC has no alloca")
def test_a_thread_uses_as_much_stack_as_requested(run):
    out = np.zeros((64, 2), np.int32)
    run(
        """#include <alloca.h>
        #include <array>
        #include <iterator>
        struct Flag { _Bool is_set; };
        __global__ void kernel(int *out, int n) {
            const int count = n + threadIdx.x % 5;
            int *kept = (int *)alloca(count * sizeof(int));
            for (int i = 0; i < count; ++i) kept[i] = i * threadIdx.x;
            int sum = 0;
            for (int i = 0; i < count; ++i) sum += kept[count - 1 - i];
            std::array<int, 3> three{};
            Flag flag{sum > 100};
            out[2 * threadIdx.x] = sum;
            out[2 * threadIdx.x + 1] = flag.is_set + 10 * std::size(three);
        }""",
        ww.Out(out), np.int32(7), block=64,
    )  # fmt: skip
    sums = [i * sum(range(7 + i % 5)) for i in range(64)]
    assert out.tolist() == [[s, 30 + (s > 100)] for s in sums]


def test_a_function_that_is_no_part_of_its_caller_returns_structs_in_a_struct():
    x, y = np.arange(128, dtype=np.float16).reshape(64, 2), np.zeros((32, 2), np.float16)
    module = ww.SourceModule("""
        #include <cuda_fp16.h>
        struct Pair { half2 a, b; };
        __noinline__ __device__ Pair load(const half2 *p) {
            Pair pair;
            pair.a = p[0], pair.b = p[32];
            return pair;
        }
        __global__ void add(const half2 *x, half2 *y) {
            Pair pair = load(x + threadIdx.x);
            y[threadIdx.x] = __hadd2(pair.a, pair.b);
        }""")
    module["add"](ww.In(x), ww.Out(y), grid=1, block=32)
    assert np.array_equal(y, x[:32] + x[32:])


@pytest.mark.cpu_only("NVRTC has no __builtin_expect_with_probability")
@pytest.mark.parametrize("how", ["reference", "gang", "auto", "quick"])
def test_what_a_program_expects_of_its_branches(run, how):
    options = ["--warpwise-tier=quick"] if how == "quick" else [f"--warpwise-executor={how}"]
    x, z = np.arange(100, dtype=np.int32), np.zeros(100, np.int32)
    run(
        """__global__ void kernel(const int *x, int *z) {
            int i = threadIdx.x, v = x[i];
            if (__builtin_expect_with_probability(v % 3 == 0, 1, 0.9)) z[i] = v;
            else if (__builtin_expect(v % 3 == 1, 0)) z[i] = -v;
            z[i] += __builtin_expect_with_probability(v & 7, 5, 0.25);
        }""",
        ww.In(x), ww.InOut(z), block=100, options=options,
    )  # fmt: skip
    assert np.array_equal(z, np.choose(x % 3, (x, -x, 0 * x)) + (x & 7))
