// nvcuda::wmma: matrices spread over the lanes of a warp. Where an element lies is
// implementation-defined, as in CUDA: element i of lane l is number 32 * i + l, row by row.
// Products travel by shuffles, in order of k, summed in float (int for integers, double for
// doubles).
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

extern "C++" {

#define __WW_MMA static __device__ __forceinline__

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
}  // namespace experimental

// What is stored of an element, and what sums are made in.
template <class T>
struct __ww_element {
    typedef T type;
    typedef float sum;
};
template <>
struct __ww_element<precision::tf32> {
    typedef float type;
    typedef float sum;
};
#define __WW_ELEMENT(T, S)   \
    template <>              \
    struct __ww_element<T> { \
        typedef T type;      \
        typedef S sum;       \
    };
__WW_ELEMENT(signed char, int)
__WW_ELEMENT(unsigned char, int)
__WW_ELEMENT(char, int)
__WW_ELEMENT(int, int)
__WW_ELEMENT(double, double)
#undef __WW_ELEMENT

template <class Use, int m, int n, int k>
struct __ww_extent;
template <int m, int n, int k>
struct __ww_extent<matrix_a, m, n, k> {
    static constexpr int rows = m, columns = k;
};
template <int m, int n, int k>
struct __ww_extent<matrix_b, m, n, k> {
    static constexpr int rows = k, columns = n;
};
template <int m, int n, int k>
struct __ww_extent<accumulator, m, n, k> {
    static constexpr int rows = m, columns = n;
};

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
    typedef typename __ww_element<T>::type element_type;
    typedef element_type storage_element_type;
    static constexpr int __ww_rows = __ww_extent<Use, m, n, k>::rows;
    static constexpr int __ww_columns = __ww_extent<Use, m, n, k>::columns;
    static constexpr int num_elements = __ww_rows * __ww_columns / 32;
    static constexpr int num_storage_elements = num_elements;
    element_type x[num_elements];
};

__WW_MMA unsigned int __ww_place(int i) {
    return 32u * static_cast<unsigned int>(i) + __ww_lane();
}

template <class Use, int m, int n, int k, class T, class Layout, class V>
__WW_MMA void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const V& value) {
    typedef typename __ww_element<T>::type E;
    for (int i = 0; i < f.num_elements; ++i) f.x[i] = static_cast<E>(value);
}

template <class F>
__WW_MMA size_t __ww_address(int i, unsigned int stride, bool by_row) {
    unsigned int place = __ww_place(i);
    unsigned int row = place / F::__ww_columns, column = place % F::__ww_columns;
    return by_row ? static_cast<size_t>(row) * stride + column
                  : static_cast<size_t>(column) * stride + row;
}
template <class F, class E>
__WW_MMA void __ww_load(F& f, const E* from, unsigned int stride, bool by_row) {
    for (int i = 0; i < F::num_elements; ++i) f.x[i] = from[__ww_address<F>(i, stride, by_row)];
    __syncwarp();
}

template <class Use, int m, int n, int k, class T, class E>
__WW_MMA void load_matrix_sync(fragment<Use, m, n, k, T, row_major>& f, const E* from,
                               unsigned int stride) {
    __ww_load(f, from, stride, true);
}
template <class Use, int m, int n, int k, class T, class E>
__WW_MMA void load_matrix_sync(fragment<Use, m, n, k, T, col_major>& f, const E* from,
                               unsigned int stride) {
    __ww_load(f, from, stride, false);
}
template <int m, int n, int k, class T, class E>
__WW_MMA void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const E* from,
                               unsigned int stride, layout_t layout) {
    __ww_load(f, from, stride, layout == mem_row_major);
}
template <int m, int n, int k, class T, class E>
__WW_MMA void store_matrix_sync(E* to, const fragment<accumulator, m, n, k, T>& f,
                                unsigned int stride, layout_t layout) {
    typedef fragment<accumulator, m, n, k, T> F;
    __syncwarp();
    for (int i = 0; i < F::num_elements; ++i) {
        to[__ww_address<F>(i, stride, layout == mem_row_major)] = f.x[i];
    }
    __syncwarp();
}

// Every lane of the warp must come here with its part: a shuffle of one word, whatever its type.
template <class S, class E>
__WW_MMA S __ww_from_lane(E value, unsigned int lane) {
    return __shfl_sync(0xffffffffu, static_cast<S>(value), static_cast<int>(lane));
}

// An element of d needs row r of a and column c of b. The 32 elements of one step i lie in 32 / n
// neighbouring rows, whose k-th elements of a lie `span` numbers apart from the first: in one or
// more steps of a.
template <int m, int n, int k, class D, class A, class LayoutA, class LayoutB, class C>
__WW_MMA void mma_sync(fragment<accumulator, m, n, k, D>& d,
                       const fragment<matrix_a, m, n, k, A, LayoutA>& a,
                       const fragment<matrix_b, m, n, k, A, LayoutB>& b,
                       const fragment<accumulator, m, n, k, C>& c, bool saturate = false) {
    typedef typename __ww_element<A>::sum S;
    constexpr int steps = m * n / 32;
    constexpr unsigned int span = 32 / n * k;
    constexpr unsigned int rounds = span <= 32 ? 1 : span / 32;
    const unsigned int lane = __ww_lane();
    S sum[steps];
#pragma unroll
    for (int i = 0; i < steps; ++i) sum[i] = static_cast<S>(c.x[i]);
#pragma unroll
    for (unsigned int j = 0; j < k; ++j) {
        const S right = __ww_from_lane<S>(b.x[j * n / 32], j * n % 32 + lane % n);
#pragma unroll
        for (int i = 0; i < steps; ++i) {
            const unsigned int place = i * span + lane / n * k + j;
            S left = S();
#pragma unroll
            for (unsigned int round = 0; round < rounds; ++round) {
                const unsigned int step = (i * span) / 32 + round;
                const S found = __ww_from_lane<S>(a.x[step], place % 32);
                if (rounds == 1 || place / 32 == step) left = found;
            }
            sum[i] += left * right;
        }
    }
    (void)saturate;  // of integers only, to int's own range, which no sum of bytes leaves
#pragma unroll
    for (int i = 0; i < steps; ++i) d.x[i] = static_cast<typename __ww_element<D>::type>(sum[i]);
}

// To the nearest of ten bits of mantissa, ties away from zero, as cvt.rna does.
__WW_MMA float __float_to_tf32(float x) {
    unsigned int bits = __float_as_uint(x);
    if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0x1000u;
    return __uint_as_float(bits & 0xffffe000u);
}

}  // namespace wmma
}  // namespace nvcuda

#undef __WW_MMA

}  // extern "C++"
