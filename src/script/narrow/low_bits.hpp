// Variables of which only the last 32 bits matter: sums that are stored as int32, hashes that are
// masked.
//
// Threading: pure functions.
#pragma once

#include <set>

#include "src/script/narrow/state.hpp"

namespace warpwise::script {

// The variables of 64 bits among these of whose values no use asks more.
std::set<const Variable*> variables_of_low_bits(const Block& body,
                                                std::set<const Variable*> candidates);

// Whether the last 32 bits of the result follow from those of the operands.
bool keeps_low_bits(const Expression& value);
// A natural constant of 32 bits that it is masked with; null: none.
const Expression* low_mask(const Expression& value);
// __shfl_sync() and its like, of a number of 64 bits: two exchanges of 32.
bool exchanges(const Expression& value);

}  // namespace warpwise::script
