// The handle: what an array is, and the parts that all families share.
#include "warpwise/array.hpp"

#include <algorithm>
#include <utility>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/types/promotion.hpp"

namespace warpwise {

Array::Array() : Array(warpwise::empty(Shape{0})) {}
Array::Array(graph::Value value, bool read_only)
    : value_(std::make_unique<graph::Value>(std::move(value))), read_only_(read_only) {}
Array::Array(const Array& other)
    : value_(std::make_unique<graph::Value>(*other.value_)), read_only_(other.read_only_) {}
Array::Array(Array&& other) noexcept = default;
Array& Array::operator=(const Array& other) {
    return *this = Array(other);
}
Array& Array::operator=(Array&& other) noexcept = default;
Array::~Array() = default;

const Shape& Array::shape() const noexcept {
    return value_->view.shape;
}
const Strides& Array::strides() const noexcept {
    return value_->view.strides;
}
DType Array::dtype() const noexcept {
    return value_->view.dtype;
}

std::int64_t Array::size() const noexcept {
    std::int64_t count = 1;  // an array's count fits: it was checked when it was made
    for (const std::int64_t extent : shape()) count *= extent;
    return count;
}

std::int64_t Array::nbytes() const noexcept {
    return size() * static_cast<std::int64_t>(dtype().size());
}

Device Array::device() const {
    return Device(value_->storage->shared_context());
}

bool Array::is_c_contiguous() const noexcept {
    return warpwise::is_c_contiguous(shape(), strides(),
                                     static_cast<std::int64_t>(value_->view.dtype.size()));
}
bool Array::is_f_contiguous() const noexcept {
    return warpwise::is_f_contiguous(shape(), strides(),
                                     static_cast<std::int64_t>(value_->view.dtype.size()));
}

bool Array::shows_same(const Array& other) const noexcept {
    const graph::View& a = value_->view;
    const graph::View& b = other.value_->view;
    return value_->storage == other.value_->storage && a.offset == b.offset && a.shape == b.shape &&
           a.strides == b.strides && a.dtype == b.dtype;
}

std::int64_t Array::length() const {
    if (ndim() == 0)
        array::refuse_type("len() of an array without axes; use size for its 1 element");
    return shape()[0];
}

void Array::require_element(std::size_t bytes, bool is_real, bool is_whole) const {
    if (bytes == dtype().size()) {
        const Kind kind = dtype().kind();
        const bool has_reals = kind == Kind::Float32 || kind == Kind::Float64;
        if (!(has_reals && is_whole) && !(types::is_integer(kind) && is_real)) return;
        array::refuse_type("to_vector got {} for elements of {}; convert them with astype first",
                           is_real ? "a floating-point type" : "an integer type", dtype().name());
    }
    array::refuse_type(
        "to_vector got a type of {} bytes for elements of {}, which have {}; use a type "
        "of the same size, or astype first",
        bytes, dtype().name(), dtype().size());
}

namespace array {

Array show(const Array& array, graph::View view) {
    return Array(graph::Value{array.value().storage, std::move(view)}, array.is_read_only());
}

Array part_along(const Array& array, int axis, std::int64_t begin, std::int64_t end) {
    graph::View view = array.value().view;
    view.offset += begin * view.strides[axis];
    view.shape[axis] = end - begin;
    return show(array, view);
}

runtime::Context& context_of(const Array& array) {
    return array.value().storage->context();
}

runtime::Context& context_of(const std::optional<Device>& device) {
    return device ? device->context() : *runtime::current_context();
}

void require_numbers(const Array& array, std::string_view function) {
    if (kind_of(array) != Kind::Struct) return;
    if (array.dtype().fields()->fields.empty()) {
        refuse_type("{} got an array of records without fields; use one of numbers", function);
    }
    refuse_type(
        "{} got an array of {}, whose elements are no numbers; use one of its fields, "
        "x['{}'] in Python, x.field(\"{}\") in C++",
        function, array.dtype().name(), array.dtype().fields()->fields[0].name,
        array.dtype().fields()->fields[0].name);
}

void require_array_dtype(const DType& dtype) {
    const Kind kind = dtype.kind();
    if (kind == Kind::Void || kind == Kind::Pointer) {
        refuse_type(
            "an array's dtype cannot be {}; use one such as float32, or uint64 for addresses",
            dtype.name());
    }
    if (dtype.lanes() != 1) {
        refuse_type(
            "an array's dtype cannot be {}; use {} with a last axis of extent {}, which fits "
            "kernels' parameters of type {}*",
            dtype.name(), DType(kind).name(), dtype.lanes(), dtype.cuda_name());
    }
}

void require_writable(const Array& array, std::string_view function) {
    if (!array.is_read_only()) return;
    refuse_value(
        "{} got an array of shape {} to write to that is read-only, such as one that was "
        "broadcast; write to a copy of it",
        function, text_of(array.shape()));
}

void require_same_device(const Array& a, const Array& b, std::string_view function) {
    if (&context_of(a) == &context_of(b)) return;
    refuse_value(
        "{} got arrays on {} and {}; arrays are never copied between devices by themselves, "
        "use to_device(x, \"{}\")",
        function, context_of(a).name(), context_of(b).name(), context_of(a).name());
}

std::vector<int> checked_axes(std::span<const int> axes, int rank, std::string_view function) {
    std::vector<int> checked;
    checked.reserve(axes.size());
    for (const int axis : axes) {
        const int from_zero = checked_axis(axis, rank);
        if (std::ranges::find(checked, from_zero) != checked.end()) {
            refuse_value("{} got axis {} twice; give each axis once", function, axis);
        }
        checked.push_back(from_zero);
    }
    return checked;
}

Array with_axis_of_scalar(const Array& array, std::optional<int> axis) {
    return array.ndim() == 0 && (axis == 0 || axis == -1) ? array.reshape(Shape{1}) : array;
}

std::optional<std::vector<int>> without_axis_of_scalar(
    const Array& array, const std::optional<std::vector<int>>& axes) {
    const bool is_of_scalar = array.ndim() == 0 && axes && axes->size() == 1;
    if (is_of_scalar && ((*axes)[0] == 0 || (*axes)[0] == -1)) return std::vector<int>{};
    return axes;
}

Array converted(const Array& array, Kind kind) {
    return kind_of(array) == kind ? array : Array(graph::cast(array.value(), kind));
}

Array constant(const Scalar& value, Kind kind, const Shape& shape, runtime::Context& context) {
    return Array(graph::scalar(value, kind, shape, context));
}

Array coordinate(const Shape& shape, int axis, runtime::Context& context) {
    return Array(graph::index(shape, axis, context));
}

Array empty_beside(const Array& array, const Shape& shape, const DType& dtype) {
    return Array(graph::empty(shape, dtype, context_of(array)));
}

bool broadcasts_to(const Shape& from, const Shape& to) noexcept {
    const int missing = to.size() - from.size();
    if (missing < 0) return false;
    for (int axis = 0; axis < from.size(); ++axis) {
        if (from[axis] != 1 && from[axis] != to[missing + axis]) return false;
    }
    return true;
}

}  // namespace array

void evaluate(std::span<const Array* const> arrays) {
    if (arrays.size() == 1) {
        const graph::Value* const value = &arrays[0]->value();
        return graph::evaluate({&value, 1});
    }
    std::vector<const graph::Value*> values;
    values.reserve(arrays.size());
    for (const Array* array : arrays) values.push_back(&array->value());
    graph::evaluate(values);
}

std::string explain(std::span<const Array* const> arrays) {
    std::vector<const graph::Value*> values;
    values.reserve(arrays.size());
    for (const Array* array : arrays) values.push_back(&array->value());
    return graph::explain(values);
}

bool set_lazy(bool lazy) noexcept {
    return graph::set_lazy(lazy);
}

LazyScope::LazyScope(bool lazy) : previous_(graph::set_lazy(lazy)) {}
LazyScope::~LazyScope() {
    graph::set_lazy(previous_);
}

}  // namespace warpwise
