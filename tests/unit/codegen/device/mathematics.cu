// Every mathematical function in both types: parsed and generated, so that a test can look at the
// code; what they compute is measured by math_accuracy.cpp.
#include <math.h>

#define ONE(name) sum += name(x);
#define TWO(name) sum += name(x, y);

template <class T>
__device__ T elementary(T x, T y) {
    T sum = 0, s, c;
    ONE(exp)
    ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) TWO(pow) ONE(sin)
        ONE(cos) ONE(tan) ONE(sinpi) ONE(cospi) ONE(asin) ONE(acos) ONE(atan) TWO(atan2) ONE(sinh)
            ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh) ONE(sqrt) ONE(rsqrt) ONE(cbrt)
                ONE(rcbrt) TWO(hypot) TWO(rhypot) sincos(x, &s, &c);
    return sum + s + c + norm3d(x, y, s) + rnorm3d(x, y, s) + norm4d(x, y, s, c) +
           rnorm4d(x, y, s, c);
}
template <class T>
__device__ T special(T x) {
    T sum = 0;
    ONE(erf)
    ONE(erfc) ONE(erfcx) ONE(erfinv) ONE(erfcinv) ONE(normcdf) ONE(normcdfinv) ONE(tgamma)
        ONE(lgamma) ONE(j0) ONE(j1) ONE(y0) ONE(y1) ONE(cyl_bessel_i0)
            ONE(cyl_bessel_i1) return sum;
}
template <class T>
__device__ T parts(T x, T y, int* i) {
    T sum = 0;
    ONE(fabs)
        ONE(floor) ONE(ceil) ONE(trunc) ONE(round) ONE(rint) ONE(nearbyint) ONE(logb) TWO(fmin)
            TWO(fmax) TWO(fdim) TWO(copysign) TWO(nextafter) TWO(fmod) TWO(remainder) return sum +
        frexp(x, i) + ldexp(x, *i) + scalbn(x, 2) + modf(x, &y) + remquo(x, y, i) + fma(x, y, x) +
        ilogb(x) + lrint(x) + llrint(x) + lround(x) + llround(x) + isnan(x) + isinf(x) +
        isfinite(x) + signbit(x);
}
__global__ void everything(float* f, double* d, int* i) {
    f[0] = elementary(f[0], f[1]) + special(f[0]) + parts(f[0], f[1], i);
    d[0] = elementary(d[0], d[1]) + special(d[0]) + parts(d[0], d[1], i);
    f[1] = sinf(f[1]) + powf(f[0], 2.0f) + __expf(f[1]) + __fdividef(f[0], f[1]) + rnormf(i[0], f) +
           jnf(2, f[0]) + ynf(3, f[0]) + normf(3, f) + __powf(f[0], f[1]) + __frsqrt_rn(f[0]);
    d[1] = pow(d[1], 2) + jn(2, d[0]) + yn(3, d[0]) + norm(3, d) + rnorm(3, d) + atan2(1, 2);
    sincospif(f[0], f + 1, f + 2);
    sincospi(d[0], d + 1, d + 2);
    __sincosf(f[0], f + 1, f + 2);
    f[3] = __fadd_ru(f[0], f[1]) + __fmul_rd(f[0], f[1]) + __fdiv_rz(f[0], f[1]) +
           __fmaf_ru(f[0], f[1], f[2]) + __fsqrt_rd(f[0]) + __double2float_rz(d[0]) +
           __ull2float_ru(7ull * i[0]) + __int2float_rd(i[1]) + __float2ll_rn(f[4]);
    d[3] = __dadd_ru(d[0], d[1]) + __dmul_rd(d[0], d[1]) + __ddiv_rz(d[0], d[1]) +
           __fma_ru(d[0], d[1], d[2]) + __ll2double_rz(i[0]) + __double2uint_ru(d[1]);
}
