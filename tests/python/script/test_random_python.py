"""Random functions give in kernels what they give in Python.

WARPWISE_FUZZ=long or WARPWISE_FUZZ=4000:5000 runs more of them.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from function_constructs import LONG, SHORT, TABLE, counts, read_table
from random_runs import compared


def seeds():
    chosen = os.environ.get("WARPWISE_FUZZ", "")
    if ":" in chosen:
        first, last = chosen.split(":")
        return range(int(first), int(last))
    return range(LONG if chosen == "long" else SHORT)


@pytest.mark.parametrize("seed", seeds())
def test_random_functions(seed):
    for run in compared(seed):
        np.testing.assert_array_equal(run.got, run.expected, err_msg=run.text)
        np.testing.assert_array_equal(run.got_array, run.expected_array, err_msg=run.text)


def test_the_table_says_what_the_functions_use():
    kept = {name: short for name, (short, _) in read_table().items()}
    assert kept == counts(SHORT), (
        f"{TABLE.name} is old: run tests/python/script/function_constructs.py"
    )
