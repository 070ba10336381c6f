// XORWOW's numbers as arrays: the states of its subsequences on a device, and the kernels that draw
// from them.
//
// Threading: any thread; calls on one generator take their numbers in the order in which they come.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "src/array/parts.hpp"
#include "src/base/mutex.hpp"
#include "src/ir/draw.hpp"
#include "warpwise/random.hpp"

namespace warpwise::random {

struct XORWOW::Shared {
    // The subsequences' states on one device, behind the blocks that `at` says.
    struct States {
        Array words;
        XORWOWState at;
    };
    Mutex mutex;
    XORWOWState state WARPWISE_GUARDED_BY(mutex);
    std::optional<SeedSequence> seed WARPWISE_GUARDED_BY(mutex);
    // A call takes them out, and puts them back behind its launch.
    std::map<const runtime::Context*, States> states WARPWISE_GUARDED_BY(mutex);
};

// Elements that share a block of four words.
int items_of(ir::Draw draw, Kind kind) noexcept;
// Blocks that a call of `elements` takes of each subsequence.
std::uint64_t xorwow_rows(std::int64_t elements, int items) noexcept;

struct XorwowCall {
    ir::Draw draw = ir::Draw::kCount;
    Kind kind = Kind::Void;         // of the result
    Kind computation = Kind::Void;  // parameters are converted to it
};
// Numbers of the call whose state was `state`, in C order of the shape.
Array xorwow_numbers(const XORWOW& bits, const XORWOWState& state, const XorwowCall& call,
                     std::span<const Operand> parameters, const Shape& shape,
                     runtime::Context& context);

}  // namespace warpwise::random
