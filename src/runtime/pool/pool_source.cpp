// Segments, and what goes back. Reserved ranges: pool_growth.cpp.
#include "src/runtime/pool/pool_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/memory_kinds.hpp"
#include "warpwise/error.hpp"

namespace warpwise::runtime {

PoolSource::PoolSource(PoolLedger& ledger) noexcept
    : ledger_(ledger), allocator_(ledger.context.backend().allocator(ledger.context.ordinal())) {}

PoolGrowth PoolSource::growth() {
    MutexLock lock(ledger_.mutex);
    return ledger_.growth;
}

void PoolSource::set_growth(PoolGrowth growth) {
    if (growth == PoolGrowth::Segments) {
        MutexLock lock(ledger_.mutex);
        ledger_.growth = growth;
        return;
    }
    if (ledger_.policy.kind != MemoryKind::Device) {
        throw UnsupportedError(
            fmt::format("the pool of page-locked memory of {} grows by segments only; reserved "
                        "growth is for the pool of device memory",
                        ledger_.context.name()));
    }
    if (!ledger_.policy.reuses) {
        throw UnsupportedError(fmt::format(
            "the pool of {} keeps nothing, since WARPWISE_POOL is none or guard; unset it to "
            "let the pool grow in reserved addresses",
            ledger_.context.name()));
    }
    ReservedMemory* const reserved =
        ledger_.context.backend().reserved_memory(ledger_.context.ordinal());
    if (reserved == nullptr) {
        throw UnsupportedError(
            fmt::format("the pool of {} grows by segments only: the device does not map memory "
                        "into reserved addresses; leave growth and WARPWISE_POOL at segments",
                        ledger_.context.name()));
    }
    reserved->granule();  // throws now, if ever
    reserved_.store(reserved);
    MutexLock lock(ledger_.mutex);
    ledger_.growth = growth;
}

bool PoolSource::take_new(const PoolRequest& request, BufferState& buffer,
                          const std::shared_ptr<StreamCore>& core, std::string& why) {
    if (growth() == PoolGrowth::Reserved) return grow(request, buffer, core, why);
    return take_segment(request, buffer, core, why);
}

bool PoolSource::take_segment(const PoolRequest& request, BufferState& buffer,
                              const std::shared_ptr<StreamCore>& core, std::string& why) {
    const std::size_t granule = ledger_.policy.granule;
    const std::size_t rounded = (request.bytes + granule - 1) / granule * granule;
    const std::size_t target = request.is_small ? ledger_.policy.small_segment
                                                : std::max(rounded, ledger_.policy.large_segment);
    std::optional<Segment> segment;
    if (ledger_.policy.splits && target >= request.bytes) {
        segment = new_segment(target, request.is_small, why);
    }
    if (!segment) segment = new_segment(request.bytes, request.is_small, why);
    if (!segment) return false;
    try {
        MutexLock lock(ledger_.mutex);
        Piece& whole = ledger_.pieces.add_segment(*segment);
        ledger_.widen(segment->address, segment->bytes);
        ledger_.requested_bytes -= segment->bytes;
        ledger_.take_piece(whole, request, buffer, core);
    } catch (...) {
        // Without the memory for its description; a segment that was added is kept.
        bool is_known = false;
        {
            MutexLock lock(ledger_.mutex);
            is_known = ledger_.pieces.find(segment->address) != nullptr;
            if (!is_known) {
                ledger_.requested_bytes -= segment->bytes;
                ledger_.held_bytes -= segment->bytes;
            }
        }
        if (!is_known) allocator_.release(segment->address, segment->bytes, ledger_.policy.kind);
        throw;
    }
    return true;
}

std::optional<Segment> PoolSource::new_segment(std::size_t bytes, bool is_small, std::string& why) {
    if (!reserve(bytes)) {
        why = "the limit of the memory pool is reached";
        return std::nullopt;
    }
    try {
        return Segment{allocator_.allocate(bytes, ledger_.policy.kind), bytes, is_small};
    } catch (const OutOfMemoryError& error) {
        unreserve(bytes);
        why = error.what();
        return std::nullopt;
    } catch (...) {
        unreserve(bytes);
        throw;
    }
}

bool PoolSource::reserve(std::size_t bytes) {
    MutexLock lock(ledger_.mutex);
    if (ledger_.limit && (bytes > *ledger_.limit || ledger_.held_bytes > *ledger_.limit - bytes))
        return false;
    ledger_.held_bytes += bytes;
    ledger_.requested_bytes += bytes;
    return true;
}

void PoolSource::unreserve(std::size_t bytes) noexcept {
    MutexLock lock(ledger_.mutex);
    ledger_.held_bytes -= bytes;
    ledger_.requested_bytes -= bytes;
}

void PoolSource::release(const UnneededMemory& unneeded) noexcept {
    for (const Segment& segment : unneeded.segments) {
        allocator_.release(segment.address, segment.bytes, ledger_.policy.kind);
    }
    if (reserved_.load() != nullptr) unmap(unneeded.extents);
}

void PoolSource::release_direct(const Block& block) noexcept {
    if (block.kind != MemoryKind::Registered) {
        allocator_.release(block.address, block.bytes, block.kind);
    } else if (auto* const support = ledger_.context.backend().memory(ledger_.context.ordinal())) {
        support->unregister_host(block.address);
    }
}

}  // namespace warpwise::runtime
