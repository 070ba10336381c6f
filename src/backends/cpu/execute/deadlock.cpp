// Words for threads that wait.
#include "src/backends/cpu/execute/deadlock.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpwise::cpu {

void Deadlock::add(const ThreadState& gang, const std::string& what) {
    if (what != what_) {
        name_range();
        what_ = what;
        first_ = gang.linear_index;
    }
    last_ = gang.linear_index + gang.lanes - 1;
}

void Deadlock::name_range() {
    constexpr int kMaxRanges = 8;
    if (what_.empty() || ++ranges_ > kMaxRanges + 1) return;
    if (ranges_ > 1) text_ += "; ";
    if (ranges_ > kMaxRanges) {
        text_ += "and more";
    } else if (first_ == last_) {
        text_ += fmt::format("thread {}: {}", first_, what_);
    } else {
        text_ += fmt::format("threads {}-{}: {}", first_, last_, what_);
    }
}

std::string Deadlock::text() && {
    name_range();
    return std::move(text_);
}

std::string describe_wait_for_block(const ThreadState& gang) {
    if (gang.elsewhere == 0) return "waiting at __syncthreads";
    return fmt::format("{} wait at __syncthreads and {} of the same warp at another place",
                       gang.lanes - gang.elsewhere, gang.elsewhere);
}

}  // namespace warpwise::cpu
