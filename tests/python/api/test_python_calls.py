"""What the extension module calls in Python: whatever may end a thread at shutdown is guarded."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import warpwise

GUARDS = Path(__file__).parents[3] / "python" / "bindings" / "interpreter" / "python_calls.cpp"

# They run no Python code, or do so only while the extension is imported or through a function that
# is guarded.
PLAIN = """
PyBuffer_FillInfo PyBytes_AsString PyBytes_AsStringAndSize PyBytes_FromStringAndSize PyBytes_Size
PyCMethod_New PyCallable_Check PyCapsule_GetContext PyCapsule_GetPointer PyCapsule_IsValid
PyCapsule_New PyCapsule_SetContext PyCapsule_SetName PyComplex_FromDoubles PyDict_New PyDict_Next
PyDict_SetItemString PyDict_Size PyErr_Clear PyErr_ExceptionMatches PyErr_Fetch PyErr_Format
PyErr_GivenExceptionMatches PyErr_NoMemory PyErr_Occurred PyErr_Restore PyErr_WarnFormat
PyEval_GetFrame PyEval_SaveThread PyException_GetTraceback PyException_SetCause
PyException_SetContext PyException_SetTraceback PyFloat_FromDouble PyFrame_GetBack PyFrame_GetCode
PyFrame_GetLineNumber PyFrozenSet_New PyGILState_Release PyIndex_Check PyInterpreterState_Get
PyInterpreterState_GetDict PyList_Append PyList_New PyLong_AsSize_t PyLong_AsUnsignedLongLong
PyLong_FromLong PyLong_FromUnsignedLong PyMem_Calloc PyMem_Free PyMem_Malloc PyModuleDef_Init
PyModule_GetDef PyModule_GetDict PyModule_GetState PyModule_NewObject PyObject_CallFunctionObjArgs
PyObject_CheckBuffer PyObject_ClearWeakRefs PyObject_Free PyObject_GC_Del PyObject_GC_Track
PyObject_GC_UnTrack PyObject_GenericGetDict PyObject_GenericSetDict PyObject_HashNotImplemented
PyObject_Init PyObject_Malloc PyObject_Realloc PySequence_Check PySlice_AdjustIndices PySlice_New
PySys_GetObject PyTuple_GetItem PyTuple_New PyTuple_Pack PyTuple_SetItem PyTuple_Size
PyType_FromModuleAndSpec PyType_FromSpec PyType_GenericAlloc PyType_GenericNew PyType_GetName
PyType_GetSlot PyType_IsSubtype PyType_Modified PyType_Ready PyUnicode_AsUTF8AndSize
PyUnicode_CompareWithASCIIString PyUnicode_DecodeUTF8 PyUnicode_FromFormat PyUnicode_FromString
PyUnicode_FromStringAndSize PyUnicode_InternFromString PyUnicode_InternInPlace PyWeakref_NewRef
Py_AddPendingCall Py_AtExit Py_BuildValue Py_CompileStringExFlags Py_GenericAlias _PyObject_GC_New
_PyObject_New _PyType_Lookup
"""

# The same of extensions for the stable ABI, as wheels have them, where nanobind calls others: to
# name an exception's place (a list's join), and while the extension is imported.
PLAIN_OF_THE_STABLE_ABI = """
PyDict_GetItem PyErr_GetRaisedException PyErr_SetRaisedException PyList_GetItem PyList_SetItem
PyLong_AsUnsignedLongLongMask PyLong_FromUnsignedLongLong PyNumber_Add PyObject_CallMethod
PyObject_GetTypeData PyType_FromMetaclass PyType_GetFlags PyVectorcall_NARGS Py_CompileString
Py_Version _Py_IncRef
"""


@pytest.mark.skipif(shutil.which("nm") is None, reason="nm lists what the extension imports")
def test_every_call_into_python_is_guarded_or_known_to_be_plain() -> None:
    """A thread that Python ends inside of an unguarded call takes the process with it."""
    done = subprocess.run(
        ["nm", "--dynamic", "--undefined-only", warpwise._core.__file__],
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines()}
    is_function = re.compile(r"_?Py(?!Exc_)\w*(?<!_Type)(?<!Type)(?<!Struct)(?<!Object)$")
    called = {name for name in names if is_function.match(name)}
    guarded = set(re.findall(r"^WW_GUARD\((\w+),", GUARDS.read_text(), re.MULTILINE))
    is_stable = ".abi3." in Path(warpwise._core.__file__).name
    plain = set(PLAIN.split()) | set(PLAIN_OF_THE_STABLE_ABI.split() if is_stable else ())
    assert len(called & guarded) > 40
    assert not guarded & plain
    unknown = sorted(called - guarded - plain)
    assert not unknown, (
        f"{unknown}: guard in {GUARDS.name} what may run Python code, else list here"
    )
