"""The kernels of sparse matrices compiled by NVRTC, which needs no GPU."""

from __future__ import annotations

import pytest

import warpwise as ww

TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]
ELF = b"\x7fELF"
KINDS = {
    "float": ("float", "float"),
    "mixed": ("double", "float"),
    "complex": ("__ww_complex<double>", "__ww_complex<float>"),
    "integer": ("long long", "int"),
}


def kind_is_complex(value: str) -> bool:
    return "complex" in value


def source_of(result: str, value: str, index: str) -> str:
    types = f"<{result}, {index}, {value}, {result}>"
    of_rows = f"<{result}, __ww_rows<{index}>, {value}, {result}>"
    near = f"<{result}, __ww_near_rows<{index}>, {value}, {result}>"
    head = (
        "#define __WW_ARRAY_PARTS\n#define __WW_ARRAY_COMPLEX\n"
        "#include <warpwise_library_sparse.h>\n"
    )
    pointers = "const void *a, const void *b, const void *c, const void *d, void *e"
    kernels = [
        f"void k0({pointers}, long long n) {{ __ww_spmv_threads{of_rows}(a, b, c, d, e, n, 1); }}",
        f"void k1({pointers}, long long n) {{ __ww_spmv_warps{near}(a, b, c, d, e, n); }}",
        f"void k2({pointers}, long long n) {{ __ww_spmm{types}(a, b, c, d, e, n, 3); }}",
        f"void k3({pointers}, long long n) "
        f"{{ __ww_to_dense<{index}, {value}>(a, b, c, e, n, 1, n); }}",
        f"void k4({pointers}, long long n) "
        f"{{ __ww_diagonal<{index}, {value}>(a, b, c, e, n, 0, 1); }}",
        f"void k5({pointers}, long long n) {{ __ww_gather_sums<{value}>(a, b, c, e, n); }}",
        f"void k6({pointers}, long long n) "
        f"{{ __ww_block_product<{result}, {index}, {value}, {result}, 3, 2>"
        "(a, b, c, d, e, n, 2, 1); }",
        f"void k7({pointers}, long long n) "
        f"{{ __ww_sparse_product<{result}, {index}, {value}, {result}>"
        "(a, b, c, a, b, d, a, b, e, n, 1); }",
        f"void k8({pointers}, long long n) "
        f"{{ __ww_solve_triangle<{result}, {index}>(a, b, c, d, d, e, 0, n, 2, 1); }}",
        f"void k9({pointers}, long long n) {{ __ww_diagonal_blocks<{result}>(a, b, e, n, 2, 4); }}",
        f"void k11({pointers}, long long n) "
        f"{{ __ww_spmv_inner<{value}, __ww_near_rows<{index}>, 128>(a, b, c, d, e, e, n); }}",
        f"void k12({pointers}, long long n) {{ __ww_distances<{index}>(a, b, e, e, n, 1); }}",
        f"void k10({pointers}) {{ __ww_spmv_packets{types}(a, a, b, a, c, d, d, e); }}",
    ]
    if kind_is_complex(value):
        kernels = [kernel for kernel in kernels if "inner" not in kernel]  # real numbers only
    return head + "\n".join("__global__ " + kernel for kernel in kernels)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("index", ["int", "long long"])
def test_kernels_compile_for_every_architecture(kind: str, index: str, target: str) -> None:
    source = source_of(*KINDS[kind], index)
    assert ww.compile(source, target=target, format="cubin")[:4] == ELF
