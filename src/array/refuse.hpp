// Errors of arrays: what is wrong, which value, what to do.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "warpwise/error.hpp"

namespace warpwise::array {

template <class... Values>
[[noreturn]] void refuse_value(fmt::format_string<Values...> format, Values&&... values) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format(format, std::forward<Values>(values)...));
}

template <class... Values>
[[noreturn]] void refuse_type(fmt::format_string<Values...> format, Values&&... values) {
    throw ArgumentError(ArgumentError::Kind::Type,
                        fmt::format(format, std::forward<Values>(values)...));
}

template <class... Values>
[[noreturn]] void refuse_index(fmt::format_string<Values...> format, Values&&... values) {
    throw ArgumentError(ArgumentError::Kind::Index,
                        fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace warpwise::array
