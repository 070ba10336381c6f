// Listing and evicting. A file that vanishes between two calls was deleted by another process,
// which is as good.
#include "src/base/cache_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>
#include <string_view>

#include "src/base/file.hpp"

namespace warpwise::cache_folder {
namespace {

constexpr std::int64_t kDay = 86'400;                      // seconds
constexpr std::int64_t kSecond = 1'000'000'000;            // nanoseconds
constexpr std::int64_t kAbandonedAfter = 3'600 * kSecond;  // of a temporary
constexpr std::size_t kShardDigits = 2;
constexpr std::size_t kEntryDigits = 30;
constexpr const char* kEstimateFile = "size";

bool is_hexadecimal(std::string_view text, std::size_t digits) {
    return text.size() == digits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

struct CloseFolder {
    void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};
using FolderStream = std::unique_ptr<DIR, CloseFolder>;

FolderStream open_stream(int folder, const char* path) {
    FileDescriptor descriptor(
        ::openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!descriptor) return nullptr;
    FolderStream stream(::fdopendir(descriptor.number()));
    if (stream != nullptr) descriptor.release();  // owned by the stream now
    return stream;
}

void list_shard(int folder, const char* shard, std::vector<Entry>* entries) {
    const FolderStream stream = open_stream(folder, shard);
    if (stream == nullptr) return;
    while (const dirent* file = ::readdir(stream.get())) {
        const std::string_view name = file->d_name;
        const bool is_temporary = name.starts_with(kTemporaryPrefix);
        if (!is_temporary && !is_hexadecimal(name, kEntryDigits)) continue;
        struct stat status{};
        if (::fstatat(::dirfd(stream.get()), file->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (!S_ISREG(status.st_mode)) continue;
        entries->push_back(
            {fmt::format("{}/{}", shard, name), static_cast<std::uint64_t>(status.st_size),
             status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec, is_temporary});
    }
}

bool remove(int folder, const Entry& entry) {
    return ::unlinkat(folder, entry.path.c_str(), 0) == 0 || errno == ENOENT;
}

// What lies in the estimate's file.
struct Estimate {
    std::uint64_t magic;
    std::uint64_t bytes;
    std::int64_t counted_at;  // when it was last an exact number; seconds since the epoch
};
constexpr std::uint64_t kEstimateMagic = 0x31455a4953575757;  // "WWWSIZE1"

// Opens the estimate and takes its advisory lock. The lock keeps additions from getting lost, no
// more: a caller that does not get it soon continues without.
FileDescriptor open_estimate(int folder) {
    FileDescriptor file(
        ::openat(folder, kEstimateFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return file;
    constexpr int kTries = 100;
    constexpr timespec kPause{0, 50'000};  // 50 us
    for (int i = 0; i < kTries && ::flock(file.number(), LOCK_EX | LOCK_NB) != 0; ++i) {
        ::nanosleep(&kPause, nullptr);
    }
    return file;
}

}  // namespace

std::vector<Entry> list(int folder) {
    std::vector<Entry> entries;
    const FolderStream stream = open_stream(folder, ".");
    if (stream == nullptr) return entries;
    while (const dirent* shard = ::readdir(stream.get())) {
        if (is_hexadecimal(shard->d_name, kShardDigits))
            list_shard(folder, shard->d_name, &entries);
    }
    return entries;
}

std::uint64_t evict(int folder, std::uint64_t limit, std::uint64_t target) {
    std::vector<Entry> entries = list(folder);
    std::ranges::sort(entries, {}, &Entry::used_at);
    std::uint64_t total = 0;
    for (const Entry& entry : entries) total += entry.bytes;
    const bool is_over = total > limit;
    const std::int64_t abandoned_before = std::time(nullptr) * kSecond - kAbandonedAfter;
    for (const Entry& entry : entries) {
        const bool must_go =
            entry.is_temporary ? entry.used_at < abandoned_before : is_over && total > target;
        if (must_go && remove(folder, entry)) total -= entry.bytes;
    }
    return total;
}

std::uint64_t clear(int folder) {
    std::uint64_t freed = 0;
    for (const Entry& entry : list(folder)) {
        if (remove(folder, entry)) freed += entry.bytes;
    }
    set_estimate(folder, 0);
    return freed;
}

std::optional<std::uint64_t> add_to_estimate(int folder, std::uint64_t bytes) {
    const FileDescriptor file = open_estimate(folder);
    if (!file) return std::nullopt;
    Estimate estimate{};
    const ssize_t size = ::pread(file.number(), &estimate, sizeof estimate, 0);
    if (size != sizeof estimate || estimate.magic != kEstimateMagic) return std::nullopt;
    const std::int64_t age = std::time(nullptr) - estimate.counted_at;
    if (age < 0 || age > kDay) return std::nullopt;
    estimate.bytes += bytes;
    if (::pwrite(file.number(), &estimate, sizeof estimate, 0) != sizeof estimate) {
        return std::nullopt;
    }
    return estimate.bytes;
}

void set_estimate(int folder, std::uint64_t bytes) {
    const FileDescriptor file = open_estimate(folder);
    if (!file) return;
    const Estimate estimate{kEstimateMagic, bytes, std::time(nullptr)};
    // A write cut short leaves a file that add_to_estimate() takes for none.
    if (::pwrite(file.number(), &estimate, sizeof estimate, 0) != sizeof estimate &&
        ::ftruncate(file.number(), 0) != 0) {
        ::unlinkat(folder, kEstimateFile, 0);
    }
}

}  // namespace warpwise::cache_folder
