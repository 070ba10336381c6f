// Reduction of an angle to [-pi/4, pi/4] and a quadrant: three parts of pi/2 with fused
// multiply-adds (Cody and Waite) for ordinary arguments, 192 bits of 2/pi (Payne and Hanek) for
// huge ones. Relative error of the remainder: below 2^-60 for double, one unit for float.
#pragma once

#include "base.cuh"

namespace __ww {

struct angle {
    double hi, lo;
    int quadrant;
};

// Finite |x| >= 2^28. The binary point of m * 2^e * 2/pi is found by starting the bits of 2/pi
// where they first matter modulo 4.
static __host__ __device__ __attribute__((noinline, const, nothrow)) inline angle reduce_huge(
    double x) {
    __WW_AS_WRITTEN
    const unsigned long long two_over_pi[] = {
        0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
        0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
        0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
        0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
        0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};
    unsigned long long bits = to_bits(x);
    unsigned long long m = (bits & 0x000fffffffffffffull) | 0x0010000000000000ull;
    int first = static_cast<int>((bits >> 52) & 0x7ff) - 1075 + 62;
    int word = first >> 6, shift = first & 63;
    unsigned long long part[3];
    for (int i = 0; i < 3; ++i) {
        unsigned long long next = two_over_pi[word + i + 1];
        part[i] = two_over_pi[word + i] << shift | (shift != 0 ? next >> (64 - shift) : 0ull);
    }
    // The product modulo 2^192, whose top two bits are the quadrant.
    unsigned __int128 low = static_cast<unsigned __int128>(part[2]) * m;
    unsigned __int128 high = static_cast<unsigned __int128>(part[1]) * m + (low >> 64);
    unsigned long long top = part[0] * m + static_cast<unsigned long long>(high >> 64);
    unsigned long long middle = static_cast<unsigned long long>(high);
    unsigned long long bottom = static_cast<unsigned long long>(low);

    int quadrant = static_cast<int>(top >> 62);
    unsigned __int128 fraction = static_cast<unsigned __int128>(top << 2 | middle >> 62) << 64 |
                                 (middle << 2 | bottom >> 62);
    bool negative = (fraction >> 127) != 0;
    quadrant += negative ? 1 : 0;
    fraction = negative ? -fraction : fraction;

    int zeros =
        fraction >> 64 != 0 ? __builtin_clzll(static_cast<unsigned long long>(fraction >> 64)) : 64;
    fraction <<= zeros;
    double scale_down = power_of_two<double>(-zeros);
    double hi = static_cast<double>(static_cast<unsigned long long>(fraction >> 75));
    double lo = static_cast<double>(static_cast<unsigned long long>(fraction >> 22) &
                                    0x001fffffffffffffull);
    pair r = multiply(pair{hi * 0x1p-53 * scale_down, lo * 0x1p-106 * scale_down},
                      pair{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
    bool flip = negative != (x < 0.0);
    angle result;
    result.hi = flip ? -r.hi : r.hi;
    result.lo = flip ? -r.lo : r.lo;
    result.quadrant = x < 0.0 ? -quadrant : quadrant;
    return result;
}

__WW_MATH angle reduce(double x) {
    __WW_AS_WRITTEN
    angle a;
    double n = nearest(x, 0x1.45f306dc9c883p-1, a.quadrant);
    double exact = __ww::fma(n, -0x1.921fb54442d18p+0, x);
    pair p = two_product(n, 0x1.1a62633145c07p-54);
    pair r = two_sum(exact, -p.hi);
    double lo = r.lo - p.lo;
    lo = __ww::fma(n, 0x1.f1976b7ed8fbcp-110, lo);
    pair sum = fast_two_sum(r.hi, lo);
    a.hi = sum.hi;
    a.lo = sum.lo;
    if (__ww::fabs(x) >= 0x1p28) {
        if (is_finite(x)) return reduce_huge(x);
        a.hi = a.lo = x - x;
    }
    return a;
}

__WW_MATH float reduce(float x, int& quadrant) {
    __WW_AS_WRITTEN
    float n = nearest(x, 0x1.45f306p-1f, quadrant);
    float r = __ww::fma(n, -0x1.921fb6p+0f, x);
    r = __ww::fma(n, 0x1.777a5cp-25f, r);
    r = __ww::fma(n, 0x1.ee59dap-50f, r);
    if (__ww::fabs(x) > 100000.0f) {
        double wide = static_cast<double>(x);
        if (__ww::fabs(wide) >= 0x1p28 && is_finite(x)) {
            angle a = reduce_huge(wide);
            quadrant = a.quadrant;
            return static_cast<float>(a.hi);
        }
        double m = nearest(wide, 0x1.45f306dc9c883p-1, quadrant);
        double exact = __ww::fma(m, -0x1.921fb54442d18p+0, wide);
        r = static_cast<float>(__ww::fma(m, -0x1.1a62633145c07p-54, exact));
        r = is_finite(x) ? r : x - x;
    }
    return r;
}

}  // namespace __ww
