"""The name pycuda, for processes that do not call warpwise.compat.install(): the module it imports
as is warpwise.compat.pycuda.

`warpwise run` puts the folder above on the path of child processes; the package warpwise-pycuda
installs this one.
"""

import importlib
import sys

from warpwise import compat

del sys.modules["pycuda"]
compat.install(override=True)
importlib.import_module("pycuda")
