// A Python number as the bytes that a fill repeats.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

namespace warpwise::python {

struct FillPattern {
    std::uint64_t value = 0;
    std::size_t bytes = 0;  // 1, 2, 4 or 8
};

// The number converted to a NumPy dtype. Throws ArgumentError where the dtype does not hold it, or
// has another size.
FillPattern fill_pattern(nanobind::handle value, nanobind::handle dtype);

}  // namespace warpwise::python
