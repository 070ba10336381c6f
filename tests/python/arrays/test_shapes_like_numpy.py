"""Functions on shapes and families beside NumPy: complex, bool, empty and 0-d arrays, axis=None,
negative axes, and axes that there are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

KINDS = ["bool", "int16", "float32", "float64", "complex64", "complex128"]
SHAPES = [(0,), (1,), (7,), (3, 4), (0, 3), (3, 0), (2, 3, 4), (2, 0, 4)]
Call = Callable[[Any, Any], Any]


def values(shape: tuple[int, ...], kind: str, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 10, shape)
    if kind.startswith("complex"):
        return (x + 1j * rng.integers(-9, 10, shape)).astype(kind)
    return (x > 0) if kind == "bool" else x.astype(kind)


def outcome(call: Call, module: Any, x: Any) -> Any:
    """What a call returns, on the host, or the kind of its refusal."""
    try:
        result = call(module, x)
    except (ValueError, IndexError, TypeError):
        return "refused"
    parts = list(result) if isinstance(result, list | tuple) else [result]
    return [part.get() if isinstance(part, ww.Array) else np.asarray(part) for part in parts]


def compare(call: Call, x: Any) -> bool:
    """Whether there was a result."""
    expected = outcome(call, np, x)
    found = outcome(call, ww, ww.asarray(x))
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected, f"{found!r} where NumPy has {expected!r}"
        return False
    assert len(found) == len(expected)
    for own, theirs in zip(found, expected, strict=True):
        assert own.shape == theirs.shape and own.dtype == theirs.dtype
        exact = theirs.dtype.kind in "bui"
        wide = theirs.dtype.itemsize >= 8 and theirs.dtype != np.complex64
        tolerance = 0 if exact else 1e-12 if wide else 1e-5
        np.testing.assert_allclose(own, theirs, rtol=tolerance, atol=tolerance)
    return True


# Of one array. Axes are -5 to 4: inside, counted from the end, and outside.
ALONG: dict[str, Callable[[int], Call]] = {
    "concat": lambda axis: lambda m, x: m.concat((x, x), axis=axis),
    "stack": lambda axis: lambda m, x: m.stack((x, x, x), axis=axis),
    "split": lambda axis: lambda m, x: m.split(x, 2, axis=axis),
    "array_split": lambda axis: lambda m, x: m.array_split(x, 3, axis=axis),
    "unstack": lambda axis: lambda m, x: m.unstack(x, axis=axis),
    "repeat": lambda axis: lambda m, x: m.repeat(x, 3, axis=axis),
    "roll": lambda axis: lambda m, x: m.roll(x, 2, axis=axis),
    "flip": lambda axis: lambda m, x: m.flip(x, axis=axis),
    "moveaxis": lambda axis: lambda m, x: m.moveaxis(x, 0, axis),
    "expand_dims": lambda axis: lambda m, x: m.expand_dims(x, axis=axis),
    "squeeze": lambda axis: lambda m, x: m.squeeze(x, axis=axis),
    "rot90": lambda axis: lambda m, x: m.rot90(x, 1, (0, axis)),
    "diff": lambda axis: lambda m, x: m.diff(x, axis=axis),
    "diff twice": lambda axis: lambda m, x: m.diff(x, 2, axis),
    "gradient": lambda axis: lambda m, x: m.gradient(x, axis=axis),
    "cumsum": lambda axis: lambda m, x: m.cumsum(x, axis=axis),
}
PLAIN: dict[str, Call] = {
    "concat of all": lambda m, x: m.concat((x, x), axis=None),
    "tile": lambda m, x: m.tile(x, (2, 1, 3)),
    "tile once": lambda m, x: m.tile(x, 2),
    "repeat of all": lambda m, x: m.repeat(x, 2),
    "roll of all": lambda m, x: m.roll(x, -3),
    "flip of all": lambda m, x: m.flip(x),
    "pad": lambda m, x: m.pad(x, 2),
    "places that are not 0": lambda m, x: m.where(x),
    "pad with edges": lambda m, x: m.pad(x, 1, mode="edge"),
    "meshgrid": lambda m, x: m.meshgrid(x.ravel()[:3], x.ravel()[:2]),
    "meshgrid by rows": lambda m, x: m.meshgrid(x.ravel()[:3], x.ravel()[:2], indexing="ij"),
    "tril": lambda m, x: m.tril(x, k=-1),
    "triu": lambda m, x: m.triu(x, k=1),
    "diagonal": lambda m, x: m.diagonal(x, 1),
    "last diagonal": lambda m, x: m.diagonal(x, 0, -1, 0),
    "trace": lambda m, x: m.trace(x),
    "outer": lambda m, x: m.outer(x, x),
    "kron": lambda m, x: m.kron(x, x),
    "cumsum of all": lambda m, x: m.cumsum(x),
    "convolve": lambda m, x: m.convolve(x, x[:2]),
    "correlate": lambda m, x: m.correlate(x, x[:2]),
    "einsum": lambda m, x: m.einsum("ij,kj->ik", x, x),
    "cross": lambda m, x: m.cross(x[..., :3], x[..., :3][::-1]),
}


# What has no differences has no cross products and no gradients.
OF_NUMBERS = {("gradient", "bool"), ("cross", "bool")}
GRID = [(name, kind) for name in ALONG for kind in KINDS if (name, kind) not in OF_NUMBERS]
WHOLE = [(name, kind) for name in PLAIN for kind in KINDS if (name, kind) not in OF_NUMBERS]


def test_bools_have_no_gradient() -> None:
    with pytest.raises(TypeError, match="gradient got bool"):
        ww.gradient(ww.asarray([True, False, True]))


@pytest.mark.parametrize(("name", "kind"), GRID)
def test_along_an_axis(name: str, kind: str) -> None:
    results = 0
    for seed, shape in enumerate([(), *SHAPES]):
        for axis in range(-5, 5):
            results += compare(ALONG[name](axis), values(shape, kind, seed))
    assert results > 0


@pytest.mark.parametrize(("name", "kind"), WHOLE)
def test_of_whole_arrays(name: str, kind: str) -> None:
    results = 0
    for seed, shape in enumerate([(), *SHAPES, (3, 3)]):
        results += compare(PLAIN[name], values(shape, kind, seed))
    assert results > 0


REDUCED = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "count_nonzero", "mean"]
REDUCED += ["var", "median", "nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"]
REDUCED += ["nanargmax", "cumulative_sum", "cumulative_prod"]


@pytest.mark.parametrize("name", REDUCED)
def test_reductions_of_arrays_without_axes(name: str) -> None:
    """Axis 0 and -1 are those of one element, where NumPy takes them."""
    for axis in range(-2, 2):
        compare(lambda m, x, axis=axis: getattr(m, name)(x, axis=axis), np.asarray(3.5))
    assert compare(lambda m, x: m.take(x, m.asarray([0, 0]), axis=0), np.asarray(3.5))


@pytest.mark.parametrize("kind", ["int16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_medians(kind: str) -> None:
    for seed, shape in enumerate([(0,), (0, 3), (3, 0), (7,), (4, 6), (3, 5, 2)]):
        x = values(shape, kind, seed)
        for axis in (None, *range(-3, 3)):
            for keepdims in (False, True):
                options = {"axis": axis, "keepdims": keepdims}
                compare(lambda m, x, options=options: m.median(x, **options), x)
    if kind.startswith("complex"):
        x = values((9,), kind, 1)
        x[3] = complex(1, np.nan)
        assert np.isnan(ww.median(ww.asarray(x)).get())


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_of_bools(method: str) -> None:
    x = values((7,), "bool", 3)
    for q in (30, [10, 50, 90]):
        compare(lambda m, x, q=q: m.percentile(x, q, method=method), x)
