// What lies in a cache folder: finding entries, sizes and ages, and evicting. Tolerates other
// processes that add, rename and delete meanwhile.
//
// Threading: plain functions on a folder's descriptor; any number of threads and processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwise::cache_folder {

struct Entry {
    std::string path;  // relative to the folder: "3f/a2..."
    std::uint64_t bytes = 0;
    std::int64_t used_at = 0;   // nanoseconds since the epoch; renewed at most once an hour
    bool is_temporary = false;  // another process is writing it, or died while writing
};

// All entries and temporaries. Files that are none of ours are left out.
std::vector<Entry> list(int folder);

// If there are more than `limit` bytes, deletes least recently used entries until at most `target`
// are left; deletes temporaries that are over an hour old. Returns the bytes left.
std::uint64_t evict(int folder, std::uint64_t limit, std::uint64_t target);

// Deletes all entries and temporaries; returns the bytes freed.
std::uint64_t clear(int folder);

// Adds to the estimate of the bytes held and returns it; nothing when there is none (a new folder,
// a damaged file, one not corrected for a day), so that the caller counts for itself.
std::optional<std::uint64_t> add_to_estimate(int folder, std::uint64_t bytes);
void set_estimate(int folder, std::uint64_t bytes);

}  // namespace warpwise::cache_folder
