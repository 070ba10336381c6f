// Taking memory and giving it back. The shelf's part is in pool_shelf.cpp, trimming in
// pool_trim.cpp, words and figures in pool_report.cpp. Lambdas: see pool_ledger.hpp.
#include "src/runtime/pool/pool_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/memory_kinds.hpp"
#include "warpwise/error.hpp"

namespace warpwise::runtime {
namespace {

PoolRequest request_for(const PoolPolicy& policy, std::size_t bytes, StreamCore* core) noexcept {
    PoolRequest request{.bytes = bytes, .asked = bytes, .core = core};
    if (policy.reuses && bytes != 0) {
        request.bytes = pool_block_bytes(bytes);
        request.size_class = pool_size_class(request.bytes);
    }
    return request;
}

}  // namespace

PoolState::PoolState(Context& context, const PoolPolicy& policy) noexcept
    : ledger_(context, policy) {}

PoolState::~PoolState() {
    clear_shelf();
}

std::shared_ptr<BufferState> PoolState::allocate(std::size_t bytes,
                                                 const std::shared_ptr<StreamCore>& core) {
    if (ledger_.has_leaving.load(std::memory_order_relaxed)) sweep();
    PoolRequest request = request_for(ledger_.policy, bytes, core.get());
    if (BufferState* const shelved = take_shelved(request)) return shelved->unshelve();
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    if (bytes == 0 || take_recent(request, *buffer)) return buffer;
    request.is_small = request.bytes <= ledger_.policy.small_request;
    take_slowly(request, *buffer, core);
    return buffer;
}

[[gnu::hot]] std::shared_ptr<BufferState> PoolState::allocate_kept(std::size_t bytes,
                                                                   StreamCore& core) {
    if (bytes == 0 || ledger_.has_leaving.load(std::memory_order_relaxed)) return nullptr;
    const PoolRequest request = request_for(ledger_.policy, bytes, &core);
    if (BufferState* const shelved = take_shelved(request)) return shelved->unshelve();
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    return take_recent(request, *buffer) ? buffer : nullptr;
}

bool PoolState::take_recent(const PoolRequest& request, BufferState& buffer) {
    MutexLock lock(ledger_.mutex);
    PoolLane& lane = ledger_.lane_of(request.core);
    auto* const piece = static_cast<Piece*>(lane.pop(request.size_class));
    if (piece == nullptr) return false;
    if (piece->uses.first_position() <= lane.marked) {
        // The mark behind it had no use.
        lane.mark_after = std::min(2 * lane.mark_after, PoolLane::kMostUnmarked);
    }
    auto same = piece->uses.take_first();
    lane.unmarked_bytes -= std::min(lane.unmarked_bytes, piece->bytes);
    ledger_.activate(*piece, buffer, request);
    ledger_.adopt(*piece, buffer, std::move(same));
    return true;
}

bool PoolState::take_kept(const PoolRequest& request, BufferState& buffer,
                          const std::shared_ptr<StreamCore>& core, PoolCores& unmarked) {
    MutexLock lock(ledger_.mutex);
    ++ledger_.search;
    const auto usable = [&](const Piece& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        const bool is_free = ledger_.is_usable(piece, request);
        if (!is_free) ledger_.note_unmarked(piece.uses, unmarked);
        return is_free;
    };
    const auto fit = [&]() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        return ledger_.pieces.fit(request.bytes, request.is_small, !ledger_.splits(), usable);
    };
    // What costs more comes later: the lists are whole for as long as there is another way.
    Piece* piece = fit();
    if (piece == nullptr) {
        ledger_.drain_lanes();
        piece = fit();
    }
    if (piece == nullptr && ledger_.splits()) {
        ledger_.settle();
        piece = fit();
    }
    if (piece == nullptr) return false;
    ledger_.take_piece(*piece, request, buffer, core);
    return true;
}

void PoolState::take_slowly(const PoolRequest& request, BufferState& buffer,
                            const std::shared_ptr<StreamCore>& core) {
    PoolCores unmarked;
    clear_shelf();
    if (!ledger_.policy.reuses) give_back_beyond_policy();
    if (ledger_.policy.reuses && take_kept(request, buffer, core, unmarked)) return;
    if (!unmarked.empty()) {
        // What is marked now is known to be over the sooner; an idle stream's mark is at once.
        marks_.mark_all(unmarked);
        unmarked.clear();
        if (take_kept(request, buffer, core, unmarked)) return;
    }
    std::string why;
    if (source_.take_new(request, buffer, core, why)) return;
    trim();
    // What was split up between streams may have become whole.
    if (take_kept(request, buffer, core, unmarked) || source_.take_new(request, buffer, core, why))
        return;
    if (settle_pending()) {
        trim();
        if (take_kept(request, buffer, core, unmarked)) return;
        if (source_.take_new(request, buffer, core, why)) return;
    }
    out_of_memory(request.asked, why);
}

std::shared_ptr<BufferState> PoolState::allocate_direct(std::size_t bytes, MemoryKind kind) {
    sweep();
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    if (bytes == 0) return buffer;
    Block block{.bytes = bytes, .origin = Block::Origin::Direct, .kind = kind, .owner = nullptr};
    try {
        block.address = with_memory([&] { return source_.allocator().allocate(bytes, kind); });
    } catch (const OutOfMemoryError& error) {
        out_of_memory(bytes, error.what());
    }
    buffer->adopt(block, nullptr);
    MutexLock lock(ledger_.mutex);
    ledger_.direct[block.address] = {bytes, kind, buffer};
    ledger_.widen(block.address, bytes);
    return buffer;
}

std::shared_ptr<BufferState> PoolState::register_host(DeviceAddress address, std::size_t bytes,
                                                      bool read_only,
                                                      std::shared_ptr<const void> owner) {
    sweep();
    auto buffer = std::make_shared<BufferState>(*this, bytes);
    if (auto* const support = ledger_.context.backend().memory(ledger_.context.ordinal())) {
        support->register_host(address, bytes, read_only);
    }
    buffer->adopt({.address = address,
                   .bytes = bytes,
                   .origin = Block::Origin::Direct,
                   .kind = MemoryKind::Registered,
                   .owner = std::move(owner)},
                  nullptr);
    MutexLock lock(ledger_.mutex);
    ledger_.direct[address] = {bytes, MemoryKind::Registered, buffer};
    ledger_.widen(address, bytes);
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

void PoolState::give_back(Block& block, std::shared_ptr<StreamCore> first, PoolCores more,
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
                   ledger_.context.name(), block.bytes);
    }
}

void PoolState::keep(Piece& piece, Uses uses) {
    PoolCores unmarked;
    bool must_look = false;
    {
        MutexLock lock(ledger_.mutex);
        piece.buffer = nullptr;
        --ledger_.active_blocks;
        ledger_.active_bytes.store(
            ledger_.active_bytes.load(std::memory_order_relaxed) - piece.bytes,
            std::memory_order_relaxed);
        StreamCore* const only = uses.only();
        const bool is_of_one = only != nullptr || uses.empty();
        // The host wants page-locked memory when all work on it is over, and that is all it asks.
        const bool is_quick = ledger_.policy.kind == MemoryKind::Device ? is_of_one : uses.empty();
        piece.uses = std::move(uses);
        PoolLane& lane = ledger_.lane_of(only);
        if (is_quick && piece.size_class != 0 && lane.push(piece)) {
            piece.state = Piece::State::Recent;
            if (only != nullptr && !lane.is_listed) {
                ledger_.listed.push_back(piece.uses.first());
                lane.is_listed = true;
            }
            lane.unmarked_bytes += piece.bytes;
            if (lane.unmarked_bytes >= lane.mark_after && ledger_.context.has_several_streams()) {
                ledger_.note_unmarked(piece.uses, unmarked);
            }
        } else {
            ledger_.note_unmarked(piece.uses, unmarked);
            ledger_.pieces.put(piece);
        }
        must_look = ledger_.kept_bytes() > ledger_.look_above;
    }
    if (!unmarked.empty()) marks_.mark_all(unmarked);
    if (must_look) give_back_beyond_policy();
}

void PoolState::leave(Block& block, Uses uses) {
    PoolCores unmarked;
    {
        MutexLock lock(ledger_.mutex);
        ledger_.note_unmarked(uses, unmarked);
        ledger_.leaving.push_back({std::move(block), std::move(uses)});
        ledger_.has_leaving.store(true, std::memory_order_relaxed);
    }
    marks_.mark_all(unmarked);
    sweep();
}

MemoryPlace PoolState::find(DeviceAddress address) {
    // An address of this pool's in use comes from a call that followed widen().
    if (address < ledger_.lowest.load(std::memory_order_relaxed) ||
        address >= ledger_.end.load(std::memory_order_relaxed)) {
        return {};
    }
    MutexLock lock(ledger_.mutex);
    if (const Piece* const piece = ledger_.pieces.find(address)) {
        const bool is_host = ledger_.policy.kind == MemoryKind::PageLocked;
        if (piece->state == Piece::State::Hole || piece->state == Piece::State::Mapping) return {};
        if (piece->state != Piece::State::Used || piece->buffer->is_freed()) {
            return {true, is_host, piece->address, nullptr, true};
        }
        if (address - piece->address >= piece->buffer->size()) return {};
        // Null while the last handle is going.
        return {true, is_host, piece->address, piece->buffer->weak_from_this().lock(), true};
    }
    auto entry = ledger_.direct.upper_bound(address);
    if (entry == ledger_.direct.begin()) return {};
    --entry;
    const auto& [start, known] = *entry;
    if (address - start >= known.bytes) return {};
    return {true, is_host_memory(known.kind), start, known.buffer.lock()};
}

bool PoolState::is_in_range(DeviceAddress address) {
    MutexLock lock(ledger_.mutex);
    const Piece* const piece = ledger_.pieces.find(address);
    return piece != nullptr && piece->segment->is_range;
}

}  // namespace warpwise::runtime
