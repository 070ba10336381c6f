// Which elements of a memory an array shows, and reading one pending array through another.
//
// Threading: plain values and pure functions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "warpwise/dtype.hpp"
#include "warpwise/shape.hpp"

namespace warpwise::graph {

// Element (i, j, ...) lies `offset + i * strides[0] + j * strides[1] + ...` bytes after the start
// of the memory.
struct View {
    std::int64_t offset = 0;
    Shape shape;
    Strides strides;
    DType dtype;
};

// Where an operation reads an input: the same, over the axes of the operation.
struct Access {
    std::int64_t offset = 0;
    Strides strides;
    friend bool operator==(const Access&, const Access&) = default;
};

// From points of an iteration space to points of a node: coordinate k of the node is
// start[k] + sum over j of step[k * rank + j] * (coordinate j of the space).
struct IndexMap {
    int rank = 0;                     // of the space
    std::vector<std::int64_t> start;  // an entry for each axis of the node
    std::vector<std::int64_t> step;   // row by row
    friend bool operator==(const IndexMap&, const IndexMap&) = default;

    static IndexMap identity(int rank);
    // Of coordinate `axis` of the node along axis `along` of the space.
    std::int64_t step_of(int axis, int along) const noexcept {
        const auto row = static_cast<std::size_t>(axis) * static_cast<std::size_t>(rank);
        return step[row + static_cast<std::size_t>(along)];
    }
    bool is_identity() const noexcept;
    // First `first`, then this one: from the space of `first`.
    IndexMap after(const IndexMap& first) const;
    // What an operation of the node's space that reads with `access` reads, over the space.
    Access read(const Access& access) const;
};

// The map with which `access` over points of `space` reads elements of an array of `shape` whose
// elements lie at `layout`; empty where offsets do not determine coordinates inside of the shape.
std::optional<IndexMap> index_map(const Access& access, const Shape& space, const Shape& shape,
                                  const Strides& layout);

// The first and one past the last byte, relative to the memory, that elements of `item_bytes` lie
// in. Equal where there are no elements.
struct ByteRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
ByteRange bytes_of(const Access& access, const Shape& shape, std::int64_t item_bytes);

// Strides of a result of `shape`, without gaps, whose axes are ordered as those of the inputs
// (NumPy's order "K"). `inputs`: strides over the axes of the result.
Strides keep_order(const Shape& shape, std::int64_t item_bytes,
                   std::span<const Strides* const> inputs);
inline Strides keep_order(const Shape& shape, std::int64_t item_bytes,
                          std::initializer_list<const Strides*> inputs) {
    return keep_order(shape, item_bytes, std::span(inputs.begin(), inputs.size()));
}

// Strides of a copy, without gaps, in the order of memory of `strides` (NumPy's order "K" of copies
// and of arrays like another). Differs from keep_order() where elements repeat: an axis of stride 0
// varies fastest.
Strides memory_order(const Shape& shape, std::int64_t item_bytes, const Strides& strides);

}  // namespace warpwise::graph
