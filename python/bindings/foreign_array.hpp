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
    // What it was made on, if that may still be at work: a CUstream as a number.
    std::optional<std::uint64_t> stream;
};

// Of an object that has the attribute. Throws ArgumentError for what is no such description, and
// for masked arrays. Whose memory it is nobody has looked at.
ForeignArray foreign_array(nanobind::handle object);

// The same of ours: bytes, made on the current stream. Raises AttributeError for memory of the CPU
// device, which other libraries must not take for a GPU's.
nanobind::dict description_of(const Buffer& buffer);

}  // namespace warpwise::python
