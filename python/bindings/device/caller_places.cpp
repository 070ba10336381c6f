// A table of places, each a code object and an offset in its instructions. Invariant: a row holds a
// reference to its code object, so that no other object can have its address.
//
// The rows are few: a place is forgotten when another one needs its row. Three functions of
// Python's that the stable interface lacks are looked up in the process; without them nothing is
// marked.
#include "python/bindings/device/caller_places.hpp"

#include <dlfcn.h>
#include <nanobind/nanobind.h>

#include <array>
#include <bit>
#include <mutex>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"

namespace warpwise::python {
namespace {

namespace nb = nanobind;

constexpr std::size_t kRows = 4096;  // a power of two

struct Row {
    PyObject* code = nullptr;
    int offset = 0;
    bool is_internal = false;      // of a frame of this package
    std::uint64_t generation = 0;  // of this use of the row
};

struct Table {
    nb::ft_mutex mutex;
    std::array<Row, kRows> rows;
    std::uint64_t generation = 0;
};
Table& table() {
    static auto* const all = new Table;
    return *all;
}

struct Functions {
    int (*has_gil)() = nullptr;
    int (*offset_of)(PyFrameObject*) = nullptr;
    PyFrameObject* (*caller_of)(PyFrameObject*) = nullptr;  // a new reference

    Functions() {
        find(has_gil, "PyGILState_Check");
        find(offset_of, "PyFrame_GetLasti");
        find(caller_of, "PyFrame_GetBack");
    }
    bool are_there() const {
        return has_gil != nullptr && offset_of != nullptr && caller_of != nullptr;
    }

  private:
    template <class Function>
    static void find(Function& function, const char* name) {
        function = std::bit_cast<Function>(dlsym(RTLD_DEFAULT, name));
    }
};
const Functions& functions() noexcept {
    static const Functions found;
    return found;
}

bool is_of_this_package(PyFrameObject* frame) {
    const nb::handle object(reinterpret_cast<PyObject*>(frame));
    const nb::object name = object.attr("f_globals").attr("get")("__name__");
    const auto module = nb::isinstance<nb::str>(name) ? text_of(name) : "";
    return module == "warpwise" || module.starts_with("warpwise.");
}

int release_code(void* code) {
    Py_DECREF(static_cast<PyObject*>(code));
    return 0;
}

// The place takes the row. False where that is not possible now.
bool fill(Row& row, PyFrameObject* frame, PyObject* code, int offset) {
    const bool is_internal = is_of_this_package(frame);
    // Releasing code may run Python, which must not happen here.
    if (row.code != nullptr && Py_AddPendingCall(release_code, row.code) != 0) return false;
    Py_INCREF(code);
    row = {code, offset, is_internal, ++table().generation};
    return true;
}

std::size_t row_number(const PyObject* code, int offset) noexcept {
    const auto key = std::bit_cast<std::uintptr_t>(code) / 16 * 31 + static_cast<unsigned>(offset);
    return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15ull >> 32) % kRows;
}

// The row of the frame's place, filled; null where that is not possible now.
Row* row_of(PyFrameObject* frame) {
    auto* const code = reinterpret_cast<PyObject*>(PyFrame_GetCode(frame));
    Py_DECREF(code);  // the frame holds it
    const int offset = functions().offset_of(frame);
    Row& row = table().rows[row_number(code, offset)];
    const bool is_known = row.code == code && row.offset == offset;
    return is_known || fill(row, frame, code, offset) ? &row : nullptr;
}

std::uint64_t mark_of(PyFrameObject* frame) {
    std::lock_guard<nb::ft_mutex> lock(table().mutex);
    nb::object outer;
    while (frame != nullptr) {
        const Row* const row = row_of(frame);
        if (row == nullptr) return 0;
        if (!row->is_internal) {
            const auto number = static_cast<std::uint64_t>(row - table().rows.data());
            return row->generation * kRows + number;
        }
        frame = functions().caller_of(frame);
        outer = nb::steal(reinterpret_cast<PyObject*>(frame));
    }
    return 0;
}

int line_of(nb::handle code, int offset) {
    for (const nb::handle part : code.attr("co_lines")()) {
        const auto start = nb::cast<int>(part[0]);
        const auto end = nb::cast<int>(part[1]);
        if (offset >= start && offset < end && !part[2].is_none()) return nb::cast<int>(part[2]);
    }
    return 0;
}

}  // namespace

std::uint64_t mark_place() noexcept {
    const Functions& python = functions();
    if (!python.are_there() || python.has_gil() == 0) return 0;
    PyFrameObject* const frame = PyEval_GetFrame();
    if (frame == nullptr) return 0;
    try {
        return mark_of(frame);
    } catch (nb::python_error& error) {
        error.discard_as_unraisable("noting the line that records an operation");
        return 0;
    } catch (...) {
        return 0;
    }
}

std::string name_of_place(std::uint64_t place) {
    PythonEntry python;
    if (!python) return {};
    try {
        nb::object code;
        int offset = 0;
        {
            std::lock_guard<nb::ft_mutex> lock(table().mutex);
            const Row& row = table().rows[place % kRows];
            if (row.generation != place / kRows) return {};
            code = nb::borrow(row.code);
            offset = row.offset;
        }
        const int line = line_of(code, offset);
        const auto file = text_of(code.attr("co_filename"));
        return line > 0 ? file + ":" + std::to_string(line) : file;
    } catch (nb::python_error& error) {
        error.discard_as_unraisable("naming the line that recorded an operation");
        return {};
    }
}

}  // namespace warpwise::python
