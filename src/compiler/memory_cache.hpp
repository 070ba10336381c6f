// The records used last, in memory: a program compiled twice in one process is read from disk once
// at most. Bounded by bytes; the least recently used goes first.
//
// Threading: safe from any thread; records are immutable and shared.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>

#include "src/base/hash.hpp"
#include "src/base/mutex.hpp"
#include "src/compiler/cache_record.hpp"

namespace warpwise::compiler {

class MemoryCache {
  public:
    explicit MemoryCache(std::size_t limit) : limit_(limit) {}  // bytes

    std::shared_ptr<const CacheRecord> get(const Hash128& key) WARPWISE_EXCLUDES(mutex_);
    // `bytes` is what the record counts for; one that is over the limit alone is not kept.
    void put(const Hash128& key, std::shared_ptr<const CacheRecord> record, std::size_t bytes)
        WARPWISE_EXCLUDES(mutex_);

  private:
    struct Entry {
        Hash128 key;
        std::shared_ptr<const CacheRecord> record;
        std::size_t bytes;
    };
    struct KeyHash {
        std::size_t operator()(const Hash128& key) const noexcept { return key.low; }
    };
    using Entries = std::list<Entry>;

    const std::size_t limit_;
    Mutex mutex_;
    Entries entries_ WARPWISE_GUARDED_BY(mutex_);  // most recently used first
    std::unordered_map<Hash128, Entries::iterator, KeyHash> by_key_ WARPWISE_GUARDED_BY(mutex_);
    std::size_t bytes_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

}  // namespace warpwise::compiler
