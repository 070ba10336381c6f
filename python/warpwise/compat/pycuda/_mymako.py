"""pycuda._mymako: Mako under the name by which PyCUDA imports it, which compyle uses too."""

from __future__ import annotations

try:
    import mako.template as _template  # type: ignore[import-untyped]
except ImportError as error:
    raise ImportError(
        "pycuda._mymako is the template library Mako, which is not installed: "
        "pip install 'warpwise[pycuda]', or pip install mako"
    ) from error
from mako import *  # noqa: F403

template = _template
