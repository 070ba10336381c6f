// The functions that scans and segments join neighbours with: device code and types.
//
// Threading: constants and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/ir/op.hpp"
#include "warpwise/array.hpp"

namespace warpwise::array {

struct Join {
    std::string name;     // of the public function, in messages
    std::string functor;  // in device code
    ir::Op op = ir::Op::Add;
    std::optional<int> identity = std::nullopt;
};

// By NumPy's name. Throws ArgumentError, naming `function`, for one that neighbours cannot be
// joined with in any grouping.
Join join_named(std::string_view ufunc, std::string_view function);

// Of joined elements: narrow integers as 64-bit ones for sums and products, bool for logic, else
// the array's own; or `dtype`. Throws ArgumentError for types that the function does not take.
Kind joined_kind(const Join& join, const Array& array, const std::optional<DType>& dtype);

}  // namespace warpwise::array
