// __isLocal() and __isGlobal(), answered by where an address comes from.
#pragma once

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {

// Queries of an address whose origin is not known remain, for report_leftovers() to refuse; so do
// those about shared and constant memory, which bind_thread_state() compares with places.
void resolve_address_spaces(Lowering& job);

}  // namespace warpwise::cpu_compiler
