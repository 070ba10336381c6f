"""pycuda.debug: `python -m pycuda.debug SCRIPT [ARGS]` runs a script whose kernels are compiled
for debugging."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence

from . import driver

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the script that is the first argument; the rest are its own."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        raise SystemExit("usage: python -m pycuda.debug SCRIPT [ARGS]")
    driver.set_debugging()
    sys.argv = arguments
    runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
