// One sparse file for each process: an offset is an address, so that ranges which share a page, or
// touch, need no bookkeeping in the handle.
#include "src/backends/cpu/memory/shared_pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <tuple>
#include <utility>

#include "src/backends/cpu/host/faults.hpp"
#include "src/base/address_ranges.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// All addresses that the system gives to programs which ask for no others.
constexpr std::uint64_t kFileBytes = std::uint64_t{1} << 47;
constexpr std::uint64_t kNonceOffset = 0;  // no memory lies at address 0

std::uintptr_t page_of(std::uintptr_t address) noexcept {
    return address & ~(kPageBytes - 1);
}

std::byte* pointer(std::uintptr_t address) noexcept {
    return reinterpret_cast<std::byte*>(address);
}

bool write_all(int file, std::uintptr_t begin, std::uintptr_t end) noexcept {
    while (begin < end) {
        const ssize_t written =
            pwrite(file, pointer(begin), end - begin, static_cast<off_t>(begin));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        begin += static_cast<std::uintptr_t>(written);
    }
    return true;
}

// The pages are zero and take no memory.
void make_hole(int file, std::uintptr_t begin, std::uintptr_t end) noexcept {
    std::ignore = fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                            static_cast<off_t>(begin), static_cast<off_t>(end - begin));
}

// Writers of these pages wait while it lives. They are read-only then.
class HeldPages {
  public:
    HeldPages(std::uintptr_t begin, std::uintptr_t end) : begin_(begin), end_(end) {
        begin_page_change(begin, end);
        is_held_ = mprotect(pointer(begin), end - begin, PROT_READ) == 0;
    }
    ~HeldPages() {
        mprotect(pointer(begin_), end_ - begin_, PROT_READ | PROT_WRITE);
        end_page_change();
    }
    HeldPages(const HeldPages&) = delete;
    HeldPages& operator=(const HeldPages&) = delete;
    bool is_held() const noexcept { return is_held_; }

  private:
    std::uintptr_t begin_, end_;
    bool is_held_ = false;
};

}  // namespace

SharedPages& SharedPages::instance() {
    static auto* pages = new SharedPages;
    return *pages;
}

void SharedPages::require_file() {
    if (file_ >= 0) return;
    rlimit limit{};
    const bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < kFileBytes;
    const int file = is_limited ? -1 : memfd_create("warpwise", MFD_CLOEXEC);
    std::random_device random;
    std::array<std::uint64_t, 2> nonce{};
    for (std::uint64_t& word : nonce) word = (std::uint64_t{random()} << 32) | random();
    const bool is_made = file >= 0 && ftruncate(file, kFileBytes) == 0 &&
                         pwrite(file, nonce.data(), sizeof nonce, kNonceOffset) == sizeof nonce;
    if (!is_made) {
        const int error = errno;
        if (file >= 0) close(file);
        throw UnsupportedError(fmt::format(
            "memory of cpu cannot be shared between processes here: {}",
            is_limited ? "the size of files is limited (ulimit -f)" : std::strerror(error)));
    }
    file_ = file;
    nonce_ = nonce;
}

void SharedPages::move(std::uintptr_t begin, std::uintptr_t end) {
    const HeldPages held(begin, end);
    const bool is_written = held.is_held() && write_all(file_, begin, end);
    if (is_written &&
        mmap(pointer(begin), end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_,
             static_cast<off_t>(begin)) != MAP_FAILED) {
        return;
    }
    make_hole(file_, begin, end);
    throw OutOfMemoryError(
        fmt::format("the system has no memory, or no further mappings, to share "
                    "{} between processes",
                    human_bytes(end - begin)));
}

void SharedPages::add(std::uintptr_t begin, std::uintptr_t end) {
    while (begin < end) {
        const std::uintptr_t next = std::min(end, (begin / kRangeGranule + 1) * kRangeGranule);
        pages_.emplace(begin, Pages{next, false});
        begin = next;
    }
    count_.store(pages_.size(), std::memory_order_release);
}

// What lies in the parent's file gets pages in this process's own.
void SharedPages::adopt_inherited(std::uintptr_t begin, std::uintptr_t end) {
    for (auto& [first, pages] : pages_) {
        if (!pages.is_inherited || pages.end <= begin || first >= end) continue;
        move(first, pages.end);
        pages.is_inherited = false;
    }
}

SharedPlace SharedPages::share(std::uintptr_t address, std::size_t bytes) {
    const std::uintptr_t begin = page_of(address);
    const std::uintptr_t end = page_of(address + bytes - 1) + kPageBytes;
    MutexLock lock(mutex_);
    require_file();
    adopt_inherited(begin, end);
    for (std::uintptr_t at = begin; at < end;) {
        const auto next = pages_.upper_bound(at);
        if (next != pages_.begin() && at < std::prev(next)->second.end) {
            at = std::prev(next)->second.end;
            continue;
        }
        const std::uintptr_t stop = next == pages_.end() ? end : std::min(end, next->first);
        move(at, stop);
        add(at, stop);
        at = stop;
    }
    return {static_cast<std::int32_t>(getpid()), file_, begin, end - begin, nonce_};
}

void SharedPages::make_private(std::uintptr_t address, std::size_t bytes) noexcept {
    const std::uintptr_t begin = page_of(address);
    const std::uintptr_t end = page_of(address + bytes - 1) + kPageBytes;
    MutexLock lock(mutex_);
    auto at = pages_.lower_bound(begin);
    while (at != pages_.end() && at->first < end) {
        const auto& [first, pages] = *at;
        // Where the system has no memory for the change, the old mapping stays.
        std::ignore = mmap(pointer(first), pages.end - first, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (!pages.is_inherited) make_hole(file_, first, pages.end);
        at = pages_.erase(at);
    }
    count_.store(pages_.size(), std::memory_order_release);
}

void SharedPages::after_fork(bool is_child) {
    if (is_child && file_ >= 0) {
        close(std::exchange(file_, -1));
        for (auto& [begin, pages] : pages_) pages.is_inherited = true;
    }
    mutex_.unlock();
}

namespace {

[[noreturn]] void refuse(const SharedPlace& place, const char* what, const char* why) {
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("the IPC handle stands for no {} on cpu ({}); the process that made it, {}, "
                    "must be running, of this user and visible in /proc, and must not have "
                    "released it",
                    what, why, place.process));
}

class File {
  public:
    File(const SharedPlace& place, const char* what)
        : number_(open(fmt::format("/proc/{}/fd/{}", place.process, place.file).c_str(),
                       O_RDWR | O_CLOEXEC)) {
        if (number_ < 0) refuse(place, what, std::strerror(errno));
    }
    ~File() { close(number_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int number() const noexcept { return number_; }

  private:
    int number_;
};

}  // namespace

std::shared_ptr<const std::uintptr_t> map_shared(const SharedPlace& place, const char* what) {
    const File file(place, what);
    std::array<std::uint64_t, 2> nonce{};
    const ssize_t read = pread(file.number(), nonce.data(), sizeof nonce, kNonceOffset);
    if (read != sizeof nonce || nonce != place.nonce) refuse(place, what, "another file");
    const auto begin = static_cast<off_t>(place.begin);
    if (lseek(file.number(), begin, SEEK_DATA) != begin) refuse(place, what, "no memory there");
    void* const mapped =
        mmap(nullptr, place.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), begin);
    if (mapped == MAP_FAILED) {
        throw OutOfMemoryError(
            fmt::format("the system has no addresses, or no further mappings, "
                        "for {} of another process",
                        human_bytes(place.bytes)));
    }
    const auto unmap = [bytes = place.bytes](const std::uintptr_t* address) {
        munmap(pointer(*address), bytes);
        delete address;
    };
    return {new std::uintptr_t(reinterpret_cast<std::uintptr_t>(mapped)), unmap};
}

}  // namespace warpwise::cpu
