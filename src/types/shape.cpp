// Shapes and strides: counts that are checked for overflow, broadcasting, contiguity.
#include "warpwise/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "warpwise/axis_error.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw ArgumentError(ArgumentError::Kind::Value, message);
}

void check_rank(std::size_t rank) {
    if (rank > static_cast<std::size_t>(kMaxRank)) {
        refuse(fmt::format("{} axes; arrays have at most {}", rank, kMaxRank));
    }
}

// Strides of an array without gaps whose axes, fastest first, are first, first + step, ...
Strides packed(const Shape& shape, std::int64_t item_bytes, int first, int step) {
    Strides strides = Strides::filled(shape.size(), 0);
    std::int64_t bytes = item_bytes;
    for (int i = 0, axis = first; i < shape.size(); ++i, axis += step) {
        strides[axis] = bytes;
        bytes *= std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
}

// Whether these are the strides that packed() gives, where they matter. Launches ask for each of
// their arrays.
bool is_packed(const Shape& shape, const Strides& strides, std::int64_t item_bytes, int first,
               int step) {
    bool is_dense = true;
    std::int64_t bytes = item_bytes;
    for (int i = 0, axis = first; i < shape.size(); ++i, axis += step) {
        const std::int64_t extent = shape[axis];
        if (extent == 0) return true;
        is_dense &= extent == 1 || strides[axis] == bytes;
        bytes *= extent;
    }
    return is_dense;
}

std::string list_of(std::span<const Shape> shapes) {
    std::string text;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (i > 0) text += i + 1 == shapes.size() ? " and " : ", ";
        text += text_of(shapes[i]);
    }
    return text;
}

}  // namespace

Axes::Axes(std::initializer_list<std::int64_t> values)
    : Axes(std::span<const std::int64_t>(values.begin(), values.size())) {}

Axes::Axes(std::span<const std::int64_t> values) {
    check_rank(values.size());
    std::ranges::copy(values, values_.begin());
    size_ = static_cast<int>(values.size());
}

Axes Axes::filled(int rank, std::int64_t value) {
    if (rank < 0) refuse(fmt::format("{} axes; the rank of an array is 0 to {}", rank, kMaxRank));
    check_rank(static_cast<std::size_t>(rank));
    Axes axes;
    axes.size_ = rank;
    std::fill(axes.begin(), axes.end(), value);
    return axes;
}

void Axes::push_back(std::int64_t value) {
    check_rank(static_cast<std::size_t>(size_) + 1);
    values_[static_cast<std::size_t>(size_++)] = value;
}

void Axes::insert(int before, std::int64_t value) {
    check_rank(static_cast<std::size_t>(size_) + 1);
    std::copy_backward(begin() + before, end(), end() + 1);
    ++size_;
    (*this)[before] = value;
}

void Axes::erase(int axis) noexcept {
    std::copy(begin() + axis + 1, end(), begin() + axis);
    --size_;
}

std::int64_t count_of(const Shape& shape) {
    std::int64_t count = 1;
    bool overflows = false;
    for (const std::int64_t extent : shape) {
        if (extent < 0) {
            refuse(fmt::format("shape {} has a negative extent; extents are 0 or more",
                               text_of(shape)));
        }
        overflows |= __builtin_mul_overflow(count, extent, &count);
    }
    if (std::ranges::find(shape, 0) != shape.end()) return 0;
    if (overflows) {
        refuse(fmt::format("shape {} has more than 2^63 - 1 elements", text_of(shape)));
    }
    return count;
}

std::string text_of(const Axes& axes) {
    if (axes.size() == 1) return fmt::format("({},)", axes[0]);
    return fmt::format("({})", fmt::join(axes.begin(), axes.end(), ", "));
}

Strides c_strides(const Shape& shape, std::int64_t item_bytes) {
    return packed(shape, item_bytes, shape.size() - 1, -1);
}

Strides f_strides(const Shape& shape, std::int64_t item_bytes) {
    return packed(shape, item_bytes, 0, 1);
}

bool is_c_contiguous(const Shape& shape, const Strides& strides, std::int64_t item_bytes) {
    return is_packed(shape, strides, item_bytes, shape.size() - 1, -1);
}

bool is_f_contiguous(const Shape& shape, const Strides& strides, std::int64_t item_bytes) {
    return is_packed(shape, strides, item_bytes, 0, 1);
}

Shape broadcast_shapes(std::span<const Shape> shapes) {
    int rank = 0;
    for (const Shape& shape : shapes) rank = std::max(rank, shape.size());
    Shape result = Shape::filled(rank, 1);
    for (const Shape& shape : shapes) {
        const int missing = rank - shape.size();
        for (int axis = 0; axis < shape.size(); ++axis) {
            std::int64_t& extent = result[missing + axis];
            if (shape[axis] == 1 || shape[axis] == extent) continue;
            if (extent != 1) {
                refuse(
                    fmt::format("shapes {} could not be broadcast together: axis {} from the end "
                                "has extents {} and {}; extents must be equal or 1",
                                list_of(shapes), shape.size() - axis, extent, shape[axis]));
            }
            extent = shape[axis];
        }
    }
    return result;
}

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target) {
    const int missing = target.size() - shape.size();
    Strides result = Strides::filled(target.size(), 0);
    for (int axis = 0; axis < shape.size(); ++axis) {
        if (missing < 0 || (shape[axis] != 1 && shape[axis] != target[missing + axis])) {
            refuse(fmt::format("shape {} does not broadcast to {}; extents must be equal or 1",
                               text_of(shape), text_of(target)));
        }
        // An axis of extent 1 is never stepped along, so its stride does not matter unless it is
        // repeated.
        const bool is_repeated = shape[axis] != target[missing + axis];
        result[missing + axis] = is_repeated ? 0 : strides[axis];
    }
    return result;
}

int checked_axis(std::int64_t axis, int rank) {
    if (axis < -rank || axis >= rank) {
        // NumPy's words first, which programs look for.
        const auto axes = rank == 0 ? std::string("it has no axes")
                                    : fmt::format("axes are {} to {}", -rank, rank - 1);
        throw AxisError(
            fmt::format("axis {} is out of bounds for array of dimension {}; {}", axis, rank, axes),
            axis, rank);
    }
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace warpwise
