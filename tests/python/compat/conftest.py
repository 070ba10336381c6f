"""PyCUDA's names over Warpwise."""

from __future__ import annotations

from warpwise import compat

compat.install()
