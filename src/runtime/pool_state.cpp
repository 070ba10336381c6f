// The pool's blocks: taking, keeping, releasing. No device call is made under the pool's lock but
// EventImpl::is_done(Wait::No), which returns at once.
#include "src/runtime/pool_state.hpp"

#include <bit>
#include <iterator>
#include <utility>

#include "src/base/log.hpp"
#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

constexpr std::size_t kSmallestBlock = 256;  // the alignment Allocator guarantees
constexpr int kStepBits = 4;                 // 2^4 block sizes for each power of two
// Kept but unused blocks take at most this part of the device's memory: on the CPU it is the RAM of
// everybody else too.
constexpr std::uint64_t kKeptShare = 8;
// How many blocks of one size are asked whether their work has ended, at most.
constexpr std::size_t kProbedBlocks = 16;
constexpr std::size_t kSpareEvents = 256;

}  // namespace

std::size_t pool_block_bytes(std::size_t bytes) noexcept {
    const int exponent =
        static_cast<int>(std::bit_width(bytes - 1)) - 1;  // 2^exponent <= bytes - 1
    std::size_t step = kSmallestBlock;
    if (exponent - kStepBits > std::countr_zero(kSmallestBlock)) {
        step = std::size_t{1} << (exponent - kStepBits);
    }
    const std::size_t rounded = (bytes + step - 1) / step * step;
    return rounded < bytes ? bytes : rounded;
}

PoolState::PoolState(Context& context) noexcept
    : context_(context), allocator_(context.backend().allocator(context.ordinal())) {}

bool PoolState::is_done(const Kept& kept) {
    for (const Use& use : kept.uses) {
        if (!use.event->is_done(Wait::No)) return false;
    }
    return true;
}

bool PoolState::is_usable(const Kept& kept, const StreamCore& core) {
    for (const Use& use : kept.uses) {
        if (!core.follows(*use.core) && !use.event->is_done(Wait::No)) return false;
    }
    return true;
}

void PoolState::recycle(std::vector<Use>& uses) {
    for (Use& use : uses) {
        if (use.event && spare_events_.size() < kSpareEvents) {
            spare_events_.push_back(std::move(use.event));
        }
    }
    uses.clear();
}

std::shared_ptr<BufferState> PoolState::allocate(std::size_t bytes,
                                                 const std::shared_ptr<StreamCore>& core) {
    sweep();
    auto buffer = std::make_shared<BufferState>(shared_from_this(), bytes);
    if (bytes == 0) return buffer;
    // Counts as a use from the start: what used the block before is over only in this order.
    buffer->note_use(core);
    const std::size_t block_bytes = pool_block_bytes(bytes);
    auto block = take_kept(block_bytes, *core);
    if (!block) block = new_block(block_bytes, bytes);
    buffer->adopt(*block);
    know(*block, buffer);
    return buffer;
}

std::shared_ptr<BufferState> PoolState::allocate_direct(std::size_t bytes, MemoryKind kind) {
    sweep();
    auto buffer = std::make_shared<BufferState>(shared_from_this(), bytes);
    if (bytes == 0) return buffer;
    Block block{.bytes = bytes, .origin = Block::Origin::Direct, .kind = kind};
    try {
        block.address = allocate_or_trim(bytes, kind);
    } catch (const OutOfMemoryError& error) {
        out_of_memory(bytes, error.what());
    }
    buffer->adopt(block);
    know(block, buffer);
    return buffer;
}

std::shared_ptr<BufferState> PoolState::wrap(DeviceAddress address, std::size_t bytes,
                                             std::shared_ptr<const void> owner) {
    auto buffer = std::make_shared<BufferState>(shared_from_this(), bytes);
    buffer->adopt({.address = address,
                   .bytes = bytes,
                   .origin = Block::Origin::Foreign,
                   .owner = std::move(owner)});
    return buffer;
}

std::optional<Block> PoolState::take_kept(std::size_t bytes, const StreamCore& core) {
    MutexLock lock(mutex_);
    const auto bin = bins_.find(bytes);
    if (bin == bins_.end()) return std::nullopt;
    auto& blocks = bin->second;
    // The latest first: it is the likeliest to be in cache, and often of this very stream.
    std::size_t probes = 0;
    for (std::size_t i = blocks.size(); i-- > 0 && probes < kProbedBlocks; ++probes) {
        if (!is_usable(blocks[i], core)) continue;
        const Block block = blocks[i].block;
        recycle(blocks[i].uses);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
        kept_bytes_ -= block.bytes;
        --kept_blocks_;
        return block;
    }
    return std::nullopt;
}

bool PoolState::reserve(std::size_t bytes) {
    MutexLock lock(mutex_);
    if (limit_ && (bytes > *limit_ || held_bytes_ > *limit_ - bytes)) return false;
    held_bytes_ += bytes;
    ++held_blocks_;
    return true;
}

void PoolState::unreserve(std::size_t bytes) noexcept {
    MutexLock lock(mutex_);
    held_bytes_ -= bytes;
    --held_blocks_;
}

Block PoolState::new_block(std::size_t bytes, std::size_t requested) {
    if (!reserve(bytes)) {
        free_held();
        if (!reserve(bytes)) out_of_memory(requested, "the limit of the memory pool is reached");
    }
    try {
        return {.address = allocate_or_trim(bytes, MemoryKind::Device), .bytes = bytes};
    } catch (const OutOfMemoryError& error) {
        unreserve(bytes);
        out_of_memory(requested, error.what());
    } catch (...) {
        unreserve(bytes);
        throw;
    }
}

DeviceAddress PoolState::allocate_or_trim(std::size_t bytes, MemoryKind kind) {
    try {
        return allocator_.allocate(bytes, kind);
    } catch (const OutOfMemoryError&) {
        log::info("{} is out of memory for {} bytes: kept blocks are given back", context_.name(),
                  bytes);
    }
    free_held();
    return allocator_.allocate(bytes, kind);
}

void PoolState::out_of_memory(std::size_t requested, const char* why) {
    const MemoryInfo device = memory();
    const Figures now = figures();
    const auto cap = limit();
    throw OutOfMemoryError(fmt::format(
        "cannot allocate {} bytes ({}) on {}: {}; {} bytes are free, the pool holds {} bytes, {} "
        "of them in use{}; free buffers, or ask for less",
        requested, human_bytes(requested), context_.name(), why, device.free, now.held_bytes,
        now.active_bytes, cap ? fmt::format(" (its limit is {} bytes)", *cap) : ""));
}

std::vector<PoolState::Use> PoolState::record_uses(
    std::span<const std::shared_ptr<StreamCore>> uses) {
    std::vector<Use> recorded;
    recorded.reserve(uses.size());
    for (const auto& core : uses) {
        std::unique_ptr<EventImpl> event;
        {
            MutexLock lock(mutex_);
            if (!spare_events_.empty()) {
                event = std::move(spare_events_.back());
                spare_events_.pop_back();
            }
        }
        if (!event) event = context_.backend().make_event(context_.ordinal(), false);
        if (core->record(*event)) recorded.push_back({core, std::move(event)});
    }
    return recorded;
}

void PoolState::give_back(const Block& block,
                          std::span<const std::shared_ptr<StreamCore>> uses) noexcept {
    const bool is_foreign = block.origin == Block::Origin::Foreign;
    if (is_foreign ? !block.owner : block.address == 0) return;
    Kept kept{.block = block, .uses = {}};
    try {
        kept.uses = record_uses(uses);
    } catch (const std::exception& error) {
        log::warning("{}: no event at the end of a buffer ({}); waiting for its streams instead",
                     context_.name(), error.what());
        for (const auto& core : uses) {
            try {
                core->wait_until_done();
            } catch (...) {
                context_.remember_error(std::current_exception());
            }
        }
    }
    try {
        keep(std::move(kept));
    } catch (const std::bad_alloc&) {
        log::error("{}: no memory to keep {} bytes for later; they are lost until the process ends",
                   context_.name(), block.bytes);
    }
}

void PoolState::keep(Kept kept) {
    if (kept.block.origin != Block::Origin::Pool) {
        {
            MutexLock lock(mutex_);
            leaving_.push_back(std::move(kept));
        }
        sweep();
        return;
    }
    bool is_over = false;
    {
        MutexLock lock(mutex_);
        const Block& block = kept.block;
        if (const auto known = known_.find(block.address); known != known_.end()) {
            known->second.buffer.reset();
        }
        auto& bin = bins_[block.bytes];
        kept_bytes_ += block.bytes;
        ++kept_blocks_;
        bin.push_back(std::move(kept));
        is_over = kept_bytes_ > context_.info().total_memory / kKeptShare;
    }
    if (is_over) evict_beyond_share();
}

void PoolState::evict_beyond_share() noexcept {
    const std::uint64_t share = context_.info().total_memory / kKeptShare;
    // The largest go first; blocks with work under way stay.
    while (true) {
        Block victim;
        {
            MutexLock lock(mutex_);
            for (auto bin = bins_.rbegin(); bin != bins_.rend() && victim.address == 0; ++bin) {
                auto& blocks = bin->second;
                for (std::size_t i = 0; i < blocks.size() && i < kProbedBlocks; ++i) {
                    if (!is_done(blocks[i])) continue;
                    victim = blocks[i].block;
                    recycle(blocks[i].uses);
                    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
                    break;
                }
            }
            if (victim.address == 0) return;
            kept_bytes_ -= victim.bytes;
            --kept_blocks_;
        }
        release(victim);
        MutexLock lock(mutex_);
        if (kept_bytes_ <= share) return;
    }
}

void PoolState::release(const Block& block) noexcept {
    if (block.origin == Block::Origin::Foreign) return;
    {
        MutexLock lock(mutex_);
        known_.erase(block.address);
    }
    allocator_.release(block.address, block.bytes, block.kind);
    if (block.origin == Block::Origin::Pool) unreserve(block.bytes);
}

void PoolState::sweep() noexcept {
    std::vector<Kept> done;
    {
        MutexLock lock(mutex_);
        if (leaving_.empty()) return;
        try {
            done.reserve(leaving_.size());
        } catch (const std::bad_alloc&) {
            return;  // tried again at the next sweep
        }
        for (std::size_t i = leaving_.size(); i-- > 0;) {
            if (!is_done(leaving_[i])) continue;
            done.push_back(std::move(leaving_[i]));
            leaving_.erase(leaving_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    // Owners are let go here, outside of the lock: their deleters are not ours.
    for (const Kept& kept : done) release(kept.block);
}

void PoolState::free_held() {
    std::vector<Kept> blocks;
    {
        MutexLock lock(mutex_);
        for (auto& [bytes, bin] : bins_) {
            blocks.insert(blocks.end(), std::make_move_iterator(bin.begin()),
                          std::make_move_iterator(bin.end()));
        }
        bins_.clear();
        for (const Kept& kept : blocks) kept_bytes_ -= kept.block.bytes;
        kept_blocks_ -= blocks.size();
        blocks.insert(blocks.end(), std::make_move_iterator(leaving_.begin()),
                      std::make_move_iterator(leaving_.end()));
        leaving_.clear();
    }
    wait_and_release(blocks);
}

void PoolState::wait_and_release(std::vector<Kept>& blocks) {
    while (!blocks.empty()) {
        try {
            for (const Use& use : blocks.back().uses) use.event->is_done(Wait::Yes);
        } catch (...) {
            put_back(blocks);
            throw;
        }
        const Kept kept = std::move(blocks.back());
        blocks.pop_back();
        release(kept.block);
    }
}

void PoolState::put_back(std::vector<Kept>& blocks) {
    while (!blocks.empty()) {
        keep(std::move(blocks.back()));
        blocks.pop_back();
    }
}

void PoolState::know(const Block& block, const std::shared_ptr<BufferState>& buffer) {
    MutexLock lock(mutex_);
    known_[block.address] = {buffer->size(), block.kind == MemoryKind::PageLocked, buffer};
}

PoolState::Place PoolState::find(DeviceAddress address) {
    MutexLock lock(mutex_);
    auto entry = known_.upper_bound(address);
    if (entry == known_.begin()) return {};
    --entry;
    const auto& [start, known] = *entry;
    if (address - start >= known.bytes) return {};
    return {true, known.is_host, start, known.buffer.lock()};
}

MemoryInfo PoolState::memory() {
    MemoryInfo info = allocator_.info();
    MutexLock lock(mutex_);
    // A request that finds too little waits for all of these.
    info.free += kept_bytes_;
    for (const Kept& kept : leaving_) {
        if (kept.block.origin == Block::Origin::Direct) info.free += kept.block.bytes;
    }
    return info;
}

PoolState::Figures PoolState::figures() {
    MutexLock lock(mutex_);
    return {held_bytes_, held_bytes_ - kept_bytes_, held_blocks_, held_blocks_ - kept_blocks_};
}

std::optional<std::uint64_t> PoolState::limit() {
    MutexLock lock(mutex_);
    return limit_;
}

void PoolState::set_limit(std::optional<std::uint64_t> bytes) {
    {
        MutexLock lock(mutex_);
        limit_ = bytes;
        if (!bytes || held_bytes_ <= *bytes) return;
    }
    free_held();
}

}  // namespace warpwise::runtime
