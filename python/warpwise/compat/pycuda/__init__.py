"""PyCUDA's interface over Warpwise: driver, compiler, autoinit, autoprimaryctx, tools,
characterize, debug, and over arrays gpuarray, elementwise, reduction, scan, cumath,
curandom and sparse.

Built on Warpwise's public interface only. Modules of PyCUDA that are not here raise
UnsupportedError naming themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._later import refuse_module_name

# The PyCUDA release whose interface this follows.
VERSION = (2026, 1, 2)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(map(str, VERSION)) + VERSION_STATUS

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        refuse_module_name(name)
