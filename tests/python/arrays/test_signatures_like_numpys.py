"""Functions that the array API does not have: parameters have NumPy's names and places."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from samples import expect_equal

import warpwise as ww

SQUARE = np.arange(9.0).reshape(3, 3)
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
# The array in front has a name of its own where NumPy's differs from function to function.
NAMES = [
    "allclose",
    "append",
    "array_equal",
    "choose",
    "compress",
    "convolve",
    "correlate",
    "cross",
    "dot",
    "extract",
    "interp",
    "isclose",
    "kron",
    "median",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "outer",
    "percentile",
    "polyval",
    "quantile",
    "trace",
]


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_numpys(name: str) -> None:
    ours, theirs = (
        [
            (one.name, one.kind == inspect.Parameter.POSITIONAL_ONLY)
            for one in inspect.signature(function).parameters.values()
            if one.kind in POSITIONAL
        ]
        for function in (getattr(ww, name), getattr(np, name))
    )
    assert ours[1:] == theirs[1:]


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_elements_stay_when_they_may_be_overwritten(name: str) -> None:
    x = ww.asarray(SQUARE)
    found = getattr(ww, name)(x, 0, None, True, True)
    expect_equal(found, np.median(SQUARE, 0, keepdims=True))
    expect_equal(x, SQUARE)


def test_quantiles_by_position_and_by_name() -> None:
    x = ww.asarray(SQUARE)
    found = ww.quantile(x, 0.3, 1, None, False, "lower", True)
    expect_equal(found, np.quantile(SQUARE, 0.3, 1, None, False, "lower", True))
    expect_equal(ww.percentile(x, q=50), np.asarray(np.percentile(SQUARE, q=50)))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("compress", ([True, False, True], SQUARE, 1)),
        ("matmul", (SQUARE, SQUARE)),
        ("outer", (SQUARE[0], SQUARE[1])),
        ("trace", (SQUARE,)),
        ("einsum", ("ij,kj->ik", SQUARE, SQUARE)),
    ],
)
def test_results_are_written_to_out(name: str, given: tuple[Any, ...]) -> None:
    expected = np.asarray(getattr(np, name)(*given))
    own = [ww.asarray(each) if isinstance(each, np.ndarray) else each for each in given]
    wide = ww.zeros((*expected.shape, 2))
    out = wide[..., 1]
    assert getattr(ww, name)(*own, out=out) is out
    expect_equal(out, expected)
    assert wide[..., 0].sum() == 0
    with pytest.raises(ValueError, match="shape"):
        getattr(ww, name)(*own, out=ww.zeros((7, 7)))


def test_matrices_are_multiplied_in_place_of_an_operand() -> None:
    x = ww.asarray(SQUARE)
    np.matmul(x, x, out=x)  # type: ignore[call-overload]
    expect_equal(x, SQUARE @ SQUARE)


@pytest.mark.parametrize("optimize", [True, False, "greedy", ["einsum_path", (0, 1), (0, 1)]])
def test_the_order_of_products_is_no_matter_of_the_caller(optimize: Any) -> None:
    x = ww.asarray(SQUARE)
    found = ww.einsum("ij,jk,kl->il", x, x, x, optimize=optimize)
    expect_equal(found, SQUARE @ SQUARE @ SQUARE)
