// Taking memory and giving it back. The shelf's part stands in pool_shelf.cpp, reserved ranges in
// pool_growth.cpp, trimming in pool_trim.cpp, words and figures in pool_report.cpp. Lambdas that
// the map of pieces calls run under the lock of whoever calls the map; clang's analysis of locks
// does not follow that.
#include "src/runtime/pool/pool_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/runtime/device/context.hpp"
#include "src/runtime/memory_kinds.hpp"
#include "warpwise/error.hpp"

namespace warpwise::runtime {
PoolState::PoolState(Context& context, const PoolPolicy& policy) noexcept
    : context_(context),
      allocator_(context.backend().allocator(context.ordinal())),
      policy_(policy),
      look_above_(policy.most_kept) {}

PoolState::~PoolState() {
    clear_shelf();
}

std::shared_ptr<BufferState> PoolState::allocate(std::size_t bytes,
                                                 const std::shared_ptr<StreamCore>& core) {
    if (has_leaving_.load(std::memory_order_relaxed)) sweep();
    Request request = request_for(bytes, core.get());
    if (BufferState* const shelved = take_shelved(request)) return shelved->unshelve();
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    if (bytes == 0 || take_recent(request, *buffer)) return buffer;
    request.is_small = request.bytes <= policy_.small_request;
    take_slowly(request, *buffer, core);
    return buffer;
}

[[gnu::hot]] std::shared_ptr<BufferState> PoolState::allocate_kept(std::size_t bytes,
                                                                   StreamCore& core) {
    if (bytes == 0 || has_leaving_.load(std::memory_order_relaxed)) return nullptr;
    const Request request = request_for(bytes, &core);
    if (BufferState* const shelved = take_shelved(request)) return shelved->unshelve();
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    return take_recent(request, *buffer) ? buffer : nullptr;
}

[[gnu::hot]] PoolState::Request PoolState::request_for(std::size_t bytes,
                                                       StreamCore* core) const noexcept {
    Request request{.bytes = bytes, .asked = bytes, .core = core};
    if (policy_.reuses && bytes != 0) {
        request.bytes = pool_block_bytes(bytes);
        request.size_class = pool_size_class(request.bytes);
    }
    return request;
}

bool PoolState::take_recent(const Request& request, BufferState& buffer) {
    MutexLock lock(mutex_);
    PoolLane& lane = lane_of(request.core);
    Piece* const piece = lane.pop(request.size_class);
    if (piece == nullptr) return false;
    if (piece->uses.first_position() <= lane.marked) {
        // The mark behind it was for nobody.
        lane.mark_after = std::min(2 * lane.mark_after, PoolLane::kMostUnmarked);
    }
    auto same = piece->uses.take_first();
    lane.unmarked_bytes -= std::min(lane.unmarked_bytes, piece->bytes);
    activate(*piece, buffer, request);
    adopt(*piece, buffer, std::move(same));
    return true;
}

PoolLane& PoolState::lane_of(StreamCore* core) {
    return core != nullptr ? core->lane(policy_.kind) : host_lane_;
}

void PoolState::activate(Piece& piece, BufferState& buffer, const Request& request) {
    piece.state = Piece::State::Used;
    piece.size_class = request.size_class;
    piece.buffer = &buffer;
    ++active_blocks_;
    active_bytes_.store(active_bytes_.load(std::memory_order_relaxed) + piece.bytes,
                        std::memory_order_relaxed);
    note_peak();
}

void PoolState::adopt(Piece& piece, BufferState& buffer, std::shared_ptr<StreamCore> core) {
    // Counts as a use from the start: what used the block before is over only in this order.
    buffer.adopt({.address = piece.address,
                  .bytes = piece.bytes,
                  .kind = policy_.kind,
                  .owner = nullptr,
                  .piece = &piece},
                 std::move(core));
}

void PoolState::take_piece(Piece& piece, const Request& request, BufferState& buffer,
                           const std::shared_ptr<StreamCore>& core) {
    Piece& taken = pieces_.take(piece, request.bytes);
    taken.uses.all_of([&](const Use& use) {
        if (use.core != core) use.core->lane(policy_.kind).mark_after = PoolLane::kMarkedBytes;
        return true;
    });
    taken.uses.clear();
    activate(taken, buffer, request);
    adopt(taken, buffer, core);
}

bool PoolState::is_usable(const Piece& piece, const Request& request) {
    return piece.uses.all_of([&](const Use& use) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        return (request.core != nullptr && request.core->follows(*use.core)) || has_passed(use);
    });
}

bool PoolState::take_kept(const Request& request, BufferState& buffer,
                          const std::shared_ptr<StreamCore>& core, Cores& unmarked) {
    MutexLock lock(mutex_);
    ++search_;
    const auto usable = [&](const Piece& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        const bool is_free = is_usable(piece, request);
        if (!is_free) note_unmarked(piece.uses, unmarked);
        return is_free;
    };
    const auto fit = [&]() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        return pieces_.fit(request.bytes, request.is_small, !splits(), usable);
    };
    // What costs more comes later: the lists are whole for as long as there is another way.
    Piece* piece = fit();
    if (piece == nullptr) {
        drain_lanes();
        piece = fit();
    }
    if (piece == nullptr && splits()) {
        settle();
        piece = fit();
    }
    if (piece == nullptr) return false;
    take_piece(*piece, request, buffer, core);
    return true;
}

void PoolState::take_slowly(const Request& request, BufferState& buffer,
                            const std::shared_ptr<StreamCore>& core) {
    Cores unmarked;
    clear_shelf();
    if (!policy_.reuses) give_back_beyond_policy();
    if (policy_.reuses && take_kept(request, buffer, core, unmarked)) return;
    if (!unmarked.empty()) {
        // What is marked now is known to be over the sooner; an idle stream's mark is at once.
        mark_all(unmarked);
        unmarked.clear();
        if (take_kept(request, buffer, core, unmarked)) return;
    }
    std::string why;
    if (take_new(request, buffer, core, why)) return;
    trim();
    // What was split up between streams may have become whole.
    if (take_kept(request, buffer, core, unmarked) || take_new(request, buffer, core, why)) return;
    if (settle_pending()) {
        trim();
        if (take_kept(request, buffer, core, unmarked)) return;
        if (take_new(request, buffer, core, why)) return;
    }
    out_of_memory(request.asked, why);
}

bool PoolState::take_new(const Request& request, BufferState& buffer,
                         const std::shared_ptr<StreamCore>& core, std::string& why) {
    if (growth() == PoolGrowth::Reserved) return grow(request, buffer, core, why);
    const std::size_t granule = policy_.granule;
    const std::size_t rounded = (request.bytes + granule - 1) / granule * granule;
    const std::size_t wished =
        request.is_small ? policy_.small_segment : std::max(rounded, policy_.large_segment);
    std::optional<Segment> segment;
    if (policy_.splits && wished >= request.bytes) {
        segment = new_segment(wished, request.is_small, why);
    }
    if (!segment) segment = new_segment(request.bytes, request.is_small, why);
    if (!segment) return false;
    try {
        MutexLock lock(mutex_);
        Piece& whole = pieces_.add_segment(*segment);
        widen(segment->address, segment->bytes);
        requested_bytes_ -= segment->bytes;
        take_piece(whole, request, buffer, core);
    } catch (...) {
        // Without the memory for its description; a segment that was added is kept.
        bool is_known = false;
        {
            MutexLock lock(mutex_);
            is_known = pieces_.find(segment->address) != nullptr;
            if (!is_known) {
                requested_bytes_ -= segment->bytes;
                held_bytes_ -= segment->bytes;
            }
        }
        if (!is_known) allocator_.release(segment->address, segment->bytes, policy_.kind);
        throw;
    }
    return true;
}

std::optional<Segment> PoolState::new_segment(std::size_t bytes, bool is_small, std::string& why) {
    if (!reserve(bytes)) {
        why = "the limit of the memory pool is reached";
        return std::nullopt;
    }
    try {
        return Segment{allocator_.allocate(bytes, policy_.kind), bytes, is_small};
    } catch (const OutOfMemoryError& error) {
        unreserve(bytes);
        why = error.what();
        return std::nullopt;
    } catch (...) {
        unreserve(bytes);
        throw;
    }
}

bool PoolState::reserve(std::size_t bytes) {
    MutexLock lock(mutex_);
    if (limit_ && (bytes > *limit_ || held_bytes_ > *limit_ - bytes)) return false;
    held_bytes_ += bytes;
    requested_bytes_ += bytes;
    return true;
}

void PoolState::unreserve(std::size_t bytes) noexcept {
    MutexLock lock(mutex_);
    held_bytes_ -= bytes;
    requested_bytes_ -= bytes;
}

std::shared_ptr<BufferState> PoolState::allocate_direct(std::size_t bytes, MemoryKind kind) {
    sweep();
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    if (bytes == 0) return buffer;
    Block block{.bytes = bytes, .origin = Block::Origin::Direct, .kind = kind, .owner = nullptr};
    try {
        block.address = with_memory([&] { return allocator_.allocate(bytes, kind); });
    } catch (const OutOfMemoryError& error) {
        out_of_memory(bytes, error.what());
    }
    buffer->adopt(block, nullptr);
    MutexLock lock(mutex_);
    known_[block.address] = {bytes, kind, buffer};
    widen(block.address, bytes);
    return buffer;
}

std::shared_ptr<BufferState> PoolState::register_host(DeviceAddress address, std::size_t bytes,
                                                      bool read_only,
                                                      std::shared_ptr<const void> owner) {
    sweep();
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    if (auto* const support = context_.backend().memory(context_.ordinal())) {
        support->register_host(address, bytes, read_only);
    }
    buffer->adopt({.address = address,
                   .bytes = bytes,
                   .origin = Block::Origin::Direct,
                   .kind = MemoryKind::Registered,
                   .owner = std::move(owner)},
                  nullptr);
    MutexLock lock(mutex_);
    known_[address] = {bytes, MemoryKind::Registered, buffer};
    widen(address, bytes);
    return buffer;
}

std::shared_ptr<BufferState> PoolState::wrap(DeviceAddress address, std::size_t bytes,
                                             std::shared_ptr<const void> owner) {
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    buffer->adopt({.address = address,
                   .bytes = bytes,
                   .origin = Block::Origin::Foreign,
                   .owner = std::move(owner)},
                  nullptr);
    return buffer;
}

void PoolState::give_back(Block& block, std::shared_ptr<StreamCore> first, Cores more,
                          std::uint64_t at) noexcept {
    try {
        Uses uses(std::move(first), std::move(more));
        uses.stamp(at);
        if (block.origin == Block::Origin::Pool) {
            if (block.piece != nullptr) keep(*block.piece, std::move(uses));
        } else if (block.origin == Block::Origin::Direct ? block.address != 0
                                                         : block.owner != nullptr) {
            leave(block, std::move(uses));
        }
    } catch (const std::bad_alloc&) {
        log::error("{}: no memory to keep {} bytes for later; they are lost until the process ends",
                   context_.name(), block.bytes);
    }
}

void PoolState::keep(Piece& piece, Uses uses) {
    Cores unmarked;
    bool must_look = false;
    {
        MutexLock lock(mutex_);
        piece.buffer = nullptr;
        --active_blocks_;
        active_bytes_.store(active_bytes_.load(std::memory_order_relaxed) - piece.bytes,
                            std::memory_order_relaxed);
        StreamCore* const only = uses.only();
        const bool is_of_one = only != nullptr || uses.empty();
        // The host wants page-locked memory when all work on it is over, and that is all it asks.
        const bool is_quick = policy_.kind == MemoryKind::Device ? is_of_one : uses.empty();
        piece.uses = std::move(uses);
        PoolLane& lane = lane_of(only);
        if (is_quick && piece.size_class != 0 && lane.push(piece)) {
            if (only != nullptr && !lane.is_listed) {
                listed_.push_back(piece.uses.first());
                lane.is_listed = true;
            }
            lane.unmarked_bytes += piece.bytes;
            if (lane.unmarked_bytes >= lane.mark_after && context_.has_several_streams()) {
                note_unmarked(piece.uses, unmarked);
            }
        } else {
            note_unmarked(piece.uses, unmarked);
            pieces_.put(piece);
        }
        must_look = is_over();
    }
    if (!unmarked.empty()) mark_all(unmarked);
    if (must_look) give_back_beyond_policy();
}

void PoolState::leave(Block& block, Uses uses) {
    Cores unmarked;
    {
        MutexLock lock(mutex_);
        note_unmarked(uses, unmarked);
        leaving_.push_back({std::move(block), std::move(uses)});
        has_leaving_.store(true, std::memory_order_relaxed);
    }
    mark_all(unmarked);
    sweep();
}

void PoolState::widen(DeviceAddress address, std::size_t bytes) noexcept {
    if (address < lowest_.load()) lowest_.store(address);
    if (address + bytes > end_.load()) end_.store(address + bytes);
}

MemoryPlace PoolState::find(DeviceAddress address) {
    // Whoever has an address of this pool's has it from a call that came after widen().
    if (address < lowest_.load(std::memory_order_relaxed) ||
        address >= end_.load(std::memory_order_relaxed)) {
        return {};
    }
    MutexLock lock(mutex_);
    if (const Piece* const piece = pieces_.find(address)) {
        const bool is_host = policy_.kind == MemoryKind::PageLocked;
        if (piece->state == Piece::State::Hole || piece->state == Piece::State::Mapping) return {};
        if (piece->state != Piece::State::Used || piece->buffer->is_freed()) {
            return {true, is_host, piece->address, nullptr};
        }
        if (address - piece->address >= piece->buffer->size()) return {};
        // Null while the last handle is going.
        return {true, is_host, piece->address, piece->buffer->weak_from_this().lock()};
    }
    auto entry = known_.upper_bound(address);
    if (entry == known_.begin()) return {};
    --entry;
    const auto& [start, known] = *entry;
    if (address - start >= known.bytes) return {};
    return {true, is_host_memory(known.kind), start, known.buffer.lock()};
}

}  // namespace warpwise::runtime
