// Python's bytes as the library's, and back.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>
#include <vector>

namespace warpwise::python {

inline std::span<const std::byte> bytes_of(const nanobind::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

inline nanobind::bytes to_python(const std::vector<std::byte>& bytes) {
    return nanobind::bytes(bytes.data(), bytes.size());
}

}  // namespace warpwise::python
