"""Atomics of every type, alone and as the locks people build from them."""

import numpy as np
import pytest

import warpwise as ww

N = 20_000


def launch_atomic(run, function, ctype, dtype, start, operand="x[i]", n=N, seed=3):
    x = np.random.default_rng(seed).integers(0, 1000, n).astype(dtype)
    cell = np.array([start], dtype)
    run(
        f"""__global__ void kernel({ctype} *cell, const {ctype} *x, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) {function}(cell, {operand});
        }}""",
        ww.InOut(cell), ww.In(x), n, grid=(n + 127) // 128, block=128,
    )  # fmt: skip
    return x, cell[0]


@pytest.mark.parametrize(
    ("ctype", "dtype"),
    [("int", np.int32), ("unsigned", np.uint32), ("unsigned long long", np.uint64),
     ("float", np.float32), ("double", np.float64)],
)  # fmt: skip
def test_atomic_add(run, ctype, dtype):
    x, total = launch_atomic(run, "atomicAdd", ctype, dtype, 5)
    assert total == x.sum(dtype=dtype) + dtype(5)


@pytest.mark.parametrize("suffix", ["", "_block", "_system"])
def test_scopes_of_atomic_add(run, suffix):
    x, total = launch_atomic(run, "atomicAdd" + suffix, "int", np.int32, 0, n=128)
    assert total == x.sum()


@pytest.mark.parametrize(
    ("ctype", "dtype"),
    [("int", np.int32), ("unsigned", np.uint32), ("long long", np.int64),
     ("unsigned long long", np.uint64)],
)  # fmt: skip
@pytest.mark.parametrize(
    ("function", "start", "fold"),
    [("atomicMin", 500, np.min), ("atomicMax", 500, np.max),
     ("atomicAnd", 1023, np.bitwise_and.reduce), ("atomicOr", 1024, np.bitwise_or.reduce),
     ("atomicXor", 7, np.bitwise_xor.reduce)],
)  # fmt: skip
def test_integer_atomics(run, ctype, dtype, function, start, fold):
    x, value = launch_atomic(run, function, ctype, dtype, start)
    assert value == fold(np.append(x, dtype(start)))


def test_atomic_sub(run):
    x, value = launch_atomic(run, "atomicSub", "int", np.int32, 0)
    assert value == -x.sum()


def test_atomic_inc_wraps_at_its_limit(run):
    _, value = launch_atomic(run, "atomicInc", "unsigned", np.uint32, 0, operand="9u", n=1234)
    assert value == 1234 % 10


def test_atomic_dec_wraps_to_its_limit(run):
    _, value = launch_atomic(run, "atomicDec", "unsigned", np.uint32, 0, operand="9u", n=1)
    assert value == 9


def test_returned_old_values_are_all_different(run):
    out = np.zeros(5000, np.int32)
    run(
        """__device__ int counter;
        __global__ void kernel(int *out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[atomicAdd(&counter, 1)] = 1;
        }""",
        ww.InOut(out), out.size, grid=40, block=128,
    )  # fmt: skip
    assert (out == 1).all()


@pytest.mark.cpu_only("threads update in the order of their numbers")
@pytest.mark.parametrize(("ctype", "dtype"), [("int", np.int32), ("unsigned long long", np.uint64)])
@pytest.mark.parametrize(
    ("function", "operand", "fold"),
    [("atomicAdd", "x[i]", np.add), ("atomicAdd", "step", np.add), ("atomicSub", "x[i]", np.subtract),
     ("atomicMin", "x[i]", np.minimum), ("atomicMax", "x[i]", np.maximum),
     ("atomicAnd", "x[i]", np.bitwise_and), ("atomicOr", "x[i]", np.bitwise_or),
     ("atomicXor", "x[i]", np.bitwise_xor)],
)  # fmt: skip
@pytest.mark.parametrize("n", [32, 205])
@pytest.mark.parametrize("least", [0, 600, 990])
def test_old_values_of_one_place(run, rng, ctype, dtype, function, operand, fold, n, least):
    """Each thread gets what the threads before it left; some take no part, and at times most."""
    if function == "atomicSub" and dtype == np.uint64:
        pytest.skip("CUDA has none")
    x = rng.integers(0, 1000, n).astype(dtype)
    x[n // 2] = 999
    cell, old = np.array([700], dtype), np.zeros(n, dtype)
    run(
        f"""__global__ void kernel({ctype} *cell, const {ctype} *x, {ctype} *old, {ctype} step,
                                   int n, int least) {{
            int i = threadIdx.x;
            if (i < n && x[i] >= least) old[i] = {function}(cell, {operand});
        }}""",
        ww.InOut(cell), ww.In(x), ww.InOut(old), dtype(3), n, least, grid=1, block=(n + 31) // 32 * 32,
    )  # fmt: skip
    expected, held = np.zeros(n, dtype), dtype(700)
    for i in np.flatnonzero(x >= least):
        expected[i] = held
        held = fold(held, x[i] if operand == "x[i]" else dtype(3))
    assert np.array_equal(old, expected)
    assert cell[0] == held


@pytest.mark.cpu_only("threads update in the order of their numbers")
@pytest.mark.parametrize(("ctype", "dtype"), [("float", np.float32), ("double", np.float64)])
@pytest.mark.parametrize("where", ["*cell", "shared"])
def test_sums_of_floats_keep_their_order(run, rng, ctype, dtype, where):
    x = (rng.standard_normal(160) * 10.0 ** rng.integers(-6, 6, 160)).astype(dtype)
    cell = np.array([-0.0], dtype)
    run(
        f"""__global__ void kernel({ctype} *cell, const {ctype} *x, int n) {{
            __shared__ {ctype} shared;
            if (threadIdx.x == 0) shared = *cell;
            __syncthreads();
            if (threadIdx.x < n && x[threadIdx.x] > 0) atomicAdd(&{where}, x[threadIdx.x]);
            __syncthreads();
            if (threadIdx.x == 0 && &{where} == &shared) *cell = shared;
        }}""",
        ww.InOut(cell), ww.In(x), 150, grid=1, block=160,
    )  # fmt: skip
    expected = dtype(-0.0)
    for value in x[:150]:
        if value > 0:
            expected += value
    assert cell[0] == expected


def test_shared_histogram(run, rng):
    data = rng.integers(0, 256, 100_000).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    run(
        """__global__ void kernel(const unsigned char *x, unsigned *bins, int n) {
            __shared__ unsigned local[256];
            local[threadIdx.x] = 0;
            __syncthreads();
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
                atomicAdd(&local[x[i]], 1u);
            __syncthreads();
            atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
        }""",
        ww.In(data), ww.InOut(bins), data.size, grid=16, block=256,
    )  # fmt: skip
    assert np.array_equal(bins, np.bincount(data, minlength=256))


def test_compare_and_swap_builds_a_double_maximum(run, rng):
    x = rng.standard_normal(3000)
    top = np.array([-np.inf])
    run(
        """__device__ void atomic_max(double *a, double v) {
            unsigned long long *p = (unsigned long long *)a, old = *p, seen;
            do {
                seen = old;
                if (__longlong_as_double(seen) >= v) break;
                old = atomicCAS(p, seen, __double_as_longlong(v));
            } while (old != seen);
        }
        __global__ void kernel(const double *x, double *top, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) atomic_max(top, x[i]);
        }""",
        ww.In(x), ww.InOut(top), x.size, grid=24, block=128,
    )  # fmt: skip
    assert top[0] == x.max()


def test_a_spin_lock_between_the_threads_of_a_block(run):
    total = np.zeros(1, np.int32)
    run(
        """__device__ int lock;
        __global__ void kernel(int *total) {
            while (atomicCAS(&lock, 0, 1) != 0) { }
            __threadfence();
            *total = *total + 1;
            __threadfence();
            atomicExch(&lock, 0);
        }""",
        ww.InOut(total), grid=7, block=64,
    )  # fmt: skip
    assert total[0] == 7 * 64


def test_a_thread_waits_for_a_later_thread_through_a_flag(run):
    out = np.zeros(2, np.int32)
    run(
        """__global__ void kernel(volatile int *out) {
            __shared__ volatile int flag;
            if (threadIdx.x == 0) flag = 0;
            __syncthreads();
            if (threadIdx.x == 0) { while (flag == 0) { } out[0] = flag; }
            else { out[1] = 5; __threadfence_block(); flag = 9; }
        }""",
        ww.InOut(out), block=2,
    )  # fmt: skip
    assert out.tolist() == [9, 5]


def test_the_last_block_adds_up_the_others(run, rng):
    x = rng.integers(0, 100, 64 * 128).astype(np.int32)
    parts, total = np.zeros(64, np.int32), np.zeros(1, np.int32)
    run(
        """__device__ unsigned done;
        __global__ void kernel(const int *x, volatile int *parts, int *total) {
            __shared__ int s[128];
            __shared__ bool last;
            int t = threadIdx.x;
            s[t] = x[blockIdx.x * 128 + t];
            __syncthreads();
            for (int d = 64; d; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
            if (t == 0) {
                parts[blockIdx.x] = s[0];
                __threadfence();
                last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
            }
            __syncthreads();
            if (last && t == 0) { int sum = 0; for (int b = 0; b < gridDim.x; b++) sum += parts[b]; *total = sum; }
        }""",
        ww.In(x), ww.InOut(parts), ww.InOut(total), grid=64, block=128,
    )  # fmt: skip
    assert total[0] == x.sum()


def test_the_result_of_an_atomic_is_used_in_a_later_branch(run, rng):
    # In the copy of the kernel for `i < n`, LLVM moves the reading of it into that branch.
    slots = rng.integers(0, 4, 1000, dtype=np.uint32)
    wanted = rng.integers(0, 4, 1000, dtype=np.uint32)
    out = np.zeros(1000, np.uint32)
    before = slots.copy()
    run(
        """__global__ void kernel(unsigned *slots, const unsigned *wanted, unsigned *out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) {
                unsigned want = wanted[i], old = atomicCAS(&slots[i], want, 7u);
                if (want & 1u) out[i] = old + 10u;
            }
        }""",
        ww.InOut(slots), ww.In(wanted), ww.InOut(out), 1000, grid=8, block=128,
        options=["--warpwise-tier=full"],
    )  # fmt: skip
    assert np.array_equal(out, np.where(wanted & 1, before + 10, 0))


def test_a_sum_of_vectors_element_by_element(run):
    pairs, fours = np.zeros((3, 2), np.float32), np.zeros((3, 4), np.float32)
    run(
        """__global__ void kernel(float2 *pairs, float4 *fours) {
            float v = threadIdx.x;
            atomicAdd(&pairs[threadIdx.x % 3], make_float2(v, 1.0f));
            atomicAdd(&fours[threadIdx.x % 3], make_float4(1.0f, v, 2.0f, -v));
        }""",
        ww.InOut(pairs), ww.InOut(fours), block=96,
    )  # fmt: skip
    sums = np.array([np.arange(k, 96, 3).sum() for k in range(3)], np.float32)
    ones = np.full(3, 32, np.float32)
    assert np.array_equal(pairs, np.stack([sums, ones], 1))
    assert np.array_equal(fours, np.stack([ones, sums, 2 * ones, -sums], 1))


@pytest.mark.parametrize("executor", ["auto", "reference"])
@pytest.mark.parametrize(
    ("operation", "function"),
    [("add", np.add), ("sub", np.subtract), ("min", np.minimum), ("max", np.maximum),
     ("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)],
)  # fmt: skip
@pytest.mark.parametrize(("ctype", "dtype"), [("int", np.int32), ("unsigned long long", np.uint64)])
def test_atomics_with_an_order(run, rng, ctype, dtype, operation, function, executor):
    x = rng.integers(1, 1 << 30, 1000).astype(dtype)
    cells = np.array([x[0], x[0]], dtype)
    run(
        f"""__global__ void kernel({ctype} *cells, const {ctype} *x, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            __nv_atomic_{operation}(cells, x[i], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
            __nv_atomic_fetch_{operation}(cells + 1, x[i], __NV_ATOMIC_SEQ_CST);
        }}""",
        ww.InOut(cells), ww.In(x), 1000, grid=8, block=128,
        options=[] if executor == "auto" else [f"--warpwise-executor={executor}"],
    )  # fmt: skip
    wanted = x[0]
    with np.errstate(over="ignore"):
        for value in x:
            wanted = function(wanted, value, dtype=dtype)
    assert cells.tolist() == [wanted] * 2


@pytest.mark.cpu_only("NVRTC has these for integers only")
def test_a_sum_of_squares_by_compare_and_exchange(run):
    total = np.zeros(1)
    run(
        """__global__ void kernel(double *total, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            double seen = __nv_atomic_load_n(total, __NV_ATOMIC_RELAXED), wanted;
            do wanted = seen + (double)i * i;
            while (!__nv_atomic_compare_exchange(total, &seen, &wanted, true, __NV_ATOMIC_RELAXED,
                                                 __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE));
        }""",
        ww.InOut(total), 1000, grid=8, block=128,
    )  # fmt: skip
    assert total[0] == (np.arange(1000.0) ** 2).sum()


def test_a_flag_is_released_and_acquired(run):
    seen = np.zeros(64, np.int32)
    run(
        """__device__ int value, flag;
        __global__ void kernel(int *seen) {
            if (blockIdx.x == 0 && threadIdx.x == 0) {
                value = 7;
                __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
                __nv_atomic_store_n(&flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
            }
            if (blockIdx.x > 0) {
                while (__nv_atomic_load_n(&flag, __NV_ATOMIC_ACQUIRE) == 0) {}
                int old = __nv_atomic_exchange_n(&seen[threadIdx.x], value, __NV_ATOMIC_ACQ_REL);
                if (old != 0) seen[threadIdx.x] = -1;
            }
        }""",
        ww.InOut(seen), grid=2, block=64,
    )  # fmt: skip
    assert seen.tolist() == [7] * 64


FULL = ["--warpwise-block=64", "--warpwise-tier=full"]  # runs of blocks, in a loop


@pytest.mark.parametrize("options", [[], FULL])
@pytest.mark.parametrize(
    ("update", "start", "reduce"),
    [
        ("atomicAdd(out + 1, v)", 5, lambda x: int(x.sum()) + 5),
        ("atomicSub(out + 1, v)", 5, lambda x: 5 - int(x.sum())),
        ("atomicXor(out + 1, v)", 5, lambda x: int(np.bitwise_xor.reduce(x)) ^ 5),
        ("atomicOr(out + 1, v & 0xffff)", 1 << 20, lambda x: 0xFFFF | 1 << 20),
        ("atomicAnd(out + 1, v | 0xff)", 0xFFF, lambda x: 0xFF),
        ("atomicMax(out + 1, v)", 5, lambda x: int(x.max())),
        ("atomicMin(out + 1, v)", 2**32 - 1, lambda x: int(x.min())),
        ("atomicMax((int *)out + 1, (int)v)", 2**31, lambda x: int(x.astype(np.int32).max())),
        ("atomicMin((int *)out + 1, (int)v)", 5, lambda x: int(x.astype(np.int32).min())),
    ],
)
def test_updates_of_one_place_by_all_blocks(run, rng, options, update, start, reduce):
    values = rng.integers(0, 2**32, 64 * 50, dtype=np.uint32)
    out = np.array([7, start, 7], np.uint32)
    run(
        f"""__global__ void kernel(const unsigned *x, unsigned *out, unsigned *never) {{
            unsigned v = x[blockIdx.x * blockDim.x + threadIdx.x];
            if (never && v == 3) atomicXor(never, 1u);
            if (v % 3) {update};
        }}""",
        ww.In(values), ww.InOut(out), None, grid=50, block=64, options=options,
    )  # fmt: skip
    want = reduce(values[values % 3 != 0]) % 2**32
    assert out.tolist() == [7, want, 7]


def test_a_variable_that_all_blocks_update(rng):
    values = rng.integers(0, 2**32, 64 * 50, dtype=np.uint32)
    module = ww.SourceModule(
        """__device__ unsigned total;
        __global__ void kernel(const unsigned *x) {
            atomicAdd(&total, x[blockIdx.x * blockDim.x + threadIdx.x]);
        }
        __global__ void copy(unsigned *out) { *out = total; }""",
        options=FULL,
    )
    out = np.zeros(1, np.uint32)
    module.get_function("kernel")(ww.In(values), grid=50, block=64)
    module.get_function("copy")(ww.Out(out), grid=1, block=64)
    ww.Device().synchronize()
    assert out[0] == values.sum(dtype=np.uint32)


@pytest.mark.parametrize("name", ["reads", "stores", "exchanges", "loops"])
def test_a_thread_sees_its_own_update(run, name):
    out = np.zeros(64 * 8, np.uint32)
    count = np.zeros(1, np.uint32)
    run(
        """__device__ void add(unsigned *count) { atomicAdd(count, 1u); }
        __global__ void reads(unsigned *count, unsigned *out) {
            add(count);
            out[blockIdx.x * blockDim.x + threadIdx.x] = *count > 0;
        }
        __global__ void stores(unsigned *count, unsigned *out) {
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            add(out + 7);
            if (i == 7) out[i] = 1;
            if (i != 7) out[i] = 1;
        }
        __global__ void exchanges(unsigned *count, unsigned *out) {
            add(count);
            out[blockIdx.x * blockDim.x + threadIdx.x] = atomicMax(count, 0u) > 0;
        }
        __global__ void loops(unsigned *count, unsigned *out) {
            unsigned seen = 1;
            for (int k = 0; k < 3; ++k) {
                if (k > 0) seen &= *count > 0;
                add(count);
            }
            out[blockIdx.x * blockDim.x + threadIdx.x] = seen;
        }""",
        ww.InOut(count), ww.InOut(out), name=name, grid=8, block=64, options=FULL,
    )  # fmt: skip
    if name != "stores":
        assert np.all(out == 1)
        assert count[0] == out.size * (3 if name == "loops" else 1)
    else:
        assert np.all(np.delete(out, 7) == 1)
        assert out[7] >= 1  # the other threads' updates may come before or behind the store
