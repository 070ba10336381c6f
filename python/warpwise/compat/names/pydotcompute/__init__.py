"""The name pydotcompute, for processes that do not call warpwise.compat.install(): the module it
imports as is warpwise.compat.pydotcompute.

`warpwise run` puts the folder above on the path of child processes.
"""

import importlib
import sys

from warpwise import compat

del sys.modules["pydotcompute"]
compat.install(override=True)
importlib.import_module("pydotcompute")
