// Taking memory in reserved ranges. What is mapped and unmapped is put aside under the lock
// (pool_ranges.cpp); the device is asked without it. Lambdas: see pool_ledger.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_source.hpp"
#include "warpwise/error.hpp"

namespace warpwise::runtime {
namespace {

// A chunk is an allocation of the driver's, which costs about the same whatever its size.
constexpr std::size_t kMostChunk = std::size_t{32} << 20;

// Addresses cost nothing. With twice the memory there is a run of them for most requests, and for
// the others there are more ranges.
constexpr std::size_t kAddressesForMemory = 2;

}  // namespace

bool PoolSource::grow(const PoolRequest& request, BufferState& buffer,
                      const std::shared_ptr<StreamCore>& core, std::string& why) {
    const std::uint64_t total = ledger_.context.info().total_memory;
    if (request.bytes > total) {
        why = fmt::format("the device has {} in all", human_bytes(total));
        return false;
    }
    const std::size_t target =
        request.is_small ? ledger_.policy.small_segment : ledger_.policy.large_segment;
    return grow_by(target, request, buffer, core, why) || grow_by(0, request, buffer, core, why);
}

bool PoolSource::grow_by(std::size_t at_least, const PoolRequest& request, BufferState& buffer,
                         const std::shared_ptr<StreamCore>& core, std::string& why) {
    const std::optional<Claim> claimed = claim(at_least, request, why);
    if (!claimed) return false;
    ReservedMemory& reserved = *reserved_.load();
    std::size_t mapped = 0;
    try {
        for (const Extent& gap : claimed->gaps) {
            reserved.map(gap.address, gap.bytes, claimed->chunk);
            ++mapped;
        }
    } catch (const OutOfMemoryError& error) {
        give_up(*claimed, mapped);
        why = error.what();
        return false;
    } catch (...) {
        give_up(*claimed, mapped);
        throw;
    }
    MutexLock lock(ledger_.mutex);
    Piece& piece = ledger_.pieces.commit(*claimed);
    ledger_.widen(claimed->address, claimed->end - claimed->address);
    ledger_.requested_bytes -= claimed->new_bytes;
    piece.uses.clear();
    ledger_.activate(piece, buffer, request);
    ledger_.adopt(piece, buffer, core);
    return true;
}

std::optional<Claim> PoolSource::claim(std::size_t at_least, const PoolRequest& request,
                                       std::string& why) {
    const auto usable = [&](const Piece& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        return ledger_.is_usable(piece, request);
    };
    const GrowthStep step{
        .granule = reserved_.load()->granule(), .at_least = at_least, .most_chunk = kMostChunk};
    for (;;) {
        {
            MutexLock lock(ledger_.mutex);
            ++ledger_.search;
            auto claimed = ledger_.pieces.claim(request.bytes, request.is_small, step, usable);
            if (claimed) {
                const std::size_t bytes = claimed->new_bytes;
                const bool is_over =
                    ledger_.limit && bytes > 0 &&
                    (bytes > *ledger_.limit || ledger_.held_bytes > *ledger_.limit - bytes);
                if (is_over) {
                    ledger_.pieces.abandon(*claimed);
                    why = "the limit of the memory pool is reached";
                    return std::nullopt;
                }
                ledger_.held_bytes += bytes;
                ledger_.requested_bytes += bytes;
                return claimed;
            }
        }
        if (!add_range(request, why)) return std::nullopt;
    }
}

bool PoolSource::add_range(const PoolRequest& request, std::string& why) {
    ReservedMemory& reserved = *reserved_.load();
    const std::size_t granule = reserved.granule();
    const std::size_t target = ledger_.context.info().total_memory;  // no request is larger
    Segment range{.bytes = (target + granule - 1) / granule * granule * kAddressesForMemory,
                  .is_small = request.is_small,
                  .is_range = true};
    try {
        range.address = reserved.reserve(range.bytes);
    } catch (const OutOfMemoryError& error) {
        why = error.what();
        return false;
    }
    try {
        MutexLock lock(ledger_.mutex);
        ledger_.pieces.add_range(range);
    } catch (...) {
        reserved.release(range.address, range.bytes);
        throw;
    }
    return true;
}

void PoolSource::give_up(const Claim& claim, std::size_t mapped_gaps) noexcept {
    ReservedMemory& reserved = *reserved_.load();
    for (std::size_t i = 0; i < mapped_gaps; ++i) {
        reserved.unmap(claim.gaps[i].address, claim.gaps[i].bytes);
    }
    MutexLock lock(ledger_.mutex);
    ledger_.pieces.abandon(claim);
    ledger_.held_bytes -= claim.new_bytes;
    ledger_.requested_bytes -= claim.new_bytes;
}

void PoolSource::unmap(const std::vector<Extent>& extents) noexcept {
    ReservedMemory& reserved = *reserved_.load();
    for (const Extent& extent : extents) reserved.unmap(extent.address, extent.bytes);
    std::vector<Segment> ranges;
    try {
        MutexLock lock(ledger_.mutex);
        ledger_.pieces.note_unmapped(extents);
        ranges = ledger_.pieces.remove_empty_ranges();
    } catch (const std::bad_alloc&) {
        return;  // they are empty the next time too
    }
    for (const Segment& range : ranges) reserved.release(range.address, range.bytes);
}

}  // namespace warpwise::runtime
