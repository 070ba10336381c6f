// The library's kernels for sparse matrices, by their text.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/parts.hpp"

namespace warpwise::sparse {

inline constexpr int kThreads = 256;

// `name`, `parameters` and `body`: as LibraryText.
inline std::shared_ptr<runtime::KernelState> kernel(const char* name, const char* parameters,
                                                    std::string body,
                                                    std::initializer_list<Kind> kinds,
                                                    runtime::Context& context,
                                                    int threads = kThreads) {
    return algorithm::library_kernel({.name = name,
                                      .header = "warpwise_library_sparse.h",
                                      .parameters = parameters,
                                      .body = std::move(body),
                                      .threads = threads},
                                     kinds, context);
}

}  // namespace warpwise::sparse
