"""Type objects and signatures: cuda.types."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from warpwise import cuda
from warpwise.cuda import types


def test_numbers():
    assert str(types.float32) == "float32" and types.f4 is types.float32
    assert types.intp == types.int64 and types.int64 != types.uint64
    assert types.int32.bitwidth == 32 and types.int32.signed and not types.uint8.signed
    assert types.int8.minval == -128 and types.uint16.maxval == 65535
    assert types.Integer.from_bitwidth(16, signed=False) is types.uint16
    assert types.complex64.underlying_float == types.float32
    assert {types.float32: 1}[types.from_dtype(np.float32)] == 1


@pytest.mark.parametrize(("kind", "value", "expected"), [
    (types.int32, 3.7, np.int32(3)), (types.uint8, 300, np.uint8(44)),
    (types.float32, 0.1, np.float32(0.1)), (types.complex64, 1j, np.complex64(1j)),
    (types.boolean, 2, np.bool_(True)),
])  # fmt: skip
def test_casts(kind, value, expected):
    cast = kind(value)
    assert type(cast) is type(expected) and cast == expected


@pytest.mark.parametrize(("array", "text", "spelling"), [
    (types.float32[:], "array(float32, 1d, A)", "float32[:]"),
    (types.float32[::1], "array(float32, 1d, C)", "float32[::1]"),
    (types.int64[:, ::1], "array(int64, 2d, C)", "int64[:,::1]"),
    (types.int64[::1, :, :], "array(int64, 3d, F)", "int64[::1,:,:]"),
    (types.Array(types.bool_, 2, "A"), "array(bool, 2d, A)", "bool[:,:]"),
])  # fmt: skip
def test_arrays(array, text, spelling):
    assert str(array) == text and array.__warpwise_type__ == spelling
    assert array == types.parse_signature(spelling) and hash(array) == hash(copy.copy(array))


@pytest.mark.parametrize("text", [
    "void(float32[:], int32)", "(float32[:], int32)", "none(f4[:], i4)",
])  # fmt: skip
def test_signatures_as_text(text):
    signature = types.as_signature(text)
    assert signature == types.void(types.float32[:], types.int32)
    assert str(signature) == "(array(float32, 1d, A), int32) -> none"
    assert pickle.loads(pickle.dumps(signature)) == signature


def test_signatures_of_other_forms():
    expected = types.none(types.float64, types.int64)
    assert types.as_signature((float, int)) == expected
    assert types.as_signature([np.float64, np.dtype("i8")]) == expected
    assert types.as_signature(expected) is expected
    assert types.as_signature("float32(float32)").return_type == types.float32
    assert types.as_signature("UniTuple(int32, 2)(int32)").return_type == types.Tuple(
        [types.int32, types.int32]
    )
    assert str(types.Tuple([types.int32, types.float32])) == "Tuple(int32, float32)"


def test_types_of_values():
    assert types.typeof(3) == types.int64 and types.typeof(2**63) == types.uint64
    assert types.typeof(np.float32(2)) == types.float32 and types.typeof(True) == types.boolean
    assert types.typeof(np.zeros((2, 3))) == types.float64[:, ::1]
    assert types.typeof(np.zeros((2, 3)).T) == types.float64[::1, :]
    assert types.typeof(np.zeros((4, 6))[:, ::2]) == types.float64[:, :]
    assert types.typeof(cuda.to_device(np.zeros(3))) == types.float64[::1]
    assert types.typeof((1, 2.0)) == types.Tuple([types.int64, types.float64])
    record = types.typeof(np.zeros(2, [("a", "i4"), ("b", "f8")])).dtype
    assert record.fields == {"a": types.int32, "b": types.float64} and record.offset("b") == 4
    assert str(types.from_dtype("M8[D]")) == "datetime64[D]"
    assert types.as_dtype(types.from_dtype("m8[s]")) == np.dtype("m8[s]")


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: types.float32[1], IndexError, "expects ':' for each axis"),
    (lambda: types.float32[::1, ::1], IndexError, "one '::1'"),
    (lambda: types.float32[:, ::1, :], IndexError, "one '::1'"),
    (lambda: types.parse_signature("void(float33)"), ValueError, "float33"),
    (lambda: types.parse_signature("__import__('os')"), ValueError, "cannot be read"),
    (lambda: types.as_type("float32x"), TypeError, "a type is expected"),
    (lambda: types.as_dtype(types.void), TypeError, "no type of an element"),
    (lambda: types.from_dtype("O"), TypeError, "no type for elements"),
    (lambda: types.typeof("text"), TypeError, "take no value like"),
    (lambda: types.int32("3"), TypeError, "expects a number"),
    (lambda: types.Array(types.int8, 1, "K"), ValueError, "layout expects"),
    (lambda: types.as_signature(3), TypeError, "a signature is expected"),
    (lambda: types.Integer.from_bitwidth(7), ValueError, "no integer of 7 bits"),
])  # fmt: skip
def test_wrong_types(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_intrinsics_are_one_object_each():
    assert pickle.loads(pickle.dumps(cuda.atomic.add)) is cuda.atomic.add
    assert copy.deepcopy(cuda.threadIdx) is cuda.threadIdx
    assert cuda.cg.this_grid.__warpwise_known__ == "cuda.cg.this_grid"
