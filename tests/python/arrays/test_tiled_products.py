"""Products of matrices by the library's own kernel: integers, and floats where BLAS is not used."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
ELF = b"\x7fELF"
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
# NumPy's dtype, the type of an element and of sums.
TYPES = {
    "int8": ("signed char", "int"),
    "uint16": ("unsigned short", "unsigned int"),
    "int64": ("long long", "long long"),
    "float16": ("__ww_half", "float"),
    "float32": ("float", "float"),
    "float64": ("double", "double"),
    "complex64": ("__ww_complex<float>", "__ww_complex<float>"),
}
FORMS = {"by_columns": (8, 64, 64), "by_tiles": (64, 64, 256)}  # rows, columns of a tile; threads


@pytest.fixture
def random(request: pytest.FixtureRequest) -> np.random.Generator:
    seed = np.random.SeedSequence().entropy
    request.node.add_report_section("call", "seed", str(seed))
    return np.random.default_rng(seed)


def numbers(random: np.random.Generator, kind: str, *shape: int) -> np.ndarray:
    if "int" in kind:
        info = np.iinfo(kind)
        return random.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
    values = random.standard_normal(shape)
    if "complex" in kind:
        values = values + 1j * random.standard_normal(shape)
    return values.astype(kind)


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("shape", [(64, 64, 64), (65, 33, 129), (2, 20000, 3), (9, 300, 64)])
def test_integers_wrap_as_in_numpy(
    kind: str, shape: tuple[int, int, int], random: np.random.Generator
) -> None:
    n, k, m = shape
    a, b = numbers(random, kind, n, k), numbers(random, kind, k, m)
    result = ww.asarray(a) @ ww.asarray(b)
    assert result.dtype == kind
    assert np.array_equal(result.get(), a @ b)


def test_of_two_kinds_are_of_the_common_one(random: np.random.Generator) -> None:
    a, b = numbers(random, "int8", 40, 50), numbers(random, "uint16", 50, 60)
    result = ww.asarray(a) @ ww.asarray(b)
    assert result.dtype == "int32"
    assert np.array_equal(result.get(), a @ b)


def test_any_strides(random: np.random.Generator) -> None:
    a, b = numbers(random, "int32", 90, 70), numbers(random, "int32", 90, 160)
    x, y = ww.asarray(a), ww.asarray(b)
    assert np.array_equal((x.T @ y).get(), a.T @ b)
    assert np.array_equal((x[::-2].T @ y[:45, ::3]).get(), a[::-2].T @ b[:45, ::3])
    row = np.broadcast_to(a[:1], (45, 70))
    zero_strides = ww.broadcast_to(x[:1], (45, 70))
    assert np.array_equal((zero_strides @ y[:70]).get(), row @ b[:70])


def test_batches_broadcast(random: np.random.Generator) -> None:
    a, b = numbers(random, "int16", 3, 1, 20, 30), numbers(random, "int16", 4, 30, 25)
    x, y = ww.asarray(a), ww.asarray(b)
    assert np.array_equal((x @ y).get(), a @ b)
    assert np.array_equal((x @ y[0]).get(), a @ b[0])
    assert np.array_equal((x[0, 0] @ y).get(), a[0, 0] @ b)
    assert (x[:0] @ y).shape == (0, 4, 20, 25)
    assert np.array_equal((x[..., :0] @ y[:, :0]).get(), a[..., :0] @ b[:, :0])


def test_are_lazy_and_can_be_captured(random: np.random.Generator) -> None:
    a, b = numbers(random, "int32", 40, 40), numbers(random, "int32", 40, 40)
    x, y = ww.asarray(a), ww.asarray(b)
    z = x @ y
    assert "a step of its own" in ww.explain(z)
    x += 1  # the product reads what was there before
    assert np.array_equal(z.get(), a @ b)
    out = ww.zeros((40, 40), "int32")
    ww.evaluate(out)
    stream = ww.Stream()
    with stream, stream.capture() as graph:
        out[...] = x @ y
    for _ in range(2):
        x += 1
        ww.evaluate(x)
        ww.Device().synchronize()
        with stream:
            graph.launch(stream)
        stream.synchronize()
    assert np.array_equal(out.get(), (a + 3) @ b)


def source(kind: str, form: str) -> str:
    element, sums = TYPES[kind]
    return f"""
#include <warpwise_library_product.h>
extern "C" __global__ void __launch_bounds__({FORMS[form][2]}) product(
    const void *a, const void *b, void *c, long long n, long long k, long long m) {{
    const __ww_product_shape shape = {{n, k, m, n * k, k * m}};
    __ww_matrix_product<{element}, {sums}>::{form}(a, b, c, shape);
}}
"""


def multiplied(kind: str, form: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Both have an axis of batches first."""
    count, n, k = a.shape
    m = b.shape[2]
    rows, columns, threads = FORMS[form]
    kernel = ww.SourceModule(source(kind, form)).get_function("product")
    x, y = ww.asarray(a), ww.asarray(b)
    z = ww.empty((count, n, m), a.dtype)
    grid = count * -(-n // rows) * -(-m // columns)
    kernel(x, y, z, n, k, m, grid=grid, block=threads)
    return z.get()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", [(2, 64, 16, 64), (1, 70, 37, 65), (3, 5, 100, 130)])
def test_both_forms_compute_the_same_bits(
    kind: str, shape: tuple[int, int, int, int], random: np.random.Generator
) -> None:
    count, n, k, m = shape
    a, b = numbers(random, kind, count, n, k), numbers(random, kind, count, k, m)
    by_columns = multiplied(kind, "by_columns", a, b)
    by_tiles = multiplied(kind, "by_tiles", a, b)
    assert by_columns.tobytes() == by_tiles.tobytes()
    if "int" in kind:
        assert np.array_equal(by_tiles, a @ b)
        return
    wide = np.clongdouble if "complex" in kind else np.longdouble
    exact = a.astype(wide) @ b.astype(wide)
    terms = np.abs(a).astype(np.longdouble) @ np.abs(b).astype(np.longdouble)
    # The result is rounded to its kind; sums of 16-bit floats are of float32.
    eps = np.finfo("float32" if kind == "float16" else kind).eps
    bound = terms * k * eps + np.abs(exact) * np.finfo(kind).eps + np.finfo(kind).tiny
    assert np.all(np.abs(by_tiles - exact) <= bound)


@pytest.mark.parametrize("target", TARGETS)
def test_the_tiles_of_gpus_compile(target: str) -> None:
    assert ww.compile(source("int8", "by_tiles"), target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("kind", TYPES)
def test_tiles_of_every_kind_compile(kind: str) -> None:
    assert ww.compile(source(kind, "by_tiles"), target="sm_90", format="cubin")[:4] == ELF
