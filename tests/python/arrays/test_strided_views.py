"""Strided views have NumPy's values, and the same bits interpreted and compiled, lazily and at
once, at every level of the processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_interpreter import CPU, check_bits, host_has, values

PROGRAM = Path(__file__).with_name("strided_values.py")


@pytest.mark.cpu_only("constant strides are part of kernels for the CPU device alone")
def test_strided_views_have_the_same_bits_everywhere(tmp_path: Path) -> None:
    seed = int(np.random.SeedSequence().entropy) % 2**32  # type: ignore[arg-type]
    quick = values(seed, tmp_path / "quick.npz", program=PROGRAM, WARPWISE_TIER="quick", **CPU)
    assert len(quick) > 50
    for level in ("x86-64-v3", "x86-64-v4"):
        if not host_has(level):
            continue
        settings = CPU | {"WARPWISE_TIER": "full", "WARPWISE_CPU": level}
        full = values(seed, tmp_path / f"{level}.npz", program=PROGRAM, **settings)
        check_bits(quick, full, f"seed {seed}, {level}")
