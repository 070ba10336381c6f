// Indices that kernels found to be out of range: where they are reported, and the error of it.
//
// A kernel cannot throw. It clips such an index, and leaves the site and the value in a place that
// host and device share, one for each device; the first report stays. A thread that waits for the
// device next (a fetch, a synchronisation) finds it there: an ArgumentError of kind Index that
// names the function, the caller's line, the axis and the value. Asking costs a read of host
// memory.
//
// Threading: any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {
class Context;
}

namespace warpwise::graph {

// The number of the site that is indexing now: what kernels know of it. Equal sites have one. The
// caller's line is named once for each place of a program, which takes a microsecond.
std::int64_t site_number(std::string_view function, int axis, std::int64_t extent);

// Where kernels of the context report; made at the first call, which allocates.
runtime::DeviceAddress report_address(runtime::Context& context);

}  // namespace warpwise::graph
