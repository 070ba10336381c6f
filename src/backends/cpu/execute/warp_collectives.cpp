// The results of warp collectives, once all lanes have arrived.
#include <algorithm>
#include <bit>

#include "src/backends/cpu/execute/fiber_block.hpp"

namespace warpwise::cpu {
namespace {

template <class Visit>
void for_each_lane(std::uint32_t mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

// The lane a shuffle reads from; the own one where CUDA requires it (outside the segment).
std::uint32_t source_lane(std::uint32_t lane, const WarpCall& call) {
    // CUDA defines powers of two up to 32; anything else counts as the whole warp.
    const bool is_width = std::has_single_bit(call.width) && call.width <= kWarpSize;
    const std::uint32_t width = is_width ? call.width : kWarpSize;
    const std::uint32_t first = lane & ~(width - 1);
    const std::uint32_t place = lane - first;
    switch (call.mode) {
        case kShuffleIndex:
            return first + (call.operand & (width - 1));
        case kShuffleUp:
            return call.operand <= place ? lane - call.operand : lane;
        case kShuffleDown:
            return call.operand < width - place ? lane + call.operand : lane;
        default: {
            // Reading from a later segment gives the own value, from an earlier one is allowed.
            const std::uint32_t source = lane ^ (call.operand & (kWarpSize - 1));
            return source < first + width ? source : lane;
        }
    }
}

std::uint32_t combine(std::uint32_t op, std::uint32_t a, std::uint32_t b) {
    const auto signed_a = static_cast<std::int32_t>(a);
    const auto signed_b = static_cast<std::int32_t>(b);
    switch (op) {
        case kReduceAdd:
            return a + b;
        case kReduceMinS:
            return static_cast<std::uint32_t>(std::min(signed_a, signed_b));
        case kReduceMaxS:
            return static_cast<std::uint32_t>(std::max(signed_a, signed_b));
        case kReduceMinU:
            return std::min(a, b);
        case kReduceMaxU:
            return std::max(a, b);
        case kReduceAnd:
            return a & b;
        case kReduceOr:
            return a | b;
        default:
            return a ^ b;
    }
}

std::uint64_t reduce(WarpLane* const* lanes, std::uint32_t live) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(live));
    auto result = static_cast<std::uint32_t>(lanes[first]->call.value);
    for_each_lane(live & (live - 1), [&](std::uint32_t lane) {
        result = combine(lanes[first]->call.mode, result,
                         static_cast<std::uint32_t>(lanes[lane]->call.value));
    });
    return result;
}

std::uint64_t ballot(WarpLane* const* lanes, std::uint32_t live) {
    std::uint32_t votes = 0;
    for_each_lane(live, [&](std::uint32_t lane) {
        if (lanes[lane]->call.value != 0) votes |= 1u << lane;
    });
    return votes;
}

std::uint32_t lanes_equal_to(WarpLane* const* lanes, std::uint32_t live, std::uint64_t value) {
    std::uint32_t equal = 0;
    for_each_lane(live, [&](std::uint32_t other) {
        if (lanes[other]->call.value == value) equal |= 1u << other;
    });
    return equal;
}

}  // namespace

void compute_collective(WarpLane* const* lanes, std::uint32_t live) {
    const WarpLane& first = *lanes[std::countr_zero(live)];
    const auto give_all = [&](std::uint64_t result) {
        for_each_lane(live, [&](std::uint32_t lane) { lanes[lane]->result = result; });
    };
    switch (first.call.kind) {
        case Collective::SyncWarp:
            break;
        case Collective::ActiveMask:
            give_all(live);
            break;
        case Collective::Ballot:
            give_all(ballot(lanes, live));
            break;
        case Collective::Reduce:
            give_all(reduce(lanes, live));
            break;
        case Collective::MatchAll: {
            const bool agree = lanes_equal_to(lanes, live, first.call.value) == live;
            give_all(agree ? live : 0);
            break;
        }
        case Collective::MatchAny:
            for_each_lane(live, [&](std::uint32_t lane) {
                lanes[lane]->result = lanes_equal_to(lanes, live, lanes[lane]->call.value);
            });
            break;
        case Collective::Shuffle32:
        case Collective::Shuffle64:
            for_each_lane(live, [&](std::uint32_t lane) {
                // A source that does not take part is undefined in CUDA; here: the own value.
                const std::uint32_t source = source_lane(lane, lanes[lane]->call);
                const bool takes_part = (live >> source & 1u) != 0;
                lanes[lane]->result = lanes[takes_part ? source : lane]->call.value;
            });
            break;
    }
}

}  // namespace warpwise::cpu
