// How the threads of a block lie in vectors: a gang is `pieces` vectors of `width` lanes each, and
// lane l of piece p is the gang's thread p * width + l.
#pragma once

#include <array>
#include <cstdint>

namespace warpwise::cpu_compiler::gang {

struct Layout {
    unsigned width = 16;
    unsigned pieces = 1;
    // Cut by linear thread index, as warps are; else along x in each row of the block.
    bool is_linear = false;
    std::array<std::uint32_t, 3> block{};  // 0: known at the launch only

    unsigned lanes() const { return width * pieces; }
    bool knows_block() const { return block[0] != 0; }
};

}  // namespace warpwise::cpu_compiler::gang
