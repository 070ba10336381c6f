// The values of an array in host memory, as a range and with an index for each axis.
//
//   const auto x = ww::fetch<float>(array);                  // evaluates and copies
//   for (float value : x) ...;                               // a contiguous range, in C order
//   const float corner = x(0, 2);                            // an index for each axis
//   for (std::span<const float> row : x.rows()) ...;         // over the last axis
//   const float largest = std::ranges::max(x);
//   std::mdspan view(x.data(), x.extent(0), x.extent(1));    // where the standard library has it
//
// Contract: the values lie in C order without gaps, whatever strides the array had; they are a
// copy, which later writes to the array do not change. rank(), extent(), stride() and size() are
// std::mdspan's: strides count elements.
// Ownership: a Fetched owns its values and can be moved, not copied.
// Errors: fetch() throws ArgumentError (kind Type) where T is not the array's element type, and
// what evaluation throws. at() throws ArgumentError (kind Index); operator() is not checked.
// Threading: as of a std::vector.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpwise/array.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/error.hpp"
#include "warpwise/shape.hpp"

namespace warpwise {

template <class T>
class Fetched {
  public:
    using element_type = T;
    using value_type = T;
    using index_type = std::int64_t;
    using iterator = T*;
    using const_iterator = const T*;

    // As many values as the shape has elements. For fetch() and for tests.
    explicit Fetched(const Shape& shape)
        : shape_(shape),
          size_(static_cast<std::size_t>(count_of(shape))),
          values_(std::make_unique<T[]>(size_)) {
        std::int64_t step = 1;
        strides_ = Axes::filled(shape.size(), 0);
        for (int axis = shape.size() - 1; axis >= 0; --axis) {
            strides_[axis] = step;
            step *= shape[axis];
        }
    }

    // --- As std::mdspan.
    int rank() const noexcept { return shape_.size(); }
    std::int64_t extent(int axis) const noexcept { return shape_[axis]; }
    std::int64_t stride(int axis) const noexcept { return strides_[axis]; }
    const Shape& shape() const noexcept { return shape_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* data_handle() noexcept { return values_.get(); }
    const T* data_handle() const noexcept { return values_.get(); }

    // --- As a range of all values.
    T* data() noexcept { return values_.get(); }
    const T* data() const noexcept { return values_.get(); }
    T* begin() noexcept { return values_.get(); }
    T* end() noexcept { return values_.get() + size_; }
    const T* begin() const noexcept { return values_.get(); }
    const T* end() const noexcept { return values_.get() + size_; }

    // --- One element: as many indices as there are axes, each from 0 to its extent - 1.
    template <std::convertible_to<std::int64_t>... Indices>
    T& operator()(Indices... indices) noexcept {
        return values_[place_of(
            std::array<std::int64_t, sizeof...(Indices)>{static_cast<std::int64_t>(indices)...})];
    }
    template <std::convertible_to<std::int64_t>... Indices>
    const T& operator()(Indices... indices) const noexcept {
        return const_cast<Fetched&>(*this)(indices...);
    }
    template <std::convertible_to<std::int64_t> Index, std::size_t kRank>
    T& operator[](const std::array<Index, kRank>& indices) noexcept {
        return values_[place_of(indices)];
    }
    template <std::convertible_to<std::int64_t> Index, std::size_t kRank>
    const T& operator[](const std::array<Index, kRank>& indices) const noexcept {
        return values_[place_of(indices)];
    }
    // Checked; negative indices count from the end, as Python's.
    T& at(std::initializer_list<std::int64_t> indices) {
        return values_[checked_place(std::span(indices.begin(), indices.size()))];
    }
    const T& at(std::initializer_list<std::int64_t> indices) const {
        return values_[checked_place(std::span(indices.begin(), indices.size()))];
    }

    // --- Rows: along the last axis, numbered in C order. An array without axes is one row of one.
    std::int64_t row_count() const noexcept {
        if (rank() == 0) return 1;
        std::int64_t count = 1;
        for (int axis = 0; axis < rank() - 1; ++axis) count *= shape_[axis];
        return count;
    }
    std::span<T> row(std::int64_t number) noexcept {
        return {values_.get() + row_length() * static_cast<std::size_t>(number), row_length()};
    }
    std::span<const T> row(std::int64_t number) const noexcept {
        return {values_.get() + row_length() * static_cast<std::size_t>(number), row_length()};
    }
    // A random-access range of spans, valid as long as this object stays where it is.
    auto rows() noexcept {
        return std::views::iota(std::int64_t{0}, row_count()) |
               std::views::transform([this](std::int64_t number) { return row(number); });
    }
    auto rows() const noexcept {
        return std::views::iota(std::int64_t{0}, row_count()) |
               std::views::transform([this](std::int64_t number) { return row(number); });
    }

  private:
    std::size_t row_length() const noexcept {
        return rank() == 0 ? 1 : static_cast<std::size_t>(shape_[rank() - 1]);
    }

    template <class Index, std::size_t kRank>
    std::size_t place_of(const std::array<Index, kRank>& indices) const noexcept {
        std::int64_t place = 0;
        for (std::size_t axis = 0; axis < kRank; ++axis) {
            place += static_cast<std::int64_t>(indices[axis]) * strides_[static_cast<int>(axis)];
        }
        return static_cast<std::size_t>(place);
    }

    std::size_t checked_place(std::span<const std::int64_t> indices) const {
        if (static_cast<int>(indices.size()) != rank()) {
            throw ArgumentError(ArgumentError::Kind::Index,
                                "at() got " + std::to_string(indices.size()) +
                                    " indices for shape " + text_of(shape_) +
                                    "; give one for each axis");
        }
        std::int64_t place = 0;
        for (int axis = 0; axis < rank(); ++axis) {
            const std::int64_t given = indices[static_cast<std::size_t>(axis)];
            const std::int64_t index = given < 0 ? given + shape_[axis] : given;
            if (index < 0 || index >= shape_[axis]) {
                throw ArgumentError(ArgumentError::Kind::Index,
                                    "at() got index " + std::to_string(given) + " for axis " +
                                        std::to_string(axis) + " with size " +
                                        std::to_string(shape_[axis]));
            }
            place += index * strides_[axis];
        }
        return static_cast<std::size_t>(place);
    }

    Shape shape_;
    Strides strides_;  // elements
    std::size_t size_ = 0;
    std::unique_ptr<T[]> values_;
};

// Evaluates the array and copies its values. T is the element type: float for float32, bool,
// std::complex<double>, ... Convert with astype() first where it is another.
template <class T>
Fetched<T> fetch(const Array& array) {
    if (!(array.dtype() == type_of<T>())) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "fetch() of " + type_of<T>().name() + " got an array of " +
                                array.dtype().name() + "; convert it with astype() first");
    }
    Fetched<T> values(array.shape());
    if constexpr (std::is_same_v<T, bool>) {  // any byte but 0 is true
        const auto bytes = array.to_vector<unsigned char>();
        std::ranges::transform(bytes, values.begin(), [](unsigned char one) { return one != 0; });
    } else {
        array.get(values.data());
    }
    return values;
}

// An array of the values of a range, which is read once; the shape is (size,) unless one is given.
//
//   const auto x = ww::from_range(std::views::iota(0, 12), ww::Shape{3, 4});
template <std::ranges::input_range Range>
Array from_range(Range&& range, const std::optional<Shape>& shape = std::nullopt,
                 const std::optional<Device>& device = std::nullopt) {
    using Value = std::ranges::range_value_t<Range>;
    if constexpr (std::is_same_v<Value, bool>) {  // std::vector<bool> holds no bools
        std::vector<unsigned char> bytes;
        for (const bool one : range) bytes.push_back(one ? 1 : 0);
        return from_host(bytes.data(),
                         shape.value_or(Shape{static_cast<std::int64_t>(bytes.size())}), bool_,
                         nullptr, device);
    } else {
        std::vector<Value> values;
        if constexpr (std::ranges::sized_range<Range>) {
            values.reserve(static_cast<std::size_t>(std::ranges::size(range)));
        }
        for (auto&& value : range) values.push_back(value);
        return from_vector(values, shape, device);
    }
}

}  // namespace warpwise
