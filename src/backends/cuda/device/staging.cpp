// Chunks are never unlocked again: as many as were ever in use at once, a few as a rule.
#include "src/backends/cuda/device/staging.hpp"

namespace warpwise::cuda {

std::byte* Staging::take() {
    {
        MutexLock lock(mutex_);
        if (!free_.empty()) {
            std::byte* const chunk = free_.back();
            free_.pop_back();
            return chunk;
        }
        // So that release() needs no memory.
        free_.reserve(++made_);
    }
    void* memory = nullptr;
    context_.check(driver().host_allocate(&memory, kChunk, kHostPortable),
                   "allocate page-locked memory for a copy");
    return static_cast<std::byte*>(memory);
}

void Staging::release(std::byte* chunk) noexcept {
    MutexLock lock(mutex_);
    free_.push_back(chunk);
}

}  // namespace warpwise::cuda
