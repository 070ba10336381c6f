// What a pool holds, in figures and in words.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "warpwise/error.hpp"

namespace warpwise::runtime {
namespace {

constexpr std::size_t kReportedSizes = 8;

// Allocations of one size, and what they are.
struct Group {
    std::size_t count = 0;
    const char* what = "";
};
using Groups = std::map<std::pair<std::size_t, int>, Group, std::greater<>>;

const char* kind_word(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::PageLocked:
        case MemoryKind::WriteCombined:
            return " (page-locked)";
        case MemoryKind::Managed:
            return " (managed)";
        case MemoryKind::Registered:
            return " (registered)";
        case MemoryKind::Device:
            break;
    }
    return " (unpooled)";
}

std::string describe_groups(const Groups& groups) {
    if (groups.empty()) return "none";
    std::vector<std::string> texts;
    std::uint64_t rest_bytes = 0;
    std::size_t rest_count = 0;
    for (const auto& [key, group] : groups) {
        if (texts.size() < kReportedSizes) {
            texts.push_back(
                fmt::format("{} x {}{}", group.count, human_bytes(key.first), group.what));
        } else {
            rest_bytes += key.first * group.count;
            rest_count += group.count;
        }
    }
    if (rest_count > 0) {
        texts.push_back(
            fmt::format("{} smaller of {} together", rest_count, human_bytes(rest_bytes)));
    }
    return join(texts);
}

}  // namespace

void PoolState::out_of_memory(std::size_t requested, const std::string& why) {
    const MemoryInfo device = memory();
    const PoolStatistics now = statistics();
    const auto cap = limit();
    throw OutOfMemoryError(fmt::format(
        "cannot allocate {} ({} bytes) on {}: {}; {} are free with what the pool keeps; it holds "
        "{}, {} of them in use{}; free buffers, or ask for less\n{}",
        human_bytes(requested), requested, ledger_.context.name(), why, human_bytes(device.free),
        human_bytes(now.held_bytes), human_bytes(now.active_bytes),
        cap ? fmt::format(" (its limit is {})", human_bytes(*cap)) : "", report()));
}

std::string PoolState::report() {
    Groups live, free;
    std::uint64_t free_bytes = 0, kept_apart = 0;
    std::size_t segments = 0;
    clear_shelf();
    {
        MutexLock lock(ledger_.mutex);
        segments = ledger_.pieces.segment_count();
        const auto count = [](Groups& groups, std::size_t bytes, int kind, const char* what) {
            Group& group = groups[{bytes, kind}];
            ++group.count;
            group.what = what;
        };
        ledger_.pieces.for_each([&](const Piece& piece) {
            if (piece.state == Piece::State::Used) return count(live, piece.bytes, 0, "");
            if (!piece.is_kept()) return;
            count(free, piece.bytes, 0, "");
            free_bytes += piece.bytes;
            if (!piece.uses.empty()) kept_apart += piece.bytes;
        });
        for (const auto& [address, known] : ledger_.direct) {
            count(live, known.bytes, 1 + static_cast<int>(known.kind), kind_word(known.kind));
        }
    }
    return fmt::format(
        "in use, largest first: {}\n"
        "kept for reuse: {}, the largest piece {}, {} of it after a stream's work: {}\n"
        "segments: {}, which hold both",
        describe_groups(live), human_bytes(free_bytes),
        human_bytes(free.empty() ? 0 : free.begin()->first.first), human_bytes(kept_apart),
        describe_groups(free), segments);
}

PoolStatistics PoolState::statistics() {
    clear_shelf();
    MutexLock lock(ledger_.mutex);
    PoolStatistics now;
    now.held_bytes = ledger_.held_bytes;
    now.active_bytes = ledger_.active_bytes;
    now.peak_bytes = ledger_.peak_bytes;
    now.segments = ledger_.pieces.segment_count();
    now.active_blocks = ledger_.active_blocks;
    now.held_blocks = ledger_.active_blocks;
    ledger_.pieces.for_each([&](const Piece& piece) {
        if (!piece.is_kept()) return;
        ++now.held_blocks;
        now.largest_free_bytes = std::max<std::uint64_t>(now.largest_free_bytes, piece.bytes);
    });
    return now;
}

void PoolState::reset_peak() {
    clear_shelf();
    MutexLock lock(ledger_.mutex);
    ledger_.peak_bytes.store(ledger_.active_bytes);
}

MemoryInfo PoolState::memory() {
    clear_shelf();
    MemoryInfo info = source_.allocator().info();
    MutexLock lock(ledger_.mutex);
    // A request that finds too little waits for all of these.
    info.free += ledger_.kept_bytes();
    for (const LeavingMemory& leaving : ledger_.leaving) {
        const bool comes_back = leaving.block.origin == Block::Origin::Direct &&
                                leaving.block.kind != MemoryKind::Registered;
        if (comes_back) info.free += leaving.block.bytes;
    }
    return info;
}

std::optional<std::uint64_t> PoolState::limit() {
    MutexLock lock(ledger_.mutex);
    return ledger_.limit;
}

void PoolState::set_limit(std::optional<std::uint64_t> bytes) {
    {
        MutexLock lock(ledger_.mutex);
        ledger_.limit = bytes;
        if (!bytes || ledger_.held_bytes <= *bytes) return;
    }
    free_held();
}

}  // namespace warpwise::runtime
