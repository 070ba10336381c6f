"""Kernels from Python compiled by NVRTC, and with the signatures that they are launched with."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
from python_constructs import CONSTRUCTS

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function, JitOptions

ELF = b"\x7fELF"


def all_constructs():
    """One kernel that calls every construct."""
    calls = [f"    out[i, {k}] = {name}(a[i], b[i])" for k, name in enumerate(sorted(CONSTRUCTS))]
    text = "def all_of_them(a, b, out):\n    i = cuda.grid(1)\n" + "\n".join(calls) + "\n"
    file = "<all constructs>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = dict(CONSTRUCTS) | {"cuda": cuda}
    exec(compile(text, file, "exec"), scope)
    return scope["all_of_them"]


@pytest.mark.parametrize("target", ["sm_75", "sm_90", "sm_120"])
def test_every_construct_compiles_for_gpus(target):
    source = Function(all_constructs()).inspect_source("int64[::1], int64[:], float64[:,::1]")
    assert ww.compile(source, target=target, format="cubin")[:4] == ELF


@pytest.mark.parametrize("target", ["sm_75", "sm_120"])
def test_checks_compile_for_gpus(target):
    function = Function(all_constructs(), options=JitOptions(debug=True))
    source = function.inspect_source("int64[::1], int64[:], float64[:,::1]")
    assert "__ww_py_raise" in source
    assert ww.compile(source, target=target, format="cubin")[:4] == ELF


def test_records_and_whole_arrays_compile_for_gpus():
    def kernel(x, y, z):
        i = cuda.grid(1)
        one = x[i]
        one.b = one.a + 0.5
        x[i].v[1, 0] = 2
        y[i] = x[-1]
        for j, (each, k) in enumerate(zip(x, reversed(range(4)))):
            each.b += j * k
        np.arcsin(z, z)
        z[1:] = np.maximum(z[0], 3)
        z[0] = round(z[1].real, 2)

    fields = "record(a: int8, b: float64!, v: float32[:, :]!)"
    source = Function(kernel).inspect_source(f"{fields}[:], {fields}[:], complex64[:]")
    for target in ("sm_75", "sm_90"):
        assert ww.compile(source, target=target, format="cubin")[:4] == ELF


def test_cuda_functions_compile_for_gpus():
    table = np.array([1.5, 2.5, -1.0])

    def kernel(x, y, c, n):
        tile = cuda.shared.array((8, 8), np.float32)
        dynamic = cuda.shared.array(0, np.float64)
        own = cuda.local.array(4, np.int32)
        i = cuda.threadIdx.x
        tile[i % 8, i % 8] = x[i]
        dynamic[i] = table[i % 3]
        own[i % 4] = i
        cuda.syncthreads()
        v = cuda.shfl_down_sync(0xFFFFFFFF, x[i], 1) + cuda.shfl_xor_sync(0xFFFFFFFF, n, 2)
        if cuda.any_sync(0xFFFFFFFF, v > 0) and cuda.syncthreads_count(i) > 3:
            cuda.atomic.add(y, (i, 0), v)
            cuda.atomic.max(x, i, 2.5)
            cuda.atomic.cas(x, i, 1.0, 2.0)
        cuda.threadfence()
        mask, same = cuda.match_all_sync(cuda.activemask(), n)
        c[i] = c[i] * (1 + 2j) / c[i].conjugate() ** 2
        row = y[i]
        row[0] = tile[0, 1] + dynamic[0] + own[0] + mask + same + cuda.popc(n) + cuda.clz(i)
        for value in y[1:-1, ::2].T[0]:
            row[1] += cuda.fma(value, 2.0, 1.0)
        print("thread", i, f"{v:.3f}", (n, True))

    source = Function(kernel).inspect_source("float32[::1], float64[:,::1], complex128[:], int64")
    for target in ("sm_75", "sm_90"):
        assert ww.compile(source, target=target, format="cubin")[:4] == ELF


def test_views_and_vectors_compile_for_gpus():
    def kernel(x, z, y):
        i = cuda.grid(1)
        z.real[i] = z.imag[i]
        v = cuda.float32x4(cuda.float2(x[i], 1), y.view("int16")[i], 2)
        x.view(np.float64)[i] = v.x + v.w
        y.view("float32")[i] = x[1:].view("uint8")[i]

    source = Function(kernel).inspect_source("float32[::1], complex64[:], int32[::1]")
    for target in ("sm_75", "sm_90"):
        assert ww.compile(source, target=target, format="cubin")[:4] == ELF


def test_records_in_shared_memory_compile_for_gpus():
    point = np.dtype([("x", np.int32), ("y", np.float64)])
    keyed = np.dtype([("key", np.int64), ("at", point)])

    def kernel(out):
        i = cuda.threadIdx.x
        held = cuda.shared.array((2, 32), keyed)
        held[1, i].at.y = i
        cuda.syncthreads()
        out[i] = held[1, 31 - i]["at"]["y"]

    source = Function(kernel).inspect_source("float64[::1]")
    for target in ("sm_75", "sm_90"):
        assert ww.compile(source, target=target, format="cubin")[:4] == ELF


def test_elements_of_expressions_compile_for_gpus():
    def kernel(m, x):
        x[1:] = x[:-1] * 2
        t = m.T
        t[1:, :-1] += t[:-1, 1:] * x[0]
        m[1] = m[0] * m[2] + np.sum(np.zeros((20, 1)) * np.ones((1, 20)))

    source = Function(kernel).inspect_source("float64[:, ::1], float64[:]")
    for target in ("sm_75", "sm_90"):
        assert ww.compile(source, target=target, format="cubin")[:4] == ELF


def test_views_with_another_axis_compile_for_gpus():
    def kernel(m, x):
        m[:] = x[:, None] * x[None, :3]
        v = m[0, None, ::2, None]
        x[0] = np.sum(x[:, None] - x[None]) + v[0, 1, 0]

    source = Function(kernel).inspect_source("float64[:, ::1], float64[:]")
    for target in ("sm_75", "sm_90"):
        assert ww.compile(source, target=target, format="cubin")[:4] == ELF


def test_orders_compile_for_gpus():
    def kernel(m, x):
        x.sort()
        m[:, 1].sort()
        x[0] = np.median(x[:5]) + np.percentile(x[:4], 30) + np.argsort(x[:3])[1]
        x[x > 2] = np.round(x[0], 2)

    source = Function(kernel).inspect_source("float64[:, ::1], float32[:]")
    for target in ("sm_75", "sm_90"):
        assert ww.compile(source, target=target, format="cubin")[:4] == ELF
