// Cutting a block into gangs: tiles of a plane of threads, or pieces by linear index.
#include "src/backends/cpu/gang_walk.hpp"

#include <algorithm>

namespace warpwise::cpu {
namespace {

std::uint32_t pieces(std::uint32_t threads, std::uint32_t size) noexcept {
    return (threads + size - 1) / size;
}

void mark_active(ThreadState& gang) noexcept {
    if (gang.rows > 1) {
        const auto row = static_cast<std::uint16_t>((1u << gang.columns) - 1);
        std::fill_n(gang.active, kMaxGangLanes / kActiveBits, std::uint16_t{0});
        std::fill_n(gang.active, gang.rows, row);
        return;
    }
    std::uint32_t lanes = gang.lanes;
    for (std::uint16_t& word : gang.active) {
        word = static_cast<std::uint16_t>(lanes >= kActiveBits ? 0xffffu : (1u << lanes) - 1);
        lanes -= std::min(lanes, kActiveBits);
        if (lanes == 0) break;
    }
}

}  // namespace

GangWalk::GangWalk(const Grid& grid) noexcept
    : block_(grid.block),
      threads_(grid.thread_count()),
      columns_(grid.kernel->gang_columns()),
      rows_(grid.kernel->gang_rows()),
      is_linear_(grid.kernel->has_linear_gangs()) {
    count_ = is_linear_
                 ? pieces(threads_, columns_)
                 : std::size_t{pieces(block_[0], columns_)} * pieces(block_[1], rows_) * block_[2];
    left_ = count_;
}

void GangWalk::describe(ThreadState& gang) const noexcept {
    for (std::size_t axis = 0; axis < 3; ++axis) gang.thread_index[axis] = at_[axis];
    gang.linear_index = linear_;
    gang.columns = std::min(columns_, is_linear_ ? threads_ - linear_ : block_[0] - at_[0]);
    gang.rows = is_linear_ ? 1 : std::min(rows_, block_[1] - at_[1]);
    gang.lanes = gang.arrived = gang.columns * gang.rows;
    gang.elsewhere = 0;
    mark_active(gang);
}

void GangWalk::advance() noexcept {
    --left_;
    if (is_linear_) {
        linear_ += columns_;
        at_ = {linear_ % block_[0], linear_ / block_[0] % block_[1],
               linear_ / block_[0] / block_[1]};
        return;
    }
    at_[0] += columns_;
    if (at_[0] >= block_[0]) {
        at_[0] = 0;
        at_[1] += rows_;
        if (at_[1] >= block_[1]) {
            at_[1] = 0;
            ++at_[2];
        }
    }
    linear_ = at_[0] + block_[0] * (at_[1] + block_[1] * at_[2]);
}

}  // namespace warpwise::cpu
