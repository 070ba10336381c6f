// Arrays of other libraries in the memory of a GPU: objects with `__cuda_array_interface__`, such
// as CuPy's and Numba's arrays and PyTorch's tensors, by its versions 2 and 3.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "warpwise/buffer.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::python {

inline constexpr const char* kForeignArray = "__cuda_array_interface__";

struct ForeignArray {
    DeviceArray array;  // without an owner: the object must outlive its use
    // The stream that produces it, if work may be pending: a CUstream as a number.
    std::optional<std::uint64_t> stream;
};

// Of an object that has the attribute. Throws ArgumentError for an invalid description, and for
// masked arrays. Does not check which device owns the memory.
ForeignArray foreign_array(nanobind::handle object);

// The same for a buffer of ours: bytes, produced on the current stream. Raises AttributeError for
// memory of the CPU device, which other libraries must not treat as a GPU's.
nanobind::dict description_of(const Buffer& buffer);

}  // namespace warpwise::python
