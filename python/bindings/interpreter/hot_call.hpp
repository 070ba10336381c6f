// Bound functions that programs call in loops, where nanobind's search among overloads and its
// conversions cost as much as the driver's own call.
//
// A hot call inspects its arguments first: in the usual form (positional, exactly the library's
// classes, ints and None) it makes the call itself; everything else is passed to nanobind
// unchanged. So overloads, keywords, conversions, docstrings and error messages stay nanobind's,
// and each call has one meaning: the usual form does what the bound function does with the same
// values.
//
// Needs the GIL, as every call from Python; released only where the device may be waited for.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

#include "python/bindings/interpreter/raise.hpp"

namespace warpwise::python {

// The arguments of a call, `self` first where it is a method. Borrowed.
struct HotArguments {
    PyObject* const* values;
    std::size_t count;  // positional
    PyObject* names;    // of the keyword arguments after them, a tuple; null where there are none

    std::size_t named() const noexcept {
        return names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_Size(names));
    }
    // Whether the keyword at `index` is this one; `name` is interned, as names in calls are.
    bool is_named(std::size_t index, PyObject* name) const noexcept {
        return PyTuple_GetItem(names, static_cast<Py_ssize_t>(index)) == name;
    }
};

// A new reference, or unusual(), where nanobind must make the call. May throw.
using UsualCall = PyObject* (*)(const HotArguments& given);
inline PyObject* unusual() noexcept {
    return Py_NotImplemented;  // no bound function returns it; borrowed
}

// Replaces what Python calls when it calls `function`, of nanobind's; returns what was there.
vectorcallfunc exchange_call(nanobind::handle function, vectorcallfunc call) noexcept;

template <UsualCall kUsual>
class HotCall {
  public:
    static void install(nanobind::handle function) noexcept {
        theirs_ = exchange_call(function, call);
    }

  private:
    [[gnu::hot]] static PyObject* call(PyObject* self, PyObject* const* values,
                                       std::size_t flags_and_count, PyObject* names) noexcept {
        try {
            const auto count = static_cast<std::size_t>(PyVectorcall_NARGS(flags_and_count));
            PyObject* const result = kUsual({values, count, names});
            if (result != unusual()) [[likely]]
                return result;
        } catch (...) {
            raise_current();
            return nullptr;
        }
        return theirs_(self, values, flags_and_count, names);
    }

    static inline vectorcallfunc theirs_ = nullptr;
};

inline PyObject* new_none() noexcept {
    Py_INCREF(Py_None);
    return Py_None;
}
inline PyObject* new_reference(PyObject* object) noexcept {
    Py_INCREF(object);
    return object;
}

}  // namespace warpwise::python
