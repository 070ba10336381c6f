// One sparse file for each process: an offset is an address, so that ranges which share a page, or
// touch, need no bookkeeping in the handle.
#include "src/backends/cpu/memory/shared_pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
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
constexpr off_t kNonceOffset = 0;  // where a new file is written first; no memory lies there

struct Range {
    std::uintptr_t begin = 0, end = 0;
};

Range pages_of(std::uintptr_t address, std::size_t bytes) noexcept {
    constexpr std::uintptr_t kPlaceInPage = kPageBytes - 1;
    return {address & ~kPlaceInPage, (address + bytes + kPlaceInPage) & ~kPlaceInPage};
}

std::byte* pointer(std::uintptr_t address) noexcept {
    return reinterpret_cast<std::byte*>(address);
}

// To the offset that is the address.
bool write_pages(int file, std::uintptr_t begin, std::uintptr_t end) noexcept {
    return lseek(file, static_cast<off_t>(begin), SEEK_SET) >= 0 &&
           !write_all(file, std::span(pointer(begin), end - begin));
}

// The pages are zero and take no memory.
void make_hole(int file, std::uintptr_t begin, std::uintptr_t end) noexcept {
    std::ignore = fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                            static_cast<off_t>(begin), static_cast<off_t>(end - begin));
}

[[noreturn]] void refuse_sharing(const std::string& why) {
    throw UnsupportedError(
        fmt::format("memory of cpu cannot be shared between processes here: {}", why));
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
    if (file_) return;
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < kFileBytes) {
        refuse_sharing("the size of files is limited (ulimit -f)");
    }
    std::random_device random;
    std::array<std::uint64_t, 2> nonce{};
    for (std::uint64_t& word : nonce) word = (std::uint64_t{random()} << 32) | random();
    FileDescriptor file(memfd_create("warpwise", MFD_CLOEXEC));
    if (!file || ftruncate(file.number(), kFileBytes) != 0) {
        refuse_sharing(last_error().message());
    }
    if (const auto error = write_all(file.number(), std::as_bytes(std::span(nonce)))) {
        refuse_sharing(error.message());
    }
    file_ = std::move(file);
    nonce_ = nonce;
}

void SharedPages::move(std::uintptr_t begin, std::uintptr_t end) {
    const HeldPages held(begin, end);
    const bool is_written = held.is_held() && write_pages(file_.number(), begin, end);
    if (is_written &&
        mmap(pointer(begin), end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             file_.number(), static_cast<off_t>(begin)) != MAP_FAILED) {
        return;
    }
    make_hole(file_.number(), begin, end);
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
    const auto [begin, end] = pages_of(address, bytes);
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
    return {static_cast<std::int32_t>(getpid()), file_.number(), begin, end - begin, nonce_};
}

void SharedPages::make_private(std::uintptr_t address, std::size_t bytes) noexcept {
    const auto [begin, end] = pages_of(address, bytes);
    MutexLock lock(mutex_);
    auto at = pages_.lower_bound(begin);
    while (at != pages_.end() && at->first < end) {
        const auto& [first, pages] = *at;
        // Where the system has no memory for the change, the old mapping stays.
        std::ignore = mmap(pointer(first), pages.end - first, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (!pages.is_inherited) make_hole(file_.number(), first, pages.end);
        at = pages_.erase(at);
    }
    count_.store(pages_.size(), std::memory_order_release);
}

void SharedPages::after_fork(bool is_child) {
    if (is_child && file_) {
        file_ = FileDescriptor();
        for (auto& [begin, pages] : pages_) pages.is_inherited = true;
    }
    mutex_.unlock();
}

namespace {

[[noreturn]] void refuse(const SharedPlace& place, const char* what, const std::string& why) {
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("the IPC handle stands for no {} on cpu ({}); the process that made it, {}, "
                    "must be running, of this user and visible in /proc, and must not have "
                    "released it",
                    what, why, place.process));
}

}  // namespace

std::shared_ptr<const std::uintptr_t> map_shared(const SharedPlace& place, const char* what) {
    const std::string path = fmt::format("/proc/{}/fd/{}", place.process, place.file);
    const FileDescriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file) refuse(place, what, last_error().message());
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
