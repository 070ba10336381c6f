// Two variables and a habit.
#include "src/backends/cuda/toolkit.hpp"

#include <cstdlib>

namespace warpwise::cuda {

std::vector<std::filesystem::path> toolkit_roots() {
    std::vector<std::filesystem::path> roots;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        const char* const value = std::getenv(variable);
        if (value != nullptr && *value != '\0') roots.emplace_back(value);
    }
    roots.emplace_back("/usr/local/cuda");
    return roots;
}

}  // namespace warpwise::cuda
