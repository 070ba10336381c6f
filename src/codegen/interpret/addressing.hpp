// Where the elements of an operand lie, for chunks of points, and moving them to and from chunks.
//
// Threading: plain values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/codegen/group.hpp"
#include "src/runtime/launch/inline_list.hpp"

namespace warpwise::codegen::interpret {

// `count` elements of `item` bytes, each as the one at `value`.
void fill(void* to, const void* value, std::int64_t item, std::int64_t count);
// Moves single elements of 1, 4 or 8 bytes; a bool that is read becomes 0 or 1.
void gather(Kind kind, void* to, const std::byte* from, std::int64_t stride, std::int64_t count);
void scatter(Kind kind, std::byte* to, std::int64_t stride, const void* from, std::int64_t count);
// The same, element i another offsets[i] bytes further.
void gather_at(Kind kind, void* to, const std::byte* from, std::int64_t stride,
               const std::int64_t* offsets, std::int64_t count);
void scatter_at(Kind kind, std::byte* to, const std::int64_t* offsets, const void* from,
                std::int64_t count);

// An operand over an iteration space, whose points are numbered in C order. Refers to the place and
// the extents.
class Elements {
  public:
    Elements(const Operand& operand, const Place& place, const Shape& extents);

    Kind kind() const noexcept { return kind_; }
    bool is_broadcast() const noexcept { return access_ == Access::Broadcast; }
    // The elements of points [first, first + count), where they lie as a chunk holds them: null
    // where they do not.
    const std::byte* as_chunk(std::int64_t first) const noexcept;
    void load(void* to, std::int64_t first, std::int64_t count) const;
    void store(const void* from, std::int64_t first, std::int64_t count) const;
    // Each element `offsets` bytes further.
    void load_at(void* to, const std::int64_t* offsets, std::int64_t first,
                 std::int64_t count) const;

    // The same by two numbers: `outer`, in C order over the first axes, and `inner` over the last
    // `inner_axes`, of which there are `inner_count`. Offsets in bytes of one and of the other.
    std::int64_t outer_offset(std::int64_t outer, int inner_axes,
                              std::int64_t inner_count) const noexcept;
    std::int64_t inner_offset(std::int64_t inner, int inner_axes) const noexcept;
    std::byte* origin() const noexcept { return origin_; }
    std::int64_t item_bytes() const noexcept { return item_; }

  private:
    template <class Run>
    void for_each_run(std::int64_t first, std::int64_t count, Run&& run) const;

    Kind kind_;
    Access access_;
    std::int64_t item_;
    std::byte* origin_;
    const Shape* extents_;
    const Strides* strides_;
};

// As __ww_bounded() of device/skeleton/indices.cuh, for `count` indices.
void bound(std::int64_t* to, const std::int64_t* indices, const std::int64_t* extents,
           const std::int64_t* sites, std::uint64_t report, std::int64_t count) noexcept;

// Of a loop: most have few.
using ElementsList = runtime::InlineList<Elements, 4>;

// The coordinates along `axis` of points [first, first + count) in C order.
void load_coordinates(std::int64_t* to, int axis, const Shape& extents, std::int64_t first,
                      std::int64_t count);

}  // namespace warpwise::codegen::interpret
