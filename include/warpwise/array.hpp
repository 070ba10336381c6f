// Arrays: NumPy's operations on every device, computed when their values are needed.
//
//   ww::Array x = ww::linspace(0, 10, 1'000'000, ww::float32);
//   ww::Array y = ww::sin(x) * 2.0f + 1.0f;            // recorded; shapes and types are checked
//   std::vector<float> host = y.to_vector<float>();    // one kernel, one copy
//
// Laziness. An operation is recorded in the current stream of its device and runs when something
// looks: fetching, printing, address(), a kernel that takes the array, evaluate(), the end of a
// stream's scope, synchronisation. Elementwise operations, casts, broadcasts and reductions are
// fused into few kernels. Results are the same bits as when every operation runs at once
// (lazy(false)).
//
// Types. Promotion is NumPy 2's; C++ numbers are weak, as Python's: `x * 2.0` stays float32 for a
// float32 x. 0-d, empty and strided arrays are ordinary ones.
//
// Views. Slices, transposes and reshapes share memory with their array; writing one is seen through
// the other, as in NumPy.
//
// Ownership: an Array is a shared handle. The memory is released with the last handle, in the order
// of streams. Errors: ArgumentError for shapes, types, axes and indices, at the call; evaluation
// may throw OutOfMemoryError, CompileError, LaunchError and DeviceError, after which the array can
// be evaluated again. Threading: handles may be used from any thread; contents are ordered as
// recorded.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "warpwise/buffer.hpp"
#include "warpwise/device.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"
#include "warpwise/kernel.hpp"
#include "warpwise/scalar.hpp"
#include "warpwise/shape.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

namespace graph {
class Storage;
struct Value;
}  // namespace graph

class Array;
class Operand;

// One entry of an index: x[2, 1:5, newaxis, ..., rows].
struct Slice {
    std::optional<std::int64_t> start = std::nullopt, stop = std::nullopt, step = std::nullopt;
};
struct NewAxis {};
struct Ellipsis {};
// Indices into one axis, in host memory: checked when they are used.
struct Indices {
    Indices(std::vector<std::int64_t> indices)  // NOLINT: as the values themselves
        : shape{static_cast<std::int64_t>(indices.size())}, values(std::move(indices)) {}
    Indices(const Shape& extents, std::vector<std::int64_t> indices)
        : shape(extents), values(std::move(indices)) {}

    Shape shape;
    std::vector<std::int64_t> values;  // in C order
};
// An Array of integers indexes one axis; one of bools, as many axes as it has, by the places where
// it is true. A bool is a mask without axes: it adds an axis of extent 0 or 1.
using IndexItem = std::variant<std::int64_t, Slice, NewAxis, Ellipsis, bool, Indices, Array>;
// What functions such as take() index by: checked at once, or when the kernel has run.
using IndexArray = std::variant<Indices, Array>;

class WARPWISE_API Array {
  public:
    Array();  // float64 of shape (0,) on the current device
    Array(const Array&);
    Array(Array&&) noexcept;
    Array& operator=(const Array&);
    Array& operator=(Array&&) noexcept;
    ~Array();

    const Shape& shape() const noexcept;
    const Strides& strides() const noexcept;  // bytes
    DType dtype() const noexcept;
    int ndim() const noexcept { return shape().size(); }
    std::int64_t size() const noexcept;    // elements
    std::int64_t nbytes() const noexcept;  // size() * dtype().size()
    Device device() const;
    bool is_c_contiguous() const noexcept;
    bool is_f_contiguous() const noexcept;
    // True for broadcast_to() and memory that its owner gave read-only, and for views of them.
    bool is_read_only() const noexcept { return read_only_; }
    // Whether both show the same elements of the same memory as the same type.
    bool shows_same(const Array& other) const noexcept;
    // Of the first axis; throws ArgumentError for a 0-d array.
    std::int64_t length() const;

    // --- Views: no copy, whatever is pending.
    // Integers count from the end where negative and are checked at once; slices are clipped.
    //
    // With Indices, arrays or bools among the items (NumPy's advanced indexing) the result is a new
    // array. They broadcast to one shape, whose axes stand where the first of them is, or in front
    // where slices, new axes or an ellipsis lie between them; integers count as such items then.
    // Indices in an Array are checked when the kernel has run: one out of range reads the nearest
    // element, and the next fetch or synchronisation throws ArgumentError (kind Index) with line,
    // axis and value. A mask evaluates, to count what it selects.
    Array at(std::span<const IndexItem> index) const;
    Array at(std::initializer_list<IndexItem> index) const {
        return at(std::span<const IndexItem>(index.begin(), index.size()));
    }
    // A member of a structured array, for reading and writing; a field that is an array adds its
    // length as the last axis. Throws ArgumentError that names the fields there are.
    Array field(std::string_view name) const;
    Array transpose() const;  // axes reversed
    Array transpose(std::span<const int> axes) const;
    Array transpose(std::initializer_list<int> axes) const {
        return transpose(std::span<const int>(axes.begin(), axes.size()));
    }
    // -1 stands for what is left. A view where strides allow, else a copy; `copy` true always
    // copies, false throws ArgumentError where a view is not possible.
    Array reshape(const Shape& shape, std::optional<bool> copy = std::nullopt) const;
    Array broadcast_to(const Shape& shape) const;  // read-only
    Array real() const;  // complex: a view of the real parts; real kinds: the array
    Array imag() const;  // complex: a view; throws ArgumentError for real kinds
    // The same bytes as another type. One of another size needs a contiguous last axis, whose
    // extent changes in proportion.
    Array view(const DType& dtype) const;

    // --- Writing in place. The value broadcasts; axes of extent 1 that it has in front of the
    // target's are ignored. It is converted as NumPy's assignment does (2.7 to 2 in an integer
    // array), but complex values to real ones throw ArgumentError, as read-only targets do. It is
    // read before anything is written, however the two overlap.
    void assign(const Array& value);
    void assign(const Scalar& value);
    // x[index] = value. Of equal indices the last one's value stays. Indices in an Array are
    // checked as by at(). With such items the write is queued at once; masks alone, with a value
    // that broadcasts to the array, stay lazy.
    void assign(std::span<const IndexItem> index, const Operand& value);
    void assign(std::initializer_list<IndexItem> index, const Operand& value) {
        assign(std::span<const IndexItem>(index.begin(), index.size()), value);
    }
    // Evaluates into memory that is given: the elements lie in the buffer from now on, from its
    // first byte. Only for pending elements without gaps that no other array shows, and a buffer
    // that no array shows; false, and nothing has happened, where it is not so: assign to
    // from_buffer() then. Throws ArgumentError where the buffer is too small, was freed or is
    // another device's, and what evaluation throws.
    bool evaluate_into(const Buffer& buffer) const;
    // The operators compute as `x = x + value` and keep the type: where that is not a "same_kind"
    // conversion (int += float) they throw ArgumentError.
    Array& operator+=(const Operand& value);
    Array& operator-=(const Operand& value);
    Array& operator*=(const Operand& value);
    Array& operator/=(const Operand& value);

    // --- Fetching. All evaluate; blocking copies are complete on return. Host memory is of the
    // array's size, in C order.
    void get(void* host) const;
    // In the order of `stream`; the host memory must live until it is done.
    void get_async(void* host, const Stream& stream) const;
    // T must have the size of the element, and its kind where both are integers or floats; a
    // float16 may be fetched as its bits.
    template <class T>
    std::vector<T> to_vector() const {
        require_element(sizeof(T), std::floating_point<T>, std::integral<T>);
        std::vector<T> values(static_cast<std::size_t>(size()));
        get(values.data());
        return values;
    }
    Scalar item() const;  // of an array of one element
    // From host memory. It was read when set() returns; set_async() reads it in the order of
    // `stream`.
    void set(const void* host);
    void set_async(const void* host, const Stream& stream);

    // Evaluates. The memory is the array's for good: later operations on it run at once.
    std::uint64_t address() const;
    // Evaluates. The part of the memory that the elements lie in; operations stay lazy.
    Buffer buffer() const;
    // Evaluates, in the order of `stream` (null: the current one of its device). What a launch on
    // that stream takes as an argument: kernel(config, x.device_array(), n). The array must live
    // until then; operations stay lazy.
    DeviceArray device_array(const Stream* stream = nullptr) const;

    // For the library's own components.
    explicit Array(graph::Value value, bool read_only = false);
    const graph::Value& value() const noexcept { return *value_; }

  private:
    void require_element(std::size_t bytes, bool is_real, bool is_whole) const;

    std::unique_ptr<graph::Value> value_;
    bool read_only_ = false;
};

// An operand: an array or a number. Refers to the array, which must outlive it.
class WARPWISE_API Operand {
  public:
    Operand(const Array& array) noexcept : array_(&array) {}
    Operand(const Scalar& scalar) noexcept : scalar_(scalar) {}
    template <class T>
        requires std::is_arithmetic_v<T>
    Operand(T value) noexcept : scalar_(value) {}
    template <std::floating_point T>
    Operand(const std::complex<T>& value) noexcept : scalar_(value) {}
    const Array* array() const noexcept { return array_; }  // null: a number
    const Scalar& scalar() const noexcept { return scalar_; }

  private:
    const Array* array_ = nullptr;
    Scalar scalar_;
};

// An export of an array's memory to code outside of the library: DLPack, NumPy, memory views. The
// array is evaluated; while the export lives, operations on the memory run at once and, on a device
// that shares the host's memory, have ended when the call returns. Then laziness returns.
class WARPWISE_API Export {
  public:
    explicit Export(const Array& array);
    ~Export();
    Export(const Export&) = delete;
    Export& operator=(const Export&) = delete;

    const Array& array() const noexcept { return array_; }
    std::uint64_t address() const noexcept { return address_; }  // of the first element

  private:
    Array array_;
    Buffer memory_;
    std::uint64_t address_ = 0;
};

// --- Operators, as the functions add, subtract, ... of array_functions.hpp.
#define WARPWISE_ARRAY_OPERATOR(symbol)                                   \
    WARPWISE_API Array operator symbol(const Operand& a, const Array& b); \
    WARPWISE_API Array operator symbol(const Array& a, const Scalar& b);
WARPWISE_ARRAY_OPERATOR(+)
WARPWISE_ARRAY_OPERATOR(-)
WARPWISE_ARRAY_OPERATOR(*)
WARPWISE_ARRAY_OPERATOR(/)
WARPWISE_ARRAY_OPERATOR(%)
WARPWISE_ARRAY_OPERATOR(&)
WARPWISE_ARRAY_OPERATOR(|)
WARPWISE_ARRAY_OPERATOR(^)
WARPWISE_ARRAY_OPERATOR(<)
WARPWISE_ARRAY_OPERATOR(<=)
WARPWISE_ARRAY_OPERATOR(>)
WARPWISE_ARRAY_OPERATOR(>=)
#undef WARPWISE_ARRAY_OPERATOR
WARPWISE_API Array operator-(const Array& a);
WARPWISE_API Array operator~(const Array& a);

// --- Running.
// Several outputs in as few kernels as possible.
WARPWISE_API void evaluate(std::span<const Array* const> arrays);
template <std::same_as<Array>... Arrays>
void evaluate(const Arrays&... arrays) {
    const Array* const list[] = {&arrays...};
    evaluate(std::span<const Array* const>(list, sizeof...(arrays)));
}
// The kernels that evaluate() would launch.
WARPWISE_API std::string explain(std::span<const Array* const> arrays);
inline std::string explain(const Array& array) {
    const Array* const list[] = {&array};
    return explain(list);
}

// Whether operations of this thread are recorded (true) or run at once; returns what it was.
WARPWISE_API bool set_lazy(bool lazy) noexcept;
// While it lives, operations of this thread are recorded (true) or run at once (false).
class WARPWISE_API LazyScope {
  public:
    explicit LazyScope(bool lazy);
    ~LazyScope();
    LazyScope(const LazyScope&) = delete;
    LazyScope& operator=(const LazyScope&) = delete;

  private:
    bool previous_;
};

}  // namespace warpwise

#include "warpwise/array_functions.hpp"  // IWYU pragma: export
