// The parameters of a user's kernel over arrays, read from their C declarations, and the C++ names
// of element types.
//
// Threading: plain values and pure functions; the table of names has a lock of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpwise/dtype.hpp"
#include "warpwise/elementwise_kernel.hpp"

namespace warpwise::algorithm {

// "float a, const float *x, std::pair<int, float> *z". Throws ArgumentError, naming `kernel` and
// the declaration, for what is no parameter of such a kernel and for names that occur twice or that
// the kernel has itself.
std::vector<KernelParameter> parse_parameters(std::string_view arguments, std::string_view kernel);
// Of a list that was given as such: the same checks.
void check_parameters(const std::vector<KernelParameter>& parameters, std::string_view kernel);

// The element type of a C++ type; Void where the name is not known.
DType element_of(std::string_view type);
// A C++ type for values of `dtype`: std::complex for complex ones, for structs the last registered
// name with that layout. Empty where there is none.
std::string type_of(const DType& dtype);
// The headers that types of these parameters and results take, as #include lines.
std::string includes_of(const std::vector<std::string>& types);

// Bytes as a message writes them: whole declarations, "const float *x".
std::string declaration_of(const KernelParameter& parameter);

}  // namespace warpwise::algorithm
