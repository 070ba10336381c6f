"""pycuda.gl, which is not provided: an import says why."""

from ._later import refuse_module

refuse_module("gl")
