// Random numbers as values of expressions: one row each in draws.def.
//
// A draw is a pure function of the element's number, the generator's state (key, first block,
// jumps) and parameters, so that it can be computed wherever it is read.
//
// Threading: constants and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpwise::ir {

enum class Draw : std::uint8_t {
#define WARPWISE_DRAW(Name, ...) Name,
#include "src/ir/draws.def"
#undef WARPWISE_DRAW
    kCount
};

struct DrawRow {
    std::string_view name;
    int parameters = 0;  // at most 2
    std::string_view spelling;
};

// The numbers that a draw has besides its parameters: key, first block, jumps.
inline constexpr std::size_t kDrawScalars = 3;

inline const DrawRow& row_of(Draw draw) noexcept {
    static constexpr std::array kRows{
#define WARPWISE_DRAW(Name, name, parameters, spelling) DrawRow{#name, parameters, spelling},
#include "src/ir/draws.def"
#undef WARPWISE_DRAW
    };
    return kRows[static_cast<std::size_t>(draw)];
}

}  // namespace warpwise::ir
