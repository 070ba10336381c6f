// erf, erfc, erfcx, the normal distribution, and their inverses. Floats go by way of double,
// but for erf, and erfc there without pairs.
//
// For x >= 0, (1 + 2x) exp(x^2) erfc(x) is smooth in t = (x - 4) / (x + 4) and varies by a third in
// all; the inverses are x times a smooth function of w = -log(1 - x^2). Both are polynomials from
// tools/minimax.py.
#pragma once

#include "exponential.cuh"
#include "logarithm.cuh"

namespace __ww {

// erf(x) for |x| <= 1.
__WW_MATH double erf_near(double x) {
    __WW_AS_WRITTEN
    double z = x * x;
    return x * polynomial(z, 0x1.20dd750429b6dp+0, -0x1.812746b0379c8p-2, 0x1.ce2f21a042988p-4,
                          -0x1.b82ce312cb0cdp-6, 0x1.565bcd238ea45p-8, -0x1.c02db9e1f2e41p-11,
                          0x1.f9a4180d27ca6p-14, -0x1.f4eae04214397p-17, 0x1.bb8e5b2be07dap-20,
                          -0x1.72b2bbd4e9f4ap-23, 0x1.937d875c45b1bp-26, -0x1.c57c096320862p-28,
                          0x1.14d426545ace6p-29, -0x1.526a0fa4626bfp-32);
}
// exp(x^2) erfc(x) for x in [0, 53].
__WW_MATH double erfcx_near(double x) {
    __WW_AS_WRITTEN
    double t = (x - 4.0) / (x + 4.0);
    double p = polynomial(t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a295p-3, 0x1.f7f5df66fad96p-7,
                          0x1.16ecefcfa591dp-4, -0x1.9ddb23c3d82b1p-4, 0x1.7fee004e09272p-4,
                          -0x1.0fb06dff9c451p-4, 0x1.3079edf73c5cbp-5, -0x1.0962384e44daap-6,
                          0x1.49c672734ffbbp-8, -0x1.8d4ac377fddcep-11, -0x1.a1df2fa9b5ff3p-13,
                          0x1.3be2b55e3a989p-13, -0x1.99559ff598124p-16, -0x1.78e590d6227f2p-17,
                          0x1.7ef0987fe5226p-18, 0x1.4cb5b274872fap-22, -0x1.b76cb5e00b4e6p-21,
                          0x1.fca6d567179c7p-25, 0x1.b677bd627eccfp-24, -0x1.48fcb437a639ap-27,
                          -0x1.3b45989dd784p-27, -0x1.aa1bd37580787p-34);
    return p / __ww::fma(2.0, x, 1.0);
}
// The asymptotic series beyond.
__WW_MATH double erfcx_far(double x) {
    __WW_AS_WRITTEN
    double z = 1.0 / (x * x);
    double series = polynomial(z, 1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125);
    return 0x1.20dd750429b6dp-1 / x * series;
}
// exp(-square) erfcx(x), for x >= 0: erfc(x) if square is x^2.
__WW_MATH double erfc_tail(double x, pair square) {
    __WW_AS_WRITTEN
    bool gone = square.hi > 746.0;
    int k;
    pair e = exp_reduced(gone ? -746.0 : -square.hi, gone ? 0.0 : -square.lo, k);
    double p = erfcx_near(x < 53.0 ? x : 53.0);
    return scale(__ww::fma(e.hi, p, e.lo * p), k);
}
__WW_MATH double square_bound(double x) {
    return x < 1e150 ? x : 1e150;
}

__WW_MATH double erf(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    double far = 1.0 - erfc_tail(a, two_product(square_bound(a), square_bound(a)));
    double near = erf_near(a);
    double result = a < 1.0 ? near : far;
    return x != x ? x : copysign(result, x);
}
__WW_MATH double erfc(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    double b = square_bound(a);
    double tail = erfc_tail(a, two_product(b, b));
    double far = x < 0.0 ? 2.0 - tail : tail;
    double near = 1.0 - erf_near(x);
    double result = a < 0.5 ? near : far;
    return x != x ? x : result;
}
__WW_MATH double erfcx(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    double value = a < 53.0 ? erfcx_near(a) : erfcx_far(a);
    double b = a < 30.0 ? a : 30.0;
    pair square = two_product(b, b);
    int k;
    pair e = exp_reduced(square.hi > 710.0 ? 710.0 : square.hi, square.lo, k);
    double growth = scale(e.hi + e.lo, k + 1);
    return x != x ? x : x < 0.0 ? growth - value : value;
}
__WW_MATH double normcdf(double x) {
    __WW_AS_WRITTEN
    // erfc(-x / sqrt 2) / 2; the exponent x^2 / 2 is kept exact.
    double z = x * -0x1.6a09e667f3bcdp-1;
    double a = __ww::fabs(z);
    double b = square_bound(__ww::fabs(x));
    pair square = two_product(b, b);
    double tail = 0.5 * erfc_tail(a, pair{0.5 * square.hi, 0.5 * square.lo});
    double far = z < 0.0 ? 1.0 - tail : tail;
    double near = __ww::fma(-0.5, erf_near(z), 0.5);
    double result = a < 0.5 ? near : far;
    return x != x ? x : result;
}

// erfinv(x) / x over w = -log(1 - x^2).
__WW_MATH_LARGE double erfinv_ratio(double w) {
    __WW_AS_WRITTEN
    if (w < 6.25) {
        return polynomial(w - 3.125, 0x1.a755e7c99ae87p+0, 0x1.ebd80d9b13e23p-3,
                          -0x1.8b6c33114fb89p-8, -0x1.845769484d9b9p-11, 0x1.879c2a2144047p-13,
                          -0x1.d1d1f7b9a6379p-17, -0x1.6e8a5445ca388p-20, 0x1.c6b4f5f6d41bap-22,
                          -0x1.f36cd344fd4cdp-26, -0x1.1a9e3e32f65f3p-28, 0x1.20f4614524d82p-30,
                          -0x1.dc5759e693f3ep-35, -0x1.c88177d7e87bp-37, 0x1.729f36c398cefp-39,
                          -0x1.6f87a2dd4a5f3p-44, -0x1.6d1b050b11dd6p-45, 0x1.df151412d2424p-48,
                          0x1.72cd9d2fd9c71p-56, -0x1.3558dcaa13126p-53, 0x1.9d1ab8504d2acp-57,
                          0x1.86417c64fe2e5p-60, -0x1.8fab8f0e75919p-63, -0x1.46b48635b6097p-68);
    }
    double s = __ww::sqrt(w);
    if (s < 4.0) {
        return polynomial(s - 3.25, 0x1.8abcc380d5a48p+1, 0x1.0158a6d641d3p+0, 0x1.5ffcfe5b74d5p-8,
                          -0x1.ebadabb825a76p-9, 0x1.468eeca6393f2p-9, -0x1.ba924149c9607p-10,
                          0x1.f3cc554bc4dc5p-11, -0x1.7448a456a47ebp-12, 0x1.932d5d4f328c8p-16,
                          0x1.1e67e10340c45p-14, -0x1.8cf0b8158aa14p-15, 0x1.a2a60984ffba4p-17,
                          0x1.88b859e433e09p-19, -0x1.0d8de7b7a5cbfp-18, 0x1.920ceb435f8c8p-20,
                          0x1.6c79f55afba41p-26, -0x1.21e7d60ef478ap-22, 0x1.803cd901862c2p-24);
    }
    if (s < 8.0) {
        return polynomial(s - 6.0, 0x1.7708d123a9941p+2, 0x1.02757b354a82p+0,
                          -0x1.efcf027ccfbf3p-12, -0x1.6814b00a3f8aap-15, 0x1.6a07333148f5fp-16,
                          -0x1.6775ed2e07af5p-18, 0x1.28c7cff1c3769p-20, -0x1.c091041f55614p-23,
                          0x1.41275f899166ep-25, -0x1.babce3b4b4715p-28, 0x1.2845098388abcp-30,
                          -0x1.887bd2546b1a1p-33, 0x1.240124ea7d16fp-35, -0x1.fb9279925e35ep-38,
                          0x1.fda06d1629af6p-41, -0x1.821d862bd90d5p-41, 0x1.11304f2a55336p-40,
                          -0x1.5d38cbc678ff1p-42, -0x1.be067b995b7e3p-45, -0x1.8dd14c4905944p-48,
                          0x1.1fdca1f4a30d4p-45, -0x1.dbb4ceedc446ep-48, -0x1.e1633cc8d02d1p-50,
                          0x1.1177e015f5ac1p-51);
    }
    if (s < 16.0) {
        return polynomial(s - 12.0, 0x1.7cd7582f8db36p+3, 0x1.0138bcf01f704p+0,
                          -0x1.0abe739519e76p-12, 0x1.bd4bd58e626fap-17, -0x1.490342c15bdeep-21,
                          0x1.3cc1508bdade8p-26, 0x1.8343062f3af8cp-31, -0x1.db4ec60e6ef06p-33,
                          0x1.0118810998511p-35, -0x1.c81a161b21b07p-39, 0x1.714d57e854836p-42,
                          -0x1.1bb081b16cd6dp-45, 0x1.a5175d75e4132p-49, -0x1.311b2481e4888p-52,
                          0x1.b21359ca2ef0fp-56, -0x1.2e41c53df453cp-59, 0x1.a01e7ed38bbbap-63,
                          -0x1.2dda70a2eb5b8p-66, 0x1.a7c0172cbfd26p-70, -0x1.7d113dd251363p-74,
                          0x1.a08ba157fc8cfp-78, -0x1.bc51150945fbfp-80, 0x1.46eb3c20c2ec8p-83);
    }
    return polynomial(s - 22.0, 0x1.5eeb42ba03487p+4, 0x1.0085c451a6485p+0, -0x1.2341b5c749cbcp-14,
                      0x1.48f7b4cd7c776p-19, -0x1.776bfaccee64bp-24, 0x1.aa543f3134a89p-29,
                      -0x1.db3663f106388p-34, 0x1.fee2a8f8fb086p-39, -0x1.010d91089f5a2p-43,
                      0x1.c494e9064afa2p-49, -0x1.1151f92f70be4p-54, -0x1.b3d2a5e797bdep-61,
                      0x1.9da120e027cc6p-63, -0x1.05932038f7ed7p-66, 0x1.0dfb2fbf9e972p-70,
                      -0x1.f34ee25be96f3p-75, 0x1.703de34d935a9p-79, -0x1.20ccd42da1dd3p-83,
                      0x1.c10d270a2326fp-87, -0x1.837dbd6bc07eep-91);
}
__WW_MATH double erfinv(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    double w = -__ww::log((1.0 - a) * (1.0 + a));
    double result = x * erfinv_ratio(w);
    result = a == 1.0 ? copysign(infinity<double>(), x) : result;
    return a > 1.0 ? quiet_nan<double>() : result;
}
__WW_MATH double erfcinv(double y) {
    __WW_AS_WRITTEN
    double w = -__ww::log(y * (2.0 - y));
    double result = (1.0 - y) * erfinv_ratio(w);
    result = y == 0.0 ? infinity<double>() : y == 2.0 ? -infinity<double>() : result;
    return y < 0.0 || y > 2.0 ? quiet_nan<double>() : result;
}
__WW_MATH double normcdfinv(double p) {
    __WW_AS_WRITTEN
    return -0x1.6a09e667f3bcdp+0 * erfcinv(2.0 * p);
}

// Below 1 an odd polynomial; beyond, 1 - 2^-q(x) with coefficients searched for the least error,
// which is 1 from x = 4 on.
__WW_MATH float erf(float x) {
    __WW_AS_WRITTEN
    float a = __ww::fabs(x);
    float near = polynomial(a * a, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2cf2p-4f, -0x1.b7f8acp-6f,
                            0x1.54027ap-8f, -0x1.a3de2cp-11f, 0x1.4922d2p-14f);
    near = __ww::fma(a, near, a);
    float q = polynomial(a > 4.0f ? 4.0f : a, 0x1.0247c2p-11f, 0x1.a0448ep+0f, 0x1.d75f32p-1f,
                         0x1.30a4b8p-3f, -0x1.0218p-5f, 0x1.16b2a2p-8f, -0x1.19e9b6p-12f);
    float far = 1.0f - exp2_moderate(-q);
    return copysign(a < 1.0f ? near : far, x);
}

// By way of double without pairs: the square of a float is exact there.
__WW_MATH float erfc(float x) {
    __WW_AS_WRITTEN
    double a = clamp_exponent(static_cast<double>(__ww::fabs(x)), 0.0, 12.0);
    double tail = exp_for_float(-a * a) * erfcx_near(a);
    double near = 1.0 - copysign(erf_near(a), static_cast<double>(x));
    double far = x < 0.0f ? 2.0 - tail : tail;
    return static_cast<float>(a < 0.5 ? near : far);
}

#define __WW_BY_DOUBLE(name)                                           \
    __WW_MATH float name(float x) {                                    \
        return static_cast<float>(__ww::name(static_cast<double>(x))); \
    }
__WW_BY_DOUBLE(erfcx)
__WW_BY_DOUBLE(normcdf)
__WW_BY_DOUBLE(erfinv)
__WW_BY_DOUBLE(erfcinv)
__WW_BY_DOUBLE(normcdfinv)
#undef __WW_BY_DOUBLE

}  // namespace __ww
