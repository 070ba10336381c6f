// Elements as unsigned numbers in the same order: what radix sorts compare.
//
// NaN comes last, whatever its sign. Where elements are only placed (kPlaced), both zeros have one
// key; where they are made from keys again, -0.0 comes before 0.0 and a NaN loses its sign.
//
// `form`: the same as the host's vectors know it (KeyForm of src/backends/cpu/host/sort_keys.hpp).
#pragma once

template <class T>
struct __ww_sort_key;

#define __WW_UNSIGNED_KEY(Type, Bits)                                \
    template <>                                                      \
    struct __ww_sort_key<Type> {                                     \
        typedef Bits bits;                                           \
        typedef Type memory;                                         \
        enum { form = 0 };                                           \
        template <bool kPlaced>                                      \
        static __device__ __forceinline__ bits of(memory a) {        \
            return (bits)a;                                          \
        }                                                            \
        static __device__ __forceinline__ memory element(bits key) { \
            return (memory)key;                                      \
        }                                                            \
    };
__WW_UNSIGNED_KEY(unsigned char, unsigned char)
__WW_UNSIGNED_KEY(unsigned short, unsigned short)
__WW_UNSIGNED_KEY(unsigned int, unsigned int)
__WW_UNSIGNED_KEY(unsigned long long, unsigned long long)
#undef __WW_UNSIGNED_KEY

template <>
struct __ww_sort_key<bool> {
    typedef unsigned char bits;
    typedef unsigned char memory;
    enum { form = 0 };
    template <bool kPlaced>
    static __device__ __forceinline__ bits of(memory a) {
        return a != 0;
    }
    static __device__ __forceinline__ memory element(bits key) { return key != 0; }
};

#define __WW_SIGNED_KEY(Type, Bits, Sign)                            \
    template <>                                                      \
    struct __ww_sort_key<Type> {                                     \
        typedef Bits bits;                                           \
        typedef Type memory;                                         \
        enum { form = 1 };                                           \
        template <bool kPlaced>                                      \
        static __device__ __forceinline__ bits of(memory a) {        \
            return (bits)((bits)a ^ (Sign));                         \
        }                                                            \
        static __device__ __forceinline__ memory element(bits key) { \
            return (memory)(bits)(key ^ (Sign));                     \
        }                                                            \
    };
__WW_SIGNED_KEY(signed char, unsigned char, 0x80u)
__WW_SIGNED_KEY(short, unsigned short, 0x8000u)
__WW_SIGNED_KEY(int, unsigned int, 0x80000000u)
__WW_SIGNED_KEY(long long, unsigned long long, 0x8000000000000000ull)
#undef __WW_SIGNED_KEY

// Of the bits of a float, by the infinity of its format. Without branches: signs are random.
template <class Bits, bool kPlaced>
__device__ __forceinline__ Bits __ww_key_of_float(Bits a, Bits infinity) {
    const int top = sizeof(Bits) * 8 - 1;
    const Bits sign = (Bits)((Bits)1 << top);
    const Bits magnitude = (Bits)(a & (Bits)~sign);
    const Bits negative = (Bits)((Bits)0 - (Bits)(a >> top));  // all bits, or none
    const Bits key = (Bits)(a ^ (Bits)(negative | sign));
    const Bits nan = kPlaced ? (Bits) ~(Bits)0 : (Bits)(a | sign | negative);
    const Bits number = kPlaced && magnitude == 0 ? sign : key;
    return magnitude > infinity ? nan : number;
}
template <class Bits>
__device__ __forceinline__ Bits __ww_float_of_key(Bits key) {
    const int top = sizeof(Bits) * 8 - 1;
    const Bits sign = (Bits)((Bits)1 << top);
    const Bits negative = (Bits)((Bits)(key >> top) - (Bits)1);
    return (Bits)(key ^ (Bits)(negative | sign));
}

#define __WW_FLOAT_KEY(Type, Bits, Infinity)                              \
    template <>                                                           \
    struct __ww_sort_key<Type> {                                          \
        typedef Bits bits;                                                \
        typedef Bits memory;                                              \
        enum { form = 2 };                                                \
        template <bool kPlaced>                                           \
        static __device__ __forceinline__ bits of(memory a) {             \
            return __ww_key_of_float<bits, kPlaced>(a, (bits)(Infinity)); \
        }                                                                 \
        static __device__ __forceinline__ memory element(bits key) {      \
            return __ww_float_of_key(key);                                \
        }                                                                 \
    };
struct __ww_half;
struct __ww_bfloat16;
__WW_FLOAT_KEY(__ww_half, unsigned short, 0x7c00u)
__WW_FLOAT_KEY(__ww_bfloat16, unsigned short, 0x7f80u)
__WW_FLOAT_KEY(float, unsigned int, 0x7f800000u)
__WW_FLOAT_KEY(double, unsigned long long, 0x7ff0000000000000ull)
#undef __WW_FLOAT_KEY

// What a sort begins with: keys of elements, in reverse order where it descends.
template <class T, bool kPlaced, bool kDescending>
struct __ww_sort_input {
    typedef typename __ww_sort_key<T>::bits bits;
    typedef typename __ww_sort_key<T>::memory memory;
    enum { form = __ww_sort_key<T>::form + (kDescending ? 4 : 0) };
    static __device__ __forceinline__ bits key(memory a) {
        const bits one = __ww_sort_key<T>::template of<kPlaced>(a);
        return kDescending ? (bits)~one : one;
    }
    static __device__ __forceinline__ memory element(bits key) {
        return __ww_sort_key<T>::element(kDescending ? (bits)~key : key);
    }
};

// --- What is sorted: elements (Index is __ww_no_index) or the places that they have, as numbers of
// type Index.
struct __ww_no_index {};

// Where elements come from and results go.
template <class T, class Index, bool kDescending>
struct __ww_sort_of {
    typedef __ww_sort_input<T, true, kDescending> input;
    typedef typename input::bits bits;
    typedef typename input::memory memory;
    typedef Index index;
    enum { has_index = true };
    static __device__ __forceinline__ Index place(long long i) { return (Index)i; }
};
template <class T, bool kDescending>
struct __ww_sort_of<T, __ww_no_index, kDescending> {
    typedef __ww_sort_input<T, false, kDescending> input;
    typedef typename input::bits bits;
    typedef typename input::memory memory;
    typedef __ww_no_index index;
    enum { has_index = false };
    static __device__ __forceinline__ __ww_no_index place(long long) { return {}; }
};

template <class Index>
__device__ __forceinline__ void __ww_put_place(long long* out, long long at, Index place) {
    out[at] = (long long)place;
}
__device__ __forceinline__ void __ww_put_place(long long*, long long, __ww_no_index) {}

// Short rows, of `length` up to 64: a thread for each element, which counts those of its row that
// come before it. A block of 256 threads has 256 / length rows.
template <class Sort>
__device__ __forceinline__ void __ww_sort_by_rank(const void* from, const void* order, void* to,
                                                  long long rows, int length, long long step) {
    typedef typename Sort::bits bits;
    __shared__ bits keys[256];
    const int together = 256 / length;
    // threadIdx.x / length
    const int local = (int)(threadIdx.x * (65536u / (unsigned int)length + 1) >> 16);
    const int own = (int)threadIdx.x - local * length;
    const long long row = (long long)blockIdx.x * together + local;
    const bool is_element = local < together && row < rows;
    const long long first = row * length;
    long long place = own;
    bits key = 0;
    if (is_element) {
        if (order != nullptr) place = ((const long long*)order)[first + own];
        key = Sort::input::key(((const typename Sort::memory*)from)[(first + place) * step]);
    }
    keys[threadIdx.x] = key;
    __syncthreads();
    if (!is_element) return;
    int rank = 0;
    for (int i = 0; i < length; ++i) {
        const bits other = keys[local * length + i];
        rank += other < key || (other == key && i < own) ? 1 : 0;
    }
    if (Sort::has_index) {
        __ww_put_place((long long*)to, first + rank, Sort::place(place));
    } else {
        ((typename Sort::memory*)to)[first + rank] = Sort::input::element(key);
    }
}
