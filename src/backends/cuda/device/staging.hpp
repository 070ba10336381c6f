// Page-locked chunks for copies from and to pageable memory in streams that are busy: the driver's
// own such copies would hold up the calling thread until the stream gets there.
//
// Threading: every function may be called from any thread, release() also from host functions.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cuda {

class Staging {
  public:
    static constexpr std::size_t kChunk = std::size_t{1} << 20;  // bytes

    explicit Staging(PrimaryContext& context) : context_(context) {}

    // With the context current. Page-locked, kChunk bytes. Kept for the next user when released.
    std::byte* take();
    void release(std::byte* chunk) noexcept;

  private:
    PrimaryContext& context_;
    Mutex mutex_;
    std::vector<std::byte*> free_ WARPWISE_GUARDED_BY(mutex_);
    std::size_t made_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

}  // namespace warpwise::cuda
