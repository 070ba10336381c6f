"""What nvcc accepts as written and clang does not, and names that programs have of their own."""

import numpy as np
import pytest

import warpwise as ww


def result_of(source: str, kernel: str = "kernel") -> int:
    """What a kernel stores."""
    out = np.zeros(1, np.int32)
    module = ww.SourceModule(source, options=["-std=c++17"])
    module[kernel](ww.Out(out), block=1)
    return int(out[0])


def test_ssize_t_needs_no_header() -> None:
    assert result_of("__global__ void kernel(int *out) { ssize_t n = -3; *out = n; }") == -3


def test_aligned_storage_has_the_size_and_alignment_asked_for() -> None:
    source = """#include <type_traits>
    template <class T> struct Room { typename std::aligned_storage<sizeof(T), 32>::type place; };
    __global__ void kernel(int *out) {
        __shared__ Room<double> rooms[3];
        *out = sizeof(rooms) + alignof(std::aligned_storage_t<4>) + 1000 * alignof(rooms[0].place);
    }"""
    assert result_of(source) == 3 * 32 + 16 + 1000 * 32


def test_alignas_may_follow_shared() -> None:
    source = """__global__ void kernel(int *out) {
        __shared__ char before;
        __shared__ alignas(64) char tile[8];
        *out = (int)((size_t)tile % 64) + (&before == tile);
    }"""
    assert result_of(source) == 0


def test_attributes_in_brackets_may_follow_the_words_of_cuda() -> None:
    source = """
    __device__ __forceinline__ [[nodiscard]] int seven() { return 7; }
    __global__ void kernel(int *out) {
        __shared__ [[maybe_unused]] int scratch[4];
        *out = seven();
    }"""
    assert result_of(source) == 7


def test_a_program_may_have_a_globaltimer_of_its_own() -> None:
    source = """
    static __device__ inline unsigned int __globaltimer() { return 41; }
    __global__ void kernel(int *out) { *out = __globaltimer() + 1; }"""
    assert result_of(source) == 42


@pytest.mark.cpu_only("NVRTC takes no constexpr functions without __device__")
def test_class_templates_with_constexpr_members_help_device_code() -> None:
    source = """
    template <int n, class T> struct Tile {
        static constexpr int rows = n * sizeof(T);
        static constexpr T weights[3] = {1, 2, 3};
        static constexpr T zero() { return T(0); }
        constexpr int padded(int x) const { return x + rows; }
    };
    template <class Helper> __device__ int sum(int i) {
        const int &rows = Helper::rows;
        return rows + Helper::weights[i] + Helper::zero() + Helper().padded(100);
    }
    __global__ void kernel(int *out) { *out = sum<Tile<4, int>>(threadIdx.x + 1); }"""
    assert result_of(source) == 16 + 2 + 0 + 116


def test_constants_of_the_mathematics_header_need_no_include() -> None:
    assert result_of("__global__ void kernel(int *out) { *out = CUDART_PI_F * 100; }") == 314


@pytest.mark.cpu_only("NVRTC takes no redefinition of a type")
def test_a_program_may_name_the_integers_of_64_bits_itself() -> None:
    source = """
    typedef long long int64_t;
    typedef unsigned long long uint64_t;
    __device__ uint64_t twice(uint64_t x) { return 2 * x; }
    __global__ void kernel(int *out) { *out = static_cast<int64_t>(twice(21)); }"""
    assert result_of(source) == 42


@pytest.mark.cpu_only("NVRTC takes no host code")
def test_members_defined_outside_of_a_class_end_where_their_namespace_does_not() -> None:
    source = """
    namespace outer {
    namespace inner {
    template <class T> class Buffer : public Missing {
        Buffer &operator=(const Buffer &other);
        int size() const;
    };
    template <class T> Buffer<T> &Buffer<T>::operator=(const Buffer &other) { return *this; }
    template <class T> int Buffer<T>::size() const { return 3; }
    }  // namespace inner
    class Holder : public Missing {
        int first_, second_, third_;
        Holder(int n);
    };
    Holder::Holder(int n) : first_{n}, second_(2), third_{int{3}} { first_ = missing(n); }
    __global__ void kernel(int *out) { *out = 42; }
    }  // namespace outer
    #include <missing.h>"""
    assert result_of(source, "outer::kernel") == 42
