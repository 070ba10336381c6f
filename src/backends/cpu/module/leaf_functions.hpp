// The functions a code generator calls of its own accord (memcpy, fmod, __udivti3 ...): the only
// names of the process that compiled objects may link to.
//
// Threading: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpwise::cpu {

std::optional<std::uint64_t> leaf_function(std::string_view name);

}  // namespace warpwise::cpu
