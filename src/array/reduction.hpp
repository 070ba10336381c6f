// What reductions share: axes, accumulators and the shape of results.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/array/parts.hpp"
#include "src/codegen/group.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::array {

// The axes that a call reduces, over an array that has them: without any, one of extent 1 is added.
struct ReducedAxes {
    ReducedAxes(const Array& array, const std::optional<std::vector<int>>& axes,
                std::string_view function);

    Array input;              // to reduce
    std::uint32_t mask = 0;   // bits of axes of `input`
    std::int64_t count = 1;   // elements of each result
    bool has_results = true;  // whether there is any
    Shape results;            // their shape
    Shape kept;               // the same with the reduced axes, of extent 1
};

// How a reduction ends: results as they are, or an epilogue over them.
struct Ending {
    Kind result = Kind::Void;
    ir::Body epilogue;
    std::vector<Scalar> scalars;
};

// Reduces `input`, of the accumulator's kind already, and applies keepdims and out.
Array reduced(codegen::Reduce reduce, Kind accumulator, const ReducedAxes& axes, const Array& input,
              const Ending& ending, const Reduction& options, std::string_view function);

// Float32 for float16 and bfloat16, else the kind.
Kind accumulator_of(Kind kind);

}  // namespace warpwise::array
