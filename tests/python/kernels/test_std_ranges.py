"""std::span, std::array, std::byte and reverse iterators in device code; deduced template arguments."""

import numpy as np
import pytest

import warpwise as ww

SPANS = """
#include <SPAN>
namespace s = NAMESPACE;
template <class T, size_t n> __device__ size_t room(s::span<T, n>) { return n; }
__global__ void kernel(int *out, const int *x, int n) {
    s::span<int> all(out, n);
    s::span<int, 3> three(out + 10, 3);
    static_assert(s::span<int>::extent == s::dynamic_extent, "");
    static_assert(sizeof(s::span<int, 3>) == sizeof(int *), "");
    s::span<const int> read(x, n), also = all, fixed = three;
    for (int &value : all.subspan(1, 3)) value = 1;
    auto two = all.first<2>();
    two[0] = read.back();
    auto tail = three.subspan<1>();
    static_assert(decltype(tail)::extent == 2, "");
    tail[1] = tail.size() + 40;
    all.last(2)[0] = room(three) + (room(all) == s::dynamic_extent);
    int local[4] = {5, 6, 7, 8};
    s::span<int> of_array = local;
    all[4] = of_array.subspan(2).front();
    s::array<int, 2> pair = {{8, 9}};
    s::span<const int, 2> of_pair = pair;
    all[5] = of_pair[1];
    int reversed = 0;
    for (auto it = of_array.rbegin(); it != of_array.rend(); ++it) reversed = 10 * reversed + *it;
    all[6] = reversed;
    all[7] = also.size_bytes() + fixed.size() + s::span<int>().empty();
}"""


@pytest.mark.parametrize(("header", "namespace"), [("span", "std"), ("cuda/std/span", "cuda::std")])
def test_spans_of_fixed_and_of_dynamic_length(run, header, namespace):
    out, x = np.zeros(13, np.int32), np.arange(100, 113, dtype=np.int32)
    source = SPANS.replace("SPAN", header, 1).replace("NAMESPACE", namespace)
    options = ["-std=c++17" if namespace == "cuda::std" else "-std=c++20"]
    run(source, ww.InOut(out), ww.In(x), 13, options=options)
    expected = [112, 1, 1, 1, 7, 9, 8765, 13 * 4 + 3 + 1, 0, 0, 0, 3 + 1, 42]
    assert out.tolist() == expected
    assert ww.compile(source, target="sm_80", format="cubin", options=options)[:4] == b"\x7fELF"


@pytest.mark.cpu_only("NVRTC takes no constexpr functions without __device__")
def test_tables_are_built_at_compile_time(run):
    out = np.zeros(4, np.int32)
    run(
        """#include <array>
        constexpr std::array<int, 4> squares() {
            std::array<int, 4> table{};
            for (size_t i = 0; i < table.size(); ++i) table[i] = int(i * i);
            return table;
        }
        __constant__ constexpr std::array<int, 4> table = squares();
        __global__ void kernel(int *out) { out[threadIdx.x] = table[3 - threadIdx.x]; }""",
        ww.Out(out), block=4, options=["-std=c++17"],
    )  # fmt: skip
    assert out.tolist() == [9, 4, 1, 0]


def test_bytes_have_operators(run):
    out = np.zeros(3, np.int32)
    run(
        """#include <cstddef>
        __global__ void kernel(int *out) {
            std::byte mask{0x0f}, word = mask << 2;
            word |= std::byte{1};
            out[0] = std::to_integer<int>(word);
            out[1] = std::to_integer<int>(~mask & std::byte{0xff});
            out[2] = std::to_integer<int>((word ^ mask) >> 1);
        }""",
        ww.Out(out), options=["-std=c++17"],
    )  # fmt: skip
    assert out.tolist() == [0x3D, 0xF0, (0x3D ^ 0x0F) >> 1]


DEDUCED = """
template <class T, int n> struct Row { T values[n]; };
template <class T, class... Rest> Row(T, Rest...) -> Row<T, 1 + sizeof...(Rest)>;
namespace tools {
template <class T> struct Box {
    T value;
    template <class U> __device__ Box(const U *from, int i) : value(from[i]) {}
};
template <class U> Box(const U *, int) -> Box<U>;
template <class F> struct AtEnd { F action; __device__ ~AtEnd() { action(); } };
template <class F> AtEnd(F) -> AtEnd<F>;
__device__ void mark(int *out) { AtEnd last{[=] { out[2] = 5; }}; }
}
__global__ void kernel(int *out, const int *x) {
    Row row{1, 2, 3};
    tools::Box box(x, 1);
    out[0] = row.values[1] + sizeof(row);
    out[1] = box.value;
    tools::mark(out);
}"""


def test_deduction_guides_hold_in_device_code(run):
    out, x = np.zeros(3, np.int32), np.array([3, 4], np.int32)
    run(DEDUCED, ww.Out(out), ww.In(x), options=["-std=c++17"])
    assert out.tolist() == [2 + 12, 4, 5]
    cubin = ww.compile(DEDUCED, target="sm_80", format="cubin", options=["-std=c++17"])
    assert cubin[:4] == b"\x7fELF"


def test_structs_may_have_atomics_of_the_host():
    module = ww.SourceModule(
        """#include <atomic>
        struct Queue { char kind; std::atomic<int> length; double *items; };
        std::atomic<long> launches(0);
        __global__ void kernel(Queue *queue, int *out) { *out = sizeof(Queue) + queue->items[0]; }
        int main() { launches++; return launches.load(); }"""
    )
    items = ww.to_device(np.array([5.0]))
    queue = np.zeros(1, np.dtype([("kind", "i1"), ("length", "i4"), ("items", "u8")], align=True))
    queue["items"] = items.address
    out = np.zeros(1, np.int32)
    module["kernel"](ww.In(queue), ww.Out(out), block=1)
    assert out[0] == 16 + 5
