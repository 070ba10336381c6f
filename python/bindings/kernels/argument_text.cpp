// See argument_text.hpp.
#include "python/bindings/kernels/argument_text.hpp"

#include "python/bindings/interpreter/numpy_types.hpp"

namespace warpwise::python {
namespace {

bool has_attribute(nb::handle object, const char* name) {
    return PyObject_HasAttrString(object.ptr(), name) != 0;
}

}  // namespace

const char* instead_of_struct(nb::handle object) {
    if (numpy_types().is_array(object)) return "; pass one element of it, a NumPy record";
    if (PyDict_Check(object.ptr()))
        return "; pass a NumPy record: numpy.array(tuple(value.values()), dtype), where "
               "kernel.signature.parameters[i].dtype gives the dtype";
    if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr()))
        return "; pass a tuple of numbers, or a NumPy record: numpy.array(tuple(value), dtype), "
               "where "
               "kernel.signature.parameters[i].dtype gives the dtype";
    return "";
}

std::string instead_of_vector(const DType& vector) {
    return "; pass a tuple of " + std::to_string(vector.lanes()) + " numbers";
}

const char* instead_of_pointer(nb::handle object) {
    if (numpy_types().is_array(object) || has_attribute(object, "__dlpack__") ||
        has_attribute(object, "__array_interface__") || PyObject_CheckBuffer(object.ptr()) != 0)
        return "; host memory is passed through ww.In, ww.Out or ww.InOut, or copied to a "
               "ww.mem_alloc buffer";
    if (PySequence_Check(object.ptr()) != 0 && PyUnicode_Check(object.ptr()) == 0)
        return "; make it a NumPy array and pass ww.In, ww.Out or ww.InOut of it";
    return "";
}

}  // namespace warpwise::python
