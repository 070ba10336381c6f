"""threadIdx, blockIdx, blockDim and gridDim in one to three dimensions."""

import itertools

import numpy as np
import pytest

import warpwise as ww

IDS = """
__global__ void kernel(int *out) {
    int bx = gridDim.x, by = gridDim.y, tx = blockDim.x, ty = blockDim.y, tz = blockDim.z;
    int block = blockIdx.x + bx * (blockIdx.y + by * blockIdx.z);
    int thread = threadIdx.x + tx * (threadIdx.y + ty * threadIdx.z);
    int *row = out + 7 * (block * tx * ty * tz + thread);
    row[0] = threadIdx.x; row[1] = threadIdx.y; row[2] = threadIdx.z;
    row[3] = blockIdx.x;  row[4] = blockIdx.y;  row[5] = blockIdx.z;
    row[6] = warpSize;
}
"""


@pytest.mark.parametrize(
    ("grid", "block"),
    [(1, 1), (3, 7), ((2, 3), (5, 2)), ((2, 1, 3), (4, 3, 2)), ((1, 1, 1), (1, 1, 64)), (5, 1024)],
)
def test_every_thread_knows_its_place(run, grid, block):
    def extents(value):
        return (*np.atleast_1d(value).tolist(), 1, 1)[:3]

    (gx, gy, gz), (bx, by, bz) = extents(grid), extents(block)
    out = np.full((gx * gy * gz * bx * by * bz, 7), -1, np.int32)
    run(IDS, ww.Out(out), grid=grid, block=block)
    want = [
        (x, y, z, i, j, k, 32)
        for k, j, i in itertools.product(range(gz), range(gy), range(gx))
        for z, y, x in itertools.product(range(bz), range(by), range(bx))
    ]
    assert np.array_equal(out, want)


def test_a_grid_of_many_blocks_runs_each_once(run):
    hits = np.zeros(100_003, np.uint8)
    run(
        "__global__ void kernel(unsigned char *hits) { hits[blockIdx.x] += 1; }",
        ww.InOut(hits),
        grid=hits.size,
    )
    assert (hits == 1).all()


def test_unsigned_index_arithmetic_wraps_as_on_a_gpu(run):
    out = np.zeros(2, np.uint32)
    run(
        """__global__ void kernel(unsigned *out) {
            unsigned i = threadIdx.x - 1;
            out[threadIdx.x] = i;
        }""",
        ww.Out(out),
        block=2,
    )
    assert out.tolist() == [2**32 - 1, 0]


BLOCKS_OF_ALL_KINDS = [64, 96, 100, (32, 4), (16, 16), (7, 3)]


@pytest.mark.parametrize("block", BLOCKS_OF_ALL_KINDS)
@pytest.mark.parametrize("kind", ["unsigned", "size_t", "int"])
def test_elements_are_copied_by_an_index_of_any_type(run, kind, block):
    threads = int(np.prod(block))
    x = np.arange(5 * threads, dtype=np.float32)
    y = np.zeros_like(x)
    source = f"""__global__ void kernel(float *y, const float *x, {kind} n) {{
        unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
        {kind} i = blockIdx.x * (blockDim.x * blockDim.y) + t;
        if (i < n) y[i] = x[i];
    }}"""
    shape = ",".join(map(str, (*np.atleast_1d(block).tolist(), 1, 1)[:3]))
    options = [f"--warpwise-block={shape}"]
    run(source, ww.InOut(y), ww.In(x), x.size - 3, grid=5, block=block, options=options)
    assert np.array_equal(y[:-3], x[:-3])
    assert not y[-3:].any()


@pytest.mark.parametrize("start", [0xFFFFFF00, 0xFFFFFF80, 0xFFFFFFE0, 0xFFFFFFFD, 0x7FFFFF80])
@pytest.mark.parametrize("block", [64, 96, 100, 256])
def test_an_unsigned_index_is_widened_lane_by_lane_where_it_wraps(run, block, start):
    out = np.zeros((2, block), np.uint64)
    source = f"""__global__ void kernel(unsigned long long *out) {{
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x + {start}u;
        out[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned long long)i + 1;
    }}"""
    run(source, ww.Out(out), grid=2, block=block, options=[f"--warpwise-block={block},1,1"])
    assert np.array_equal(out.ravel(), (np.arange(2 * block, dtype=np.uint64) + start) % 2**32 + 1)


@pytest.mark.parametrize("start", [0x7FFFFF80, 0x7FFFFFE0, 0x7FFFFFFD])
def test_a_signed_index_is_widened_lane_by_lane_where_the_sign_changes(run, start):
    block = 256
    out = np.zeros(block, np.int64)
    source = f"""__global__ void kernel(long long *out) {{
        out[threadIdx.x] = (int)(threadIdx.x + {start}u);
    }}"""
    run(source, ww.Out(out), block=block, options=[f"--warpwise-block={block},1,1"])
    assert np.array_equal(
        out, (np.arange(block, dtype=np.uint32) + np.uint32(start)).view(np.int32)
    )


def test_a_grid_stride_loop_of_unsigned_steps_wraps_as_on_a_gpu(run):
    """The index passes 2^32 between two turns, at a multiple of the block."""
    block, turns = 64, 6
    out = np.zeros((turns, block), np.uint64)
    source = f"""__global__ void kernel(unsigned long long *out) {{
        unsigned i = 0xffffff00u + threadIdx.x;
        for (int turn = 0; turn < {turns}; ++turn, i += blockDim.x * gridDim.x)
            out[turn * blockDim.x + threadIdx.x] = (size_t)i;
    }}"""
    run(source, ww.Out(out), block=block, options=[f"--warpwise-block={block},1,1"])
    expected = (np.arange(turns * block, dtype=np.uint64) + 0xFFFFFF00) % 2**32
    assert np.array_equal(out.ravel(), expected)


@pytest.mark.parametrize("kind", ["unsigned long long", "long long"])
@pytest.mark.parametrize(
    ("start", "end"), [(5, 1000), (5, 200), (-100, 300), (-100, 100), (-1000, -300), (-300, -300)]
)
def test_a_loop_of_64_bit_counts_ends_for_each_thread_by_its_own(run, kind, start, end):
    """Counts from the least number on, where sums of the whole gang wrap."""
    block = 256
    least = 0 if kind.startswith("unsigned") else 2**63
    rounds, sums = np.zeros(block, np.uint32), np.zeros(block, np.uint64)
    source = f"""__global__ void kernel(unsigned *rounds, unsigned long long *sums,
                                       {kind} start, {kind} end) {{
        unsigned count = 0;
        unsigned long long sum = 0;
        for ({kind} i = (unsigned long long)start + threadIdx.x; i < end; i += 64) {{
            ++count;
            sum += i;
        }}
        rounds[threadIdx.x] = count;
        sums[threadIdx.x] = sum;
    }}"""

    def number(value):
        wrapped = (value + least) % 2**64
        return wrapped - 2**64 if least and wrapped >= 2**63 else wrapped

    options = [f"--warpwise-block={block},1,1"]
    bounds = number(start), number(end)
    run(source, ww.Out(rounds), ww.Out(sums), *bounds, block=block, options=options)
    for thread in range(block):
        walk = range(number(start + thread), number(end), 64)
        assert rounds[thread] == len(walk)
        assert sums[thread] == sum(walk) % 2**64


@pytest.mark.parametrize("block", [64, 256])
def test_lanes_that_take_no_part_may_wrap_to_positive_numbers(run, block):
    out = np.zeros(block, np.int32)
    run(
        """__global__ void kernel(int *out, unsigned start) {
            int i = (int)(threadIdx.x + start);
            if (i < 0) (out + 2147483648ll)[i] = threadIdx.x;
        }""",
        ww.InOut(out), 0x7FFFFFFB, block=block,
    )  # fmt: skip
    expected = np.zeros(block, np.int32)
    expected[: block - 5] = np.arange(5, block)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("block", [64, 256])
def test_lanes_in_front_of_a_wrap_may_take_no_part(run, block):
    """The first five indices are the largest there are, and the others begin with 0."""
    out = np.zeros(block, np.int32)
    run(
        """__global__ void kernel(int *out, unsigned start, unsigned n) {
            unsigned i = threadIdx.x + start;
            if (i < n) out[i] = threadIdx.x;
        }""",
        ww.InOut(out), np.uint32(2**32 - 5), np.uint32(block), block=block,
    )  # fmt: skip
    assert out.tolist() == [*range(5, block), 0, 0, 0, 0, 0]


# Blocks of several rows that only stream run row by row: of 8 blocks at a time, here of 20.
@pytest.mark.parametrize("columns", [320, 301, 32])
def test_each_row_of_blocks_of_rows_runs_once(columns):
    module = ww.SourceModule(
        """__global__ void kernel(float *out, const float *in, int columns, int rows) {
            int x = blockIdx.x * blockDim.x + threadIdx.x;
            int y = blockIdx.y * blockDim.y + threadIdx.y;
            int z = blockIdx.z * blockDim.z + threadIdx.z;
            if (x < columns && y < rows) {
                out[(z * rows + y) * columns + x] += in[y * columns + x] + z;
            }
        }"""
    )
    kernel, rows = module["kernel"], 37
    if hasattr(kernel, "compile_fully"):
        kernel.compile_fully((16, 4, 2))
    given = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    out = np.zeros((4, rows, columns), np.float32)
    kernel(ww.InOut(out), ww.In(given), columns, rows, grid=(20, 10, 2), block=(16, 4, 2))
    assert np.array_equal(out, given + np.arange(4, dtype=np.float32).reshape(4, 1, 1))
