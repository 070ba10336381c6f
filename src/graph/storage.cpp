// The end of a storage, whose memory pending nodes may still read.
#include "src/graph/storage.hpp"

#include <optional>

#include "src/graph/lock.hpp"
#include "src/graph/unnamed/kept_writes.hpp"

namespace warpwise::graph {

Storage::~Storage() {
    // An error while an operation is recorded ends its storage under the lock.
    std::optional<GraphLock> lock;
    if (!GraphLock::is_held_here()) lock.emplace();
    const bool is_seen = memory_ && is_seen_outside(*memory_);
    if (memory_ && is_pending()) {
        if (is_seen) {
            keep_write(value_);
        } else {
            turn_into_value(*value_);
        }
    }
    set_value(NodeRef());
    if (!memory_) return;
    if (!is_seen && memory_.use_count() > 1) memory_->orphan();
    discard(std::move(memory_));
}

void Storage::set_value(NodeRef value) noexcept {
    if (value_) value_->storage = nullptr;
    if (value) value->storage = this;
    value_ = std::move(value);
}

}  // namespace warpwise::graph
