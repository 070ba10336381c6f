// The gangs of a block in order: which threads each represents.
//
// Threading: a plain value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/backends/cpu/execute/grid.hpp"

namespace warpwise::cpu {

class GangWalk {
  public:
    GangWalk() = default;
    GangWalk(const CpuKernel& kernel, const Grid& grid) noexcept;

    std::size_t count() const noexcept { return count_; }
    bool is_at_end() const noexcept { return left_ == 0; }
    // Fills in everything but `block`.
    void describe(ThreadState& gang) const noexcept;
    // The same for a gang that describe() filled in for another place of this walk, or of one like
    // it: where all gangs are full, only what differs from one to the next.
    void describe_again(ThreadState& gang) const noexcept;
    void advance() noexcept;

  private:
    Index3 block_{};
    Index3 at_{};  // the gang's first thread
    std::uint32_t linear_ = 0;
    std::uint32_t threads_ = 0;
    std::uint32_t columns_ = 1;
    std::uint32_t rows_ = 1;
    bool is_linear_ = false;
    bool is_even_ = false;                  // all gangs are full
    decltype(ThreadState::active) full_{};  // the active lanes of a full gang
    std::size_t count_ = 0;
    std::size_t left_ = 0;
};

}  // namespace warpwise::cpu
