// Sizes and offsets given by users: negative and excessive values are refused.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "python/bindings/interpreter/describe.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {

// A Python int of any size, as given; size_of() checks it. Refers to the caller's object.
struct Size {
    std::int64_t value = 0;
    nanobind::handle beyond;  // the int, where it does not fit
};

// Both need the GIL and throw ArgumentError, naming `role`, for a negative number.
// For one that exceeds every memory size_of() throws ArgumentError as well, memory_size_of()
// OutOfMemoryError.
inline std::size_t size_of(const Size& size, const char* role) {
    if (size.value >= 0 && !size.beyond.is_valid()) return static_cast<std::size_t>(size.value);
    throw ArgumentError(
        ArgumentError::Kind::Value,
        std::string(role) + " expects " +
            (size.value < 0 ? "0 or more" : "a number of bytes that fits in memory") + ", got " +
            (size.beyond.is_valid() ? value_text(size.beyond) : std::to_string(size.value)));
}

inline std::size_t memory_size_of(const Size& size, const char* role) {
    if (size.beyond.is_valid() && size.value > 0)
        throw OutOfMemoryError(std::string(role) + " got " + value_text(size.beyond) +
                               ", more bytes than any device has; request less");
    return size_of(size, role);
}

}  // namespace warpwise::python

namespace nanobind::detail {

template <>
struct type_caster<warpwise::python::Size> {
    NB_TYPE_CASTER(warpwise::python::Size, const_name("int"))

    bool from_python(handle source, uint32_t, cleanup_list* cleanup) noexcept {
        object index = steal(PyNumber_Index(source.ptr()));
        if (!index.is_valid()) {
            PyErr_Clear();
            return false;
        }
        int overflow = 0;
        value.value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
        if (overflow == 0) return true;
        value.value = overflow;
        value.beyond = index;
        cleanup->append(index.release().ptr());
        return true;
    }
};

}  // namespace nanobind::detail
