// What calls of users' kernels share: arguments against parameters, elements, shapes, overlaps.
//
// Threading: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/array/parts.hpp"
#include "warpwise/elementwise_kernel.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::array {

// An array argument, as elements of its parameter: float4 of the last axis of a float32 array.
struct ArrayOperand {
    std::size_t parameter = 0;
    Array array;
    Shape shape;      // in elements
    Strides strides;  // bytes
    std::int64_t item_bytes = 0;
    std::uint32_t checked_bytes = 0;  // where the parameter's type is not known: item_bytes
};

struct KernelOperands {
    std::vector<ArrayOperand> arrays;                 // in the order of the parameters
    std::vector<std::vector<std::uint64_t>> scalars;  // words of each parameter; empty for arrays
    runtime::Context* context = nullptr;              // null: no array was given
};

// `given` has an entry for every parameter; null: an output that is to be made. Throws
// ArgumentError that names the parameter.
KernelOperands read_operands(const KernelSignature& signature,
                             std::span<const KernelOperand* const> given);

// The same where every parameter has an argument, one of them an array: else ArgumentError, which
// names what the kernel does with elements ("reduce").
KernelOperands read_all_operands(const KernelSignature& signature,
                                 std::span<const KernelOperand> given, std::string_view action);

// `requested`, or the current stream of the operands' context. Throws ArgumentError for a stream
// of another device.
Stream stream_of(const std::optional<Stream>& requested, const KernelOperands& operands,
                 std::string_view kernel);

// The C++ spelling of `dtype`. Throws ArgumentError where none is known.
std::string cpp_type_of(const DType& dtype, std::string_view kernel);
// The type of a kernel's values, read as that of a parameter is: "unsigned" and its like. Throws
// ArgumentError for one that arrays cannot have.
KernelParameter value_type(std::string_view type, const std::string& kernel);

// Whether the memory of both overlaps, as far as their storages are one.
bool overlap(const ArrayOperand& a, const ArrayOperand& b);
// Whether both are the same elements at the same places.
bool is_same_place(const ArrayOperand& a, const ArrayOperand& b);

// The type of new arrays for elements of a parameter, and the axes it adds: float32 and 4 for
// float4. Throws ArgumentError where the type is not known.
struct NewElements {
    DType dtype;
    int lanes = 1;
};
NewElements new_elements(const Parameter& parameter, std::string_view kernel);

// The element's alignment at this address. Throws ArgumentError.
void check_alignment(const Parameter& parameter, std::uint64_t address, std::string_view kernel);

}  // namespace warpwise::array
