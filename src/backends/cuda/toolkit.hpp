// Where NVIDIA's toolkit lies, if it does: for NVRTC, and for headers that only the toolkit has.
//
// Threading: any thread.
#pragma once

#include <filesystem>
#include <vector>

namespace warpwise::cuda {

// In the order in which they are asked: CUDA_HOME, CUDA_PATH, /usr/local/cuda. They need not exist.
std::vector<std::filesystem::path> toolkit_roots();

}  // namespace warpwise::cuda
