"""Lets the tests import the modules of ./dev and of the CPU benchmarks."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "tools" / "dev", ROOT / "benchmarks", ROOT / "benchmarks" / "cpu")
sys.path[:0] = map(str, FOLDERS)
