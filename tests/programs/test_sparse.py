"""Sparse matrix times vector: rows, ELLPACK, diagonals, entries."""

import numpy as np
import pytest
import scipy.sparse

import warpwise as ww


def random_matrix(rng, rows, cols, dtype):
    """Rows of very different lengths, some of them empty."""
    full = rng.standard_normal((rows, cols)) * (
        rng.random((rows, cols)) < rng.random((rows, 1)) / 3
    )
    full[rows // 3] = 0
    full[rows // 2] = 1
    return scipy.sparse.csr_array(full.astype(dtype))


CSR = {"spmv_csr_scalar": 2, "spmv_csr_vector": 51, "spmv_csr_part<8>": 3, "spmv_csr_part<2>": 2}


@pytest.mark.parametrize("kernel", CSR)
def test_csr(load, rng, kernel):
    a = random_matrix(rng, 203, 151, np.float32)
    x, y = rng.standard_normal(151).astype(np.float32), rng.standard_normal(203).astype(np.float32)
    want = y + a.astype(np.float64) @ x
    load("sparse/csr.cu")(
        kernel, 203, ww.In(a.indptr.astype(np.int32)), ww.In(a.indices.astype(np.int32)),
        ww.In(a.data), ww.In(x), ww.InOut(y), grid=CSR[kernel], block=128,
    )  # fmt: skip
    np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-4)


def test_ell(load, rng):
    a = random_matrix(rng, 101, 77, np.float64)
    pitch, longest = 128, int(np.diff(a.indptr).max())
    columns, values = np.full((longest, pitch), -1, np.int32), np.zeros((longest, pitch))
    for row in range(101):
        part = slice(a.indptr[row], a.indptr[row + 1])
        columns[: part.stop - part.start, row] = a.indices[part]
        values[: part.stop - part.start, row] = a.data[part]
    x, y = rng.standard_normal(77), np.zeros(101)
    load("sparse/ell.cu")(
        "spmv_ell<int, double>", 101, longest, pitch, ww.In(columns), ww.In(values), ww.In(x),
        ww.Out(y), grid=2, block=40,
    )  # fmt: skip
    np.testing.assert_allclose(y, a @ x, rtol=1e-12, atol=1e-12)


def test_diagonals(load, rng):
    rows, cols = 99, 83
    offsets = np.array([-40, -3, 0, 1, 17], np.int32)
    a = scipy.sparse.dia_array((rng.standard_normal((5, cols)), offsets), (rows, cols))
    x, y = rng.standard_normal(cols), np.zeros(rows)
    load("sparse/ell.cu")(
        "spmv_dia", rows, cols, 5, ww.In(a.offsets.astype(np.int32)), ww.In(a.data), ww.In(x),
        ww.Out(y), grid=4, block=32, shared=5 * 4,
    )  # fmt: skip
    np.testing.assert_allclose(y, a @ x, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kernel", ["spmv_coo_atomic", "spmv_coo_segmented"])
def test_coo(load, rng, kernel):
    a = random_matrix(rng, 91, 133, np.float64)
    coo = a.tocoo()
    entries = np.zeros(coo.nnz, [("row", np.int32), ("col", np.int32), ("value", np.float64)])
    entries["row"], entries["col"] = coo.coords
    entries["value"] = coo.data
    x, y = rng.standard_normal(133), np.zeros(91)
    load("sparse/coo.cu")(kernel, ww.In(entries), coo.nnz, ww.In(x), ww.InOut(y), grid=3, block=96)
    np.testing.assert_allclose(y, a @ x, rtol=1e-11, atol=1e-11)
