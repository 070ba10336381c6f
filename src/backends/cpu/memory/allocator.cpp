// Small blocks come from malloc, in pages of their own (SharedPages); large ones are mapped on
// their own, aligned for huge pages. With guards all of them are GuardedMemory's.
#include "src/backends/cpu/memory/allocator.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "src/backends/cpu/memory/shared_pages.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr auto kProbeLife = std::chrono::milliseconds(100);

std::size_t round_up(std::size_t value, std::size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

void* map_aligned(std::size_t bytes) {
    const std::size_t size = round_up(bytes, kHugePage);
    const std::size_t span = size + kHugePage;
    void* mapping = mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    auto* begin = static_cast<std::byte*>(mapping);
    auto* aligned =
        reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::size_t>(begin), kHugePage));
    if (aligned != begin) munmap(begin, static_cast<std::size_t>(aligned - begin));
    munmap(aligned + size, static_cast<std::size_t>(begin + span - (aligned + size)));
    madvise(aligned, size, MADV_HUGEPAGE);  // a hint; without it pages are small
    return aligned;
}

}  // namespace

MemoryInfo CpuAllocator::available(std::uint64_t request) {
    const auto now = std::chrono::steady_clock::now();
    const std::uint64_t since_probe =
        allocated_ > allocated_at_probe_ ? allocated_ - allocated_at_probe_ : 0;
    const bool is_near = request > probed_.free / 8 || since_probe > probed_.free / 8;
    if (is_near || now - probe_time_ > kProbeLife) {
        probed_ = probe_();
        probe_time_ = now;
        allocated_at_probe_ = allocated_;
    }
    // Pages not touched yet are missing from the system's count but not from ours.
    const std::uint64_t unallocated = probed_.total > allocated_ ? probed_.total - allocated_ : 0;
    const std::uint64_t fresh =
        allocated_ > allocated_at_probe_ ? allocated_ - allocated_at_probe_ : 0;
    const std::uint64_t unused = probed_.free > fresh ? probed_.free - fresh : 0;
    return {std::min(unallocated, unused), probed_.total};
}

std::uint64_t CpuAllocator::unused_capacity() {
    if (!has_capacity_) {
        capacity_ = available(0).free + allocated_;
        has_capacity_ = true;
    }
    return capacity_ > allocated_ ? capacity_ - allocated_ : 0;
}

// Whether a request is granted is for the system to decide; its answer corrects the capacity.
MemoryInfo CpuAllocator::claim(std::uint64_t bytes) {
    const std::uint64_t expected = unused_capacity();
    const MemoryInfo now = available(bytes);
    if (bytes > now.free) {
        capacity_ = std::min(capacity_, allocated_ + now.free);
        return {unused_capacity(), now.total};  // as info() says, beside which an error shows it
    }
    if (bytes > expected) capacity_ = allocated_ + now.free;
    allocated_ += bytes;
    return now;
}

std::uint64_t CpuAllocator::charged_bytes(std::size_t bytes) const noexcept {
    return guarded_ == nullptr ? bytes : GuardedMemory::charged_bytes(bytes);
}

void* CpuAllocator::obtain(std::size_t bytes) const noexcept {
    if (guarded_ != nullptr) return reinterpret_cast<void*>(guarded_->allocate(bytes));
    return bytes >= kHugePage ? map_aligned(bytes)
                              : std::aligned_alloc(kPageBytes, round_up(bytes, kPageBytes));
}

runtime::DeviceAddress CpuAllocator::allocate(std::size_t bytes, runtime::MemoryKind kind) {
    const char* what =
        kind == runtime::MemoryKind::PageLocked ? "page-locked memory" : "device memory";
    const std::uint64_t charged = charged_bytes(bytes);
    const MemoryInfo before = take(charged);
    void* memory = nullptr;
    if (charged <= before.free) {
        memory = obtain(bytes);
        if (memory == nullptr) give(charged);
    }
    if (memory == nullptr) {
        throw OutOfMemoryError(fmt::format(
            "{} of {} were asked for, {} of {} are free on the CPU device", human_bytes(bytes),
            what, human_bytes(before.free), human_bytes(before.total)));
    }
    return reinterpret_cast<runtime::DeviceAddress>(memory);
}

void CpuAllocator::release(runtime::DeviceAddress address, std::size_t bytes,
                           runtime::MemoryKind) noexcept {
    void* memory = reinterpret_cast<void*>(address);
    SharedPages::instance().forget(address, bytes);
    if (guarded_ != nullptr) {
        guarded_->release(address);
    } else if (bytes >= kHugePage) {
        munmap(memory, round_up(bytes, kHugePage));
    } else {
        std::free(memory);
    }
    give(charged_bytes(bytes));
}

MemoryInfo CpuAllocator::take(std::uint64_t bytes) {
    MutexLock lock(mutex_);
    return claim(bytes);
}

void CpuAllocator::give(std::uint64_t bytes) noexcept {
    MutexLock lock(mutex_);
    allocated_ -= bytes;
}

MemoryInfo CpuAllocator::info() {
    MutexLock lock(mutex_);
    const std::uint64_t free = unused_capacity();
    return {free, probed_.total};
}

}  // namespace warpwise::cpu
