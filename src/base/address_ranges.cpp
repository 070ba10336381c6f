// Mappings without access count for no memory; making them writable is what the system may refuse.
#include "src/base/address_ranges.hpp"

#include <sys/mman.h>

#include <tuple>

namespace warpwise {
namespace {

constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

std::uintptr_t reserve_addresses(std::size_t bytes) noexcept {
    const std::size_t span = bytes + kRangeGranule;
    if (span < bytes) return 0;
    void* const mapping = mmap(nullptr, span, PROT_NONE, kFlags, -1, 0);
    if (mapping == MAP_FAILED) return 0;
    const auto begin = reinterpret_cast<std::uintptr_t>(mapping);
    const std::uintptr_t aligned = (begin + kRangeGranule - 1) & ~(kRangeGranule - 1);
    if (aligned != begin) munmap(mapping, aligned - begin);
    if (const std::size_t rest = begin + span - (aligned + bytes); rest != 0) {
        munmap(reinterpret_cast<void*>(aligned + bytes), rest);
    }
    return aligned;
}

void release_addresses(std::uintptr_t address, std::size_t bytes) noexcept {
    munmap(reinterpret_cast<void*>(address), bytes);
}

bool back_addresses(std::uintptr_t address, std::size_t bytes) noexcept {
    void* const memory = reinterpret_cast<void*>(address);
    if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0) return false;
    madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: without it pages are small
    return true;
}

void unback_addresses(std::uintptr_t address, std::size_t bytes) noexcept {
    // A new mapping in place of the old one: what was promised for that is free again. Where the
    // system has no memory for the change, the old one stays.
    std::ignore =
        mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, kFlags | MAP_FIXED, -1, 0);
}

}  // namespace warpwise
