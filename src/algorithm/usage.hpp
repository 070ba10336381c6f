// How the text of a user's kernel uses its arrays, which decides how they are passed to it.
//
// Only what the words show is believed: whatever might hide a use (macros with the name in them,
// the name without an index) counts as one. So a text is treated as simple only where it is.
//
// Threading: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/algorithm/tokens.hpp"
#include "warpwise/elementwise_kernel.hpp"

namespace warpwise::algorithm {

struct ArrayUse {
    bool is_at_index = false;   // x[i] occurs: the array takes part in the shape
    bool is_elsewhere = false;  // x[something else]
    bool may_write = false;
    // The statement `x[i] = ...` runs for every element, and nothing reads x[i] before.
    bool is_written_first = false;
    // Where the text takes an address of it: an offset in the operation; empty where it does not.
    std::optional<std::size_t> address;
};

struct Usage {
    std::vector<ArrayUse> arrays;  // of the parameters, in their order; numbers have empty ones
    // All arrays are used as x[i] alone, and nothing leaves the operation early.
    bool is_plain = false;
    bool uses_index = false;    // i, outside of [i]
    bool uses_threads = false;  // tid, total_threads, cta_start: PyCUDA's names
    std::size_t statements = 0;
};

// `around`: the texts before and behind the loop; `defines`: options of the compiler. An array that
// only those use takes no part in the shape.
Usage usage_of(std::string_view operation, const std::vector<KernelParameter>& parameters,
               const KernelText& text);

// Throws CompileError naming `file` for brackets that do not match: they would end the function
// that the text is put into. Texts with #if are left to the compiler.
void require_balanced(std::string_view text, std::string_view file);

}  // namespace warpwise::algorithm
