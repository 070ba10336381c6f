"""What GPUs compute by tiles in shared memory: the text of explain(), compiled by NVRTC, and run by
the CPU device with its own part of the text left out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_90", "sm_120"]
ELF = b"\x7fELF"
DTYPES = ["bool", "uint8", "float16", "float32", "float64", "complex64", "complex128"]


def text_of(value: ww.Array) -> str:
    text = ww.explain(value)
    assert text.count("__global__") == 1
    return text[text.index("#define") :]


def filled(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    values = rng.integers(0, 100, shape).astype(dtype)
    return values * 1j + values[::-1] if dtype.startswith("complex") else values


def run_as_gpus_do(text: str, inputs: list[tuple[ww.Array, ww.Array]], out: ww.Array) -> np.ndarray:
    """Launches the text with the arguments that a group's kernel has. An input: the view that the
    group reads, and the array that it is a view of."""
    body = text.replace("__WARPWISE_CPU__", "NO_DEVICE")
    parameters = re.search(r"ww_fused\((.*)\) \{", text)
    assert parameters is not None
    across = re.search(r"\(extent(\d+) \+ 6?3[13]?\) / \d+\);\n.* units", text)
    assert across is not None
    tiled = {out.ndim - 1, int(across[1])}
    values: dict[str, Any] = {f"in{i}": base for i, (_, base) in enumerate(inputs)}
    values["out0"] = out
    values["points"] = int(np.prod([n for k, n in enumerate(out.shape) if k not in tiled]))
    values |= {f"extent{k}": n for k, n in enumerate(out.shape)}
    for i, (x, _) in enumerate(inputs):
        values |= {f"in{i}_stride{k}": stride for k, stride in enumerate(x.strides)}
    arguments = []
    for parameter in parameters[1].split(", "):
        name = parameter.split()[-1].lstrip("*")
        assert name in values or name.startswith("divisor")
        arguments.append(values.get(name, 0))
    ww.SourceModule(body)["ww_fused"](*arguments, grid=7, block=(32, 8))
    return out.get()


@pytest.mark.cpu_only("the CPU device runs what GPUs do")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(32, 32), (33, 100), (65, 64), (200, 129)])
def test_a_transposed_copy(rng: np.random.Generator, dtype: str, shape: tuple[int, int]) -> None:
    host = filled(rng, shape, dtype)
    x = ww.asarray(host)
    text = text_of(x.T.copy())
    assert "__shared__" in text
    out = ww.empty(shape[::-1], dtype=dtype)
    np.testing.assert_array_equal(run_as_gpus_do(text, [(x.T, x)], out), host.T)


@pytest.mark.cpu_only("the CPU device runs what GPUs do")
@pytest.mark.parametrize("axes", [(0, 2, 1), (2, 1, 0)])
def test_axes_that_are_not_merged(rng: np.random.Generator, axes: tuple[int, int, int]) -> None:
    host = filled(rng, (40, 33, 70), "float32")
    base = ww.asarray(host)
    x = base.transpose(axes)
    out = ww.empty(x.shape, dtype="float32")
    expected = host.transpose(axes)
    np.testing.assert_array_equal(run_as_gpus_do(text_of(x.copy()), [(x, base)], out), expected)


@pytest.mark.cpu_only("the CPU device runs what GPUs do")
@pytest.mark.parametrize(("one", "other"), [("float32", "float32"), ("float64", "int8")])
def test_what_is_transposed_beside_what_is_not(
    rng: np.random.Generator, one: str, other: str
) -> None:
    a, b = filled(rng, (70, 90), one), filled(rng, (90, 70), other)
    x, y = ww.asarray(a), ww.asarray(b)
    value = x.T + y
    out = ww.empty(value.shape, dtype=value.dtype)
    inputs = [(x.T, x), (y, y)]
    np.testing.assert_array_equal(run_as_gpus_do(text_of(value), inputs, out), a.T + b)


@pytest.mark.parametrize("target", TARGETS)
def test_tiles_compile_for_every_architecture(target: str) -> None:
    for dtype in DTYPES:
        x = ww.asarray(np.zeros((64, 80), dtype))
        assert ww.compile(text_of(x.T.copy()), target=target, format="cubin")[:4] == ELF


def test_inputs_beyond_shared_memory_are_read_from_their_places() -> None:
    matrices = [ww.asarray(np.zeros((64, 64), "complex128")) for _ in range(4)]
    total = ww.empty((64, 64), dtype="complex128")
    for matrix in matrices:
        total = total + matrix.T
    text = text_of(total)
    assert text.count("__shared__") == 2
    assert ww.compile(text, target="sm_75", format="cubin")[:4] == ELF


def test_short_axes_have_no_tiles() -> None:
    for shape in ((3, 1000), (1000, 31)):
        x = ww.asarray(np.zeros(shape))
        assert "__shared__" not in ww.explain(x.T.copy())
