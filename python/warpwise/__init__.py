"""GPU scripting: CUDA C++ compiled at run time, and run on the CPU where there is no GPU.

>>> import warpwise as ww
>>> mod = ww.SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")
>>> x = np.arange(4, dtype=np.float32)
>>> mod["twice"](ww.InOut(x), block=4)
>>> x
array([0., 2., 4., 6.], dtype=float32)

The names are in the files of `_names`, one a concept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy import bool_ as _bool

from . import _array_api, _names
from ._core import abs as abs
from ._core import all as all
from ._core import any as any
from ._core import compile as compile
from ._core import max as max
from ._core import min as min
from ._core import pow as pow
from ._core import round as round
from ._core import sum as sum
from ._core import version as _version
from ._errors import (
    ArgumentAxisError,
    ArgumentError,
    ArgumentIndexError,
    ArgumentTypeError,
    ArgumentValueError,
    CheckError,
    CompileError,
    DeviceError,
    Error,
    LaunchError,
    OutOfMemoryError,
    UnsupportedError,
    UnsupportedModuleError,
    UnsupportedNameError,
)
from ._later import refuse as _refuse
from ._names.arrays import *  # noqa: F403
from ._names.device import *  # noqa: F403
from ._names.dtypes import *  # noqa: F403
from ._names.elementwise import *  # noqa: F403
from ._names.kernel import *  # noqa: F403
from ._names.memory import *  # noqa: F403
from ._names.numpy_functions import *  # noqa: F403
from ._notebook import load_ipython_extension as load_ipython_extension
from ._pickled_functions import register as _register
from ._range import range as range

__version__ = _version()
__array_api_version__ = _array_api.VERSION
__array_namespace_info__ = _array_api.NamespaceInfo

bool = _bool
_register()

# Without `bool`, `range`, `sum` and other built-in names, which `from warpwise import *` keeps.
__all__ = [
    "ArgumentAxisError",
    "ArgumentError",
    "ArgumentIndexError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "CheckError",
    "CompileError",
    "DeviceError",
    "Error",
    "LaunchError",
    "OutOfMemoryError",
    "UnsupportedError",
    "UnsupportedModuleError",
    "UnsupportedNameError",
    "random",
    "sparse",
    "vectorize",
]
__all__ += _names.arrays.__all__
__all__ += _names.device.__all__
__all__ += _names.dtypes.__all__
__all__ += _names.elementwise.__all__
__all__ += _names.kernel.__all__
__all__ += _names.memory.__all__
__all__ += _names.numpy_functions.__all__

if TYPE_CHECKING:
    from . import cuda as cuda
    from . import random as random
    from . import sparse as sparse
    from ._vectorize import vectorize
else:

    def __getattr__(name: str) -> Any:
        if name == "bfloat16":
            from ml_dtypes import bfloat16

            return bfloat16
        if name in ("cuda", "random", "sparse"):
            from importlib import import_module

            return import_module(f"warpwise.{name}")
        if name == "vectorize":
            from ._vectorize import vectorize

            return vectorize
        return _refuse(name)
