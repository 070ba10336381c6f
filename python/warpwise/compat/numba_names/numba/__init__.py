"""The name numba, for processes that do not call warpwise.compat.install(): where Numba is not
installed, it is warpwise.compat.numba; else Numba itself, with `numba.cuda` replaced.

`warpwise run --as numba` puts a folder with this package on the path of child processes.
"""

import importlib
import sys

from warpwise import compat

del sys.modules["numba"]
compat.install("numba.cuda")
importlib.import_module("numba")
