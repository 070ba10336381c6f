// Taking memory in reserved ranges. What is mapped and unmapped is put aside under the lock
// (pool_ranges.cpp); the device is asked without it. Lambdas: see pool_state.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "src/base/text.hpp"
#include "src/runtime/device/context.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "warpwise/error.hpp"

namespace warpwise::runtime {
namespace {

// A chunk is an allocation of the driver's, which costs about the same whatever its size.
constexpr std::size_t kMostChunk = std::size_t{32} << 20;

// Addresses cost nothing. With twice the memory there is a run of them for most requests, and for
// the others there are more ranges.
constexpr std::size_t kAddressesForMemory = 2;

}  // namespace

PoolGrowth PoolState::growth() {
    MutexLock lock(mutex_);
    return growth_;
}

void PoolState::set_growth(PoolGrowth growth) {
    if (growth == PoolGrowth::Segments) {
        MutexLock lock(mutex_);
        growth_ = growth;
        return;
    }
    if (policy_.kind != MemoryKind::Device) {
        throw UnsupportedError(
            fmt::format("the pool of page-locked memory of {} grows by segments only; reserved "
                        "growth is for Device.pool",
                        context_.name()));
    }
    if (!policy_.reuses) {
        throw UnsupportedError(fmt::format(
            "the pool of {} keeps nothing, since WARPWISE_POOL is none; unset it to let the pool "
            "grow in reserved addresses",
            context_.name()));
    }
    ReservedMemory* const reserved = context_.backend().reserved_memory(context_.ordinal());
    if (reserved == nullptr) {
        throw UnsupportedError(
            fmt::format("the pool of {} grows by segments only: the device does not map memory "
                        "into reserved addresses; leave growth and WARPWISE_POOL at segments",
                        context_.name()));
    }
    reserved->granule();  // throws now, if ever
    reserved_.store(reserved);
    MutexLock lock(mutex_);
    growth_ = growth;
}

bool PoolState::is_in_range(DeviceAddress address) {
    MutexLock lock(mutex_);
    const Piece* const piece = pieces_.find(address);
    return piece != nullptr && piece->segment->is_range;
}

bool PoolState::grow(const Request& request, BufferState& buffer,
                     const std::shared_ptr<StreamCore>& core, std::string& why) {
    const std::uint64_t total = context_.info().total_memory;
    if (request.bytes > total) {
        why = fmt::format("the device has {} in all", human_bytes(total));
        return false;
    }
    const std::size_t wished = request.is_small ? policy_.small_segment : policy_.large_segment;
    return grow_by(wished, request, buffer, core, why) || grow_by(0, request, buffer, core, why);
}

bool PoolState::grow_by(std::size_t at_least, const Request& request, BufferState& buffer,
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
    MutexLock lock(mutex_);
    Piece& piece = pieces_.commit(*claimed);
    widen(claimed->address, claimed->end - claimed->address);
    requested_bytes_ -= claimed->new_bytes;
    piece.uses.clear();
    activate(piece, buffer, request);
    adopt(piece, buffer, core);
    return true;
}

std::optional<Claim> PoolState::claim(std::size_t at_least, const Request& request,
                                      std::string& why) {
    const auto usable = [&](const Piece& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        return is_usable(piece, request);
    };
    const GrowthStep step{
        .granule = reserved_.load()->granule(), .at_least = at_least, .most_chunk = kMostChunk};
    for (;;) {
        {
            MutexLock lock(mutex_);
            ++search_;
            auto claimed = pieces_.claim(request.bytes, request.is_small, step, usable);
            if (claimed) {
                const std::size_t bytes = claimed->new_bytes;
                const bool is_over =
                    limit_ && bytes > 0 && (bytes > *limit_ || held_bytes_ > *limit_ - bytes);
                if (is_over) {
                    pieces_.abandon(*claimed);
                    why = "the limit of the memory pool is reached";
                    return std::nullopt;
                }
                held_bytes_ += bytes;
                requested_bytes_ += bytes;
                return claimed;
            }
        }
        if (!add_range(request, why)) return std::nullopt;
    }
}

bool PoolState::add_range(const Request& request, std::string& why) {
    ReservedMemory& reserved = *reserved_.load();
    const std::size_t granule = reserved.granule();
    const std::size_t wished = context_.info().total_memory;  // no request is larger
    Segment range{.bytes = (wished + granule - 1) / granule * granule * kAddressesForMemory,
                  .is_small = request.is_small,
                  .is_range = true};
    try {
        range.address = reserved.reserve(range.bytes);
    } catch (const OutOfMemoryError& error) {
        why = error.what();
        return false;
    }
    try {
        MutexLock lock(mutex_);
        pieces_.add_range(range);
    } catch (...) {
        reserved.release(range.address, range.bytes);
        throw;
    }
    return true;
}

void PoolState::give_up(const Claim& claim, std::size_t mapped_gaps) noexcept {
    ReservedMemory& reserved = *reserved_.load();
    for (std::size_t i = 0; i < mapped_gaps; ++i) {
        reserved.unmap(claim.gaps[i].address, claim.gaps[i].bytes);
    }
    MutexLock lock(mutex_);
    pieces_.abandon(claim);
    held_bytes_ -= claim.new_bytes;
    requested_bytes_ -= claim.new_bytes;
}

void PoolState::unmap(const std::vector<Extent>& extents) noexcept {
    ReservedMemory& reserved = *reserved_.load();
    for (const Extent& extent : extents) reserved.unmap(extent.address, extent.bytes);
    std::vector<Segment> ranges;
    try {
        MutexLock lock(mutex_);
        pieces_.note_unmapped(extents);
        ranges = pieces_.remove_empty_ranges();
    } catch (const std::bad_alloc&) {
        return;  // they are empty the next time too
    }
    for (const Segment& range : ranges) reserved.release(range.address, range.bytes);
}

}  // namespace warpwise::runtime
