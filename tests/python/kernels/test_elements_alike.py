"""Threads that compute several elements alike, which blocks of a known shape share out anew: the
same bits as executor *reference*, wherever an element could see another."""

import numpy as np
import pytest

import warpwise as ww


@pytest.fixture
def agree(run):
    """Runs a kernel on copies of `arrays` by executor *reference* and by a known block."""

    def both(source, arrays, *scalars, grid=1, block=64, offsets=None):
        results = []
        for options in (["--warpwise-executor=reference"], [f"--warpwise-block={block}"]):
            copies = [ww.to_device(array.copy()) for array in arrays]
            places = offsets(*copies) if offsets else copies
            run(source, *places, *scalars, grid=grid, block=block, options=options)
            for copy, result in zip(
                copies, fetched := [np.empty_like(a) for a in arrays], strict=True
            ):
                copy.copy_to(result)
            results.append(fetched)
        for want, got in zip(*results, strict=True):
            assert np.array_equal(want, got)
        return results[0]

    return both


INDICES = {
    "int": "int start = (blockIdx.x * blockDim.x + threadIdx.x) * 4",
    "unsigned": "unsigned start = (blockIdx.x * blockDim.x + threadIdx.x) * 4",
    "size_t": "size_t start = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * 4",
    "unsigned, wrapping": "unsigned start = (blockIdx.x * blockDim.x + threadIdx.x) * 4 - 8u",
}


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("n", [0, 3, 255, 256, 257, 767, 768])
def test_guarded_elements_of_every_index(agree, rng, index, n):
    kind = index.split(",")[0]
    x = rng.random(800, np.float32)
    _, y = agree(
        f"""__global__ void kernel(const float *x, float *y, {kind} n) {{
            {INDICES[index]};
            for (int k = 0; k < 4; ++k)
                if (start + k < n) y[start + k] = x[start + k] * 3 + (float)(start + k) + x[0];
        }}""",
        [x, np.full(800, 7, np.float32)], np.uint64(n) if kind == "size_t" else np.int32(n), grid=3,
    )  # fmt: skip
    assert np.all(y[n:] == 7)
    inside = min(n, 3 * 64 * 4 - 8)  # where wrapping threads of the first block have none
    assert np.allclose(y[:inside], (x * 3 + np.arange(800) + x[0])[:inside])


def test_bytes_of_pixels_and_neighbours(agree, rng):
    rgb = rng.integers(0, 256, 3 * 1100, np.uint8)
    agree(
        """__global__ void kernel(const unsigned char *rgb, unsigned char *grey, int n) {
            int start = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
            for (int k = 0; k < 4; ++k)
                if (start + k < n) {
                    const unsigned char *p = rgb + 3 * (start + k);
                    grey[start + k] = (p[0] * 5 + p[1] * 6 + p[2] * 7 + p[3] + p[5]) >> 5;
                }
        }""",
        [rgb, np.zeros(1100, np.uint8)], 1000, grid=4,
    )  # fmt: skip


def test_elements_of_vectors_and_two_arrays(agree, rng):
    agree(
        """__global__ void kernel(const float4 *x, float4 *y, float4 *z, float a) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            float4 v = x[i];
            y[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
            z[i] = make_float4(v.x - a, v.y - a, v.z - a, v.w - a);
        }""",
        [rng.random(1024, np.float32), *(np.zeros(1024, np.float32) for _ in range(2))],
        np.float32(1.5), grid=4,
    )  # fmt: skip


def test_elements_that_are_not_alike(agree, rng):
    agree(
        """__global__ void kernel(const float *x, float *y, float *z) {
            int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
            for (int k = 0; k < 4; ++k) y[i + k] = x[i + k] * k;
            z[i] = x[i] + x[i + 1], z[i + 1] = x[i + 1] + x[i + 2];
            z[i + 2] = x[i + 2] + x[i + 3], z[i + 3] = x[i + 3] - x[i];
        }""",
        [rng.random(1024, np.float32), *(np.zeros(1024, np.float32) for _ in range(2))], grid=4,
    )  # fmt: skip


def test_elements_that_their_thread_reads_again(agree, rng):
    agree(
        """__global__ void kernel(const float *x, float *y, float *z, int n, int last) {
            int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
            if (i + 3 < n)
                for (int k = 0; k < 4; ++k) y[i + k] = x[i + k] * 2;
            float sum = 0;
            for (int k = 0; k < last; ++k) sum += y[i + k];
            z[i] = sum;
        }""",
        [rng.random(2048, np.float32), *(np.zeros(2048, np.float32) for _ in range(2))], 2048, 4,
        block=512,
    )  # fmt: skip


COPY_IN_STEPS = """__global__ void kernel(const float *x, float *y) {
    int start = 4 * threadIdx.x;
    for (int k = 0; k < 4; ++k) y[start + k] = x[2 * (start + k)] + 1;
}"""


# Two threads, neither of which sees what the other writes; at a distance of 4 the first's third
# element is its fourth one's input.
@pytest.mark.parametrize("distance", [4, 16, 17])
def test_elements_whose_input_is_another_of_their_thread(agree, rng, distance):
    (memory,) = agree(
        COPY_IN_STEPS, [rng.random(32, np.float32)], block=2,
        offsets=lambda memory: [memory, memory.slice(4 * distance, 32)],
    )  # fmt: skip
    if distance == 4:
        assert memory[7] == memory[6] + 1


def test_elements_in_place(agree, rng):
    x = rng.random(1024, np.float32)
    (got,) = agree(
        """__global__ void kernel(const float *x, float *y) {
            size_t start = 4 * (size_t(blockIdx.x) * blockDim.x + threadIdx.x);
            for (size_t k = 0; k < 4; ++k) y[start + k] = 2 * x[start + k];
        }""",
        [x], grid=4, offsets=lambda memory: [memory, memory],
    )  # fmt: skip
    assert np.array_equal(got, 2 * x)


@pytest.mark.parametrize("kind", ["float4", "double2", "__half2", "float2"])
@pytest.mark.parametrize("is_in_place", [False, True])
def test_rounds_of_a_grid_stride_loop(agree, rng, kind, is_in_place):
    source = f"""
    #include <cuda_fp16.h>
    extern "C" __global__ void kernel(const {kind} *x, {kind} *y, int n) {{
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{
            {kind} v = x[i], w = y[i];
            v.x = (float)v.x * 2.0f + (float)w.x;
            v.y = (float)v.y * 2.0f + (float)w.y;
            y[i] = v;
        }}
    }}"""
    number = {"float4": np.float32, "double2": np.float64, "__half2": np.float16}.get(kind)
    x, y = (rng.integers(0, 100, 12000).astype(number or np.float32) for _ in range(2))
    if is_in_place:
        agree(source, [x], 2900, grid=5, block=256, offsets=lambda memory: [memory, memory])
    else:
        agree(source, [x, y], 2900, grid=5, block=256)
