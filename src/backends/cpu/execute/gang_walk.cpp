// Cutting a block into gangs: tiles of a plane of threads, or pieces by linear index.
#include "src/backends/cpu/execute/gang_walk.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace warpwise::cpu {
namespace {

std::uint32_t pieces(std::uint32_t threads, std::uint32_t size) noexcept {
    return (threads + size - 1) / size;
}

// `columns`: of a whole gang.
void mark_active(ThreadState& gang, std::uint32_t columns) noexcept {
    if (gang.rows > 1) {
        const std::uint32_t words = std::max(1u, columns / kActiveBits);
        for (std::uint32_t word = 0; word < kMaxGangLanes / kActiveBits; ++word) {
            const std::uint32_t first = word % words * kActiveBits;
            const std::uint32_t threads =
                word / words < gang.rows ? gang.columns - std::min(gang.columns, first) : 0;
            gang.active[word] =
                static_cast<std::uint16_t>((1u << std::min(threads, kActiveBits)) - 1);
        }
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

GangWalk::GangWalk(const CpuKernel& kernel, const Grid& grid) noexcept
    : block_(grid.block),
      threads_(grid.thread_count()),
      columns_(kernel.gang_columns()),
      rows_(kernel.gang_rows()),
      is_linear_(kernel.has_linear_gangs()) {
    count_ = is_linear_
                 ? pieces(threads_, columns_)
                 : std::size_t{pieces(block_[0], columns_)} * pieces(block_[1], rows_) * block_[2];
    left_ = count_;
    is_even_ = !is_linear_ && block_[0] % columns_ == 0 && block_[1] % rows_ == 0;
    if (!is_even_) return;
    ThreadState full{};
    describe(full);
    std::copy(std::begin(full.active), std::end(full.active), full_);
}

void GangWalk::describe(ThreadState& gang) const noexcept {
    for (std::size_t axis = 0; axis < 3; ++axis) gang.thread_index[axis] = at_[axis];
    gang.linear_index = linear_;
    gang.columns = std::min(columns_, is_linear_ ? threads_ - linear_ : block_[0] - at_[0]);
    gang.rows = is_linear_ ? 1 : std::min(rows_, block_[1] - at_[1]);
    gang.lanes = gang.arrived = gang.columns * gang.rows;
    gang.elsewhere = 0;
    mark_active(gang, columns_);
}

void GangWalk::describe_again(ThreadState& gang) const noexcept {
    if (!is_even_) return describe(gang);
    for (std::size_t axis = 0; axis < 3; ++axis) gang.thread_index[axis] = at_[axis];
    gang.linear_index = linear_;
    std::memcpy(gang.active, full_, sizeof full_);
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
