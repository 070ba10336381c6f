"""The device headers under NVRTC: those of ours that it accepts, and NVIDIA's own."""

from __future__ import annotations

from pathlib import Path

import pytest

import warpwise as ww

FOLDER = Path(__file__).parents[3] / "src/codegen/device/include"
HEADERS = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*") if path.is_file())
# NVIDIA's where they are installed; an error where they are not.
NVIDIAS = (
    "cooperative_groups",
    "cuda_bf16.h",
    "cuda_fp16.h",
    "cuda_fp8.h",
    "cuda/atomic",
    "cuda/barrier",
    "cuda/latch",
    "cuda/pipeline",
    "cuda/semaphore",
    "cuda/std/atomic",
    "cuda/std/barrier",
    "curand_",
    "mma.h",
)
# NVIDIA's where they are installed; ours where they are not.
EITHER = ("cub/", "cuda/", "cuda_pipeline", "curand.h", "nv/")
KERNEL = "__global__ void k(int *p) { *p = 1; }\n"


def is_ours(name: str) -> bool:
    # Host containers mean nothing to device code; the front end brings them where they are used.
    return not name.startswith((*NVIDIAS, *EITHER, "__ww_host_types"))


def compile_with(headers: list[str], target: str, body: str = KERNEL) -> bytes:
    source = "".join(f"#include <{name}>\n" for name in headers) + body
    return ww.compile(source, target=target, format="cubin")


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"])
def test_ours_compile_together(target: str) -> None:
    ours = [name for name in HEADERS if is_ours(name)]
    assert len(ours) > 140
    assert compile_with(ours, target)[:4] == b"\x7fELF"


# cuRAND's other headers need <curand_kernel.h> before them.
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in HEADERS
        if name.startswith(NVIDIAS)
        and (not name.startswith("curand_") or name == "curand_kernel.h")
    ],
)
def test_nvidias_are_theirs_or_name_what_to_install(name: str) -> None:
    try:
        assert compile_with([name], "sm_90")[:4] == b"\x7fELF"
    except ww.CompileError as error:
        assert "is not installed; install the CUDA toolkit or `pip install nvidia-" in error.log


@pytest.mark.parametrize("family", ["cub/block/", "cub/warp/", "cuda/std/"])
def test_either_compile(family: str) -> None:
    names = [name for name in HEADERS if name.startswith(family) and not name.startswith(NVIDIAS)]
    assert compile_with(names, "sm_90")[:4] == b"\x7fELF"


def test_integers_of_both_libraries_are_one() -> None:
    body = """
    static_assert(std::is_same<int64_t, long>::value && sizeof(cuda::std::int64_t) == 8, "");
    __global__ void k(int64_t *p) { *p = INT64_MAX; }
    """
    headers = ["cstdint", "type_traits", "cuda/std/cstdint", "cuda/std/climits"]
    assert compile_with(headers, "sm_90", body)[:4] == b"\x7fELF"


def test_questions_of_type_traits_have_their_answers() -> None:
    body = """
    using namespace std;
    static_assert(is_integral<const long>::value && !is_integral<float>::value, "");
    static_assert(is_signed<int>::value && is_unsigned<bool>::value, "");
    static_assert(!is_signed<int *>::value && is_floating_point<double>::value, "");
    static_assert(is_same<make_index_sequence<5>, index_sequence<0, 1, 2, 3, 4>>::value, "");
    static_assert(is_same<make_index_sequence<0>, index_sequence<>>::value, "");
    static_assert(extent<int[3][4], 1>::value == 4 && rank<int[][2]>::value == 2, "");
    static_assert(is_array<int[2]>::value && is_pointer<int *const>::value, "");
    static_assert(is_reference<int &&>::value && is_object<int>::value, "");
    static_assert(is_scalar<int *>::value && is_compound<int *>::value, "");
    static_assert(is_const<const int>::value && !is_const<const int *>::value, "");
    static_assert(numeric_limits<float>::infinity() > 1e38f, "");
    static_assert(popcount(7u) == 3 && countl_zero((unsigned char)1) == 7, "");
    static_assert(countr_zero(8ull) == 3 && bit_cast<unsigned>(1.0f) == 0x3f800000u, "");
    """
    headers = ["type_traits", "utility", "limits", "bit"]
    assert compile_with(headers, "sm_90", body + KERNEL)[:4] == b"\x7fELF"
