"""Tensor-core instructions in inline PTX, against NumPy's products, on every executor."""

import numpy as np
import pytest

import warpwise as ww

LANES = np.arange(32)
GROUP, MEMBER = LANES // 4, LANES % 4


@pytest.fixture(params=["gang", "reference"])
def each(run, request):
    def launch(source, *args, **kw):
        run(source, *args, options=[f"--warpwise-executor={request.param}"], **kw)

    return launch


def spread(matrix, rows, words, per_word):
    """Registers of a 16 by k (or, transposed, n by k) matrix: words x lanes x elements."""
    out = np.zeros((words, 32, per_word), matrix.dtype)
    for word in range(words):
        row = GROUP + 8 * (word % rows)
        first = (word // rows) * 4 * per_word + MEMBER * per_word
        for e in range(per_word):
            out[word, :, e] = matrix[row, first + e]
    return out


@pytest.mark.parametrize(
    ("k", "types", "dtype", "total"),
    [
        (16, "f32.f16.f16.f32", np.float16, np.float32),
        (8, "f32.f16.f16.f32", np.float16, np.float32),
        (8, "f32.tf32.tf32.f32", np.float32, np.float32),
        (32, "s32.s8.s8.s32", np.int8, np.int32),
        (16, "s32.u8.u8.s32", np.uint8, np.int32),
    ],
)
def test_products_of_a_warp(each, rng, k, types, dtype, total):
    if np.issubdtype(dtype, np.integer):
        a, b = (
            rng.integers(0, 100, (16, k)).astype(dtype),
            rng.integers(0, 100, (k, 8)).astype(dtype),
        )
        c = rng.integers(-9, 9, (16, 8)).astype(total)
    else:
        a, b = (rng.integers(-8, 8, shape).astype(dtype) for shape in ((16, k), (k, 8)))
        c = rng.integers(-8, 8, (16, 8)).astype(total)
    per_word = 4 // a.itemsize
    count = k // (4 * per_word)  # of b's registers
    left, right = spread(a, 2, 2 * count, per_word), spread(b.T.copy(), 1, count, per_word)
    sums = np.zeros((4, 32), total)
    for n in range(4):
        sums[n] = c[GROUP + 8 * (n // 2), 2 * MEMBER + n % 2]
    letter = "f" if total == np.float32 else "r"
    number = iter(range(99))

    def group(n):
        return "{" + ", ".join(f"%{next(number)}" for _ in range(n)) + "}"

    text = f"mma.sync.aligned.m16n8k{k}.row.col.{types} "
    text += ", ".join([group(4), group(2 * count), group(count), group(4)]) + ";"
    source = f"""__global__ void kernel(const unsigned *a, const unsigned *b, {
        "float" if letter == "f" else "int"
    } *c) {{
        int i = threadIdx.x;
        asm volatile("{text}"
            : {", ".join(f'"={letter}"(c[{32 * n} + i])' for n in range(4))}
            : {
        ", ".join(
            [f'"r"(a[{32 * n} + i])' for n in range(2 * count)]
            + [f'"r"(b[{32 * n} + i])' for n in range(count)]
            + [f'"{letter}"(c[{32 * n} + i])' for n in range(4)]
        )
    });
    }}"""
    each(
        source, ww.In(left.view(np.uint32)), ww.In(right.view(np.uint32)), ww.InOut(sums), block=32
    )
    want = a.astype(np.float64) @ b.astype(np.float64) + c
    for n in range(4):
        np.testing.assert_array_equal(sums[n], want[GROUP + 8 * (n // 2), 2 * MEMBER + n % 2])


def test_sums_in_halves_and_products_in_double(each, rng):
    a = rng.integers(-4, 4, (16, 16)).astype(np.float16)
    b = rng.integers(-4, 4, (16, 8)).astype(np.float16)
    x, y = rng.normal(size=(8, 4)), rng.normal(size=(4, 8))
    halves, doubles = np.zeros((2, 32, 2), np.float16), np.zeros((2, 32))
    each(
        """__global__ void kernel(const unsigned *a, const unsigned *b, unsigned *h,
                                  const double *x, const double *y, double *d) {
            int i = threadIdx.x;
            asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};" : "=r"(h[i]), "=r"(h[32 + i])
                : "r"(a[i]), "r"(a[32 + i]), "r"(a[64 + i]), "r"(a[96 + i]),
                  "r"(b[i]), "r"(b[32 + i]), "r"(0), "r"(0));
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
                : "=d"(d[i]), "=d"(d[32 + i]) : "d"(x[i]), "d"(y[i]), "d"(0.0), "d"(0.0));
        }""",
        ww.In(spread(a, 2, 4, 2).view(np.uint32)), ww.In(spread(b.T.copy(), 1, 2, 2).view(np.uint32)),
        ww.Out(halves.view(np.uint32)), ww.In(x[GROUP, MEMBER].copy()),
        ww.In(y[MEMBER, GROUP].copy()), ww.Out(doubles), block=32,
    )  # fmt: skip
    want = a.astype(np.float64) @ b.astype(np.float64)
    for n in range(4):
        np.testing.assert_array_equal(
            halves[n // 2, :, n % 2], want[GROUP + 8 * (n // 2), 2 * MEMBER + n % 2]
        )
    for n in range(2):
        np.testing.assert_allclose(doubles[n], (x @ y)[GROUP, 2 * MEMBER + n], rtol=1e-14)


@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_matrices_loaded_from_shared_memory(each, count, trans):
    tiles = np.arange(4 * 64, dtype=np.uint16).reshape(4, 8, 8)
    out = np.zeros((count, 32, 2), np.uint16)
    words = ", ".join(f"%{n}" for n in range(count))
    results = ", ".join(f'"=r"(out[{32 * n} + threadIdx.x])' for n in range(count))
    each(
        f"""__global__ void kernel(const unsigned *tiles, unsigned *out) {{
            __shared__ unsigned kept[128];
            for (int i = threadIdx.x; i < 128; i += 32) kept[i] = tiles[i];
            __syncthreads();
            unsigned row = (unsigned)__cvta_generic_to_shared(kept + 4 * threadIdx.x);
            asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{".trans" if trans else ""}.shared.b16"
                         "{{{words}}}, [%{count}];" : {results} : "r"(row));
        }}""",
        ww.In(tiles.view(np.uint32)), ww.Out(out.view(np.uint32)), block=32,
    )  # fmt: skip
    for m in range(count):
        tile = tiles[m].T if trans else tiles[m]
        for e in range(2):
            np.testing.assert_array_equal(out[m, :, e], tile[GROUP, 2 * MEMBER + e])
