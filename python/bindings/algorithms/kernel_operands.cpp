// See kernel_operands.hpp.
#include "python/bindings/algorithms/kernel_operands.hpp"

#include <nanobind/stl/string.h>

#include <atomic>
#include <new>
#include <type_traits>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "python/bindings/kernels/compile_options.hpp"

namespace warpwise::python {

namespace {

std::vector<PyObject*> borrowed(const nb::args& arguments) {
    std::vector<PyObject*> objects;
    objects.reserve(arguments.size());
    for (const nb::handle object : arguments) objects.push_back(object.ptr());
    return objects;
}

// Of subclasses of arrays: whether their elements are what the memory says (see StoredNDArray).
bool is_plain_type(PyTypeObject* type) noexcept {
    static std::atomic<PyTypeObject*> last{nullptr};  // with a reference: no other has its address
    if (type == last.load(std::memory_order_relaxed)) [[likely]]
        return true;
    PyObject* const mark =
        PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__warpwise_stored__");
    if (mark == nullptr) PyErr_Clear();
    const bool is_plain = mark != Py_True;
    Py_XDECREF(mark);
    PyTypeObject* none = nullptr;
    if (is_plain && last.compare_exchange_strong(none, type)) {
        Py_INCREF(reinterpret_cast<PyObject*>(type));
    }
    return is_plain;
}

}  // namespace

bool is_direct(PyObject* object) noexcept {
    if (array_in(object) != nullptr) {
        return exactly<Array>(object) != nullptr || is_plain_type(Py_TYPE(object));
    }
    return PyLong_CheckExact(object) != 0 || PyFloat_CheckExact(object) != 0 ||
           PyBool_Check(object) != 0 || object == Py_None || PyComplex_CheckExact(object) != 0 ||
           numpy_types().scalar_kind(object) != Kind::Void;
}

// Operands own nothing and are never destroyed.
static_assert(std::is_trivially_destructible_v<KernelOperand>);

KernelCall::KernelCall(std::span<PyObject* const> all) {
    if (all.size() > kInline) {
        more_ = std::make_unique<std::byte[]>(all.size() * sizeof(KernelOperand));
        first_ = reinterpret_cast<KernelOperand*>(more_.get());
    }
    // What is no array is converted all at once, and has its place already.
    std::vector<PyObject*> others;
    for (PyObject* const object : all) {
        if (const Array* const array = array_in(object)) {
            new (&first_[count_++]) KernelOperand(*array);
            continue;
        }
        if (others.empty()) others.reserve(all.size());
        others.push_back(object);
        new (&first_[count_++]) KernelOperand(nullptr);
    }
    if (others.empty()) return;
    pack_.emplace(others.data(), others.size());
    const Argument* next = pack_->view().data();
    for (std::size_t i = 0; i < count_; ++i) {
        if (first_[i].array() == nullptr) new (&first_[i]) KernelOperand(*next++);
    }
}

KernelCall::KernelCall(const nb::args& arguments) : KernelCall(borrowed(arguments)) {}

std::string declarations_of(nb::handle arguments) {
    if (PyUnicode_Check(arguments.ptr()) != 0) return utf8_of(arguments, "arguments");
    std::string text;
    for (const std::string& one : string_list(arguments, "arguments")) {
        text += (text.empty() ? "" : ", ") + one;
    }
    return text;
}

nb::object shown_parameters(const std::vector<KernelParameter>& parameters) {
    nb::list list;
    for (const KernelParameter& one : parameters) {
        list.append(std::string(one.is_const && one.is_array ? "const " : "") + one.type + " " +
                    (one.is_array ? "*" : "") + one.name);
    }
    return nb::tuple(list);
}

std::string shown_call(const std::string& name, const std::vector<KernelParameter>& parameters) {
    std::string text;
    for (const nb::handle one : shown_parameters(parameters)) {
        text += (text.empty() ? "" : ", ") + text_of(one);
    }
    return name + "(" + text + ")";
}

}  // namespace warpwise::python
