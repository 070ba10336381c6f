// nvcc, for those who ask for it (the option --nvcc): what NVRTC does not take, or must be as nvcc
// makes it.
//
// Where it lies: CUDA_HOME, CUDA_PATH, CONDA_PREFIX, /usr/local/cuda, NVIDIA's Python packages,
// PATH.
//
// Threading: any thread.
#pragma once

#include <filesystem>

#include "src/compiler/compiler.hpp"

namespace warpwise::cuda {

// Empty when there is none.
std::filesystem::path find_nvcc();

// As CudaCompiler::compile(). Throws DeviceError where there is no nvcc or it does not run,
// CompileError with its output where it refuses the source.
compiler::Program compile_with_nvcc(const compiler::CompileRequest& request);

}  // namespace warpwise::cuda
