"""Kernel printf through sys.stdout, in block order."""

import ctypes
import ctypes.util

import devices
import pytest

import warpwise as ww

libc = ctypes.CDLL(ctypes.util.find_library("c"))


def test_output_comes_in_block_order(run, capsys):
    run(
        """#include <stdio.h>
        __global__ void kernel() { printf("block %d thread %u\\n", blockIdx.x, threadIdx.x); }""",
        grid=50, block=3,
    )  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"block {b} thread {t}" for b in range(50) for t in range(3)]


@pytest.mark.parametrize(
    ("format", "ctype", "value"),
    [("%d", "int", -5), ("%5.3d|", "int", 7), ("%-8u|", "unsigned", 3), ("%#x", "unsigned", 255),
     ("%lld", "long long", -(2**60)), ("%llu", "unsigned long long", 2**63), ("%c", "char", 65),
     ("%+08.3f", "double", 3.14159), ("%e", "float", 0.5), ("%g", "double", 1e-10),
     ("%a", "double", 1.5), ("%%%d%%", "int", 1)],
)  # fmt: skip
def test_formats_are_those_of_c(run, capsys, format, ctype, value):
    run(f'__global__ void kernel({ctype} v) {{ printf("{format}", v); }}', value, block=1)
    buffer = ctypes.create_string_buffer(200)
    argument = {
        "double": ctypes.c_double, "float": ctypes.c_double,
        "long long": ctypes.c_longlong, "unsigned long long": ctypes.c_ulonglong,
    }.get(ctype, ctypes.c_int)(value)  # fmt: skip
    libc.snprintf(buffer, 200, format.encode(), argument)
    assert capsys.readouterr().out == buffer.value.decode()


def test_strings_pointers_and_stars(run, capsys):
    run(
        '__global__ void kernel() { printf("%s|%*d|%.*f|%p", "text", 5, 42, 2, 1.239, (void *)0); }'
    )
    assert capsys.readouterr().out.startswith("text|   42|1.24|")


def test_printf_returns_the_number_of_arguments(run, capsys):
    run('__global__ void kernel() { int n = printf("%d %d\\n", 1, 2); printf("%d\\n", n); }')
    assert capsys.readouterr().out == "1 2\n2\n"


def test_a_lot_of_output_is_whole(run, capsys):
    run('__global__ void kernel() { printf("%06d\\n", blockIdx.x * blockDim.x + threadIdx.x); }',
        grid=1000, block=32)  # fmt: skip
    lines = capsys.readouterr().out.split()
    # On a GPU the threads of a block print in no order.
    blocks = [lines[i : i + 32] for i in range(0, len(lines), 32)]
    lines = lines if devices.IS_CPU else [line for block in blocks for line in sorted(block)]
    assert lines == [f"{i:06d}" for i in range(32_000)]


def test_nothing_is_printed_before_synchronisation(capsys):
    with ww.Stream() as stream:
        ww.SourceModule('__global__ void kernel() { printf("x"); }')["kernel"](grid=1, block=1)
        stream.synchronize()
    assert capsys.readouterr().out == "x"
