// The disk cache's get and put. An entry is one file; its header repeats the key, so that a file
// moved or copied to another name is no hit.
#include "src/base/disk_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "src/base/cache_folder.hpp"
#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "warpwise/settings.hpp"

namespace warpwise {
namespace {

struct Header {
    std::uint64_t magic;
    Hash128 key;
    std::uint64_t bytes;     // of the block
    std::uint64_t checksum;  // hash64 of the block
};
static_assert(sizeof(Header) == 40);
constexpr std::uint64_t kMagic = 0x3145484341435757;  // "WWCACHE1"

// How long a use may go unrecorded: a write per hit would cost more than the hit.
constexpr std::int64_t kTouchInterval = 3600;  // seconds

// Eviction frees a tenth more than it must, so that it does not come back with the next put.
constexpr std::uint64_t kEvictionShare = 10;

// Two levels, because file systems are slow with 100,000 files in one folder.
std::string entry_path(const Hash128& key) {
    const std::string hex = key.hex();
    return hex.substr(0, 2) + "/" + hex.substr(2);
}

std::string why_unfit(const std::string& path, const struct stat& status) {
    if (status.st_uid != ::geteuid()) {
        return fmt::format(
            "{} belongs to user {}, not to user {} who runs this; set WARPWISE_CACHE_DIR to a "
            "folder of your own",
            quote(path), status.st_uid, ::geteuid());
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return fmt::format(
            "others may write to {} (mode {:04o}), and what they put there would run as you; run "
            "chmod 700 on it or set WARPWISE_CACHE_DIR",
            quote(path), status.st_mode & 07777u);
    }
    return {};
}

void write_tag(int folder) {
    if (::faccessat(folder, "CACHEDIR.TAG", F_OK, 0) == 0) return;
    // The first line is the one of the Cache Directory Tagging Specification.
    constexpr std::string_view kTag =
        "Signature: 8a477f597d28d172789f06886806bc55\n"
        "# Compiled programs of Warpwise; may be deleted at any time.\n";
    const std::error_code error =
        write_file_at(folder, "CACHEDIR.TAG", std::as_bytes(std::span(kTag.data(), kTag.size())));
    if (error) log::debug("cannot write the cache's CACHEDIR.TAG: {}", error.message());
}

std::vector<std::byte> make_entry(const Hash128& key, std::span<const std::byte> block) {
    const Header header{kMagic, key, block.size(), hash64(block)};
    std::vector<std::byte> entry(sizeof header + block.size());
    std::memcpy(entry.data(), &header, sizeof header);
    std::copy(block.begin(), block.end(), entry.begin() + sizeof header);
    return entry;
}

// The block in an open entry; nothing when it is damaged.
std::optional<std::vector<std::byte>> read_entry(int file, std::uint64_t file_bytes,
                                                 const Hash128& key) {
    Header header{};
    if (!read_at(file, 0, std::as_writable_bytes(std::span(&header, 1))) ||
        header.magic != kMagic || !(header.key == key) ||
        file_bytes - sizeof header != header.bytes) {
        return std::nullopt;
    }
    std::vector<std::byte> block(header.bytes);
    if (!read_at(file, sizeof header, block)) return std::nullopt;
    if (hash64(block) != header.checksum) return std::nullopt;
    return block;
}

}  // namespace

DiskCache::DiskCache(std::string folder, std::uint64_t limit)
    : path_(std::move(folder)), limit_(limit) {}

DiskCache::Folder DiskCache::open_folder() const {
    if (limit_ == 0) return {{}, "WARPWISE_CACHE_SIZE is 0"};
    const auto unusable = [&](const std::error_code& error) {
        return Folder{{}, fmt::format("cannot use {}: {}", quote(path_), error.message())};
    };
    if (const std::error_code error = make_private_folder(path_)) return unusable(error);
    Folder folder;
    folder.descriptor = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat status{};
    if (!folder.descriptor || ::fstat(folder.descriptor.number(), &status) != 0) {
        return unusable(last_error());
    }
    folder.reason = why_unfit(path_, status);
    if (folder.reason.empty()) write_tag(folder.descriptor.number());
    return folder;
}

std::shared_ptr<const DiskCache::Folder> DiskCache::folder() {
    {
        MutexLock lock(mutex_);
        if (folder_ != nullptr) return folder_;
    }
    auto opened = std::make_shared<const Folder>(open_folder());
    {
        MutexLock lock(mutex_);
        if (folder_ != nullptr) return folder_;
        folder_ = opened;
    }
    if (!opened->reason.empty() && limit_ != 0) {
        log::warning("no disk cache, programs are compiled each time: {}", opened->reason);
    }
    return opened;
}

void DiskCache::forget_folder(const std::shared_ptr<const Folder>& stale) {
    MutexLock lock(mutex_);
    if (folder_ == stale) folder_ = nullptr;
}

std::optional<std::vector<std::byte>> DiskCache::get(const Hash128& key) {
    const std::shared_ptr<const Folder> folder = this->folder();
    std::optional<std::vector<std::byte>> block;
    if (folder->reason.empty()) {
        const std::string path = entry_path(key);
        const int root = folder->descriptor.number();
        const FileDescriptor file(
            ::openat(root, path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        struct stat status{};
        if (file && ::fstat(file.number(), &status) == 0) {
            block = read_entry(file.number(), static_cast<std::uint64_t>(status.st_size), key);
            if (!block) {
                log::info("a damaged cache entry is deleted: {}/{}", path_, path);
                ::unlinkat(root, path.c_str(), 0);
            } else if (status.st_mtime < std::time(nullptr) - kTouchInterval) {
                ::futimens(file.number(), nullptr);
            }
        }
    }
    return block;
}

std::error_code DiskCache::store(const Folder& folder, const std::string& path,
                                 std::span<const std::byte> entry) const {
    const int root = folder.descriptor.number();
    std::error_code error = write_file_at(root, path, entry);
    if (error == std::errc::no_such_file_or_directory) {
        if (::mkdirat(root, path.substr(0, 2).c_str(), 0700) != 0 && errno != EEXIST) {
            return last_error();
        }
        error = write_file_at(root, path, entry);
    }
    return error;
}

bool DiskCache::put(const Hash128& key, std::span<const std::byte> block) {
    if (block.size() >= limit_ || limit_ - block.size() < sizeof(Header)) return false;
    const std::string path = entry_path(key);
    const std::vector<std::byte> entry = make_entry(key, block);
    std::shared_ptr<const Folder> folder = this->folder();
    if (!folder->reason.empty()) return false;
    std::error_code error = store(*folder, path, entry);
    if (error == std::errc::no_such_file_or_directory) {
        // Another process deleted the whole folder since we opened it.
        forget_folder(folder);
        folder = this->folder();
        if (!folder->reason.empty()) return false;
        error = store(*folder, path, entry);
    }
    if (error) {
        report_failed_write(error);
        return false;
    }
    keep_under_limit(*folder, entry.size());
    return true;
}

void DiskCache::report_failed_write(const std::error_code& error) {
    if (has_reported_.exchange(true)) return;
    log::warning("cannot write to the cache {}: {}; programs are compiled each time", quote(path_),
                 error.message());
}

void DiskCache::keep_under_limit(const Folder& folder, std::uint64_t added) {
    const int root = folder.descriptor.number();
    const std::optional<std::uint64_t> estimate = cache_folder::add_to_estimate(root, added);
    if (estimate && *estimate <= limit_) return;
    const std::uint64_t bytes = cache_folder::evict(root, limit_, limit_ - limit_ / kEvictionShare);
    cache_folder::set_estimate(root, bytes);
}

void DiskCache::drop(const Hash128& key) {
    const std::shared_ptr<const Folder> folder = this->folder();
    if (folder->reason.empty()) {
        ::unlinkat(folder->descriptor.number(), entry_path(key).c_str(), 0);
    }
}

void DiskCache::count_lookup(bool is_hit) noexcept {
    (is_hit ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
}

CacheInfo DiskCache::info() {
    const std::shared_ptr<const Folder> folder = this->folder();
    CacheInfo info;
    info.folder = path_;
    info.usable = folder->reason.empty();
    info.reason = folder->reason;
    info.limit = limit_;
    info.hits = hits_.load(std::memory_order_relaxed);
    info.misses = misses_.load(std::memory_order_relaxed);
    if (!info.usable) return info;
    for (const cache_folder::Entry& entry : cache_folder::list(folder->descriptor.number())) {
        info.bytes += entry.bytes;
        if (!entry.is_temporary) ++info.entries;
    }
    return info;
}

std::uint64_t DiskCache::clear() {
    const std::shared_ptr<const Folder> folder = this->folder();
    return folder->reason.empty() ? cache_folder::clear(folder->descriptor.number()) : 0;
}

DiskCache& disk_cache() {
    // Never destroyed: threads may still compile while the process ends.
    static DiskCache* const instance = new DiskCache(settings().cache_dir, settings().cache_size);
    return *instance;
}

CacheInfo cache_info() {
    return disk_cache().info();
}

std::uint64_t cache_clear() {
    return disk_cache().clear();
}

}  // namespace warpwise
