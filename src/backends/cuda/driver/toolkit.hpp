// Where NVIDIA's toolkit lies, if it does: as a toolkit, or as the packages of NVIDIA's that pip
// installs. For its libraries (library_search.hpp), and for headers that only the toolkit has.
//
// Threading: any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpwise::cuda {

// In the order in which they are searched: CUDA_HOME, CUDA_PATH, CONDA_PREFIX, /usr/local/cuda.
// They need not exist.
std::vector<std::filesystem::path> toolkit_roots();

// site-packages/nvidia/<package>: beside ours, in VIRTUAL_ENV, and around `library`, where it lies
// in one. Those of CUDA 13 first.
std::vector<std::filesystem::path> package_folders(const std::filesystem::path& library = {});

// Folders with the toolkit's own headers (half precision, cooperative groups, C++ library): those
// that belong to `library` first, then a toolkit's, then the packages'. Empty when there are none.
std::vector<std::filesystem::path> header_folders(const std::filesystem::path& library);

// Of a file, without opening it: path, size and time of its last change; "" when it is not there.
std::string file_identity(const std::filesystem::path& file);

}  // namespace warpwise::cuda
