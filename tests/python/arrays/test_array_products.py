"""Products of matrices against NumPy: layouts, batches, kinds, and what stays with our kernel."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import warpwise as ww

KINDS = ["float32", "float64", "complex64", "complex128", "float16", "bfloat16", "int32", "bool"]


@pytest.fixture
def random(request: pytest.FixtureRequest) -> np.random.Generator:
    seed = np.random.SeedSequence().entropy
    request.node.add_report_section("call", "seed", str(seed))
    return np.random.default_rng(seed)


def matrix(random: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    values = random.integers(-8, 9, shape) if kind != "bool" else random.integers(0, 2, shape)
    if kind.startswith("complex"):
        values = values + 1j * random.integers(-8, 9, shape)
    return values.astype(ml_dtypes.bfloat16 if kind == "bfloat16" else kind)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of small whole numbers: exact in double."""
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    return np.matmul(a.astype(wide), b.astype(wide))


def expect(result: ww.Array, a: np.ndarray, b: np.ndarray) -> None:
    expected = product(a, b)
    values = result.get()
    assert values.dtype == a.dtype
    assert values.shape == expected.shape
    if a.dtype == bool:
        expected = expected != 0
    np.testing.assert_array_equal(values, expected.astype(a.dtype))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((2, 3), (3, 2)),
        ((17, 31), (31, 23)),
        ((64, 1), (1, 70)),
        ((1, 40), (40, 50)),
        ((130, 257), (257, 65)),
        ((3, 20, 30), (3, 30, 25)),
        ((4, 1, 20, 30), (5, 30, 10)),
        ((2, 3, 20, 30), (30, 21)),
        ((30,), (30, 40)),
        ((40, 30), (30,)),
        ((0, 20), (20, 30)),
        ((20, 0), (0, 30)),
    ],
)
def test_shapes(
    kind: str, left: tuple[int, ...], right: tuple[int, ...], random: np.random.Generator
) -> None:
    a, b = matrix(random, kind, left), matrix(random, kind, right)
    expect(ww.matmul(ww.asarray(a), ww.asarray(b)), a, b)


@pytest.mark.parametrize("kind", ["float32", "complex128"])
def test_layouts(kind: str, random: np.random.Generator) -> None:
    x, y = matrix(random, kind, (60, 80)), matrix(random, kind, (80, 90))
    ours, other = ww.asarray(x), ww.asarray(y)
    for cut_a, cut_b in (
        (np.s_[:, :], np.s_[:, :]),
        (np.s_[5:50, 3:70], np.s_[3:70, 7:]),
        (np.s_[::2, :], np.s_[:, ::3]),
        (np.s_[::-1, :], np.s_[:, ::-1]),
        (np.s_[:, ::2], np.s_[::2, :]),
    ):
        expect(ours[cut_a] @ other[cut_b], x[cut_a], y[cut_b])
        expect(other[cut_b].T @ ours[cut_a].T, y[cut_b].T, x[cut_a].T)
    repeated = ww.broadcast_to(ours[0], (60, 80))
    expect(repeated @ other, np.broadcast_to(x[0], (60, 80)), y)


def test_lazy_factors_and_what_follows(random: np.random.Generator) -> None:
    a, b = random.random((70, 90)), random.random((90, 50))
    x, y = ww.asarray(a), ww.asarray(b)
    result = (ww.sin(x) + 1) @ (y * 2) - 3
    np.testing.assert_allclose(result.get(), (np.sin(a) + 1) @ (b * 2) - 3, rtol=1e-12)
    x[...] = 0
    z = x @ y
    x += 1  # after the product was written down
    np.testing.assert_array_equal(z.get(), np.zeros((70, 50)))
    with ww.lazy(False):
        again = (ww.sin(ww.asarray(a)) + 1) @ (y * 2) - 3
    assert again.get().tobytes() == result.get().tobytes()


def test_accuracy(random: np.random.Generator) -> None:
    a, b = random.standard_normal((300, 500)), random.standard_normal((500, 200))
    for kind, eps in (("float32", 2e-7), ("float64", 3e-16)):
        x, y = a.astype(kind), b.astype(kind)
        exact = x.astype(np.longdouble) @ y.astype(np.longdouble)
        bound = 40 * eps * (np.abs(x).astype(np.float64) @ np.abs(y).astype(np.float64))
        assert (np.abs((ww.asarray(x) @ ww.asarray(y)).get() - exact) <= bound).all()


def test_tensordot(random: np.random.Generator) -> None:
    a, b = matrix(random, "float64", (4, 20, 30)), matrix(random, "float64", (30, 20, 6))
    x, y = ww.asarray(a), ww.asarray(b)
    np.testing.assert_array_equal(
        ww.tensordot(x, y, axes=((1, 2), (1, 0))).get(), np.tensordot(a, b, axes=((1, 2), (1, 0)))
    )
    np.testing.assert_array_equal(ww.tensordot(x, y, axes=1).get(), np.tensordot(a, b, axes=1))


def test_bits_do_not_depend_on_the_stream_or_the_time(random: np.random.Generator) -> None:
    x, y = (ww.asarray(random.standard_normal((400, 400)).astype(np.float32)) for _ in range(2))
    first = (x @ y).get().tobytes()
    with ww.Stream():
        assert (x @ y).get().tobytes() == first
    assert (x @ y).get().tobytes() == first


def test_in_a_capture(random: np.random.Generator) -> None:
    a, b = matrix(random, "float32", (40, 40)), matrix(random, "float32", (40, 40))
    x, y = ww.asarray(a), ww.asarray(b)
    out = ww.zeros((40, 40), dtype=ww.float32)
    with ww.Stream() as stream:
        with stream.capture() as graph:
            out[...] = x @ y
        graph.launch(stream)
        stream.synchronize()
    expect(out, a, b)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="must be equal"):
        ww.matmul(ww.zeros((20, 30)), ww.zeros((20, 30)))
    with pytest.raises(ValueError, match="without axes"):
        ww.matmul(ww.zeros(()), ww.zeros((20, 30)))
    with pytest.raises(ValueError, match=r"\(2, 3\)|broadcast"):
        ww.matmul(ww.zeros((2, 20, 30)), ww.zeros((3, 30, 20)))
