// What the tests ask of the interpreter that replaces code generation.
#pragma once

#include <cstddef>

#include "src/codegen/group.hpp"

namespace warpwise::codegen {

// The launch with this number from now on fails, once; 0: none.
int& fake_failures();
// Different groups seen so far.
std::size_t fake_compiles();
// The one seen first latest.
const Group& fake_group();

}  // namespace warpwise::codegen
