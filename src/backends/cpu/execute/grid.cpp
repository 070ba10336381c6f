// How a grid keeps its first error.
#include "src/backends/cpu/execute/grid.hpp"

#include <utility>

namespace warpwise::cpu {

void Grid::fail(std::uint64_t linear_block, const LaunchError& error) {
    MutexLock lock(mutex_);
    std::uint64_t from = stopped_from_.load(std::memory_order_relaxed);
    while (linear_block < from && !stopped_from_.compare_exchange_weak(from, linear_block))
        continue;
    if (error_ && error_block_ <= linear_block) return;
    error_ = std::make_exception_ptr(error);
    error_block_ = linear_block;
}

void Grid::pass_on(std::uint64_t begin, std::uint64_t end, std::string&& text) {
    if (may_print || !text.empty()) output.add(begin, end, std::move(text));
}

std::exception_ptr Grid::take_error() {
    MutexLock lock(mutex_);
    return std::exchange(error_, nullptr);
}

}  // namespace warpwise::cpu
