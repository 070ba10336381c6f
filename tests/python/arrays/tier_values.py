"""Computes a fixed list of array programs from a seed and saves the results: run by
test_interpreter.py, once for each tier, and for each level of the processor.

python tier_values.py SEED OUT.npz [KIND ...]
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from typing import Any

import numpy as np
from op_inputs import elements
from op_table import rows

import warpwise as ww

KINDS = ("bool", "int32", "int64", "float32", "float64")
SHAPES: tuple[tuple[tuple[int, ...], Any], ...] = (
    ((1,), None),
    ((31,), None),
    ((2049,), None),
    ((70001,), None),
    ((40, 7), 1),
    ((7, 40), 0),
    ((300, 33), 0),
    ((33, 300), 1),
    ((3, 5000), 1),
    ((5000, 70), 0),
    ((100, 100), 1),
    ((5, 6, 70), (0, 2)),
    ((70, 6, 50), (1,)),
)


def operand(kind: str, random: np.random.Generator, size: int) -> np.ndarray:
    return elements(kind, random, size)


def every_op(kind: str, random: np.random.Generator) -> dict[str, Any]:
    """Each op that computes in this kind, all fused into few kernels."""
    results = {}
    size = 3001
    for name, row in rows().items():
        # Its result is no interpreted kind.
        if kind not in row.kinds() or row.rule == "BitCount":
            continue
        operands = [ww.asarray(operand(one, random, size)) for one in row.operands(kind)]
        if name == "pow" and "int" in kind:
            operands[1] = ww.abs(operands[1]) % 7
        results[f"{name} {kind}"] = getattr(ww, name)(*operands)
    for target in KINDS:
        source = ww.asarray(operand(kind, random, size))
        results[f"cast {kind} {target}"] = source.astype(target)
    if ww.Device().kind == "cpu":
        ww.evaluate(*results.values())
    else:  # one that is compiled would have the others compiled with it
        for value in results.values():
            ww.evaluate(value)
    return results


def through_views(kind: str, random: np.random.Generator) -> dict[str, Any]:
    """Strided, reversed, transposed, broadcast and overlapping operands, coordinates, stores."""
    x = ww.asarray(operand(kind, random, 60 * 45).reshape(60, 45))
    y = ww.asarray(operand(kind, random, 45 * 60).reshape(45, 60))
    row = ww.asarray(operand(kind, random, 45))
    one = ww.asarray(operand(kind, random, 1))
    results = {
        "steps": ww.maximum(x[::2, ::-1], x[1::2, :]),
        "transposed": ww.minimum(x, y.T),
        "rows": ww.where(x != row, x, one),
        "column": ww.equal(x, x[:, :1]),
        "coordinates": ww.arange(60 * 45).reshape(60, 45) + x.astype("int64"),
    }
    ww.evaluate(*results.values())
    z = x.copy()
    z[1:, :] = z[:-1, :]
    z[:, ::3] = one
    z[::-1, 5] = z[:, 7]
    results["written"] = z
    if kind != "bool":
        w = x.copy()
        before = w + w
        w += 1
        w *= row
        results["in place"] = w
        results["before"] = before
        ww.evaluate(w, before)
    return {f"{name} {kind}": value for name, value in results.items()}


def through_indices(kind: str, random: np.random.Generator) -> dict[str, Any]:
    """Elements at computed places, along each axis and along both, alone and fused."""
    x = ww.asarray(operand(kind, random, 60 * 45).reshape(60, 45))
    rows = ww.asarray(random.integers(-60, 60, 2049))
    columns = ww.asarray(random.integers(-45, 45, 2049).astype(np.int32))
    results = {
        "elements": x[rows, columns],
        "rows": x[rows[:70]],
        "columns": x[:, columns[:70]],
        "of a view": x.T[::-1, ::2][columns, rows[:1] % 30],
        "clipped": ww.take(x, rows * 3, axis=0, mode="clip"),
        "fused": ww.maximum(x[rows, columns], x[::-1][rows, columns]),
        "computed places": x[ww.minimum(rows, 3), columns % 7],
    }
    for value in results.values():
        ww.evaluate(value)
    return {f"{name} at indices {kind}": value for name, value in results.items()}


def reductions(kind: str, random: np.random.Generator) -> dict[str, Any]:
    results = {}
    picked = random.choice(len(SHAPES), size=5, replace=False)
    for number in picked:
        shape, axis = SHAPES[number]
        host = operand(kind, random, int(np.prod(shape))).reshape(shape)
        if kind.startswith("float") and random.integers(2):
            host = random.normal(1e3, 1, shape).astype(kind)
        x = ww.asarray(host)
        if random.integers(2):
            x = ww.asarray(np.ascontiguousarray(host.T)).T
        single = axis if isinstance(axis, int) else None
        parts = {
            "sum": x.sum(axis=axis),
            "prod": x.prod(axis=axis),
            "max": x.max(axis=axis),
            "min": x.min(axis=axis),
            "any": ww.any(x, axis=axis),
            "all": ww.all(x, axis=axis),
        }
        if isinstance(axis, int) or axis is None:
            parts["argmax"] = ww.argmax(x, axis=single)
            parts["argmin"] = ww.argmin(x, axis=single)
        if kind.startswith("float"):
            parts["var"] = x.var(axis=axis)
            parts["fused"] = (x * x - ww.abs(x)).sum(axis=axis)
        ww.evaluate(*parts.values())
        for name, value in parts.items():
            results[f"{name} {kind} {shape} {axis}"] = value
    return results


def beside_reductions(kind: str, random: np.random.Generator) -> dict[str, Any]:
    """Values stored beside their reduction, single elements read as whole arrays, coordinates along
    kept and along reduced axes: in lanes of one result, and in results side by side."""
    results = {}
    for shape, axis in ((300, 33), 0), ((33, 300), 1), ((5, 6, 70), (0, 1)), ((9, 31, 2), (0, 1)):
        size = int(np.prod(shape))
        x = ww.asarray(operand(kind, random, size).reshape(shape))
        one = ww.asarray(operand(kind, random, 1)).reshape(())
        numbers = ww.arange(size, dtype="int64").reshape(shape)
        stored = ww.maximum(x, one)
        parts = {"stored": stored, "greatest": stored.max(axis=axis)}
        rows = ww.arange(shape[0], dtype="int64").reshape((-1,) + (1,) * (len(shape) - 1))
        parts["rows"] = (x.astype("int64") + rows).max(axis=axis)
        for along in range(len(shape)):
            extents = [1] * len(shape)
            extents[along] = shape[along]
            places = ww.arange(shape[along], dtype="int64").reshape(extents)
            parts[f"places {along}"] = ww.where(x == one, places, numbers).sum(axis=axis)
        for name, value in parts.items():
            if name != "stored":
                ww.evaluate(*([stored, value] if name == "greatest" else [value]))
            results[f"{name} {kind} {shape} {axis}"] = value
    return results


def wait_for_functions() -> None:
    """Until a GPU's interpreter of all ops has been compiled, which takes seconds, once."""
    x = ww.asarray(np.arange(10, dtype=np.float32))
    end = time.perf_counter() + 300
    for number in itertools.count(1):
        # A profile begins with nothing pending: what it is to record is written inside.
        with ww.profile() as profile:
            value = ww.sin(x)
            for digit in f"{number:b}":
                value = value + x if digit == "1" else value * x
            ww.evaluate(value)
            ww.Device().synchronize()
        if any(record.name == "ww_interpreted" for record in profile.records):
            return
        assert time.perf_counter() < end, "no interpreter of all ops"


def main() -> None:
    seed, out, kinds = int(sys.argv[1]), sys.argv[2], sys.argv[3:] or KINDS
    if ww.Device().kind != "cpu" and os.environ.get("WARPWISE_TIER") == "auto":
        wait_for_functions()
    random = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        results: dict[str, Any] = {}
        for kind in kinds:
            results |= every_op(kind, random)
            results |= through_views(kind, random)
            results |= reductions(kind, random)
            results |= beside_reductions(kind, random)
            results |= through_indices(kind, random)
    np.savez(out, **{name: value.get() for name, value in results.items()})


if __name__ == "__main__":
    main()
