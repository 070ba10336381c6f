// Operators of arrays: slots of the type, called by Python without any look-up.
//
// What is neither an array nor a number is answered with NotImplemented, so that the other
// operand's class is asked; NumPy arrays are refused, and the message names ww.asarray.
#include "python/bindings/arrays/bind_array_operators.hpp"

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

using Unary = Array (*)(const Operand&, const Elementwise&);
using Binary = Array (*)(const Operand&, const Operand&, const Elementwise&);

PyObject* not_implemented() {
    return new_reference(Py_NotImplemented);
}

template <class Function>
PyObject* guarded(Function&& function) noexcept {
    try {
        return function();
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

template <Binary kFunction>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
    return guarded([&]() -> PyObject* {
        const auto left = operand_in(a);
        if (!left) return not_implemented();
        const auto right = operand_in(b);
        if (!right) return not_implemented();
        return new_array(kFunction(*left, *right, {}));
    });
}

// The array keeps its memory; Python binds the name to the result, which is the array.
template <Binary kFunction>
PyObject* inplace(PyObject* a, PyObject* b) noexcept {
    return guarded([&]() -> PyObject* {
        Array* const target = array_in(a);
        if (target == nullptr) return not_implemented();
        const auto value = operand_in(b);
        if (!value) return not_implemented();
        kFunction(*target, *value, {.out = target});
        return new_reference(a);
    });
}

template <Unary kFunction>
PyObject* unary(PyObject* a) noexcept {
    return guarded([&] { return new_array(kFunction(array_of(a, "operator"), {})); });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) noexcept {
    if (modulus != Py_None) return not_implemented();
    return binary<&pow>(a, b);
}
PyObject* inplace_power(PyObject* a, PyObject* b, PyObject*) noexcept {
    return inplace<&pow>(a, b);
}

PyObject* quotient_and_rest(PyObject* a, PyObject* b) noexcept {
    return guarded([&]() -> PyObject* {
        const auto left = operand_in(a);
        const auto right = operand_in(b);
        if (!left || !right) return not_implemented();
        auto [quotient, rest] = divmod(*left, *right);
        return nb::make_tuple(make_instance(std::move(quotient)), make_instance(std::move(rest)))
            .release()
            .ptr();
    });
}

PyObject* product(PyObject* a, PyObject* b) noexcept {
    return guarded([&]() -> PyObject* {
        if (array_in(a) == nullptr && !operand_in(a)) return not_implemented();
        if (array_in(b) == nullptr && !operand_in(b)) return not_implemented();
        return new_array(matmul(array_of(a, "matmul"), array_of(b, "matmul")));
    });
}
PyObject* inplace_product(PyObject* a, PyObject* b) noexcept {
    return guarded([&] {
        Array& target = array_of(a, "matmul");
        target.assign(matmul(target, array_of(b, "matmul")));
        return new_reference(a);
    });
}

// Python answers what neither side implements by identity: False for equal values.
PyObject* refuse_sequence(PyObject* sequence) noexcept {
    return guarded([&]() -> PyObject* {
        const std::string type = PyList_Check(sequence) ? "list" : "tuple";
        throw ArgumentError(ArgumentError::Kind::Type,
                            "an array is compared with arrays and numbers, got a " + type +
                                "; pass ww.asarray(the " + type + ")");
    });
}

PyObject* compare(PyObject* a, PyObject* b, int operation) noexcept {
    const bool is_equality = operation == Py_EQ || operation == Py_NE;
    if (is_equality && is_list(b)) return refuse_sequence(b);
    switch (operation) {
        case Py_LT:
            return binary<&less>(a, b);
        case Py_LE:
            return binary<&less_equal>(a, b);
        case Py_GT:
            return binary<&greater>(a, b);
        case Py_GE:
            return binary<&greater_equal>(a, b);
        case Py_EQ:
            return binary<&equal>(a, b);
        default:
            return binary<&not_equal>(a, b);
    }
}

// The only element, for float() and the like; waits for it without the GIL.
Scalar element(PyObject* object, const char* function) {
    const Array& array = array_of(object, function);
    if (array.size() != 1) {
        throw ArgumentError(
            function == std::string("bool") ? ArgumentError::Kind::Value
                                            : ArgumentError::Kind::Type,
            std::string(function) + "() got an array of shape " + text_of(array.shape()) +
                "; it takes arrays of one element" +
                (function == std::string("bool") ? ": use ww.any() or ww.all()" : ""));
    }
    const GilRelease unlocked;
    return array.item();
}

int truth(PyObject* object) noexcept {
    try {
        return element(object, "bool").as_bool() ? 1 : 0;
    } catch (...) {
        raise_current();
        return -1;
    }
}

PyObject* as_float(PyObject* object) noexcept {
    return guarded([&] {
        const Scalar value = element(object, "float");
        if (value.kind() == Kind::Complex64 || value.kind() == Kind::Complex128) {
            throw ArgumentError(ArgumentError::Kind::Type,
                                "float() got a complex array; use abs, .real or .imag");
        }
        return PyFloat_FromDouble(value.real());
    });
}

PyObject* as_int(PyObject* object) noexcept {
    return guarded([&] {
        const nb::object value = to_python(element(object, "int"));
        PyObject* const result = PyNumber_Long(value.ptr());
        if (result == nullptr) throw nb::python_error();
        return result;
    });
}

PyObject* as_index(PyObject* object) noexcept {
    return guarded([&] {
        const Array& array = array_of(object, "operator.index");
        const Kind kind = array.dtype().kind();
        if (array.ndim() != 0 || kind < Kind::Int8 || kind > Kind::UInt64) {
            throw ArgumentError(ArgumentError::Kind::Type,
                                "an index expects an integer array without axes, got one of " +
                                    array.dtype().name() + " and shape " + text_of(array.shape()));
        }
        return to_python(element(object, "operator.index")).release().ptr();
    });
}

Py_ssize_t length(PyObject* object) noexcept {
    try {
        return static_cast<Py_ssize_t>(array_of(object, "len").length());
    } catch (...) {
        raise_current();
        return -1;
    }
}

template <class Function>
constexpr PyType_Slot slot(int id, Function* function) {
    return {id, reinterpret_cast<void*>(function)};
}

}  // namespace

std::span<const PyType_Slot> array_operator_slots() {
    static const PyType_Slot slots[] = {
        slot(Py_nb_add, &binary<&add>),
        slot(Py_nb_subtract, &binary<&subtract>),
        slot(Py_nb_multiply, &binary<&multiply>),
        slot(Py_nb_true_divide, &binary<&divide>),
        slot(Py_nb_floor_divide, &binary<&floor_divide>),
        slot(Py_nb_remainder, &binary<&remainder>),
        slot(Py_nb_divmod, &quotient_and_rest),
        slot(Py_nb_power, &power),
        slot(Py_nb_matrix_multiply, &product),
        slot(Py_nb_and, &binary<&bitwise_and>),
        slot(Py_nb_or, &binary<&bitwise_or>),
        slot(Py_nb_xor, &binary<&bitwise_xor>),
        slot(Py_nb_lshift, &binary<&bitwise_left_shift>),
        slot(Py_nb_rshift, &binary<&bitwise_right_shift>),
        slot(Py_nb_inplace_add, &inplace<&add>),
        slot(Py_nb_inplace_subtract, &inplace<&subtract>),
        slot(Py_nb_inplace_multiply, &inplace<&multiply>),
        slot(Py_nb_inplace_true_divide, &inplace<&divide>),
        slot(Py_nb_inplace_floor_divide, &inplace<&floor_divide>),
        slot(Py_nb_inplace_remainder, &inplace<&remainder>),
        slot(Py_nb_inplace_power, &inplace_power),
        slot(Py_nb_inplace_matrix_multiply, &inplace_product),
        slot(Py_nb_inplace_and, &inplace<&bitwise_and>),
        slot(Py_nb_inplace_or, &inplace<&bitwise_or>),
        slot(Py_nb_inplace_xor, &inplace<&bitwise_xor>),
        slot(Py_nb_inplace_lshift, &inplace<&bitwise_left_shift>),
        slot(Py_nb_inplace_rshift, &inplace<&bitwise_right_shift>),
        slot(Py_nb_negative, &unary<&negative>),
        slot(Py_nb_positive, &unary<&positive>),
        slot(Py_nb_absolute, &unary<&abs>),
        slot(Py_nb_invert, &unary<&bitwise_invert>),
        slot(Py_nb_bool, &truth),
        slot(Py_nb_float, &as_float),
        slot(Py_nb_int, &as_int),
        slot(Py_nb_index, &as_index),
        slot(Py_tp_richcompare, &compare),
        slot(Py_tp_hash, &PyObject_HashNotImplemented),
        slot(Py_mp_length, &length),
    };
    return slots;
}

}  // namespace warpwise::python
