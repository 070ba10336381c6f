// The disk cache: byte blocks by 128-bit key, in a folder private to the user.
//
//   folder/CACHEDIR.TAG      makes backup programs skip it
//   folder/size              estimate of the bytes held, so that a put need not list everything
//   folder/3f/a2...          an entry: header with checksum, then the block; name = key
//
// Guarantees. An entry is read whole or not at all (checksum; damaged ones are deleted). Any number
// of processes may use the folder: entries appear by rename and no lock is needed for correctness.
// The sum of entries stays at the limit or below, but for what several processes write within one
// moment; the least recently used go first. Nothing here throws for what a file system does: a disk
// that is full, read-only or gone makes misses, which the log reports once.
//
// A folder that belongs to another user, or that others may write to, is not used: a program found
// there would run with the user's rights.
//
// Threading: all functions may be called from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "src/base/file.hpp"
#include "src/base/hash.hpp"
#include "src/base/mutex.hpp"
#include "warpwise/cache.hpp"
#include "warpwise/export.hpp"

namespace warpwise {

class WARPWISE_API DiskCache {
  public:
    // Touches no disk before first use. `limit` in bytes; 0 switches the cache off.
    DiskCache(std::string folder, std::uint64_t limit);

    // The block put under this key, or nothing.
    std::optional<std::vector<std::byte>> get(const Hash128& key);
    // Whether the block was stored.
    bool put(const Hash128& key, std::span<const std::byte> block);
    // Forgets an entry whose contents turned out to be of no use.
    void drop(const Hash128& key);

    // Counts a hit or a miss for info(): what a hit is, the user of the cache knows.
    void count_lookup(bool is_hit) noexcept;
    CacheInfo info();
    // Deletes all entries; returns the bytes freed.
    std::uint64_t clear();

  private:
    // The folder once it has been found fit for use, or why it was not.
    struct Folder {
        FileDescriptor descriptor;
        std::string reason;  // empty: usable
    };

    std::shared_ptr<const Folder> folder() WARPWISE_EXCLUDES(mutex_);
    void forget_folder(const std::shared_ptr<const Folder>& stale) WARPWISE_EXCLUDES(mutex_);
    Folder open_folder() const;
    std::error_code store(const Folder& folder, const std::string& path,
                          std::span<const std::byte> entry) const;
    void report_failed_write(const std::error_code& error);
    void keep_under_limit(const Folder& folder, std::uint64_t added);

    const std::string path_;
    const std::uint64_t limit_;  // bytes
    std::atomic<std::uint64_t> hits_{0};
    std::atomic<std::uint64_t> misses_{0};
    std::atomic<bool> has_reported_{false};
    Mutex mutex_;
    std::shared_ptr<const Folder> folder_ WARPWISE_GUARDED_BY(mutex_);
};

// The one that settings() describe.
WARPWISE_API DiskCache& disk_cache();

}  // namespace warpwise
