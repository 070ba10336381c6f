// Arithmetic on numbers with Python's meaning: quotients round down, remainders have the divisor's
// sign, comparisons of signed and unsigned numbers compare values.
#pragma once

#define __WW_PY __device__ __forceinline__

struct __ww_py_nothing {};

template <class T>
__WW_PY T __ww_py_min(T a, T b) {
    return b < a ? b : a;
}
template <class T>
__WW_PY T __ww_py_max(T a, T b) {
    return b > a ? b : a;
}

__WW_PY double __ww_py_double(unsigned long long bits) {
    return __longlong_as_double((long long)bits);
}
__WW_PY float __ww_py_float(unsigned int bits) {
    return __int_as_float((int)bits);
}

__WW_PY bool __ww_py_isnan(float a) {
    return a != a;
}
__WW_PY bool __ww_py_isnan(double a) {
    return a != a;
}
__WW_PY bool __ww_py_isfinite(float a) {
    return (__float_as_int(a) & 0x7f800000) != 0x7f800000;
}
__WW_PY bool __ww_py_isfinite(double a) {
    return (__double_as_longlong(a) & 0x7ff0000000000000LL) != 0x7ff0000000000000LL;
}
template <class T>
__WW_PY bool __ww_py_isinf(T a) {
    return !__ww_py_isfinite(a) && !__ww_py_isnan(a);
}
__WW_PY bool __ww_py_signbit(float a) {
    return __float_as_int(a) < 0;
}
__WW_PY bool __ww_py_signbit(double a) {
    return __double_as_longlong(a) < 0;
}

// --- Whole numbers.

// Of 64 bits where they pass them: signed ones must not in C++.
__WW_PY long long __ww_py_cut_sum(long long a, long long b) {
    return (long long)((unsigned long long)a + (unsigned long long)b);
}
__WW_PY long long __ww_py_cut_product(long long a, long long b) {
    return (long long)((unsigned long long)a * (unsigned long long)b);
}
__WW_PY long long __ww_py_floor_div(long long a, long long b) {
    const long long quotient = a / b;
    return quotient - (quotient * b != a && (a < 0) != (b < 0));
}
__WW_PY unsigned long long __ww_py_floor_div(unsigned long long a, unsigned long long b) {
    return a / b;
}
__WW_PY long long __ww_py_mod(long long a, long long b) {
    const long long rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
__WW_PY unsigned long long __ww_py_mod(unsigned long long a, unsigned long long b) {
    return a % b;
}

// Of 32 bits, where that is known to hold operands and results.
__WW_PY int __ww_py_floor_div(int a, int b) {
    const int quotient = a / b;
    return quotient - (quotient * b != a && (a < 0) != (b < 0));
}
__WW_PY unsigned int __ww_py_floor_div(unsigned int a, unsigned int b) {
    return a / b;
}
__WW_PY int __ww_py_mod(int a, int b) {
    const int rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
__WW_PY unsigned int __ww_py_mod(unsigned int a, unsigned int b) {
    return a % b;
}

// By squaring; a negative exponent gives 0, but 1 and -1 are their own inverses.
__WW_PY long long __ww_py_pow(long long base, long long exponent) {
    if (exponent < 0) {
        if (base == 1) return 1;
        return base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    }
    unsigned long long result = 1, factor = (unsigned long long)base;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result *= factor;
        factor *= factor;
    }
    return (long long)result;
}
__WW_PY unsigned long long __ww_py_pow(unsigned long long base, unsigned long long exponent) {
    unsigned long long result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result *= base;
        base *= base;
    }
    return result;
}

// x % m, with m's sign, of products that have up to 128 bits.
__WW_PY unsigned long long __ww_py_product_mod(unsigned long long a, unsigned long long b,
                                               unsigned long long m) {
    if (__umul64hi(a, b) == 0) return a * b % m;
    unsigned long long result = 0;
    for (; b != 0; b >>= 1) {
        if (b & 1) result = result >= m - a ? result - (m - a) : result + a;
        a = a >= m - a ? a - (m - a) : a + a;
    }
    return result;
}
// The number whose product with a is 1 modulo m; 0: there is none. Of a < m.
__WW_PY unsigned long long __ww_py_inverse(unsigned long long a, unsigned long long m) {
    long long x = 0, next = 1;
    unsigned long long rest = m;
    while (a != 0) {
        const unsigned long long quotient = rest / a, remainder = rest - quotient * a;
        const long long before = x - (long long)quotient * next;
        x = next;
        next = before;
        rest = a;
        a = remainder;
    }
    return rest != 1 ? 0 : x < 0 ? m + (unsigned long long)x : (unsigned long long)x;
}
__WW_PY unsigned long long __ww_py_size_of(long long m) {
    return m < 0 ? 0 - (unsigned long long)m : (unsigned long long)m;
}
__WW_PY unsigned long long __ww_py_residue(long long a, unsigned long long m) {
    const unsigned long long rest = __ww_py_size_of(a) % m;
    return a < 0 && rest != 0 ? m - rest : rest;
}
__WW_PY bool __ww_py_has_modular_power(bool, long long base, long long exponent,
                                       long long modulus) {
    const unsigned long long m = __ww_py_size_of(modulus);
    return exponent >= 0 || m == 1 || __ww_py_inverse(__ww_py_residue(base, m), m) != 0;
}
// pow(base, exponent, modulus), where it exists.
__WW_PY long long __ww_py_modular_power(bool, long long base, long long exponent,
                                        long long modulus) {
    const unsigned long long m = __ww_py_size_of(modulus);
    if (m == 1) return 0;
    unsigned long long factor = __ww_py_residue(base, m), result = 1;
    if (exponent < 0) factor = __ww_py_inverse(factor, m);
    for (unsigned long long rest = __ww_py_size_of(exponent); rest != 0; rest >>= 1) {
        if (rest & 1) result = __ww_py_product_mod(result, factor, m);
        factor = __ww_py_product_mod(factor, factor, m);
    }
    return (long long)(modulus < 0 && result != 0 ? result - m : result);
}
// value in range(start, stop, step)
__WW_PY bool __ww_py_in_range(long long value, long long start, long long stop, long long step) {
    const bool is_inside =
        step > 0 ? start <= value && value < stop : stop < value && value <= start;
    if (!is_inside || step == 0) return false;
    const unsigned long long distance =
        step > 0 ? (unsigned long long)value - start : (unsigned long long)start - value;
    return distance % __ww_py_size_of(step) == 0;
}
__WW_PY bool __ww_py_in_range(unsigned long long value, long long start, long long stop,
                              long long step) {
    return value <= 9223372036854775807ULL && __ww_py_in_range((long long)value, start, stop, step);
}
__WW_PY bool __ww_py_in_range(double value, long long start, long long stop, long long step) {
    const bool is_whole = value >= -9223372036854775808.0 && value < 9223372036854775808.0 &&
                          value == (double)(long long)value;
    return is_whole && __ww_py_in_range((long long)value, start, stop, step);
}

__WW_PY long long __ww_py_shift_left(long long a, long long places) {
    return places >= 64 ? 0 : (long long)((unsigned long long)a << (places & 63));
}
__WW_PY unsigned long long __ww_py_shift_left(unsigned long long a, long long places) {
    return places >= 64 ? 0 : a << (places & 63);
}
__WW_PY long long __ww_py_shift_right(long long a, long long places) {
    return a >> ((places > 63 ? 63 : places) & 63);
}
__WW_PY unsigned long long __ww_py_shift_right(unsigned long long a, long long places) {
    return places >= 64 ? 0 : a >> (places & 63);
}
// Of 32 bits, with what 64 would give.
template <class Places>
__WW_PY unsigned __ww_py_places_within(Places places, unsigned most) {
    const unsigned last = (unsigned)((places > (Places)most ? (Places)most : places) & 63);
    return last > most ? most : last;
}
template <class Places>
__WW_PY int __ww_py_shift_right(int a, Places places) {
    return a >> __ww_py_places_within(places, 31);
}
template <class Places>
__WW_PY unsigned __ww_py_shift_right(unsigned a, Places places) {
    const unsigned by = __ww_py_places_within(places, 32);
    return by == 32 ? 0 : a >> by;
}

__WW_PY bool __ww_py_less(long long a, unsigned long long b) {
    return a < 0 || (unsigned long long)a < b;
}
__WW_PY bool __ww_py_less(unsigned long long a, long long b) {
    return b >= 0 && a < (unsigned long long)b;
}
__WW_PY bool __ww_py_less_equal(long long a, unsigned long long b) {
    return a < 0 || (unsigned long long)a <= b;
}
__WW_PY bool __ww_py_less_equal(unsigned long long a, long long b) {
    return b >= 0 && a <= (unsigned long long)b;
}
__WW_PY bool __ww_py_equal(long long a, unsigned long long b) {
    return a >= 0 && (unsigned long long)a == b;
}
__WW_PY bool __ww_py_equal(unsigned long long a, long long b) {
    return __ww_py_equal(b, a);
}

__WW_PY long long __ww_py_gcd(long long a, long long b) {
    while (b != 0) {
        const long long rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}
__WW_PY long long __ww_py_lcm(long long a, long long b) {
    if (a == 0 || b == 0) return 0;
    const long long product = a / __ww_py_gcd(a, b) * b;
    return product < 0 ? -product : product;
}
// Of numbers >= 0, as are those of the functions below.
__WW_PY long long __ww_py_comb(long long n, long long k) {
    if (k > n) return 0;
    if (k > n - k) k = n - k;
    long long count = 1;
    for (long long i = 1; i <= k; ++i) {
        // Without a product that is larger than the result.
        const long long shared = __ww_py_gcd(count, i);
        count = count / shared * ((n - k + i) / (i / shared));
    }
    return count;
}
__WW_PY long long __ww_py_perm(long long n, long long k) {
    if (k > n) return 0;
    unsigned long long count = 1;
    for (long long i = 0; i < k; ++i) count *= (unsigned long long)(n - i);
    return (long long)count;
}
__WW_PY long long __ww_py_factorial(long long n) {
    return __ww_py_perm(n, n);
}
__WW_PY long long __ww_py_isqrt(long long a) {
    long long root = (long long)::sqrt((double)a);
    while (root * root > a) --root;
    while ((root + 1) * (root + 1) <= a) ++root;
    return root;
}
// Of the absolute value, as int.bit_count().
__WW_PY long long __ww_py_bit_count(unsigned long long a) {
    return __popcll(a);
}
__WW_PY long long __ww_py_bit_count(long long a) {
    return __popcll(a < 0 ? -a : a);
}

// Of the absolute value, as int.bit_length().
__WW_PY long long __ww_py_bit_length(unsigned long long a) {
    return 64 - __clzll((long long)a);
}
__WW_PY long long __ww_py_bit_length(long long a) {
    return 64 - __clzll(a < 0 ? -a : a);
}

// Python's index: from the end where it is negative.
__WW_PY long long __ww_py_wrap(long long index, long long extent) {
    return index < 0 ? index + extent : index;
}
// A number that is less than twice the extent, and one that is not less than that below 0 too.
__WW_PY long long __ww_py_wrap_above(long long index, long long extent) {
    return index >= extent ? index - extent : index;
}
__WW_PY long long __ww_py_wrap_around(long long index, long long extent) {
    return __ww_py_wrap_above(__ww_py_wrap(index, extent), extent);
}
// Of 32 bits: an extent is natural, so the sum of it and a negative index is in range.
__WW_PY long long __ww_py_wrap(int index, int extent) {
    return index < 0 ? index + extent : index;
}
__WW_PY long long __ww_py_wrap_above(int index, int extent) {
    return index >= extent ? (long long)index - extent : (long long)index;
}
__WW_PY long long __ww_py_wrap_around(int index, int extent) {
    if (index < 0) return (long long)index + extent;
    return __ww_py_wrap_above(index, extent);
}
// How many numbers range(start, stop, step) has.
__WW_PY long long __ww_py_range_length(long long start, long long stop, long long step) {
    if (step > 0) return start < stop ? (stop - start - 1) / step + 1 : 0;
    return step < 0 && start > stop ? (start - stop - 1) / -step + 1 : 0;
}
