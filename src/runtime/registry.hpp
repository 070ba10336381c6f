// The back ends of this build, by kind. Implemented by src/backends/registry.cpp, the only file
// that knows them all.
#pragma once

#include <span>
#include <string_view>

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

struct RegistryRow {
    std::string_view kind;  // "cuda", "cpu", "null"
    bool is_listed;         // false: only by name (null)
    Backend& (*backend)();  // created on first use, never destroyed
};

// In order of preference: GPUs first, then the CPU, then null.
std::span<const RegistryRow> registry() noexcept;

}  // namespace warpwise::runtime
