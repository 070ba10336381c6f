// Sizes and offsets given by users, who may get a sign wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "warpwise/error.hpp"

namespace warpwise::python {

using Size = std::int64_t;  // as given; size_of() checks it

// Throws ArgumentError, naming `role`, for a negative number.
inline std::size_t size_of(Size value, const char* role) {
    if (value < 0)
        throw ArgumentError(ArgumentError::Kind::Value,
                            std::string(role) + " wants 0 or more, got " + std::to_string(value));
    return static_cast<std::size_t>(value);
}

}  // namespace warpwise::python
