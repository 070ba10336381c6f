"""Two LLVMs in one process: llvmlite's compiles and runs a function before and after ours does."""

import ctypes
import sys

import llvmlite.binding as llvm
import numpy as np

ADD = """
define i32 @add(i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  ret i32 %sum
}
"""


def add_with_llvmlite() -> int:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    with llvm.create_mcjit_compiler(llvm.parse_assembly(ADD), machine) as engine:
        engine.finalize_object()
        address = engine.get_function_address("add")
        return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)(address)(40, 2)


def double_with_warpwise() -> None:
    import warpwise as ww

    module = ww.SourceModule("__global__ void twice(int *x) { x[threadIdx.x] *= 2; }")
    values = np.arange(32, dtype=np.int32)
    module.get_function("twice")(ww.InOut(values), grid=1, block=32)
    assert (values == 2 * np.arange(32)).all()


if sys.argv[1] == "warpwise-first":
    double_with_warpwise()
    assert add_with_llvmlite() == 42
else:
    assert add_with_llvmlite() == 42
    double_with_warpwise()
assert add_with_llvmlite() == 42
print("both work, version of the other LLVM:", llvm.llvm_version_info)
