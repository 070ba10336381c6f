"""What GPUs run of scans, sorts, writes through indices and sparse systems.

Run by the CPU device, then compiled by NVRTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy_order import by_numpy

import warpwise as ww
from warpwise import _core

KINDS = ["bool", "int8", "uint16", "int32", "float16", "float32", "float64", "complex64"]


@pytest.fixture(autouse=True, scope="module")
def _block_forms() -> Iterator[None]:
    before = _core.set_block_forms(True)
    yield
    _core.set_block_forms(before)


def values(rng: np.random.Generator, shape: Any, kind: str) -> np.ndarray:
    x = rng.integers(0, 100, shape)
    if kind == "bool":
        return x < 50
    if kind.startswith(("float", "complex")):
        x = np.where(rng.random(shape) < 0.1, np.nan, x)
    return x.astype(kind)


def same(result: ww.Array, expected: np.ndarray) -> None:
    host = result.get()
    assert (host.shape, host.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(host, expected)


@pytest.mark.parametrize("kind", ["bool", "uint16", "int32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(1,), (20_001,), (5, 3000), (300, 31), (3, 50, 40)])
def test_sums(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> None:
    x = np.nan_to_num(values(rng, shape, kind))
    for axis in range(len(shape)):
        same(ww.cumulative_sum(ww.asarray(x), axis=axis), np.cumsum(x, axis=axis))


@pytest.mark.parametrize("kind", ["bool", "uint16", "int32", "float64"])
@pytest.mark.parametrize("shape", [(1,), (20_001,), (5, 3000), (300, 31), (3, 50, 40)])
def test_other_scans_and_segments(
    rng: np.random.Generator, kind: str, shape: tuple[int, ...]
) -> None:
    x = values(rng, shape, kind)
    for axis in range(len(shape)):
        for ufunc in (np.maximum, np.fmin, np.logical_xor):
            given = x if ufunc is not np.logical_xor else x > 50
            same(ufunc.accumulate(ww.asarray(given), axis), ufunc.accumulate(given, axis))
        places = [0, shape[axis] - 1, shape[axis] // 2]
        same(np.maximum.reduceat(ww.asarray(x), places, axis), np.maximum.reduceat(x, places, axis))


@pytest.mark.parametrize("n", [1, 4097, 30_000])
def test_masks(rng: np.random.Generator, n: int) -> None:
    x, mask = values(rng, n, "float64"), rng.random(n) < 0.3
    same(ww.compress(ww.asarray(mask), ww.asarray(x)), x[mask])
    same(ww.flatnonzero(ww.asarray(mask)), np.flatnonzero(mask))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shape", [(3, 1), (40, 30), (3, 200), (3, 300), (2, 1100), (9001,), (50_000,)]
)
def test_sorts(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> None:
    x = values(rng, shape, kind)
    same(ww.sort(ww.asarray(x)), by_numpy(np.sort, x))
    same(ww.argsort(ww.asarray(x)), np.argsort(x, kind="stable"))


def test_sets_and_counts(rng: np.random.Generator) -> None:
    x = rng.integers(0, 50, 20_000)
    a = ww.asarray(x)
    for own, expected in zip(ww.unique_all(a), np.unique_all(x), strict=True):
        same(own, expected)
    same(ww.isin(a, ww.arange(0, 50, 7)), np.isin(x, np.arange(0, 50, 7)))
    same(ww.bincount(a), np.bincount(x))
    same(ww.bincount(a * 1000), np.bincount(x * 1000))
    same(ww.bincount(a, ww.ones(x.size)), np.bincount(x).astype(np.float64))
    same(ww.histogram(a, 7)[0], np.histogram(x, 7)[0])
    same(ww.histogram(a / 3, ww.asarray([1.0, 2, 9]))[0], np.histogram(x / 3, [1.0, 2, 9])[0])


@pytest.mark.parametrize("n", [1, 4096, 4097, 150_001])
def test_users_scans(rng: np.random.Generator, n: int) -> None:
    x = rng.integers(-50, 50, n)
    a = ww.asarray(x)
    same(ww.InclusiveScanKernel(np.int64, "a+b")(a), np.cumsum(x))
    before = ww.ExclusiveScanKernel(np.int64, "a+b", "0")
    assert "false, 256" in before.source
    same(before(a, out=a), np.cumsum(x) - x)


def test_selections(rng: np.random.Generator) -> None:
    x = values(rng, 9001, "float32")
    least, places = ww.topk(ww.asarray(x), 20, largest=False)
    same(least, np.sort(x)[:20])
    same(places, np.argsort(x, kind="stable")[:20])
    assert ww.partition(ww.asarray(x), 100).get()[100] == np.sort(x)[100]


@pytest.mark.parametrize("kind", ["int8", "float32", "complex64", "bool"])
def test_writes_and_sums_through_indices(rng: np.random.Generator, kind: str) -> None:
    host = np.zeros(300, kind)
    target = ww.asarray(host)
    places, given = rng.integers(0, 300, 5000), np.nan_to_num(values(rng, 5000, kind))
    target[ww.asarray(places)] = ww.asarray(given)
    host[places] = given
    same(target, host)
    if kind != "bool":
        ww.add_at(target, ww.asarray(places), ww.asarray(given))
        np.add.at(host, places, given)
        same(target, host)


@pytest.mark.parametrize("kind", ["int16", "float32", "float64", "complex64"])
def test_filters(rng: np.random.Generator, kind: str) -> None:
    x, y = (rng.integers(-3, 4, n).astype(kind) for n in (900, 300))
    same(ww.convolve(ww.asarray(x), ww.asarray(y)), np.convolve(x, y))


@pytest.mark.parametrize("kind", ["float64", "complex64"])
def test_sparse_systems(rng: np.random.Generator, kind: str) -> None:
    line = sp.diags_array([-1.0, 4.0, -1.5], offsets=[-1, 0, 1], shape=(12, 12))
    host = (sp.kron(line, sp.eye_array(12)) + sp.kron(sp.eye_array(12), line)).tocsr().astype(kind)
    a = ww.sparse.csr_array(host)
    near = 1e-10 if kind == "float64" else 1e-4
    product = (a @ a).toarray().get()
    np.testing.assert_allclose(product, (host @ host).toarray(), near, near)
    x = rng.normal(size=(144, 2)).astype(kind)
    np.testing.assert_allclose((a.tobsr((2, 3)) @ ww.asarray(x)).get(), host @ x, near, near)
    factors = ww.sparse.linalg.ilu0(a)
    both = factors.L.toarray().get() @ factors.U.toarray().get()
    for right in (x, x[:, 0]):
        found = factors.solve(ww.asarray(right)).get()
        np.testing.assert_allclose(both @ found, right, 10 * near, 10 * near)
        found = factors.solve(ww.asarray(right), "T").get()
        np.testing.assert_allclose(both.T @ found, right, 10 * near, 10 * near)
    blocks = ww.sparse.linalg.block_jacobi(a, 12).matvec(ww.asarray(x)).get()
    dense = sp.block_diag([host[i : i + 12, i : i + 12] for i in range(0, 144, 12)]).toarray()
    np.testing.assert_allclose(dense @ blocks, x, 10 * near, 10 * near)


@pytest.mark.parametrize("target", ["sm_75", "sm_90", "sm_120"])
def test_all_texts_compile(target: str) -> None:
    """Those of the tests before: a kernel each, about seventy."""
    sources = [text for text in _core.library_sources() if "__launch_bounds__(1)" not in text]
    assert len(sources) > 20
    chosen = sources if target == "sm_90" else sources[::5]
    for text in chosen:
        cubin = ww.compile(text, target=target, format="cubin")
        assert cubin[:4] == b"\x7fELF", text
