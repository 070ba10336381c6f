"""%load_ext warpwise, in notebooks and IPython."""

from __future__ import annotations


def load_ipython_extension(ipython: object) -> None:
    """Makes `import pycuda` give Warpwise's in this notebook, also where PyCUDA is installed."""
    from . import compat

    compat.install(override=True)
