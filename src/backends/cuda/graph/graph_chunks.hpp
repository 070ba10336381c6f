// Which page-locked chunk a copy of pageable memory in a graph goes through: one that no copy uses
// at the same time, which is so when the copy is ordered after the last user.
#pragma once

#include <cstddef>
#include <vector>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/graphs.hpp"

namespace warpwise::cuda {

class GraphChunks {
  public:
    // The chunks that are allocated are put into `chunks`, whose owner frees them.
    GraphChunks(PrimaryContext& context, const runtime::StepOrder& order,
                std::vector<std::byte*>& chunks) noexcept
        : context_(context), order_(order), chunks_(chunks) {}

    // Of Staging::kChunk bytes, for the step at `place`; called in the order of places. Throws
    // OutOfMemoryError.
    std::byte* take(std::size_t place);

  private:
    PrimaryContext& context_;
    const runtime::StepOrder& order_;
    std::vector<std::byte*>& chunks_;
    std::vector<std::size_t> users_;  // of each chunk the last
};

}  // namespace warpwise::cuda
