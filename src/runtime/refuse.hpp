// Throwing ArgumentError, and the two formats every message of this component needs: sizes and
// addresses.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "warpwise/error.hpp"

namespace warpwise::runtime {

template <class... Parts>
[[noreturn]] void refuse_type(fmt::format_string<Parts...> format, Parts&&... parts) {
    throw ArgumentError(ArgumentError::Kind::Type,
                        fmt::format(format, std::forward<Parts>(parts)...));
}

template <class... Parts>
[[noreturn]] void refuse_value(fmt::format_string<Parts...> format, Parts&&... parts) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format(format, std::forward<Parts>(parts)...));
}

inline std::string hex_address(std::uint64_t address) {
    return fmt::format("{:#x}", address);
}

}  // namespace warpwise::runtime
