"""Records what a GPU answers for tests/golden/arithmetic/operations.py: results.npz beside it.

On a machine with a GPU and CuPy, from the root of the checkout:

    python3 tools/record_arithmetic.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import cupy
import numpy as np

TABLE = Path(__file__).resolve().parents[1] / "tests" / "golden" / "arithmetic"
sys.path.insert(0, str(TABLE))

import operations  # noqa: E402

BLOCK = 128


def compiled(source: str) -> cupy.cuda.function.Module:
    """By NVRTC itself: CuPy's own compiles flush subnormal numbers."""
    major, minor = cupy.cuda.Device().compute_capability
    root = cupy.cuda.get_cuda_path()
    options = (f"-arch=sm_{major}{minor}", "-std=c++17", "-fmad=false", f"-I{root}/include")
    program = cupy.cuda.nvrtc.createProgram(source, "operations.cu", (), ())
    try:
        cupy.cuda.nvrtc.compileProgram(program, options)
    except cupy.cuda.nvrtc.NVRTCError:
        print(cupy.cuda.nvrtc.getProgramLog(program), file=sys.stderr)
        raise
    module = cupy.cuda.function.Module()
    module.load(cupy.cuda.nvrtc.getCUBIN(program))
    return module


def record(operation: operations.Operation, kernel: cupy.cuda.function.Function) -> np.ndarray:
    """The results of one operation, as stored."""
    columns = operations.operands(operation)
    count = len(columns[0])
    result = cupy.zeros(count, operations.STORED[operation.result])
    grid = (count + BLOCK - 1) // BLOCK
    kernel((grid,), (BLOCK,), (*map(cupy.asarray, columns), result, np.int32(count)))
    return cupy.asnumpy(result)


def main(folder: Path) -> None:
    """Compiles every row with NVRTC, without contraction, and keeps all results."""
    source = operations.PRELUDE
    for number, operation in enumerate(operations.OPERATIONS):
        source += operations.kernel(operation, number)
    module = compiled(source)
    results = {
        operation.name: record(operation, module.get_function(f"k{number}"))
        for number, operation in enumerate(operations.OPERATIONS)
    }
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    version = cupy.cuda.nvrtc.getVersion()
    np.savez_compressed(folder / "results.npz", **results)
    print(f"{len(results)} operations on {device}, NVRTC {version[0]}.{version[1]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE)
