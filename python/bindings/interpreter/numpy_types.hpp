// NumPy's scalar types, looked up once, and conversion between NumPy dtypes and DType.
//
// NumPy's C API is not used: the extension then fits every NumPy and the stable ABI of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>

#include "warpwise/dtype.hpp"

namespace warpwise::python {

namespace nb = nanobind;

class NumpyTypes {
  public:
    NumpyTypes();

    bool is_array(nb::handle object) const {
        return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(array_)) != 0;
    }
    bool is_scalar(nb::handle object) const {
        return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(generic_)) != 0;
    }
    bool is_record(nb::handle object) const {
        return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(void_)) != 0;
    }
    // The kind of a plain NumPy scalar; Void for everything else.
    Kind scalar_kind(nb::handle object) const {
        return kind_of_type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
    }
    // The kind of the scalars of one of NumPy's plain types; Void for everything else.
    Kind kind_of_type(nb::handle type) const {
        for (const Row& row : rows_)
            if (row.type == type.ptr()) return row.kind;
        return Kind::Void;
    }
    // NumPy's dtype of one of its plain types; null for others.
    nb::object dtype_of(Kind kind) const {
        return nb::borrow(dtypes_[static_cast<std::size_t>(kind)]);
    }

  private:
    struct Row {
        PyObject* type = nullptr;
        Kind kind = Kind::Void;
    };
    // Owned for the life of the process, as NumPy itself is.
    PyObject* array_;
    PyObject* generic_;
    PyObject* void_;
    std::array<Row, 16> rows_;
    std::array<PyObject*, static_cast<std::size_t>(Kind::Pointer) + 1> dtypes_{};  // by the Kind
};

const NumpyTypes& numpy_types();

// Throws ArgumentError for a dtype that CUDA C++ has no type for.
DType dtype_from_numpy(nb::handle numpy_dtype);
// None for Void; a subarray dtype such as ('<f4', (4,)) for a vector type.
nb::object numpy_from_dtype(const DType& dtype);

}  // namespace warpwise::python
