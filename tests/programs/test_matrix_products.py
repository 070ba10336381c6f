"""Matrix products: naive, tiled, register-tiled, batched, complex, half, by a vector."""

import numpy as np
import pytest

import warpwise as ww


@pytest.mark.parametrize("kernel", ["MatMulNaive", "MatMulKernel"])
def test_tiled(load, rng, kernel):
    m, n, k = 37, 50, 29
    a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)
    c = np.zeros((m, n), np.float32)
    load("matrix_products/tiled.cu")(
        kernel, ww.In(a), ww.In(b), ww.Out(c), m, n, k, grid=(4, 3), block=(16, 16)
    )
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("instance", "dtype", "block"),
    [("float, 32, 32, 8, 4, 4", "f4", 64), ("double, 16, 32, 4, 2, 4", "f8", 64),
     ("int, 32, 16, 8, 8, 1", "i4", 64)],
)  # fmt: skip
@pytest.mark.parametrize("beta", [0, 3])
def test_register_tiled(load, rng, instance, dtype, block, beta):
    m, n, k = 45, 67, 21
    a, b, c = (rng.integers(-9, 9, s).astype(dtype) for s in ((m, k), (k, n), (m, n)))
    want = 2 * (a @ b) + beta * c
    load("matrix_products/register_tiled.cu")(
        f"gemm<{instance}>", m, n, k, 2, ww.In(a), ww.In(b), beta, ww.InOut(c),
        grid=(5, 3), block=block,
    )  # fmt: skip
    assert np.array_equal(c, want)


def test_batched(load, rng):
    count, n = 11, 6
    a, b = rng.standard_normal((count, n, n)), rng.standard_normal((count, n, n))
    c = np.zeros_like(a)
    program = load("matrix_products/batched.cu")
    buffers, tables = [], []
    for array in (a, b, c):
        buffer, table = ww.mem_alloc(array.nbytes), ww.mem_alloc(8 * count)
        buffer.copy_from(array)
        program("spread", buffer, table, n * n, count, block=32)
        buffers.append(buffer)
        tables.append(table)
    program(f"gemm_batched<{n}>", *tables, grid=count, block=20)
    buffers[2].copy_to(c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("op", [0, 1, 2])
def test_complex_gemm(load, rng, op):
    m, n, k = 19, 13, 21
    a = rng.standard_normal((m, k)) + 1j * rng.standard_normal((m, k))
    b = rng.standard_normal((k, n)) + 1j * rng.standard_normal((k, n))
    stored = np.ascontiguousarray([a, a.T, a.conj().T][op])
    c = np.zeros((m, n), np.complex128)
    load("matrix_products/complex_gemm.cu")(
        "zgemm", op, m, n, k, np.complex128(2 - 1j), ww.In(stored), ww.In(b), ww.Out(c),
        grid=(2, 3), block=(8, 8),
    )  # fmt: skip
    np.testing.assert_allclose(c, (2 - 1j) * (a @ b), rtol=1e-12, atol=1e-12)


def test_half_gemm(load, rng):
    m, n, k = 21, 46, 35
    a, b = (rng.standard_normal(s).astype(np.float16) for s in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float16)
    load("matrix_products/half_gemm.cu")(
        "hgemm", ww.In(a), ww.In(b.reshape(k, -1, 2)), ww.Out(c), m, n, k,
        grid=(2, 2), block=(16, 16),
    )  # fmt: skip
    want = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c.astype(np.float64), want, rtol=2e-3, atol=2e-3)


def test_matvec(load, rng):
    rows, cols = 101, 77
    a = rng.standard_normal((rows, cols), np.float32)
    x, z = rng.standard_normal(cols, np.float32), rng.standard_normal(rows, np.float32)
    y, w = np.zeros(rows, np.float32), np.zeros(cols, np.float32)
    program = load("matrix_products/matvec.cu")
    program("gemv<32>", ww.In(a), ww.In(x), ww.Out(y), rows, cols, grid=4, block=32)
    program("gemv_transposed", ww.In(a), ww.In(z), ww.InOut(w), rows, cols, grid=(2, 7), block=48)
    np.testing.assert_allclose(y, a.astype(np.float64) @ x, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(w, z @ a.astype(np.float64), rtol=1e-4, atol=1e-4)
