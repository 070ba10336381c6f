// Order and bound of kernel output. GridOutput locks before OutputQueue, never the other way round.
#include "src/backends/cpu/execute/kernel_output.hpp"

#include <utility>

namespace warpwise::cpu {

void OutputQueue::append(std::string&& text) {
    if (text.empty()) return;
    MutexLock lock(mutex_);
    if (text_.size() + text.size() > kMaxBytes) {
        if (!is_cut_) text_ += "\n[warpwise: kernel output dropped; synchronise more often]\n";
        is_cut_ = true;
    } else if (text_.empty()) {
        text_ = std::move(text);
    } else {
        text_ += text;
    }
    size_.store(text_.size(), std::memory_order_release);
}

std::string OutputQueue::take() {
    MutexLock lock(mutex_);
    is_cut_ = false;
    size_.store(0, std::memory_order_release);
    return std::exchange(text_, {});
}

void GridOutput::add(std::uint64_t begin, std::uint64_t end, std::string&& text) {
    MutexLock lock(mutex_);
    waiting_.emplace(begin, Range{end, std::move(text)});
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_;) {
        next_ = first->second.end;
        queue_.append(std::move(first->second.text));
        first = waiting_.erase(first);
    }
}

void GridOutput::close() {
    MutexLock lock(mutex_);
    for (auto& [begin, range] : waiting_) queue_.append(std::move(range.text));
    waiting_.clear();
}

}  // namespace warpwise::cpu
