// In-place writes: broadcasting and conversion as NumPy's assignment does them.
#include "src/array/index/selection.hpp"
#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array.hpp"

namespace warpwise {
namespace {

// Axes of extent 1 in front that the target does not have.
Array without_leading_axes(const Array& value, int rank) {
    graph::View view = value.value().view;
    while (view.shape.size() > rank && view.shape[0] == 1) {
        view.shape.erase(0);
        view.strides.erase(0);
    }
    return array::show(value, view);
}

void require_conversion(Kind from, const Array& target) {
    const Kind to = array::kind_of(target);
    if (!types::is_complex(from) || types::is_complex(to) || to == Kind::Bool) return;
    array::refuse_type(
        "an array of {} got {} values, whose imaginary parts it cannot hold; assign "
        "the real or imaginary part of them",
        target.dtype().name(), DType(from).name());
}

// `value` for a part of `shape` of the target.
Array checked_source(const Array& target, const Shape& shape, const Array& value) {
    array::require_same_device(target, value, "assignment");
    Array source = without_leading_axes(value, shape.size());
    if (!array::broadcasts_to(source.shape(), shape)) {
        array::refuse_value(
            "an array of shape {} cannot take values of shape {}; they must "
            "broadcast to it",
            text_of(shape), text_of(value.shape()));
    }
    if (array::kind_of(target) != Kind::Struct) {
        array::require_numbers(value, "assignment");
        require_conversion(array::kind_of(value), target);
    } else if (!(target.dtype() == value.dtype())) {
        array::refuse_type("an array of {} got values of {}; assign its fields one by one",
                           target.dtype().name(), value.dtype().name());
    }
    return source;
}

void check_number(const Array& target, const Scalar& value) {
    array::require_numbers(target, "assignment");
    require_conversion(value.kind(), target);
    const Kind kind = array::kind_of(target);
    if (value.is_weak() && types::is_integer(kind) && types::is_integer(value.kind()) &&
        !value.fits(kind)) {
        array::refuse_value("{} is out of bounds for {}", value.text(), target.dtype().name());
    }
}

// Records are written field by field: bytes between fields are padding.
void write_record(const Array& target, const Array& value) {
    // A field may add an axis: the value must have as many before it as the target.
    const Array spread = value.broadcast_to(target.shape());
    for (const StructField& field : target.dtype().fields()->fields) {
        array::write_into(target.field(field.name), spread.field(field.name));
    }
}

}  // namespace

namespace array {

void write_into(const Array& target, const Array& value, const Array* where) {
    if (kind_of(target) == Kind::Struct) {
        write_record(target, value);
        return;
    }
    if (target.size() == 0) return;
    graph::write(target.value(), &value.value(), where != nullptr ? &where->value() : nullptr);
}

}  // namespace array

void Array::assign(const Array& value) {
    array::require_writable(*this, "assignment");
    array::write_into(*this, checked_source(*this, shape(), value));
}

void Array::assign(const Scalar& value) {
    array::require_writable(*this, "assignment");
    check_number(*this, value);
    if (size() == 0) return;
    graph::write(*value_, value);
}

bool Array::evaluate_into(const Buffer& buffer) const {
    const auto bytes = static_cast<std::size_t>(nbytes());
    if (bytes > buffer.size()) {
        array::refuse_value("evaluate_into got a buffer of {} bytes for an array of {}",
                            buffer.size(), bytes);
    }
    if (bytes == 0) return true;
    if (buffer.is_freed()) array::refuse_value("evaluate_into got a buffer that was freed");
    const runtime::Context& own = value_->storage->context();
    const runtime::Context& other = buffer.state()->context();
    if (&own != &other) {
        array::refuse_value(
            "evaluate_into got a buffer on {} for an array on {}; allocate it there", other.name(),
            own.name());
    }
    return value_->storage.use_count() == 1 && graph::evaluate_into(*value_, buffer);
}

namespace array {
namespace {

// x[mask] = value of a value that needs no place among the selected ones.
bool write_where(const Array& array, std::span<const IndexItem> index, const Operand& value) {
    const Array* const mask = index.size() == 1 ? std::get_if<Array>(&index[0]) : nullptr;
    if (mask == nullptr || kind_of(*mask) != Kind::Bool || kind_of(array) == Kind::Struct) {
        return false;
    }
    const int behind = array.ndim() - mask->ndim();
    if (mask->ndim() == 0 || behind < 0) return false;
    for (int axis = 0; axis < mask->ndim(); ++axis) {
        if (mask->shape()[axis] != array.shape()[axis])
            return false;  // select() says what is wrong
    }
    Shape rest;
    for (int axis = mask->ndim(); axis < array.ndim(); ++axis) rest.push_back(array.shape()[axis]);
    if (value.array() != nullptr) {
        const Array source = without_leading_axes(*value.array(), behind);
        if (!broadcasts_to(source.shape(), rest)) return false;
    }
    require_same_device(array, *mask, "x[...] = value");
    const Array source = assignable(array, rest, value);
    if (array.size() == 0) return true;
    const Array where = with_axes_behind(*mask, behind);
    graph::write(array.value(), &source.value(), &where.value());
    return true;
}

}  // namespace

Array assignable(const Array& array, const Shape& shape, const Operand& value) {
    if (value.array() != nullptr) {
        const Array source = checked_source(array, shape, *value.array());
        return kind_of(array) == Kind::Struct ? source : converted(source, kind_of(array));
    }
    check_number(array, value.scalar());
    return constant(value.scalar(), kind_of(array), Shape{}, context_of(array));
}

void assign_selected(const Array& array, std::span<const IndexItem> index, const Operand& value) {
    if (write_where(array, index, value)) return;
    const Selection selection = select(array, index, "x[...] = value");
    scatter(array, selection, assignable(array, selection.view.shape, value));
}

}  // namespace array

}  // namespace warpwise
