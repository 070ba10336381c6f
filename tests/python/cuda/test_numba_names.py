"""warpwise.compat.install("numba.cuda") and `warpwise run --as numba`, with and without Numba."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import compat

INSTALL = "import warpwise.compat; warpwise.compat.install('numba.cuda')\n"
without_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is not None, reason="about machines without Numba"
)
KERNEL = """
import numpy as np
from numba import cuda, float32, void

@cuda.jit(void(float32[:], float32))
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor

x = np.arange(4, dtype=np.float32)
scale[1, 32](x, 2)
print(x, cuda.__name__)
"""


def python(
    program: str, *folders: Path, arguments: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {
        "WARPWISE_DEVICE": devices.NAME,
        "PYTHONPATH": path,
        "NUMBA_DISABLE_PERFORMANCE_WARNINGS": "1",
    }
    command = arguments or ("-c", program)
    return subprocess.run(
        [sys.executable, *command],
        capture_output=True, text=True, env=environment, check=False, timeout=120,
    )  # fmt: skip


def file_of(folder: Path, text: str) -> Path:
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def numba(tmp_path: Path) -> Path:
    """A folder with a package that looks like Numba, as far as it is asked."""
    for name in ("numba", "numba/cuda", "numba/cuda/tests", "numba/core"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"NAME = {name!r}\n")
    (tmp_path / "numba" / "cuda" / "nvvmutils.py").write_text("")
    (tmp_path / "numba" / "core" / "config.py").write_text("CUDA_WARN_ON_IMPLICIT_COPY = 0\n")
    return tmp_path


@pytest.fixture
def numba_with_types(numba: Path) -> Path:
    """The same with types, errors, and a `vectorize` that asks for the builder of its target."""
    files = {
        "core/errors.py": """
            class NumbaError(Exception):
                def __init__(self, msg, loc=None, highlighting=True):
                    super().__init__("highlighted " + msg)
            class TypingError(NumbaError): pass
            class UnsupportedError(NumbaError): pass
            class NumbaPerformanceWarning(Warning): pass
            class NumbaInvalidConfigWarning(Warning): pass
        """,
        "core/types/__init__.py": """
            from .abstract import Type
            class Float(Type): pass
            class Array(Type):
                mutable = True
                def __init__(self, dtype, ndim, layout, readonly=False):
                    super().__init__(f"Array({dtype}, {ndim}, {layout})")
                    self.dtype, self.ndim, self.layout = dtype, ndim, layout
            float32, float64 = Float("float32"), Float("float64")
        """,
        "core/types/abstract.py": """
            class Type:
                def __init__(self, name): self.name = name
                def __str__(self): return self.name
                def __eq__(self, other): return str(self) == str(other)
                def __hash__(self): return hash(self.name)
        """,
        "np/__init__.py": "",
        "np/numpy_support.py": """
            from numba.core import types
            def from_dtype(dtype): return getattr(types, dtype.name)
        """,
        "np/ufunc.py": """
            def vectorize(signatures, target):
                from numba.cuda.vectorizers import CUDAVectorize
                def made(function):
                    builder = CUDAVectorize(function, identity=None, cache=False, targetoptions={})
                    for each in signatures: builder.add(each)
                    builder.disable_compile()
                    return builder.build_ufunc()
                return made
            def guvectorize(signatures, layout, target):
                from numba.cuda.vectorizers import CUDAGUFuncVectorize
                def made(function):
                    builder = CUDAGUFuncVectorize(function, layout, identity=None, cache=False,
                                                  targetoptions={}, writable_args=())
                    for each in signatures: builder.add(each)
                    return builder.build_ufunc()
                return made
        """,
    }
    for name, text in files.items():
        file = numba / "numba" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(textwrap.dedent(text))
    return numba


def test_a_program_of_numba_runs_unchanged(tmp_path):
    done = python("", arguments=(str(file_of(tmp_path, INSTALL + KERNEL)),))
    assert done.stdout == "[0. 2. 4. 6.] warpwise.cuda\n", done.stderr


def test_the_command_runs_it(tmp_path):
    script = str(file_of(tmp_path, KERNEL))
    done = python("", arguments=("-m", "warpwise", "run", "--as", "numba", script))
    assert done.stdout == "[0. 2. 4. 6.] warpwise.cuda\n", done.stderr
    done = python(
        "", tmp_path, arguments=("-m", "warpwise", "run", "--as", "numba", "-m", "program")
    )
    assert done.stdout == "[0. 2. 4. 6.] warpwise.cuda\n", done.stderr


def test_so_do_child_processes(tmp_path):
    child = file_of(tmp_path, KERNEL)
    parent = tmp_path / "parent.py"
    parent.write_text(f"import subprocess, sys\nsubprocess.run([sys.executable, {str(child)!r}])\n")
    done = python("", arguments=("-m", "warpwise", "run", "--as", "numba", str(parent)))
    assert done.stdout == "[0. 2. 4. 6.] warpwise.cuda\n", done.stderr


@without_numba
def test_names_that_programs_import():
    done = python(INSTALL + """
import numba, warpwise
from numba import cuda, config, errors, types, float32, int32, void, njit, jit, prange, from_dtype
from numba.core import config as config2, errors as errors2, types as types2
from numba.core.errors import NumbaPerformanceWarning, TypingError
from numba.core.types import float64, f4, b1
from numba.types import int64
from numba.np import numpy_support
from numba.np.numpy_support import as_dtype, from_dtype
from numba.cuda import random, libdevice, cg, compile_ptx
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
from numba.cuda.testing import CUDATestCase, ContextResettingTestCase, skip_on_cudasim, unittest
from numba.cuda.cudadrv import devicearray, devices, driver, error, nvvm, runtime
from numba.cuda.cudadrv.driver import CudaAPIError, driver as the_driver
from numba.cuda.cudadrv.error import CudaSupportError
from numba.cuda.compiler import compile_ptx as compile_ptx2
from numba.cuda.args import In
assert config is config2 and errors is errors2 and types is numba.types
assert types2.float32 is float32 and TypingError is warpwise.CompileError
assert config.ENABLE_CUDASIM == 0 and cuda is numba.cuda
assert str(void(float32[:], int32)) == "(array(float32, 1d, A), int32) -> none"
assert as_dtype(from_dtype("f4")) == "f4" and numpy_support.map_layout(__import__("numpy").eye(2)) == "C"
assert the_driver.get_device_count() >= 1 and the_driver.get_version() >= (12, 0)
assert nvvm.find_closest_arch((9, 5)) == (9, 0)
from numba import NumbaPerformanceWarning as warning2, TypingError as error2
from numba.core.errors import NumbaNotImplementedError, NumbaTypeError, NumbaValueError
from numba.cuda.core import config as config3
from numba.cuda.core.errors import NumbaPerformanceWarning as warning3
from numba.cuda.np.numpy_support import from_dtype as from_dtype2
assert warning2 is warning3 is NumbaPerformanceWarning and error2 is TypingError
assert config3 is config and from_dtype2 is from_dtype
print("all there")
""")  # fmt: skip
    assert done.stdout == "all there\n", done.stderr


@without_numba
def test_loops_over_items_of_several_types():
    done = python(INSTALL + """
import numpy as np
from numba import cuda, literal_unroll
@cuda.jit
def kernel(x):
    for i, value in enumerate(literal_unroll((1, 2.5, np.float32(3)))):
        x[i] = value
x = np.zeros(3)
kernel[1, 1](x)
print(x)
""")  # fmt: skip
    assert done.stdout == "[1.  2.5 3. ]\n", done.stderr


@without_numba
def test_functions_of_the_host_are_pythons():
    done = python(INSTALL + """
from numba import jit, njit, vectorize
@njit
def one(x): return x + 1
@jit(nopython=True, cache=True)
def two(x): return one(x) + 1
assert two(1) == 3 and two.py_func(2) == 4
for wrong in (lambda: njit("int32(int32)"), lambda: njit(error_model="numpy"),
              lambda: vectorize(["f4(f4)"]), lambda: vectorize(["f4(f4)"], target="parallel")):
    try:
        wrong()
    except NotImplementedError as error:
        print(error)
""")  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and all("without Numba installed" in line for line in lines), done.stderr
    done = python(INSTALL + "import numba; numba.cfunc")
    assert "numba.cfunc needs Numba's compiler for the host" in done.stderr


def test_with_numba_installed_only_its_cuda_is_replaced(numba):
    done = python(INSTALL + """
import numba, numba.core
from numba import cuda
import numba.cuda.tests
print(numba.NAME, numba.core.NAME, numba.cuda.tests.NAME, cuda.__name__)
try:
    import numba.cuda.nvvmutils
except ImportError as error:
    print(type(error).__name__, error)
""", numba)  # fmt: skip
    first, second = done.stdout.splitlines()
    assert first == "numba numba/core numba/cuda/tests warpwise.cuda", done.stderr
    assert second.startswith("UnsupportedModuleError numba.cuda.nvvmutils is a part of Numba's")


def run_beside(numba: Path, text: str) -> str:
    """The output of a program beside an installed Numba."""
    done = python("", numba, arguments=(str(file_of(numba, INSTALL + textwrap.dedent(text))),))
    assert done.returncode == 0, done.stderr
    return done.stdout


@without_numba
def test_types_of_the_installed_numba(numba_with_types):
    assert (
        run_beside(
            numba_with_types,
            """
        import numpy as np
        from numba.core.types import Array, float32, float64
        from numba import cuda

        @cuda.jit(device=True)
        def halved(x):
            return float32(x) / float32(2)

        @cuda.jit
        def kernel(x):
            shared = cuda.shared.array(4, dtype=float32)
            own = cuda.local.array(1, float64)
            i = cuda.grid(1)
            own[0] = halved(x[i])
            shared[i] = own[0]
            cuda.syncthreads()
            x[i] = shared[3 - i]

        x = np.arange(4, dtype=np.float32)
        kernel[1, 4](x)
        key = (Array(float32, 1, "C"),)
        print(x, list(kernel.overloads) == [key], key in kernel.inspect_asm())
        declared = cuda.jit((Array(float32, 1, "A"),))(kernel.py_func)
        declared[1, 4](x)
        print(x, list(declared.overloads) == [(Array(float32, 1, "A"),)])
        print(cuda.to_device(x)._numba_type_)
    """,
        )
        == "[1.5 1.  0.5 0. ] True True\n[0.   0.25 0.5  0.75] True\nArray(float32, 1, C)\n"
    )


@without_numba
def test_errors_and_warnings_of_the_installed_numba(numba_with_types):
    assert run_beside(
        numba_with_types,
        """
        import warnings
        import numpy as np
        from numba.core import errors
        from numba import cuda

        def unknown(x):
            x[0] = nothing

        def unsupported(x):
            with x: pass

        def declared(function): cuda.jit("void(float64[:])")(function)
        def launched(function): cuda.jit(function)[1, 1](np.zeros(1))

        kinds = {unknown: errors.TypingError, unsupported: errors.UnsupportedError}
        for function, kind in kinds.items():
            for compile in (declared, launched):
                try:
                    compile(function)
                except kind as error:
                    print(type(error).__name__, error.line, str(error).splitlines()[0].rpartition(":")[2])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cuda.jit(debug=True, opt=True)
        print(caught[0].category is errors.NumbaInvalidConfigWarning)
    """,
    ).splitlines() == [
        *(2 * ["CompileError 9  the name 'nothing' is not defined (in 'unknown')"]),
        *(2 * ["UnsupportedError 12  kernels have no with statements (in 'unsupported')"]),
        "True",
    ]


@without_numba
def test_vectorize_of_the_installed_numba(numba_with_types):
    assert (
        run_beside(
            numba_with_types,
            """
        import numpy as np
        import numba
        from numba import cuda
        from numba.np.ufunc import guvectorize, vectorize

        @vectorize(["float64(float64, float64)"], target="cuda")
        def add(a, b):
            return a + b

        @guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cuda")
        def total(a, out):
            out[0] = 0
            for i in range(a.size):
                out[0] += a[i]

        print(add(np.arange(3.0), 1.0), add(cuda.to_device(np.ones(2)), np.ones(2)).copy_to_host())
        print(total(np.arange(6.0).reshape(2, 3)))
    """,
        )
        == "[1. 2. 3.] [2. 2.]\n[ 3. 12.]\n"
    )


@without_numba
def test_it_refuses_where_numba_cuda_is_imported(numba):
    done = python("import numba.cuda\n" + INSTALL, numba)
    assert "numba.cuda is imported already" in done.stderr and str(numba) in done.stderr
    done = python("import numba\n" + INSTALL + "import numba.cuda as c; print(c.__name__)", numba)
    assert done.stdout == "warpwise.cuda\n", done.stderr


def test_a_second_call_changes_nothing():
    done = python(INSTALL + """
import sys
before = list(sys.meta_path)
warpwise.compat.install("numba.cuda"); warpwise.compat.install("numba")
print(sys.meta_path == before)
""")  # fmt: skip
    assert done.stdout == "True\n", done.stderr
    with pytest.raises(ww.Error, match="it knows 'pycuda' and"):
        compat.install("cupy")


def test_globals_stay_frozen_under_numbas_name(tmp_path):
    text = (
        INSTALL
        + """
from numba import cuda
import numpy as np
LIMIT = 3
@cuda.jit
def kernel(out):
    out[0] = LIMIT
out = np.zeros(1)
kernel[1, 1](out)
LIMIT = 5
kernel[1, 1](out)
print(out[0])
"""
    )
    done = python("", arguments=(str(file_of(tmp_path, text)),))
    assert done.stdout == "3.0\n", done.stderr


def test_test_suites_of_numba_run(tmp_path):
    text = (
        INSTALL
        + """
import numpy as np
from numba import cuda
from numba.cuda.testing import CUDATestCase, skip_on_cudasim, skip_unless_cudasim, unittest

class Tests(CUDATestCase):
    @skip_on_cudasim("not skipped here")
    def test_kernel(self):
        @cuda.jit
        def kernel(x):
            x[cuda.grid(1)] = 1
        x = np.zeros(3)
        kernel[1, 3](x)
        self.assertEqual(x.tolist(), [1, 1, 1])

    @skip_unless_cudasim("skipped")
    def test_simulator(self):
        self.fail()

unittest.main()
"""
    )
    done = python("", arguments=(str(file_of(tmp_path, text)),))
    assert "OK (skipped=1)" in done.stderr and "Warning" not in done.stderr


def test_extensions_of_numbas_compiler_are_registered_without_effect():
    from warpwise.cuda import cudadecl, cudaimpl, models

    class Point:
        pass

    for register in (
        cudadecl.register,
        cudadecl.register_attr,
        cudadecl.register_global(len),
        cudadecl.registry.resolves_global(len),
        cudaimpl.lower(Point, int),
        cudaimpl.lower_attr(Point, "x"),
        cudaimpl.lower_constant(Point),
        models.register_model(Point),
    ):
        assert register(Point) is Point
    assert cudadecl.register_global(len, Point) is Point


def test_there_is_no_linker_object():
    from warpwise.cuda.cudadrv.driver import Linker, LinkerError

    with pytest.raises(LinkerError, match=r"link sources by cuda.jit\(link=\[...\]\)"):
        Linker.new(cc=(8, 0))


def test_hints_of_arguments():
    from warpwise.cuda.args import ArgHint, wrap_arg

    host = np.ones(1)
    given = ww.In(host)
    assert wrap_arg(given) is given and isinstance(given, ArgHint)
    assert isinstance(wrap_arg(host), ww.InOut) and isinstance(wrap_arg(host, ww.Out), ww.Out)
