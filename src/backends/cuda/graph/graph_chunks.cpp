// The first chunk that is free again.
#include "src/backends/cuda/graph/graph_chunks.hpp"

#include "src/backends/cuda/device/staging.hpp"

namespace warpwise::cuda {

std::byte* GraphChunks::take(std::size_t place) {
    for (std::size_t i = 0; i < users_.size(); ++i) {
        if (!runtime::comes_behind(order_, place, users_[i])) continue;
        users_[i] = place;
        return chunks_[i];
    }
    void* chunk = nullptr;
    context_.check(driver().host_allocate(&chunk, Staging::kChunk, kHostPortable),
                   "allocate page-locked memory for copies in a graph");
    chunks_.push_back(static_cast<std::byte*>(chunk));
    users_.push_back(place);
    return chunks_.back();
}

}  // namespace warpwise::cuda
