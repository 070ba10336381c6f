// See scalar_argument.hpp.
#include "python/bindings/kernels/scalar_argument.hpp"

#include <cstdint>

namespace warpwise::python {

double real_value(nb::handle object) {
    double value = PyFloat_AsDouble(object.ptr());
    if (value == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return value;
}

std::complex<double> complex_value(nb::handle object) {
    return {real_value(object.attr("real")), real_value(object.attr("imag"))};
}

Argument numpy_scalar_argument(nb::handle object, Kind kind) {
    switch (kind) {
        case Kind::Bool:
            return Argument(PyObject_IsTrue(object.ptr()) == 1);
        case Kind::Float16:
            return Argument::python_float(real_value(object));
        case Kind::Float32:
            return Argument(static_cast<float>(real_value(object)));
        case Kind::Float64:
            return Argument(real_value(object));
        case Kind::Complex64:
            return Argument(std::complex<float>(complex_value(object)));
        case Kind::Complex128:
            return Argument(complex_value(object));
        default:
            break;
    }
    nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
    if (!integer.is_valid()) throw nb::python_error();
    if (kind == Kind::UInt64) return Argument(PyLong_AsUnsignedLongLong(integer.ptr()));
    long long value = PyLong_AsLongLong(integer.ptr());
    switch (kind) {
        case Kind::Int8:
            return Argument(static_cast<std::int8_t>(value));
        case Kind::UInt8:
            return Argument(static_cast<std::uint8_t>(value));
        case Kind::Int16:
            return Argument(static_cast<std::int16_t>(value));
        case Kind::UInt16:
            return Argument(static_cast<std::uint16_t>(value));
        case Kind::Int32:
            return Argument(static_cast<std::int32_t>(value));
        case Kind::UInt32:
            return Argument(static_cast<std::uint32_t>(value));
        default:
            return Argument(static_cast<std::int64_t>(value));
    }
}

}  // namespace warpwise::python
