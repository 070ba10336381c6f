// How the threads of a block lie in vectors: a gang is `pieces` vectors of `width` lanes each, and
// these lie in rows of `columns` vectors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu_compiler::gang {

// How far a piece is from the first one: so much for each column of pieces, so much for each row.
struct PieceStep {
    std::int64_t across = 0;
    std::int64_t down = 0;

    bool is_zero() const { return across == 0 && down == 0; }
    friend bool operator==(const PieceStep&, const PieceStep&) = default;
};

struct Layout {
    enum class Cut {
        AlongX,  // lane l of piece p is the gang's thread p * width + l of one row of the block
        Tiles,   // lane l of column c and row r is thread (c * width + l, r) of a tile
        Linear,  // as AlongX, by linear thread index, as warps are cut
    };

    unsigned width = 16;
    unsigned pieces = 1;
    unsigned columns_of_tile = 1;
    Cut cut = Cut::AlongX;
    bool is_warp = false;   // a gang is a warp, whole or the last of its block
    bool is_block = false;  // a gang is a whole block, of the shape `block`
    bool is_cut = false;    // it returns at barriers (cut.hpp); else a fiber runs it
    // A gang may begin at any thread of a block of one row, and end before it has all lanes; else
    // it begins at a multiple of its lanes (passes/split_rows.cpp).
    bool begins_anywhere = false;
    std::optional<std::array<std::uint32_t, 3>> block;  // where it is known

    unsigned lanes() const { return width * pieces; }
    // Warps are `pieces_of_warp()` pieces each, in order, where a gang is a warp or several.
    unsigned pieces_of_warp() const { return cpu::kWarpSize / width; }
    unsigned warps() const { return lanes() / cpu::kWarpSize; }
    bool is_linear() const { return cut == Cut::Linear; }
    bool has_rows() const { return cut == Cut::Tiles; }
    unsigned columns() const { return has_rows() ? columns_of_tile : pieces; }
    unsigned rows() const { return pieces / columns(); }
    std::int64_t offset(const PieceStep& step, unsigned piece) const {
        return step.across * (piece % columns()) + step.down * (piece / columns());
    }
    // With so many pieces, a power of two. Tiles of a known block lack no threads: their rows
    // divide its height; where these are fewer, there are more columns, or fewer pieces.
    Layout with_pieces(unsigned count) const {
        Layout layout = *this;
        layout.pieces = count;
        if (!has_rows()) return layout;
        unsigned rows = count;
        while (block && (*block)[1] % rows != 0) rows /= 2;
        unsigned columns = count / rows;
        while (columns > 1 && (*block)[0] % (width * columns) != 0) columns /= 2;
        layout.pieces = rows * columns;
        layout.columns_of_tile = rows == 1 ? 1 : columns;
        if (rows == 1) layout.cut = Cut::AlongX;
        return layout;
    }
    // Of a known block: whether no gang of it lacks a thread.
    bool is_always_full() const {
        if (!block || is_linear() || begins_anywhere) return false;
        return (*block)[0] % (width * columns()) == 0 && (*block)[1] % rows() == 0;
    }

    friend bool operator==(const Layout&, const Layout&) = default;
};

}  // namespace warpwise::cpu_compiler::gang
