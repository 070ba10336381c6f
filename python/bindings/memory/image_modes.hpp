// Formats, modes and shapes of textures as Python spells them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include <array>

#include "warpwise/cuda_array.hpp"
#include "warpwise/texture.hpp"

namespace warpwise::python {

namespace nb = nanobind;

// A dtype and a number of channels. Throws ArgumentError.
DType texel_format(nb::handle dtype, int channels);
nb::object format_dtype(const DType& format);

// NumPy's order of axes: (height, width), (layers, height, width) ...
CudaArrayShape array_shape(nb::handle shape, bool layered, bool cubemap);
nb::tuple shape_tuple(const CudaArrayShape& shape);

// "wrap", "clamp", "mirror", "border"; "point", "linear"; "element", "normalized_float".
AddressMode address_mode_named(nb::handle name);
FilterMode filter_mode_named(nb::handle name);
ReadMode read_mode_named(nb::handle name);
const char* name_of(AddressMode mode);
const char* name_of(FilterMode mode);
const char* name_of(ReadMode mode);

// The value outside of an image: 4 numbers. Throws ArgumentError.
std::array<double, 4> border_from(nb::handle border);

// How many elements a sequence has; -1 for strings and non-sequences. Raises nothing.
Py_ssize_t length_of(nb::handle sequence);

// An extent or a size in texels. Throws ArgumentError, naming `role`, beyond 32 bits.
std::uint32_t extent_from(nb::handle value, const char* role);

}  // namespace warpwise::python
