// The end of a storage, whose memory pending nodes may still read.
#include "src/graph/storage.hpp"

#include "src/graph/lock.hpp"

namespace warpwise::graph {

Storage::~Storage() {
    GraphLock lock;
    set_value(NodeRef());
    if (!memory_) return;
    if (memory_.use_count() > 1) memory_->orphan();
    discard(std::move(memory_));
}

void Storage::set_value(NodeRef value) noexcept {
    if (value_) value_->storage = nullptr;
    if (value) value->storage = this;
    value_ = std::move(value);
}

}  // namespace warpwise::graph
