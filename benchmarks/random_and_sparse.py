"""The rows of `./dev bench arrays` about random numbers and sparse systems.

Beside NumPy and SciPy on the CPU device, CuPy and PyTorch on a GPU where they are installed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

import warpwise as ww
from report import comparison

Turn = Callable[[], object]
Timed = Callable[..., float]
CG_STEPS = 64


def _numpy_draws(n: int) -> dict[str, Turn]:
    rng = np.random.default_rng(1)
    return {
        "uniform": lambda: rng.random(n, np.float32),
        "normal": lambda: rng.standard_normal(n, np.float32),
        "sum of a random array": lambda: rng.random(n, np.float32).sum(),
    }


def _cupy_draws(n: int) -> dict[str, Turn]:
    import cupy

    rng = cupy.random.default_rng(1)
    return {
        "uniform": lambda: rng.random(n, np.float32),
        "normal": lambda: rng.standard_normal(n, np.float32),
        "sum of a random array": lambda: rng.random(n, np.float32).sum(),
    }


def _torch_draws(n: int) -> dict[str, Turn]:
    import torch

    return {
        "uniform": lambda: torch.rand(n, device="cuda"),
        "normal": lambda: torch.randn(n, device="cuda"),
        "sum of a random array": lambda: torch.rand(n, device="cuda").sum(),
    }


def draws(n: int, on_gpu: bool, timed: Timed, wait: Turn, bandwidth: float, yardstick: str) -> None:
    """Numbers of float32. The yardstick is writing them: half of a copy."""
    rng = ww.random.default_rng(1)
    ours: dict[str, Callable[[], Any]] = {
        "uniform": lambda: rng.random(n, ww.float32),
        "normal": lambda: rng.standard_normal(n, ww.float32),
        "sum of a random array": lambda: rng.random(n, ww.float32).sum(),
    }
    peers: dict[str, tuple[dict[str, Turn], Turn]] = {}
    if not on_gpu:
        peers["NumPy"] = (_numpy_draws(n), lambda: None)
    else:
        with contextlib.suppress(Exception):
            import cupy

            peers["CuPy"] = (_cupy_draws(n), cupy.cuda.Device().synchronize)
        with contextlib.suppress(Exception):
            import torch

            peers["PyTorch"] = (_torch_draws(n), torch.cuda.synchronize)
    for name, draw in ours.items():
        mine = timed(lambda draw=draw: ww.evaluate(draw()), wait)
        times = {yardstick: 4 * n / bandwidth}
        for peer, (works, wait_for_peer) in peers.items():
            times[peer] = timed(works[name], wait_for_peer, 3)
        comparison(f"{name}, float32", mine, times, yardstick)


def laplacian(side: int) -> Any:
    """The 5-point stencil on a grid, float32, in SciPy's compressed rows."""
    import scipy.sparse as sp

    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    eye = sp.eye_array(side)
    return (sp.kron(line, eye) + sp.kron(eye, line)).tocsr().astype(np.float32)


def systems(
    side: int, on_gpu: bool, timed: Timed, wait: Turn, bandwidth: float, yardstick: str
) -> None:
    """A product, and an iteration of conjugate gradients, of side * side rows."""
    host = laplacian(side)
    rows, entries = host.shape[0], host.nnz
    matrix = ww.sparse.csr_array(host)
    x = ww.ones(rows, dtype=ww.float32)
    np.testing.assert_allclose((matrix @ x).get(), host @ np.ones(rows, np.float32), atol=1e-5)

    def solve() -> object:
        return ww.sparse.linalg.cg(matrix, x, rtol=0, maxiter=CG_STEPS)

    product_bytes = 8 * entries + 12 * rows
    times = {yardstick: product_bytes / bandwidth}
    # x, r, p and q once each way, besides the product.
    steps = {yardstick: (product_bytes + 44 * rows) / bandwidth}
    if not on_gpu:
        import scipy.sparse.linalg as sla

        ones = np.ones(rows, np.float32)
        times["SciPy"] = timed(lambda: host @ ones, lambda: None, 3)
        turn = timed(lambda: sla.cg(host, ones, rtol=0, maxiter=CG_STEPS), lambda: None, 1)
        steps["SciPy"] = turn / CG_STEPS
    with contextlib.suppress(Exception):
        import cupy
        import cupyx.scipy.sparse as cs
        import cupyx.scipy.sparse.linalg as csl

        theirs, ones = cs.csr_matrix(host), cupy.ones(rows, np.float32)
        done = cupy.cuda.Device().synchronize
        times["CuPy"] = timed(lambda: theirs @ ones, done, 3)
        turn = timed(lambda: csl.cg(theirs, ones, tol=0, maxiter=CG_STEPS), done, 1)
        steps["CuPy"] = turn / CG_STEPS
    product = timed(lambda: ww.evaluate(matrix @ x), wait)
    comparison(f"SpMV, 5-point, {rows} rows, float32", product, times, yardstick)
    comparison("CG, one iteration of it", timed(solve, wait, 3) / CG_STEPS, steps, yardstick)
