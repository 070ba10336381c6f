"""pycuda.autoprimaryctx: as autoinit, with the device's primary context, which Warpwise always
uses."""

from __future__ import annotations

import atexit

from . import driver, tools

driver.init()


def _retained(device: driver.Device) -> driver.Context:
    context = device.retain_primary_context()
    context.push()
    return context


context = tools.make_default_context(_retained)
device = context.get_device()


def _finish_up() -> None:
    """What happens at exit; scripts call it earlier under PyCUDA's name."""
    if not context._is_detached:
        context.detach()
    tools.clear_context_caches()


atexit.register(_finish_up)

__all__ = ["context", "device"]
