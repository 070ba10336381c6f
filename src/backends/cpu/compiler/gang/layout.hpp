// How the threads of a block lie in vectors: a gang is `pieces` vectors of `width` lanes each.
#pragma once

namespace warpwise::cpu_compiler::gang {

struct Layout {
    enum class Cut {
        AlongX,  // lane l of piece p is the gang's thread p * width + l of one row of the block
        Tiles,   // lane l of piece p is thread (l, p) of a tile of `width` columns, `pieces` rows
        Linear,  // as AlongX, by linear thread index, as warps are cut
    };

    unsigned width = 16;
    unsigned pieces = 1;
    Cut cut = Cut::AlongX;
    bool is_warp = false;  // a gang is a warp, whole or the last of its block

    unsigned lanes() const { return width * pieces; }
    bool is_linear() const { return cut == Cut::Linear; }
    bool has_rows() const { return cut == Cut::Tiles; }
};

}  // namespace warpwise::cpu_compiler::gang
