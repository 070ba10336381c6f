// Scalars of generated kernels, which arrive as words of eight bytes; and what Chan's formula needs
// of real and complex numbers alike.
#pragma once

// n / extent for n below 2^31, with the divisor that the launch has prepared.
__device__ __forceinline__ unsigned int __ww_divided(unsigned int n, unsigned long long divisor) {
    return (unsigned int)((n * (divisor & 0xffffffffu)) >> (int)(divisor >> 32));
}

template <class T>
struct __ww_bits {
    static __device__ __forceinline__ T value(long long bits, long long) {
        union {
            long long word;
            T value;
        } both = {bits};
        return both.value;
    }
};
template <>
struct __ww_bits<bool> {
    static __device__ __forceinline__ bool value(long long bits, long long) {
        return (bits & 255) != 0;
    }
};
template <class T>
__device__ __forceinline__ T __ww_from_bits(long long bits, long long more = 0) {
    return __ww_bits<T>::value(bits, more);
}

__device__ __forceinline__ float __ww_scale(float a, float factor) {
    return __fmul_rn(a, factor);
}
__device__ __forceinline__ double __ww_scale(double a, double factor) {
    return __dmul_rn(a, factor);
}
// a times the conjugate of b, of which the real part.
__device__ __forceinline__ float __ww_inner(float a, float b) {
    return __fmul_rn(a, b);
}
__device__ __forceinline__ double __ww_inner(double a, double b) {
    return __dmul_rn(a, b);
}
#ifdef __WW_ARRAY_COMPLEX
template <class T>
struct __ww_bits<__ww_complex<T>> {
    static __device__ __forceinline__ __ww_complex<T> value(long long bits, long long more) {
        union {
            long long words[2];
            __ww_complex<T> value;
        } both = {{bits, more}};
        return both.value;
    }
};
template <class T>
__device__ __forceinline__ __ww_complex<T> __ww_scale(__ww_complex<T> a, T factor) {
    return __ww_complex<T>{__ww_multiply(a.re, factor), __ww_multiply(a.im, factor)};
}
template <class T>
__device__ __forceinline__ T __ww_inner(__ww_complex<T> a, __ww_complex<T> b) {
    return __ww_add(__ww_multiply(a.re, b.re), __ww_multiply(a.im, b.im));
}
#endif

// An element at any byte. GPUs read and write numbers at multiples of their size only.
template <class T>
struct __ww_unaligned {
    unsigned char bytes[sizeof(T)];
    __device__ __forceinline__ operator T() const {
        union Both {
            unsigned char bytes[sizeof(T)];
            T value;
            __device__ __forceinline__ Both() {}
        } both;
#pragma unroll
        for (int i = 0; i < (int)sizeof(T); ++i) both.bytes[i] = bytes[i];
        return both.value;
    }
    __device__ __forceinline__ void operator=(T given) {
        const unsigned char* from = (const unsigned char*)&given;
#pragma unroll
        for (int i = 0; i < (int)sizeof(T); ++i) bytes[i] = from[i];
    }
};
