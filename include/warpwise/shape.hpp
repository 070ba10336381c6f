// Shapes and strides of arrays: up to 16 numbers, kept without allocation.
//
// Extents count elements, strides count bytes; the last axis varies fastest in C order. Strides may
// be negative or zero.
//
// Threading: plain values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "warpwise/export.hpp"

namespace warpwise {

inline constexpr int kMaxRank = 16;

// One number per axis. More than 16 throw ArgumentError.
class WARPWISE_API Axes {
  public:
    Axes() noexcept { std::fill_n(values_.begin(), kFew, 0); }
    Axes(const Axes& other) noexcept { take(other); }
    Axes& operator=(const Axes& other) noexcept {
        take(other);
        return *this;
    }
    ~Axes() = default;
    Axes(std::initializer_list<std::int64_t> values);
    explicit Axes(std::span<const std::int64_t> values);
    // `rank` times the same number.
    static Axes filled(int rank, std::int64_t value);

    int size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    std::int64_t& operator[](int axis) noexcept { return values_[static_cast<std::size_t>(axis)]; }
    std::int64_t operator[](int axis) const noexcept {
        return values_[static_cast<std::size_t>(axis)];
    }
    std::int64_t* begin() noexcept { return values_.data(); }
    std::int64_t* end() noexcept { return values_.data() + size_; }
    const std::int64_t* begin() const noexcept { return values_.data(); }
    const std::int64_t* end() const noexcept { return values_.data() + size_; }
    void push_back(std::int64_t value);
    void insert(int before, std::int64_t value);
    void erase(int axis) noexcept;

    friend bool operator==(const Axes& a, const Axes& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (int i = 0; i < a.size_; ++i) {
            if (a[i] != b[i]) return false;
        }
        return true;
    }

  private:
    // Most arrays have few axes: more are copied only where there are more.
    static constexpr int kFew = 4;
    void take(const Axes& other) noexcept {
        size_ = other.size_;
        std::copy_n(other.values_.begin(), kFew, values_.begin());
        for (int axis = kFew; axis < size_; ++axis) (*this)[axis] = other[axis];
    }

    int size_ = 0;
    std::array<std::int64_t, kMaxRank> values_;  // those from `size_` on mean nothing
};

using Shape = Axes;
using Strides = Axes;

// Elements of an array of this shape; 1 for rank 0. Throws ArgumentError for a negative extent and
// for counts beyond 2^63 - 1.
WARPWISE_API std::int64_t count_of(const Shape& shape);
// "(3, 4)", "(5,)", "()".
WARPWISE_API std::string text_of(const Axes& axes);
// Strides of an array without gaps, last axis fastest ("C") or first axis fastest ("F").
WARPWISE_API Strides c_strides(const Shape& shape, std::int64_t item_bytes);
WARPWISE_API Strides f_strides(const Shape& shape, std::int64_t item_bytes);
// As NumPy's flags: axes of extent 1 are ignored, empty arrays are contiguous.
WARPWISE_API bool is_c_contiguous(const Shape& shape, const Strides& strides,
                                  std::int64_t item_bytes);
WARPWISE_API bool is_f_contiguous(const Shape& shape, const Strides& strides,
                                  std::int64_t item_bytes);
// The shape that all of them broadcast to. Throws ArgumentError naming the shapes that do not.
WARPWISE_API Shape broadcast_shapes(std::span<const Shape> shapes);
// Strides with which an array of `shape` is read as one of `target`, 0 along repeated axes. Throws
// ArgumentError where it does not broadcast to it.
WARPWISE_API Strides broadcast_strides(const Shape& shape, const Strides& strides,
                                       const Shape& target);
// A possibly negative axis of an array of `rank` axes, from 0 on. Throws ArgumentError.
WARPWISE_API int checked_axis(std::int64_t axis, int rank);

}  // namespace warpwise
