// Python's C functions that may run Python code, or wait for the GIL in another way.
//
// Up to version 3.13 Python ends a daemon thread inside of them once the interpreter shuts down, by
// unwinding its stack: destructors of C++ would use Python without the GIL, and frames that may not
// be unwound end the process. So the linker sends every call of them from this extension, of
// nanobind's code too, through a function below (--wrap), above which nothing is unwound.
//
// Invariant: each function of Python's that the extension imports is in one of two lists, the one
// here or that of tests/python/api/test_python_calls.py, which need no guard.
#include <cstdarg>

#include "python/bindings/interpreter/interpreter.hpp"

// CMakeLists.txt reads the names from lines that begin with WW_GUARD. The real function is weak:
// not every version of Python has each of them, and those that nothing calls are not looked for.
#define WW_GUARD(name, result, parameters, arguments)                                    \
    extern "C" {                                                                         \
    [[gnu::weak]] result __real_##name parameters;                                       \
    result __wrap_##name parameters;                                                     \
    result __wrap_##name parameters {                                                    \
        return warpwise::python::never_unwound([&] { return __real_##name arguments; }); \
    }                                                                                    \
    }

using Object = PyObject*;
using Size = Py_ssize_t;

// NOLINTBEGIN(bugprone-macro-parentheses,bugprone-reserved-identifier)
// Values go away, and the GIL is taken.
WW_GUARD(_Py_Dealloc, void, (Object a), (a))
WW_GUARD(_Py_DecRef, void, (Object a), (a))
WW_GUARD(Py_DecRef, void, (Object a), (a))
WW_GUARD(PyBuffer_Release, void, (Py_buffer * a), (a))
WW_GUARD(PyDict_Clear, void, (Object a), (a))
WW_GUARD(PyEval_RestoreThread, void, (PyThreadState * a), (a))
WW_GUARD(PyGILState_Ensure, PyGILState_STATE, (), ())
// Calls.
WW_GUARD(PyErr_CheckSignals, int, (), ())
WW_GUARD(PyEval_EvalCode, Object, (Object a, Object b, Object c), (a, b, c))
WW_GUARD(PyImport_ImportModule, Object, (const char* a), (a))
WW_GUARD(PyObject_Call, Object, (Object a, Object b, Object c), (a, b, c))
WW_GUARD(PyObject_Vectorcall, Object, (Object a, Object const* b, std::size_t c, Object d),
         (a, b, c, d))
WW_GUARD(PyObject_VectorcallMethod, Object, (Object a, Object const* b, std::size_t c, Object d),
         (a, b, c, d))
WW_GUARD(PyVectorcall_Call, Object, (Object a, Object b, Object c), (a, b, c))
// Attributes and items.
WW_GUARD(_PyObject_LookupAttr, int, (Object a, Object b, Object* c), (a, b, c))
WW_GUARD(PyObject_GenericGetAttr, Object, (Object a, Object b), (a, b))
WW_GUARD(PyObject_GenericSetAttr, int, (Object a, Object b, Object c), (a, b, c))
WW_GUARD(PyObject_GetAttr, Object, (Object a, Object b), (a, b))
WW_GUARD(PyObject_GetAttrString, Object, (Object a, const char* b), (a, b))
WW_GUARD(PyObject_GetItem, Object, (Object a, Object b), (a, b))
WW_GUARD(PyObject_GetOptionalAttr, int, (Object a, Object b, Object* c), (a, b, c))
WW_GUARD(PyObject_HasAttr, int, (Object a, Object b), (a, b))
WW_GUARD(PyObject_HasAttrString, int, (Object a, const char* b), (a, b))
WW_GUARD(PyObject_SetAttr, int, (Object a, Object b, Object c), (a, b, c))
WW_GUARD(PyObject_SetItem, int, (Object a, Object b, Object c), (a, b, c))
WW_GUARD(PyDict_Contains, int, (Object a, Object b), (a, b))
WW_GUARD(PyDict_GetItemWithError, Object, (Object a, Object b), (a, b))
WW_GUARD(PyDict_SetItem, int, (Object a, Object b, Object c), (a, b, c))
WW_GUARD(PyDict_Update, int, (Object a, Object b), (a, b))
WW_GUARD(PySet_Contains, int, (Object a, Object b), (a, b))
// What a class may define.
WW_GUARD(PyFloat_AsDouble, double, (Object a), (a))
WW_GUARD(PyIter_Next, Object, (Object a), (a))
WW_GUARD(PyLong_AsLongLong, long long, (Object a), (a))
WW_GUARD(PyLong_AsLongLongAndOverflow, long long, (Object a, int* b), (a, b))
WW_GUARD(PyMemoryView_FromObject, Object, (Object a), (a))
WW_GUARD(PyNumber_AsSsize_t, Size, (Object a, Object b), (a, b))
WW_GUARD(PyNumber_Float, Object, (Object a), (a))
WW_GUARD(PyNumber_Index, Object, (Object a), (a))
WW_GUARD(PyNumber_Long, Object, (Object a), (a))
WW_GUARD(PyObject_GetBuffer, int, (Object a, Py_buffer* b, int c), (a, b, c))
WW_GUARD(PyObject_GetIter, Object, (Object a), (a))
WW_GUARD(PyObject_IsInstance, int, (Object a, Object b), (a, b))
WW_GUARD(PyObject_IsTrue, int, (Object a), (a))
WW_GUARD(PyObject_Repr, Object, (Object a), (a))
WW_GUARD(PyObject_RichCompareBool, int, (Object a, Object b, int c), (a, b, c))
WW_GUARD(PyObject_Size, Size, (Object a), (a))
WW_GUARD(PyObject_Str, Object, (Object a), (a))
WW_GUARD(PyOS_FSPath, Object, (Object a), (a))
WW_GUARD(PySequence_Contains, int, (Object a, Object b), (a, b))
WW_GUARD(PySequence_GetItem, Object, (Object a, Size b), (a, b))
WW_GUARD(PySequence_List, Object, (Object a), (a))
WW_GUARD(PySequence_Size, Size, (Object a), (a))
WW_GUARD(PySequence_Tuple, Object, (Object a), (a))
WW_GUARD(PySlice_Unpack, int, (Object a, Size* b, Size* c, Size* d), (a, b, c, d))
// Exceptions, whose classes may be Python's; warnings, files and encodings.
WW_GUARD(PyErr_FormatV, Object, (Object a, const char* b, std::va_list c), (a, b, c))
WW_GUARD(PyErr_NormalizeException, void, (Object * a, Object* b, Object* c), (a, b, c))
WW_GUARD(PyErr_SetObject, void, (Object a, Object b), (a, b))
WW_GUARD(PyErr_SetString, void, (Object a, const char* b), (a, b))
WW_GUARD(PyErr_WriteUnraisable, void, (Object a), (a))
WW_GUARD(PyFile_WriteObject, int, (Object a, Object b, int c), (a, b, c))
WW_GUARD(PyFile_WriteString, int, (const char* a, Object b), (a, b))
WW_GUARD(PyUnicode_AsEncodedString, Object, (Object a, const char* b, const char* c), (a, b, c))
// NOLINTEND(bugprone-macro-parentheses,bugprone-reserved-identifier)
