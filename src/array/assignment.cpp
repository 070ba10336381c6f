// In-place writes: broadcasting and conversion as NumPy's assignment does them.
#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
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
    return array::show(value, std::move(view));
}

void require_conversion(Kind from, const Array& target) {
    const Kind to = array::kind_of(target);
    if (!types::is_complex(from) || types::is_complex(to) || to == Kind::Bool) return;
    array::refuse_type(
        "an array of {} got {} values, whose imaginary parts it cannot hold; assign "
        "the real or imaginary part of them",
        target.dtype().name(), DType(from).name());
}

// Records are written field by field: bytes between fields are nobody's.
void write_record(const Array& target, const Array& value) {
    if (!(target.dtype() == value.dtype())) {
        array::refuse_type("an array of {} got values of {}; assign its fields one by one",
                           target.dtype().name(), value.dtype().name());
    }
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
    array::require_same_device(*this, value, "assignment");
    const Array source = without_leading_axes(value, ndim());
    if (!array::broadcasts_to(source.shape(), shape())) {
        array::refuse_value(
            "an array of shape {} cannot take values of shape {}; they must "
            "broadcast to it",
            text_of(shape()), text_of(value.shape()));
    }
    if (array::kind_of(*this) != Kind::Struct) {
        array::require_numbers(value, "assignment");
        require_conversion(array::kind_of(value), *this);
    }
    array::write_into(*this, source);
}

void Array::assign(const Scalar& value) {
    array::require_writable(*this, "assignment");
    array::require_numbers(*this, "assignment");
    require_conversion(value.kind(), *this);
    const Kind kind = array::kind_of(*this);
    if (value.is_weak() && types::is_integer(kind) && types::is_integer(value.kind()) &&
        !value.fits(kind)) {
        array::refuse_value("{} is out of bounds for {}", value.text(), dtype().name());
    }
    if (size() == 0) return;
    graph::write(*value_, value);
}

}  // namespace warpwise
