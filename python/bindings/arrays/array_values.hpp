// Python objects as what arrays take: operands, numbers, dtypes, shapes, axes; and arrays back.
//
// Everything needs the GIL and throws ArgumentError that says what was expected, unless a line says
// otherwise. References point into the objects, which must outlive them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "warpwise/array.hpp"

namespace warpwise::python {

// Null for anything but an Array.
inline Array* array_in(nb::handle object) noexcept {
    if (Array* const array = exactly<Array>(object)) [[likely]]
        return array;
    if (PyType_IsSubtype(Py_TYPE(object.ptr()), type_of<Array>()) == 0) return nullptr;
    return static_cast<Array*>(value_in(object));
}
// `role` names the argument in messages.
Array& array_of(nb::handle object, const char* role);
// Null for None.
inline Array* optional_array(nb::handle object, const char* role) {
    return object.is_none() ? nullptr : &array_of(object, role);
}

// Of where=: null for None and True, which are every element.
inline Array* optional_mask(nb::handle where) {
    return where.ptr() == Py_True ? nullptr : optional_array(where, "where");
}

inline PyObject* new_array(Array&& array) {
    return make_instance(std::move(array)).release().ptr();
}
// What a function that may write to `out` returns: that object, or a new one where it is None.
inline nb::object result_or_out(Array&& array, nb::handle out) {
    return out.is_none() ? nb::steal(new_array(std::move(array))) : nb::borrow(out);
}

// The same after writing `result` to `out`, which must have its shape; `function` is for messages.
nb::object written_or_new(Array&& result, nb::handle out, const char* function);

// Python's numbers are weak, NumPy's scalars of their type. Empty for what is no number; throws for
// an int that no 64-bit type holds.
std::optional<Scalar> number_in(nb::handle object);
// An Array without axes is a number too, of its type, and is fetched.
Scalar number_of(nb::handle object, const char* role);
// A Python number: bool, int, float or complex.
nb::object to_python(const Scalar& scalar);

// An Array, or a number; NumPy arrays are refused with the name of ww.asarray.
Operand operand_of(nb::handle object);
// Empty where the object is neither; then Python may ask the other operand's class.
std::optional<Operand> operand_in(nb::handle object);

// Of anything that numpy.dtype takes.
DType dtype_of(nb::handle object);
std::optional<DType> optional_dtype(nb::handle object);  // empty for None
// The same object for the same scalar type, with a reference of the caller's.
nb::object numpy_dtype(const DType& dtype);

// Of Python's sequences those that stand for arrays.
inline bool is_list(nb::handle object) noexcept {
    return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

// Empty for None.
inline std::optional<Operand> optional_operand(nb::handle object) {
    if (object.is_none()) return std::nullopt;
    return operand_of(object);
}

// A Device, or its name; empty for None.
std::optional<Device> optional_device(nb::handle object);
// An int or a sequence of ints.
Shape shape_of(nb::handle object, const char* role = "shape");
std::vector<int> axes_of(nb::handle object, const char* role = "axis");
std::optional<std::vector<int>> optional_axes(nb::handle object, const char* role = "axis");
// 'C' or 'F', in either case of letters; empty for None. Of an array 'A' too, which is 'F' where it
// lies in that order alone and else 'C', and 'K', which is empty.
std::optional<Order> order_of(nb::handle object, const Array* array = nullptr);
std::int64_t integer_of(nb::handle object, const char* role);
// A sequence of arrays; `holders` keeps what the pointers refer to.
std::vector<const Array*> arrays_of(nb::handle object, nb::object& holder, const char* function);

nb::tuple tuple_of(const Axes& axes);
nb::list list_of(std::vector<Array>&& arrays);

}  // namespace warpwise::python
