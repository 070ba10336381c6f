"""Random functions give in kernels what they give in Python.

WARPWISE_FUZZ=long or WARPWISE_FUZZ=4000:5000 runs more of them.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from random_runs import compared

SEEDS = 300


def seeds():
    chosen = os.environ.get("WARPWISE_FUZZ", "")
    if ":" in chosen:
        first, last = chosen.split(":")
        return range(int(first), int(last))
    return range(20000 if chosen == "long" else SEEDS)


@pytest.mark.parametrize("seed", seeds())
def test_random_functions(seed):
    for run in compared(seed):
        np.testing.assert_array_equal(run.got, run.expected, err_msg=run.text)
        np.testing.assert_array_equal(run.got_array, run.expected_array, err_msg=run.text)
