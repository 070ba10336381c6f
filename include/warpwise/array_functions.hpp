// Functions of arrays: creation, elementwise functions, movement, joining, reductions, products.
//
// Names, signatures and results are those of the Python array API standard, where it has the
// function, and NumPy's elsewhere; array.hpp has the rules about laziness, types and errors that
// hold for all of them. Everything is recorded, nothing runs, except where a line says so.
//
// Threading: any thread.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpwise/array.hpp"

namespace warpwise {

// --- Creation, on the current device unless one is given.

enum class Order : std::uint8_t { C, F };

WARPWISE_API Array empty(const Shape& shape, const DType& dtype = float64,
                         const std::optional<Device>& device = std::nullopt,
                         Order order = Order::C);
WARPWISE_API Array zeros(const Shape& shape, const DType& dtype = float64,
                         const std::optional<Device>& device = std::nullopt,
                         Order order = Order::C);
WARPWISE_API Array ones(const Shape& shape, const DType& dtype = float64,
                        const std::optional<Device>& device = std::nullopt, Order order = Order::C);
// Without a dtype: the scalar's.
WARPWISE_API Array full(const Shape& shape, const Scalar& value,
                        const std::optional<DType>& dtype = std::nullopt,
                        const std::optional<Device>& device = std::nullopt, Order order = Order::C);
// The elements of `values`, which broadcasts to the shape. Without a dtype or a device: those of
// `values`.
WARPWISE_API Array full(const Shape& shape, const Array& values,
                        const std::optional<DType>& dtype = std::nullopt,
                        const std::optional<Device>& device = std::nullopt, Order order = Order::C);
// On the device of `array`, with its shape and type unless others are given. Without an order: its
// axis order, or C order for a shape of another number of axes.
WARPWISE_API Array empty_like(const Array& array, const std::optional<DType>& dtype = std::nullopt,
                              std::optional<Order> order = std::nullopt,
                              const std::optional<Shape>& shape = std::nullopt);
WARPWISE_API Array zeros_like(const Array& array, const std::optional<DType>& dtype = std::nullopt,
                              std::optional<Order> order = std::nullopt,
                              const std::optional<Shape>& shape = std::nullopt);
WARPWISE_API Array ones_like(const Array& array, const std::optional<DType>& dtype = std::nullopt,
                             std::optional<Order> order = std::nullopt,
                             const std::optional<Shape>& shape = std::nullopt);
WARPWISE_API Array full_like(const Array& array, const Scalar& value,
                             const std::optional<DType>& dtype = std::nullopt,
                             std::optional<Order> order = std::nullopt,
                             const std::optional<Shape>& shape = std::nullopt);
WARPWISE_API Array full_like(const Array& array, const Array& values,
                             const std::optional<DType>& dtype = std::nullopt,
                             std::optional<Order> order = std::nullopt,
                             const std::optional<Shape>& shape = std::nullopt);
// ceil((stop - start) / step) values, each start + i * step as NumPy computes it. Throws
// ArgumentError for step 0 and for values that an integer dtype does not hold.
WARPWISE_API Array arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1,
                          const std::optional<DType>& dtype = std::nullopt,
                          const std::optional<Device>& device = std::nullopt);
// `count` values from `start` to `stop`, the last of them with `endpoint`, at equal distances.
// Throws ArgumentError for a negative count.
WARPWISE_API Array linspace(const Scalar& start, const Scalar& stop, std::int64_t count,
                            const std::optional<DType>& dtype = std::nullopt, bool endpoint = true,
                            const std::optional<Device>& device = std::nullopt);
// Between each pair of elements of two arrays, which broadcast: the values lie along the new axis
// `axis` of the result, of the arrays' common floating type.
WARPWISE_API Array linspace(const Array& start, const Array& stop, std::int64_t count,
                            const std::optional<DType>& dtype = std::nullopt, bool endpoint = true,
                            int axis = 0);
// base ** linspace(start, stop, count), as NumPy's.
WARPWISE_API Array logspace(const Scalar& start, const Scalar& stop, std::int64_t count,
                            const Scalar& base = 10.0,
                            const std::optional<DType>& dtype = std::nullopt, bool endpoint = true,
                            const std::optional<Device>& device = std::nullopt);
WARPWISE_API Array logspace(const Array& start, const Array& stop, std::int64_t count,
                            const Scalar& base = 10.0,
                            const std::optional<DType>& dtype = std::nullopt, bool endpoint = true,
                            int axis = 0);
// `count` values from `start` to `stop`, each the same multiple of the one before it; both may be
// negative or complex. Throws ArgumentError for zeros; where an array has one, values are NaN.
WARPWISE_API Array geomspace(const Scalar& start, const Scalar& stop, std::int64_t count,
                             const std::optional<DType>& dtype = std::nullopt, bool endpoint = true,
                             const std::optional<Device>& device = std::nullopt);
WARPWISE_API Array geomspace(const Array& start, const Array& stop, std::int64_t count,
                             const std::optional<DType>& dtype = std::nullopt, bool endpoint = true,
                             int axis = 0);
WARPWISE_API Array eye(std::int64_t rows, std::int64_t columns, std::int64_t diagonal = 0,
                       const DType& dtype = float64,
                       const std::optional<Device>& device = std::nullopt, Order order = Order::C);
// The elements on and below (above) diagonal `diagonal` of the last two axes, zeros elsewhere. Of
// an array of one axis: of the square matrix whose rows it is.
WARPWISE_API Array tril(const Array& array, std::int64_t diagonal = 0);
WARPWISE_API Array triu(const Array& array, std::int64_t diagonal = 0);
// A copy of host memory; strides in bytes, null for C order. The memory was read on return. F
// order is kept, all others become C order.
WARPWISE_API Array from_host(const void* data, const Shape& shape, const DType& dtype,
                             const Strides* strides = nullptr,
                             const std::optional<Device>& device = std::nullopt);
// Over memory that exists: no copy. `address` is that of element (0, 0, ...); `owner` (may be
// null) lives as long as any array over the memory.
WARPWISE_API Array from_pointer(std::uint64_t address, const Shape& shape, const DType& dtype,
                                const Strides* strides = nullptr,
                                const std::optional<Device>& device = std::nullopt,
                                std::shared_ptr<const void> owner = nullptr,
                                bool read_only = false);
// Over a part of a buffer, which others may use too; the first element lies at byte `offset`.
// Throws ArgumentError where elements lie outside of the buffer.
WARPWISE_API Array from_buffer(const Buffer& buffer, const Shape& shape, const DType& dtype,
                               const Strides* strides = nullptr, std::int64_t offset = 0);

// --- Types.

// The element type of a C++ type: type_of<float>() is float32.
template <class T>
constexpr DType type_of() {
    if constexpr (std::is_same_v<T, bool>) return bool_;
    if constexpr (std::is_same_v<T, float>) return float32;
    if constexpr (std::is_same_v<T, double>) return float64;
    if constexpr (std::is_same_v<T, std::complex<float>>) return complex64;
    if constexpr (std::is_same_v<T, std::complex<double>>) return complex128;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        constexpr DType kSigned[] = {int8, int16, int32, int64};
        constexpr DType kUnsigned[] = {uint8, uint16, uint32, uint64};
        constexpr std::size_t kWidth = sizeof(T) == 1   ? 0
                                       : sizeof(T) == 2 ? 1
                                       : sizeof(T) == 4 ? 2
                                                        : 3;
        return std::is_signed_v<T> ? kSigned[kWidth] : kUnsigned[kWidth];
    }
    static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<float>> ||
                      std::is_same_v<T, std::complex<double>>,
                  "no element type has this C++ type");
}
// A copy of the values; the shape is (size,) unless one is given.
template <class T>
Array from_vector(const std::vector<T>& values, const std::optional<Shape>& shape = std::nullopt,
                  const std::optional<Device>& device = std::nullopt) {
    const auto count = static_cast<std::int64_t>(values.size());
    const Array array = from_host(values.data(), Shape{count}, type_of<T>(), nullptr, device);
    return shape ? array.reshape(*shape) : array;
}

// Without `copy` the array itself where it has the dtype already.
WARPWISE_API Array astype(const Array& array, const DType& dtype, bool copy = true);
// NumPy's result_type: the type that the operands' common operation has. Throws ArgumentError for
// none.
WARPWISE_API DType result_type(std::span<const Operand> operands);
// Whether NumPy's "safe" rule allows the conversion.
WARPWISE_API bool can_cast(const DType& from, const DType& to);
// A new array, of the axis order of the old one, or of C or F order.
WARPWISE_API Array copy(const Array& array, std::optional<Order> order = std::nullopt);
// The array itself where it is C contiguous, else a copy that is.
WARPWISE_API Array ascontiguousarray(const Array& array);
// The array itself where it is on the device. Between devices: evaluates, and waits for the copy
// where it goes through the host.
WARPWISE_API Array to_device(const Array& array, const Device& device);

// --- Elementwise functions.

// What every elementwise function takes besides its operands.
struct Elementwise {
    std::optional<DType> dtype = std::nullopt;  // of the computation
    const Array* where = nullptr;  // other elements keep those of `out`, or are undefined
    Array* out = nullptr;          // written in place and returned
};

// One function for each row of src/ir/ops.def; generated.
//     Array sin(const Operand& x, const Elementwise& options = {});
//     Array add(const Operand& x1, const Operand& x2, const Elementwise& options = {});
#include "warpwise/array_elementwise.inc"

// {floor_divide(x1, x2), remainder(x1, x2)}
WARPWISE_API std::pair<Array, Array> divmod(const Operand& x1, const Operand& x2);

// --- Movement. Views, where a line does not say that they copy.

WARPWISE_API std::vector<Array> broadcast_arrays(std::span<const Array* const> arrays);
WARPWISE_API Array permute_dims(const Array& array, std::span<const int> axes);
WARPWISE_API Array matrix_transpose(const Array& array);  // the last two axes
WARPWISE_API Array moveaxis(const Array& array, std::span<const int> source,
                            std::span<const int> destination);
WARPWISE_API Array swapaxes(const Array& array, int axis1, int axis2);
// Without axes: every axis of extent 1.
WARPWISE_API Array squeeze(const Array& array,
                           const std::optional<std::vector<int>>& axes = std::nullopt);
WARPWISE_API Array expand_dims(const Array& array, std::span<const int> axes);
// A read-only view of all windows of these extents, one for each of `axes`, whose axes come last;
// without axes, over every axis. The windows overlap in memory.
WARPWISE_API Array sliding_window_view(const Array& array, const Shape& window,
                                       const std::optional<std::vector<int>>& axes = std::nullopt);
WARPWISE_API Array flip(const Array& array,
                        const std::optional<std::vector<int>>& axes = std::nullopt);
// Of one axis, in C order, in F order, or (unset) in that of memory; copies where it must.
WARPWISE_API Array ravel(const Array& array, std::optional<Order> order = Order::C);
// With the elements of both shapes counted in the order; copies where it must, as `copy` says.
WARPWISE_API Array reshape(const Array& array, const Shape& shape, Order order,
                           std::optional<bool> copy = std::nullopt);
// Copies. Without axes, in C order over the whole array.
WARPWISE_API Array roll(const Array& array, std::span<const std::int64_t> shift,
                        const std::optional<std::vector<int>>& axes = std::nullopt);
WARPWISE_API Array tile(const Array& array, std::span<const std::int64_t> repetitions);  // copies
// Each element `count` times; copies. Without an axis, the raveled array.
WARPWISE_API Array repeat(const Array& array, std::int64_t count,
                          std::optional<int> axis = std::nullopt);
// Copies, of the promoted type. Without an axis, the raveled arrays.
WARPWISE_API Array concat(std::span<const Array* const> arrays, std::optional<int> axis = 0);
WARPWISE_API Array stack(std::span<const Array* const> arrays, int axis = 0);
WARPWISE_API std::vector<Array> unstack(const Array& array, int axis = 0);
// indexing "xy" (the first two axes exchanged) or "ij". Without `copy` views that are read-only; of
// `sparse` ones each has at most one extent other than 1.
WARPWISE_API std::vector<Array> meshgrid(std::span<const Array* const> arrays,
                                         std::string_view indexing = "xy", bool sparse = false,
                                         bool copy = true);
// array[1:] - array[:-1] along the axis, `n` times.
WARPWISE_API Array diff(const Array& array, int axis = -1, int n = 1);

// --- By index arrays. Indices are positions along an axis, negative ones from its end, or, without
// an axis, of the raveled array. Those in host memory are checked at once, those in an Array when
// the kernel has run, as Array::at() says; `mode` "wrap" takes them modulo the extent, "clip"
// replaces them by the nearest (negative ones by 0), and neither is an error then.

// Copies: indices in place of the axis.
WARPWISE_API Array take(const Array& array, const IndexArray& indices,
                        std::optional<int> axis = std::nullopt, std::string_view mode = "raise");
// Copies: result[i, j, k] = array[i, indices[i, j, k], k] for axis 1. Other axes broadcast.
WARPWISE_API Array take_along_axis(const Array& array, const IndexArray& indices,
                                   std::optional<int> axis = -1);
// Write in place; of equal indices the last one's value stays. put() counts in C order over the
// array and begins again where there are fewer values than indices; the values of put_along_axis()
// broadcast.
WARPWISE_API void put(Array& array, const IndexArray& indices, const Operand& values,
                      std::string_view mode = "raise");
WARPWISE_API void put_along_axis(Array& array, const IndexArray& indices, const Operand& values,
                                 std::optional<int> axis);

// --- Reductions. Over nothing they give their identity; where there is none they throw
// ArgumentError.

struct Reduction {
    std::optional<std::vector<int>> axes = std::nullopt;  // unset: all
    bool keepdims = false;
    std::optional<DType> dtype = std::nullopt;  // of the accumulator and the result
    Array* out = nullptr;                       // written in place and returned
    // What sums, products, min and max begin with, and are over nothing. Its value must be one of
    // the result's type. Other functions refuse it.
    std::optional<Scalar> initial = std::nullopt;
    // Bool, broadcast to the array's shape: the elements that count. min and max need `initial`
    // beside it. ptp and medians refuse it.
    const Array* where = nullptr;
};
// Without a dtype: int64 or uint64 for narrower integers, else the array's. float16 and bfloat16
// are accumulated in float32.
WARPWISE_API Array sum(const Array& array, const Reduction& options = {});
WARPWISE_API Array prod(const Array& array, const Reduction& options = {});
WARPWISE_API Array min(const Array& array, const Reduction& options = {});
WARPWISE_API Array max(const Array& array, const Reduction& options = {});
WARPWISE_API Array any(const Array& array, const Reduction& options = {});
WARPWISE_API Array all(const Array& array, const Reduction& options = {});
WARPWISE_API Array count_nonzero(const Array& array, const Reduction& options = {});
// Integers in float64. var and std divide by count - correction.
WARPWISE_API Array mean(const Array& array, const Reduction& options = {});
WARPWISE_API Array var(const Array& array, const Reduction& options = {}, double correction = 0);
// NOLINTNEXTLINE(readability-identifier-naming): std is a namespace
WARPWISE_API Array std_(const Array& array, const Reduction& options = {}, double correction = 0);
// int64; the first of equals, or the first NaN. Without an axis: of the raveled array.
WARPWISE_API Array argmin(const Array& array, std::optional<int> axis = std::nullopt,
                          bool keepdims = false);
WARPWISE_API Array argmax(const Array& array, std::optional<int> axis = std::nullopt,
                          bool keepdims = false);

// --- Products.

WARPWISE_API Array matmul(const Array& x1, const Array& x2);
// Sum of conj(x1) * x2 along the axis.
WARPWISE_API Array vecdot(const Array& x1, const Array& x2, int axis = -1);
// Over the axes1[i] of x1 with the axes2[i] of x2; the result has the other axes of x1, then of x2.
WARPWISE_API Array tensordot(const Array& x1, const Array& x2, std::span<const int> axes1,
                             std::span<const int> axes2);
WARPWISE_API Array tensordot(const Array& x1, const Array& x2, int axes = 2);

}  // namespace warpwise
