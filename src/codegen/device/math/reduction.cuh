// Reduction of an angle: three parts of pi with fused multiply-adds (Cody and Waite) for ordinary
// arguments, 192 bits of 2/pi (Payne and Hanek) for huge ones. Huge arguments are behind one branch
// and a call, so that the rest is straight code. To [-pi/2, pi/2] and a half turn with an error of
// one unit, or to [-pi/4, pi/4] and a quadrant: relative error below 2^-60 for double, one unit for
// float.
#pragma once

#include "base.cuh"

namespace __ww {

struct angle {
    double hi, lo;
    int quadrant;
};

// |x| >= 2^28. The binary point of m * 2^e * 2/pi is found by starting the bits of 2/pi where they
// first matter modulo 4.
__WW_RARE angle reduce_huge(double x) {
    __WW_AS_WRITTEN
    if (!is_finite(x)) return angle{x - x, x - x, 0};
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
    if (__ww::fabs(x) >= 0x1p28) a = reduce_huge(x);
    return a;
}

// |x| > 100000, infinity.
__WW_RARE angle reduce_large(float x) {
    __WW_AS_WRITTEN
    double wide = static_cast<double>(x);
    if (__ww::fabs(wide) >= 0x1p28) return reduce_huge(wide);
    angle a;
    double m = nearest(wide, 0x1.45f306dc9c883p-1, a.quadrant);
    double exact = __ww::fma(m, -0x1.921fb54442d18p+0, wide);
    a.hi = __ww::fma(m, -0x1.1a62633145c07p-54, exact);
    a.lo = 0.0;
    return a;
}
__WW_MATH float reduce(float x, int& quadrant) {
    __WW_AS_WRITTEN
    float n = nearest(x, 0x1.45f306p-1f, quadrant);
    float r = __ww::fma(n, -0x1.921fb6p+0f, x);
    r = __ww::fma(n, 0x1.777a5cp-25f, r);
    r = __ww::fma(n, 0x1.ee59dap-50f, r);
    if (__ww::fabs(x) > 100000.0f) {
        angle a = reduce_large(x);
        quadrant = a.quadrant;
        r = static_cast<float>(a.hi);
    }
    return r;
}

// x - n pi, n a multiple of 1/2. All parts of pi are positive, so that x = -0 stays what it is.
__WW_MATH float less_half_turns(float x, float n) {
    __WW_AS_WRITTEN
    float r = __ww::fma(n, -0x1.921fb4p+1f, x);
    r = __ww::fma(n, -0x1.4442dp-23f, r);
    return __ww::fma(n, -0x1.84698ap-47f, r);
}
__WW_MATH double less_half_turns(double x, double n) {
    __WW_AS_WRITTEN
    double r = __ww::fma(n, -0x1.921fb54442d18p+1, x);
    r = __ww::fma(n, -0x1.1a62633145c06p-53, r);
    return __ww::fma(n, -0x1.c1cd129024e09p-106, r);
}

}  // namespace __ww
