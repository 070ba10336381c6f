"""pycuda.autoinit: importing it makes the default device's context current until the end."""

from __future__ import annotations

import atexit

from . import driver

driver.init()
device = driver.Device(0)
context = device.make_context()
atexit.register(context.detach)
