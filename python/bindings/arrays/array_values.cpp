// See array_values.hpp.
#include "python/bindings/arrays/array_values.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <complex>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

[[noreturn]] void refuse_type(const std::string& message) {
    throw ArgumentError(ArgumentError::Kind::Type, message);
}

// An ndarray has no place on a device, and copying it unasked would hide what costs most.
[[noreturn]] void refuse_host_array(nb::handle object) {
    refuse_type("an operation on arrays got " + describe(object) +
                ", which lies in the host's memory; make it an array once with ww.asarray");
}

Scalar integer(nb::handle object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0) return Scalar(static_cast<std::int64_t>(value));
    const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
    if (PyErr_Occurred() == nullptr) return Scalar(static_cast<std::uint64_t>(large));
    PyErr_Clear();
    throw ArgumentError(ArgumentError::Kind::Value,
                        "got " + value_text(object) +
                            ", which no 64-bit integer type holds; use a "
                            "float");
}

Scalar complex_number(nb::handle object) {
    const auto part = [&](const char* name) {
        return nb::cast<double>(nb::float_(nb::object(object.attr(name))));
    };
    return Scalar(std::complex<double>(part("real"), part("imag")));
}

// A NumPy scalar.
std::optional<Scalar> numpy_number(nb::handle object) {
    Kind kind = numpy_types().scalar_kind(object);
    if (kind == Kind::Void) {
        if (text_of(object.attr("dtype")) != "bfloat16") return std::nullopt;
        kind = Kind::BFloat16;
    }
    if (kind == Kind::Complex64 || kind == Kind::Complex128) {
        return complex_number(object).typed(kind);
    }
    if (kind == Kind::Bool) return Scalar(PyObject_IsTrue(object.ptr()) == 1).typed(kind);
    if (kind >= Kind::Int8 && kind <= Kind::UInt64) {
        const nb::object value = nb::steal(PyNumber_Long(object.ptr()));
        return integer(value).typed(kind);
    }
    const nb::object value = nb::steal(PyNumber_Float(object.ptr()));
    return Scalar(PyFloat_AsDouble(value.ptr())).typed(kind);
}

// Of a NumPy array without axes, which is a number as NumPy's scalars are.
std::optional<Scalar> number_of_no_axes(nb::handle array) {
    if (nb::cast<int>(array.attr("ndim")) != 0) return std::nullopt;
    const nb::object value = array[nb::tuple()];
    return numpy_types().is_scalar(value) ? numpy_number(value) : std::nullopt;
}

// The dtypes of NumPy's scalars, by kind. Kept as long as NumPy is.
PyObject* known_dtype(Kind kind) {
    static std::array<PyObject*, 32> known{};
    PyObject*& entry = known[static_cast<std::size_t>(kind)];
    if (entry == nullptr) entry = numpy_from_dtype(DType(kind)).release().ptr();
    return entry;
}

}  // namespace

Array& array_of(nb::handle object, const char* role) {
    if (Array* const array = array_in(object)) return *array;
    if (numpy_types().is_array(object)) refuse_host_array(object);
    refuse_type(std::string(role) + " expects a ww.Array, got " + value_text(object));
}

nb::object written_or_new(Array&& result, nb::handle out, const char* function) {
    if (out.is_none()) return nb::steal(new_array(std::move(result)));
    Array& target = array_of(out, "out");
    if (!(target.shape() == result.shape())) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            std::string(function) + " got out= of shape " +
                                text_of(target.shape()) + " for a result of shape " +
                                text_of(result.shape()) + "; it must have that shape");
    }
    target.assign(result);
    return nb::borrow(out);
}

std::optional<Scalar> number_in(nb::handle object) {
    PyObject* const value = object.ptr();
    if (PyFloat_CheckExact(value)) return Scalar(PyFloat_AsDouble(value));
    if (PyLong_CheckExact(value)) return integer(object);
    if (PyBool_Check(value)) return Scalar(value == Py_True);
    if (PyComplex_CheckExact(value)) return complex_number(object);
    if (numpy_types().is_scalar(object)) return numpy_number(object);
    if (PyLong_Check(value)) return integer(object);
    if (PyFloat_Check(value)) return Scalar(PyFloat_AsDouble(value));
    if (PyComplex_Check(value)) return complex_number(object);
    if (numpy_types().is_array(object)) return number_of_no_axes(object);
    return std::nullopt;
}

Scalar number_of(nb::handle object, const char* role) {
    if (const auto number = number_in(object)) return *number;
    if (const Array* const array = array_in(object)) {
        if (array->ndim() == 0) {
            const GilRelease unlocked;
            return array->item();
        }
        refuse_type(std::string(role) + " expects a number, got an array of shape " +
                    text_of(array->shape()) + "; take one of its elements");
    }
    refuse_type(std::string(role) + " expects a number, got " + value_text(object));
}

nb::object to_python(const Scalar& scalar) {
    switch (scalar.kind()) {
        case Kind::Bool:
            return nb::bool_(scalar.as_bool());
        case Kind::UInt64:
        case Kind::UInt32:
        case Kind::UInt16:
        case Kind::UInt8:
            return nb::int_(scalar.as_uint());
        case Kind::Complex64:
        case Kind::Complex128:
            return nb::steal(PyComplex_FromDoubles(scalar.real(), scalar.imaginary()));
        case Kind::Float16:
        case Kind::BFloat16:
        case Kind::Float32:
        case Kind::Float64:
            return nb::float_(scalar.real());
        default:
            return nb::int_(scalar.as_int());
    }
}

std::optional<Operand> operand_in(nb::handle object) {
    if (const Array* const array = array_in(object)) return Operand(*array);
    if (const auto number = number_in(object)) return Operand(*number);
    if (numpy_types().is_array(object)) refuse_host_array(object);
    return std::nullopt;
}

Operand operand_of(nb::handle object) {
    if (const auto operand = operand_in(object)) return *operand;
    refuse_type("an operation on arrays got " + value_text(object) +
                "; operands are arrays and numbers, and ww.asarray makes arrays of sequences");
}

namespace {

// The kind of one of NumPy's plain dtypes, each of which is one object; Void for any other object.
Kind plain_kind(nb::handle dtype) {
    for (int kind = static_cast<int>(Kind::Bool); kind <= static_cast<int>(Kind::Complex128);
         ++kind) {
        if (kind == static_cast<int>(Kind::BFloat16)) continue;
        if (dtype.ptr() == known_dtype(static_cast<Kind>(kind))) return static_cast<Kind>(kind);
    }
    return Kind::Void;
}

}  // namespace

DType dtype_of(nb::handle object) {
    // The usual ones without a call of NumPy: numpy.float32 and its dtype.
    if (const Kind kind = plain_kind(object); kind != Kind::Void) return DType(kind);
    if (const Kind kind = numpy_types().kind_of_type(object); kind != Kind::Void) {
        return DType(kind);
    }
    nb::object dtype;
    try {
        if (object.is_none()) throw ArgumentError(ArgumentError::Kind::Type, "None");
        dtype = nb::module_::import_("numpy").attr("dtype")(object);
    } catch (const std::exception& error) {
        // zeros(2, 3)
        const bool is_extent = PyLong_Check(object.ptr());
        refuse_type("dtype expects a NumPy dtype such as ww.float32, got " + value_text(object) +
                    (is_extent ? "; a shape of several axes is one tuple: (2, 3)" : ""));
    }
    if (const Kind kind = plain_kind(dtype); kind != Kind::Void) return DType(kind);
    return dtype_from_numpy(dtype);
}

std::optional<DType> optional_dtype(nb::handle object) {
    return object.is_none() ? std::nullopt : std::optional(dtype_of(object));
}

nb::object numpy_dtype(const DType& dtype) {
    if (dtype.kind() == Kind::Struct || dtype.lanes() != 1) return numpy_from_dtype(dtype);
    return nb::borrow(known_dtype(dtype.kind()));
}

std::optional<Device> optional_device(nb::handle object) {
    if (object.is_none()) return std::nullopt;
    if (const Device* device = nullptr; nb::try_cast(object, device) && device != nullptr) {
        return *device;
    }
    if (!nb::isinstance<nb::str>(object)) {
        refuse_type("device expects a ww.Device or its name, got " + value_text(object));
    }
    return Device(utf8_of(object, "device"));
}

std::int64_t integer_of(nb::handle object, const char* role) {
    const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) {
        PyErr_Clear();
        refuse_type(std::string(role) + " expects an int, got " + value_text(object));
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            std::string(role) + " got " + value_text(object) + ", which exceeds every array");
    }
    return value;
}

Shape shape_of(nb::handle object, const char* role) {
    if (PyIndex_Check(object.ptr()) != 0) return Shape{integer_of(object, role)};
    if (PySequence_Check(object.ptr()) == 0 || nb::isinstance<nb::str>(object)) {
        refuse_type(std::string(role) + " expects an int or a tuple of ints, got " +
                    value_text(object));
    }
    Shape shape;
    for (const nb::handle extent : object) shape.push_back(integer_of(extent, role));
    return shape;
}

std::vector<int> axes_of(nb::handle object, const char* role) {
    const Shape given = shape_of(object, role);
    std::vector<int> axes;
    for (const std::int64_t axis : given) {
        // What no array has is reported as such, not cut.
        axes.push_back(static_cast<int>(std::clamp<std::int64_t>(axis, -1000, 1000)));
    }
    return axes;
}

std::optional<std::vector<int>> optional_axes(nb::handle object, const char* role) {
    return object.is_none() ? std::nullopt : std::optional(axes_of(object, role));
}

std::optional<Order> order_of(nb::handle object, const Array* array) {
    const std::string given = nb::isinstance<nb::str>(object) ? text_of(object) : "";
    const int letter = given.size() == 1 ? given[0] & ~0x20 : 0;  // in upper case
    if (letter == 'C' || letter == 'F') return letter == 'C' ? Order::C : Order::F;
    if (object.is_none() || (array != nullptr && letter == 'K')) return std::nullopt;
    if (array != nullptr && letter == 'A') {
        return array->is_f_contiguous() && !array->is_c_contiguous() ? Order::F : Order::C;
    }
    const std::string known = array != nullptr ? "'C', 'F', 'A' or 'K'" : "'C' or 'F'";
    throw ArgumentError(ArgumentError::Kind::Value,
                        "order expects " + known + ", got " + value_text(object));
}

std::vector<const Array*> arrays_of(nb::handle object, nb::object& holder, const char* function) {
    const bool is_sequence = array_in(object) == nullptr && PySequence_Check(object.ptr()) != 0;
    if (is_sequence) holder = nb::steal(PySequence_Tuple(object.ptr()));
    if (!holder.is_valid()) {
        PyErr_Clear();  // NumPy's array without axes is a sequence that has no elements to give
        refuse_type(std::string(function) + " expects a tuple or list of arrays, got " +
                    value_text(object));
    }
    std::vector<const Array*> arrays;
    for (const nb::handle each : holder) arrays.push_back(&array_of(each, function));
    return arrays;
}

nb::tuple tuple_of(const Axes& axes) {
    nb::list list;
    for (const std::int64_t value : axes) list.append(value);
    return nb::tuple(list);
}

nb::list list_of(std::vector<Array>&& arrays) {
    nb::list list;
    for (Array& array : arrays) list.append(make_instance(std::move(array)));
    return list;
}

}  // namespace warpwise::python
