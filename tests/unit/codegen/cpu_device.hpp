// The ground of tests of generated code: groups run on the CPU device, and nothing is cached.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "src/codegen/fused.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/codegen/sample_groups.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::codegen {

inline const bool g_cpu_is_set = [] {
    setenv("WARPWISE_DEVICE", "cpu", 1);
    setenv("WARPWISE_CACHE_SIZE", "0", 1);
    return true;
}();

// Compiles and runs it, and waits.
inline void run(const Case& sample) {
    runtime::Context& context = *runtime::current_context();
    const auto kernel = Fused::compile(sample.group, context);
    kernel->launch(*context.default_stream(), sample.binding);
    context.synchronize();
}

}  // namespace warpwise::codegen
