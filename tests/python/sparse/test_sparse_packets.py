"""Sparse matrices in packets: products, conversions, long rows, and what they refuse."""

from __future__ import annotations

from typing import Any

import devices
import numpy as np
import pytest
import scipy.sparse as sp

import warpwise as ww
from warpwise import _core

SHAPES = [(0, 0), (0, 5), (5, 0), (1, 1), (7, 3), (1023, 90), (1025, 3000), (5000, 4000)]


def matrix(shape: tuple[int, int], dtype: Any, density: float = 0.01) -> Any:
    rng = np.random.default_rng(shape[0] + 31 * shape[1])
    values = sp.random(*shape, density=density, random_state=rng, format="csr") * 100
    if np.dtype(dtype).kind == "c":
        values = values + 1j * values.power(2)
    return values.astype(dtype).tocsr()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_are_those_of_compressed_rows(shape: tuple[int, int], dtype: Any) -> None:
    host = matrix(shape, dtype)
    x = np.random.default_rng(1).integers(-9, 9, shape[1]).astype(dtype)
    packets = ww.sparse.pkt_array(host)
    rows = ww.sparse.csr_array(host)
    result = packets @ ww.asarray(x)
    assert result.dtype == dtype and result.shape == shape[:1]
    # On a GPU several lanes add a compressed row; a packet's row is added in order everywhere.
    if devices.IS_CPU or np.dtype(dtype).kind == "i":
        assert np.array_equal(result.get(), (rows @ ww.asarray(x)).get())
    exact = host.astype(np.complex128 if np.dtype(dtype).kind == "c" else np.float64) @ x
    assert np.allclose(result.get(), exact, rtol=1e-4, atol=1e-3)
    assert packets.nnz == host.nnz and packets.shape == shape and packets.remainder == 0


# A window has room for 2048 columns: longer rows are no packet's.
def test_rows_that_are_too_long_for_a_packet() -> None:
    rng = np.random.default_rng(4)
    dense = np.where(rng.random((300, 5000)) < 0.02, rng.standard_normal((300, 5000)), 0)
    dense[[0, 7, 299]] = rng.standard_normal((3, 5000))
    dense[11:13] = 0
    dense[11, :2048] = 1.5
    dense[12, 1000:3049] = 2.5
    host = sp.csr_array(dense)
    packets = ww.sparse.pkt_array(host)
    long_rows = np.diff(host.indptr)[[0, 7, 299, 12]]
    assert packets.remainder == long_rows.sum() and packets.nnz == host.nnz
    assert packets.packets > 2
    x = rng.standard_normal(5000)
    assert np.allclose((packets @ ww.asarray(x)).get(), dense @ x, rtol=1e-12, atol=1e-12)
    assert np.array_equal(packets.toarray().get(), dense)
    assert np.array_equal(packets.get().toarray(), dense)


@pytest.mark.parametrize("shape", SHAPES)
def test_compressed_rows_come_back(shape: tuple[int, int]) -> None:
    host = matrix(shape, np.float64)
    back = ww.sparse.pkt_array(host).get()
    assert np.array_equal(back.indptr, host.indptr)
    assert np.array_equal(back.indices, host.indices)
    assert np.array_equal(back.data, host.data)


def test_what_packets_are_made_of() -> None:
    host = matrix((40, 30), np.float64, 0.2)
    x = ww.asarray(np.random.default_rng(1).standard_normal(30))
    expected = (ww.sparse.csr_array(host) @ x).get()
    for made in (
        ww.sparse.csr_array(host),
        ww.sparse.csc_array(host),
        ww.sparse.coo_array(host),
        host.tocoo(),
        host.toarray(),
    ):
        assert np.allclose((ww.sparse.pkt_array(made) @ x).get(), expected, rtol=1e-13)
    twice = (np.ones(3), ([0, 0, 1], [2, 2, 0]))
    doubled = ww.sparse.pkt_array(twice, shape=(2, 3))
    assert doubled.dot(ww.ones(3)).get().tolist() == [2.0, 1.0]
    narrow = ww.sparse.pkt_array(host, dtype=np.float32)
    assert narrow.dtype == np.float32 and (narrow @ x).dtype == np.float64
    strided = ww.asarray(np.arange(60.0))[::-2]
    assert np.allclose(
        (ww.sparse.pkt_array(host) @ strided).get(), host @ np.arange(60.0)[::-2], rtol=1e-13
    )
    assert "(40, 30), float64" in repr(ww.sparse.pkt_array(host))


def test_solvers_take_packets() -> None:
    n = 50
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    plane = sp.kronsum(line, line).tocsr()
    b = np.random.default_rng(2).standard_normal(n * n)
    x, info = ww.sparse.linalg.cg(ww.sparse.pkt_array(plane), ww.asarray(b), rtol=1e-10)
    assert info == 0
    assert np.linalg.norm(plane @ x.get() - b) < 1e-9 * np.linalg.norm(b)


def test_blocks_of_many_threads_have_the_same_bits() -> None:
    host = matrix((5000, 4000), np.float64)
    x = ww.asarray(np.random.default_rng(3).standard_normal(4000))
    serial = (ww.sparse.pkt_array(host) @ x).get()
    before = _core.set_block_forms(True)
    try:
        assert np.array_equal((ww.sparse.pkt_array(host) @ x).get(), serial)
    finally:
        _core.set_block_forms(before)


def test_refused() -> None:
    packets = ww.sparse.pkt_array(matrix((6, 4), np.float64, 0.5))
    with pytest.raises(ValueError, match=r"shape \(6, 4\).*shape \(6,\).*shape \(4,\)"):
        packets @ ww.ones(6)
    with pytest.raises(ValueError, match="takes vectors"):
        packets @ ww.ones((4, 2))
    with pytest.raises(TypeError):
        packets @ np.ones(4)  # type: ignore[operator]
