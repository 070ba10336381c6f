// One mapping for each allocation. Released memory is replaced by a mapping without access, which
// costs no memory and merges with its neighbours in the system's list.
#include "src/backends/cpu/memory/guarded_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>
#include <tuple>

#include "src/base/address_ranges.hpp"

namespace warpwise::cpu {
namespace {

constexpr std::size_t kLeastAlignment = 16;  // of the largest type that device code loads at once
constexpr std::size_t kMostAlignment = 256;
constexpr unsigned char kSlackByte = 0xdb;
constexpr int kNoMemory = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::size_t round_up(std::size_t value, std::size_t multiple) noexcept {
    return (value + multiple - 1) / multiple * multiple;
}

std::size_t alignment_of(std::size_t bytes) noexcept {
    const std::size_t divisor = std::size_t{1} << std::countr_zero(bytes);
    return std::clamp(divisor, kLeastAlignment, kMostAlignment);
}

std::size_t slack_of(std::size_t bytes) noexcept {
    return round_up(bytes, alignment_of(bytes)) - bytes;
}

unsigned char* slack_at(const GuardedMemory::Allocation& allocation) noexcept {
    return reinterpret_cast<unsigned char*>(allocation.begin + allocation.bytes);
}

}  // namespace

GuardedMemory& GuardedMemory::instance() {
    static auto* memory = new GuardedMemory;
    return *memory;
}

std::size_t GuardedMemory::charged_bytes(std::size_t bytes) noexcept {
    return round_up(round_up(bytes, alignment_of(bytes)), kPageBytes);
}

// The begin of the mapping; 0 without memory or mappings.
std::uintptr_t GuardedMemory::map(std::size_t bytes) {
    const std::size_t pages = charged_bytes(bytes);
    const std::size_t mapped = kPageBytes + pages + kGuardBytes;
    if (pages < bytes || mapped < pages) return 0;
    void* const mapping = mmap(nullptr, mapped, PROT_NONE, kNoMemory, -1, 0);
    if (mapping == MAP_FAILED) return 0;
    auto* const data = static_cast<std::byte*>(mapping) + kPageBytes;
    if (mprotect(data, pages, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, mapped);
        return 0;
    }
    return reinterpret_cast<std::uintptr_t>(mapping);
}

std::uintptr_t GuardedMemory::allocate(std::size_t bytes) noexcept {
    MutexLock lock(mutex_);
    std::uintptr_t mapping = map(bytes);
    while (mapping == 0 && oldest_ != 0) {  // its addresses or mappings may be what is missing
        forget_oldest();
        mapping = map(bytes);
    }
    if (mapping == 0) return 0;
    const std::size_t pages = charged_bytes(bytes);
    const std::size_t slack = slack_of(bytes);
    const Allocation made{mapping + kPageBytes + pages - slack - bytes, bytes, false};
    const std::size_t mapped = kPageBytes + pages + kGuardBytes;
    try {
        live_.emplace(mapping, Entry{made, mapped, 0});
    } catch (const std::bad_alloc&) {
        munmap(reinterpret_cast<void*>(mapping), mapped);
        return 0;
    }
    std::memset(slack_at(made), kSlackByte, slack);
    if (slack != 0) with_slack_.fetch_add(1, std::memory_order_relaxed);
    return made.begin;
}

void GuardedMemory::release(std::uintptr_t address) noexcept {
    MutexLock lock(mutex_);
    const auto found = std::prev(live_.upper_bound(address));
    const std::uintptr_t mapping = found->first;
    Entry& entry = found->second;
    if (slack_of(entry.allocation.bytes) != 0) with_slack_.fetch_sub(1, std::memory_order_relaxed);
    // Where the system has no memory for the change, the old mapping stays.
    std::ignore = mmap(reinterpret_cast<void*>(mapping), entry.mapped, PROT_NONE,
                       kNoMemory | MAP_FIXED, -1, 0);
    entry.allocation.is_released = true;
    released_bytes_ += entry.mapped;
    released_.insert(live_.extract(found));  // a node changes hands: nothing is allocated
    if (newest_ != 0) released_.find(newest_)->second.next_released = mapping;
    newest_ = mapping;
    if (oldest_ == 0) oldest_ = mapping;
    while (released_.size() > kMostReleased || released_bytes_ > kMostReleasedBytes) {
        forget_oldest();
    }
}

void GuardedMemory::forget_oldest() {
    const auto found = released_.find(oldest_);
    const Entry entry = found->second;
    munmap(reinterpret_cast<void*>(oldest_), entry.mapped);
    released_bytes_ -= entry.mapped;
    released_.erase(found);
    oldest_ = entry.next_released;
    if (oldest_ == 0) newest_ = 0;
}

std::optional<GuardedMemory::Allocation> GuardedMemory::find(std::uintptr_t address) {
    MutexLock lock(mutex_);
    for (const Entries* entries : {&live_, &released_}) {
        const auto after = entries->upper_bound(address);
        if (after == entries->begin()) continue;
        const auto& [mapping, entry] = *std::prev(after);
        if (address - mapping < entry.mapped) return entry.allocation;
    }
    return std::nullopt;
}

std::optional<GuardedMemory::Overrun> GuardedMemory::overrun_of(
    const Allocation& allocation) noexcept {
    unsigned char* const slack = slack_at(allocation);
    unsigned char* const end = slack + slack_of(allocation.bytes);
    unsigned char* const written =
        std::find_if(slack, end, [](unsigned char byte) { return byte != kSlackByte; });
    if (written == end) return std::nullopt;
    std::fill(slack, end, kSlackByte);
    return Overrun{allocation, allocation.bytes + static_cast<std::size_t>(written - slack)};
}

std::optional<GuardedMemory::Overrun> GuardedMemory::take_overrun() {
    if (with_slack_.load(std::memory_order_relaxed) == 0) return std::nullopt;
    MutexLock lock(mutex_);
    for (const auto& [mapping, entry] : live_) {
        if (auto overrun = overrun_of(entry.allocation)) return overrun;
    }
    return std::nullopt;
}

}  // namespace warpwise::cpu
