// The minimum of a call from Python: a function of an extension that makes the driver's call and
// nothing else. It checks nothing, uses one stream, and keeps nothing alive. Built and loaded by
// launch_overhead.py, which passes it addresses from raw.cpp.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

namespace {

constexpr std::uint64_t kLegacyStream = 1;

std::uint64_t record, wait, to_device, to_host, stream, event, memory, launch, four;

template <class Function>
Function as(std::uint64_t address) {
    return reinterpret_cast<Function>(address);
}

PyObject* answer(int status) {
    if (status == 0) Py_RETURN_NONE;
    return PyErr_Format(PyExc_RuntimeError, "the driver returned %d", status);
}

PyObject* set(PyObject*, PyObject* arguments) {
    unsigned long long given[9];
    if (!PyArg_ParseTuple(arguments, "KKKKKKKKK", &given[0], &given[1], &given[2], &given[3],
                          &given[4], &given[5], &given[6], &given[7], &given[8])) {
        return nullptr;
    }
    record = given[0], wait = given[1], to_device = given[2], to_host = given[3];
    stream = given[4], event = given[5], memory = given[6], launch = given[7], four = given[8];
    Py_RETURN_NONE;
}

PyObject* record_one(PyObject*, PyObject*) {
    return answer(as<int (*)(std::uint64_t, std::uint64_t)>(record)(event, stream));
}

PyObject* wait_one(PyObject*, PyObject*) {
    return answer(as<int (*)(std::uint64_t, std::uint64_t, unsigned)>(wait)(stream, event, 0));
}

// Two addresses, a float and an int, in one block of one thread.
PyObject* launch_four(PyObject*, PyObject* const* given, Py_ssize_t) {
    struct alignas(8) {
        std::uint64_t pointers[2];
        float value;
        int number;
    } packed = {{PyLong_AsUnsignedLongLong(given[0]), PyLong_AsUnsignedLongLong(given[1])},
                static_cast<float>(PyFloat_AsDouble(given[2])),
                static_cast<int>(PyLong_AsLong(given[3]))};
    if (PyErr_Occurred() != nullptr) return nullptr;
    std::size_t bytes = sizeof packed;
    void* extra[] = {reinterpret_cast<void*>(1), &packed, reinterpret_cast<void*>(2), &bytes,
                     nullptr};
    using Launch = int (*)(std::uint64_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, unsigned, std::uint64_t, void**, void**);
    return answer(as<Launch>(launch)(four, 1, 1, 1, 1, 1, 1, 0, kLegacyStream, nullptr, extra));
}

template <bool kToHost>
PyObject* copy(PyObject*, PyObject* array) {
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, kToHost ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) {
        return nullptr;
    }
    using Up = int (*)(std::uint64_t, const void*, std::size_t, std::uint64_t);
    using Down = int (*)(void*, std::uint64_t, std::size_t, std::uint64_t);
    const auto bytes = static_cast<std::size_t>(view.len);
    const int status = kToHost ? as<Down>(to_host)(view.buf, memory, bytes, stream)
                               : as<Up>(to_device)(memory, view.buf, bytes, stream);
    PyBuffer_Release(&view);
    return answer(status);
}

PyMethodDef methods[] = {
    {"set", set, METH_VARARGS, nullptr},
    {"record", record_one, METH_O, nullptr},
    {"wait", wait_one, METH_O, nullptr},
    {"launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(launch_four)), METH_FASTCALL,
     nullptr},
    {"to_device", copy<false>, METH_O, nullptr},
    {"to_host", copy<true>, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "thin", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_thin() {
    return PyModule_Create(&definition);
}
