// Cutting a block into gangs, along x in every row or by linear index.
#include "src/backends/cpu/gang_walk.hpp"

#include <algorithm>

namespace warpwise::cpu {

GangWalk::GangWalk(const Grid& grid) noexcept
    : block_(grid.block),
      threads_(grid.thread_count()),
      lanes_(grid.kernel->gang_lanes()),
      is_linear_(grid.kernel->has_linear_gangs()) {
    const auto pieces = [this](std::uint32_t threads) { return (threads + lanes_ - 1) / lanes_; };
    count_ = is_linear_ ? pieces(threads_) : std::size_t{pieces(block_[0])} * block_[1] * block_[2];
    left_ = count_;
}

std::uint32_t GangWalk::width() const noexcept {
    return std::min(lanes_, is_linear_ ? threads_ - linear_ : block_[0] - at_[0]);
}

void GangWalk::describe(ThreadState& gang) const noexcept {
    for (std::size_t axis = 0; axis < 3; ++axis) gang.thread_index[axis] = at_[axis];
    gang.linear_index = linear_;
    gang.lanes = gang.arrived = width();
    gang.elsewhere = 0;
    std::uint32_t lanes = gang.lanes;
    for (std::uint32_t word = 0; word * kActiveBits < lanes_; ++word) {
        gang.active[word] =
            static_cast<std::uint16_t>(lanes >= kActiveBits ? 0xffffu : (1u << lanes) - 1);
        lanes -= std::min(lanes, kActiveBits);
    }
}

void GangWalk::advance() noexcept {
    const std::uint32_t step = width();
    linear_ += step;
    at_[0] += step;
    for (std::size_t axis = 0; axis < 2 && at_[axis] >= block_[axis]; ++axis) {
        // A linear gang may reach over several rows.
        at_[axis + 1] += at_[axis] / block_[axis];
        at_[axis] %= block_[axis];
    }
    --left_;
}

}  // namespace warpwise::cpu
