"""pycuda.autoinit: importing it makes the default device's context current until the end."""

from __future__ import annotations

import atexit

from . import driver, tools
from .tools import make_default_context as make_default_context

driver.init()
context = tools.make_default_context()
device = context.get_device()


def _finish_up() -> None:
    """What happens at exit; scripts call it earlier under PyCUDA's name."""
    if not context._is_detached:
        context.detach()
    tools.clear_context_caches()


atexit.register(_finish_up)
