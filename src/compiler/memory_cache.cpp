// A list in order of use and a table into it.
#include "src/compiler/memory_cache.hpp"

#include <utility>

namespace warpwise::compiler {

std::shared_ptr<const CacheRecord> MemoryCache::get(const Hash128& key) {
    MutexLock lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->record;
}

void MemoryCache::put(const Hash128& key, std::shared_ptr<const CacheRecord> record,
                      std::size_t bytes) {
    Entries dropped;  // destroyed after the lock is released
    MutexLock lock(mutex_);
    const auto drop = [&](Entries::iterator entry) WARPWISE_REQUIRES(mutex_) {
        bytes_ -= entry->bytes;
        by_key_.erase(entry->key);
        dropped.splice(dropped.end(), entries_, entry);
    };
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) drop(found->second);
    if (bytes > limit_) return;
    while (bytes_ + bytes > limit_) drop(std::prev(entries_.end()));
    entries_.push_front({key, std::move(record), bytes});
    by_key_.emplace(key, entries_.begin());
    bytes_ += bytes;
}

}  // namespace warpwise::compiler
