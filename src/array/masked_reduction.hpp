// `where` and `initial` of reductions: what is left out is replaced by a value that changes
// nothing, and the start is combined with the result, which lets all of it be one kernel.
//
// Threading: any thread.
#pragma once

#include <optional>
#include <string_view>

#include "src/ir/op.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::array {

inline bool is_masked(const Reduction& options) noexcept {
    return options.where != nullptr || options.initial.has_value();
}

// The same without `where`, `initial` and `out`.
Reduction unmasked(const Reduction& options);

// Throws ArgumentError, naming `function`, which takes neither.
void refuse_mask(const Reduction& options, std::string_view function);
// The same for functions that take `where`.
void refuse_initial(const Reduction& options, std::string_view function);

// `array`, with `instead` where `where` (may be null) is false. Throws ArgumentError where that is
// no mask of the array.
Array selected(const Array& array, const Array* where, const Scalar& instead,
               std::string_view function);

// How many elements each result has, int64; with the shape that `options` ask for.
Array counted(const Array& array, const Reduction& options, std::string_view function);

// `result`, or `options.out` once it is written there.
Array written(const Array& result, const Reduction& options, std::string_view function);

// A reduction that has masks and starts by one that has none.
struct Maskable {
    Array (*plain)(const Array&, const Reduction&);
    ir::Op combine;
    std::optional<int> identity;  // min and max have none
};
Array masked(const Maskable& reduction, const Array& array, const Reduction& options,
             std::string_view function);

}  // namespace warpwise::array
