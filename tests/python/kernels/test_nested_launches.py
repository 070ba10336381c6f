"""Kernels that launch kernels, which run when the launching grid has, or when a thread waits."""

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("a GPU needs -rdc=true for them")

EXECUTORS = pytest.mark.parametrize("executor", ["auto", "gang", "reference"])


def compiled(source, executor="auto"):
    return ww.SourceModule(source, options=[f"--warpwise-executor={executor}"])


@EXECUTORS
def test_a_grid_is_complete_when_all_that_it_has_launched_is(executor):
    kernel = compiled(
        """__global__ void tree(int *calls, int depth) {
            if (threadIdx.x == 0) atomicAdd(calls, 1);
            if (depth > 0 && threadIdx.x < 2) tree<<<1, 32>>>(calls, depth - 1);
        }""",
        executor,
    )["tree"]
    calls = np.zeros(1, np.int32)
    kernel(ww.InOut(calls), np.int32(9), block=32)
    assert calls[0] == 2**10 - 1


@EXECUTORS
def test_launches_of_one_thread_run_in_their_order_with_all_that_they_launch(executor):
    kernel = compiled(
        """__device__ int count;
        __global__ void note(int *seen, int what) { seen[count++] = what; }
        __global__ void twice(int *seen, int what) {
            note<<<1, 1>>>(seen, what + 1);
            note<<<1, 1, 0, cudaStreamTailLaunch>>>(seen, what + 3);
            note<<<1, 1>>>(seen, what + 2);
            seen[count++] = what;
        }
        __global__ void kernel(int *seen) {
            twice<<<1, 1>>>(seen, 10);
            twice<<<1, 1>>>(seen, 20);
        }""",
        executor,
    )["kernel"]
    seen = np.zeros(8, np.int32)
    kernel(ww.Out(seen), block=1)
    assert seen.tolist() == [10, 11, 12, 13, 20, 21, 22, 23]


@EXECUTORS
def test_a_thread_that_waits_sees_what_it_has_launched(executor):
    kernel = compiled(
        """__global__ void fill(float *x, int n, float value) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] = value;
        }
        __global__ void add(float *x, int n) {
            fill<<<(n + 63) / 64, 64>>>(x + n, n, 2.5f);
            cudaDeviceSynchronize();
            for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += x[n + i];
        }
        __global__ void kernel(float *x, int n) {
            if (threadIdx.x == 5) {
                add<<<1, 32>>>(x, n);
                cudaDeviceSynchronize();
                x[0] += 100;
            }
        }""",
        executor,
    )["kernel"]
    x = np.ones(1000, np.float32)
    kernel(ww.InOut(x), np.int32(500), block=8)
    assert x.tolist() == [103.5] + [3.5] * 499 + [2.5] * 500


@EXECUTORS
@pytest.mark.parametrize("launch", [
    "one<float, 3><<<1, 4>>>(x, a);",
    "one<float, 3><<<dim3(1, 1), /* four */ 4, 16 * sizeof(float), 0>>>(\n x, // of mine\n a);",
    "deduced<<<1, 4>>>(x, a);",
    "space::inner<<<1, 4>>>(x, a);",
    "launch_it(x, a);",
    "if (a.b) space::inner<<<1, 4>>>(x, a); else x[0] = 7;",
])  # fmt: skip
def test_ways_to_write_a_launch(launch, executor):
    source = """struct Pair { char a; double b; float more[60]; };
    template <class T> __device__ void put(T *x, Pair a) {
        x[threadIdx.x] += a.a + a.b + a.more[59];
    }
    template <class T, int n> __global__ void one(T *x, Pair a) { put(x, a); }
    template <class T> __global__ void deduced(T *x, Pair a) { put(x, a); }
    namespace space { __global__ void inner(float *x, Pair a) { put(x, a); } }
    template <class T> __device__ void launch_it(T *x, Pair a) { deduced<T><<<1, 4>>>(x, a); }
    __global__ void kernel(float *x) {
        Pair a = {1, 2.5, {}};
        a.more[59] = x[5];
        LAUNCH
    }""".replace("LAUNCH", launch)
    x = np.arange(6, dtype=np.float32)
    compiled(source, executor)["kernel"](ww.InOut(x), block=1)
    assert x.tolist() == [8.5, 9.5, 10.5, 11.5, 4, 5]


@EXECUTORS
def test_each_thread_of_many_blocks_may_launch(executor):
    kernel = compiled(
        """__global__ void square(long long *x) { x[threadIdx.x] *= x[threadIdx.x]; }
        __global__ void kernel(long long *x) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i % 3 == 1) square<<<1, 2>>>(x + 2 * i);
        }""",
        executor,
    )["kernel"]
    n = 10 * 96
    x = np.arange(2 * n, dtype=np.int64)
    wanted = np.where(np.arange(2 * n) // 2 % 3 == 1, x * x, x)
    kernel(ww.InOut(x), grid=10, block=96)
    np.testing.assert_array_equal(x, wanted)


def test_output_keeps_the_order_of_grids(capfd):
    kernel = compiled(
        """#include <stdio.h>
        __global__ void child(int i) { printf("child %d\\n", i); }
        __global__ void kernel() { child<<<1, 1>>>(blockIdx.x); printf("block %d\\n", blockIdx.x); }
        """
    )["kernel"]
    kernel(grid=3, block=1)
    ww.Device().synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert lines[:3] == ["block 0", "block 1", "block 2"]
    assert sorted(lines[3:]) == ["child 0", "child 1", "child 2"]


@pytest.mark.parametrize(("launch", "words"), [
    ("leaf<<<0, 1>>>(x)", "line 3 launches 'leaf' with a grid of 0x1x1 blocks"),
    ("leaf<<<1, 2000>>>(x)", "'leaf' with blocks of 2000x1x1 threads, of which it takes up to 1024"),
    ("leaf<<<1, 1, 1 << 20>>>(x)", "1048576 bytes of shared memory a block, where there are"),
    ("leaf<<<1, 1>>>(nullptr)", "kernel 'leaf': .*write.*, in block"),
    ("leaf<<<1, 1>>>(nullptr), cudaDeviceSynchronize()", "kernel 'leaf': .*write.*, in block"),
    ("optional<<<1, 1>>>()", "line 3 launches 'optional' .*all its arguments"),
])  # fmt: skip
def test_launches_that_fail(launch, words):
    module = compiled(f"""__global__ void leaf(int *x) {{ *x = 1; }}
        __global__ void optional(int x = 3) {{}}
        __global__ void kernel(int *x) {{ {launch}; }}""")
    x = np.zeros(1, np.int32)
    with pytest.raises(ww.LaunchError, match=words):
        module["kernel"](ww.InOut(x), block=1)
        ww.Device().synchronize()
    module["leaf"](ww.Out(x), block=1)
    assert x[0] == 1


def test_a_launch_that_cannot_be_read_is_noted_when_the_module_is_compiled():
    module = compiled("""__global__ void optional(int x = 3) {}
        __global__ void kernel(int *x) { if (!x) optional<<<1, 1>>>(); else *x = 2; }""")
    assert "line 2: 'optional' is launched from device code in a way" in module.log
    x = np.zeros(1, np.int32)
    module["kernel"](ww.Out(x), block=1)
    assert x[0] == 2


def test_quicksort(rng):
    kernel = compiled(
        """__global__ void quicksort(int *x, int n) {
            while (n > 1) {
                int pivot = x[n / 2], i = 0, j = n - 1;
                while (i <= j) {
                    while (x[i] < pivot) ++i;
                    while (x[j] > pivot) --j;
                    if (i <= j) { int t = x[i]; x[i++] = x[j]; x[j--] = t; }
                }
                quicksort<<<1, 1>>>(x + i, n - i);
                n = j + 1;
            }
        }"""
    )["quicksort"]
    x = rng.integers(-1000, 1000, 3001).astype(np.int32)
    wanted = np.sort(x)
    kernel(ww.InOut(x), np.int32(x.size), block=1)
    np.testing.assert_array_equal(x, wanted)


@EXECUTORS
def test_memory_that_threads_ask_for_is_shared_with_what_they_launch(executor):
    kernel = compiled(
        """struct Line { float *points; int n; };
        __device__ Line lines[8];
        __global__ void fill(Line *line) { line->points[threadIdx.x] += threadIdx.x; }
        __global__ void kernel(float *sums) {
            Line &line = lines[threadIdx.x];
            line.n = threadIdx.x + 2;
            if (cudaMalloc((void **)&line.points, line.n * sizeof(float)) != cudaSuccess) return;
            cudaMemsetAsync(line.points, 0, line.n * sizeof(float));
            fill<<<1, line.n>>>(&line);
            float first[2];
            cudaMemcpyAsync(first, line.points, sizeof first, cudaMemcpyDeviceToDevice);
            sums[threadIdx.x] = first[0] + first[1] + line.points[line.n - 1];
            cudaFree(line.points);
        }""",
        executor,
    )["kernel"]
    sums = np.zeros(5, np.float32)
    kernel(ww.Out(sums), block=5)
    assert sums.tolist() == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("executor", ["gang", "reference"])
def test_all_blocks_of_a_cooperative_launch_reach_the_barrier(executor):
    kernel = ww.SourceModule(
        """#include <cooperative_groups.h>
        __global__ void kernel(int *x, int *sum) {
            auto grid = cooperative_groups::this_grid();
            x[grid.thread_rank()] = grid.thread_rank();
            grid.sync();
            int total = 0;
            for (int i = 0; i < grid.size(); ++i) total += x[i];
            sum[grid.thread_rank()] = total;
        }""",
        options=[f"--warpwise-executor={executor}"],
    )["kernel"]
    x, sums = np.zeros(96, np.int32), np.zeros(96, np.int32)
    kernel(ww.InOut(x), ww.Out(sums), grid=3, block=32, cooperative=True)
    assert sums.tolist() == [96 * 95 // 2] * 96
    with pytest.raises(ww.LaunchError, match="cooperative=True"):
        kernel(ww.InOut(x), ww.Out(sums), grid=3, block=32)
        ww.Device().synchronize()
