"""Lets the tests import the readers beside them, and what draws the pictures."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "benchmarks" / "plots")]
