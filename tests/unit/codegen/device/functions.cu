// Mathematical functions and C's memory functions on constants, names and overloads included.
#include <cmath>
#include <cstring>

#include "check.cuh"

__global__ void names() {
    CHECK(sqrtf(4.0f) == 2.0f && sqrt(4.0) == 2.0 && sqrt(4) == 2.0 && std::sqrt(4.0f) == 2.0f);
    CHECK(sizeof(sin(1.0f)) == 4 && sizeof(sin(1)) == 8 && sizeof(pow(1.0f, 2)) == 8);
    CHECK(expf(0.0f) == 1.0f && exp(0.0) == 1.0 && log(1.0) == 0.0 && exp2f(3.0f) == 8.0f);
    CHECK(pow(2.0, 10) == 1024.0 && powf(2.0f, 0.5f) * powf(2.0f, 0.5f) > 1.99f);
    CHECK(fmaf(2.0f, 3.0f, 4.0f) == 10.0f && fma(2.0, 3.0, 4.0) == 10.0);
    CHECK(floor(-1.5f) == -2.0f && ceilf(1.2f) == 2.0f && truncf(-1.7f) == -1.0f);
    CHECK(rintf(2.5f) == 2.0f && roundf(2.5f) == 3.0f && lrintf(3.5f) == 4 && llround(-2.5) == -3);
    CHECK(isnan(NAN) && !isnan(1.0) && isinf(-INFINITY) && isfinite(1e30f) && signbit(-0.0f));
    CHECK(copysign(1.0, -2.0) == -1.0 && fdimf(3.0f, 1.0f) == 2.0f && hypotf(3.0f, 4.0f) == 5.0f);
}

__global__ void parts() {
    int e = 0;
    CHECK(frexp(8.0, &e) == 0.5 && e == 4);
    CHECK(ldexpf(1.0f, -149) == 0x1p-149f && scalbn(1.0, 1023) == 0x1p1023 &&
          ldexp(0x1p-1074, 2000) == 0x1p926);
    CHECK(ilogbf(0.75f) == -1 && ilogb(0x1p-1074) == -1074 && logb(8.0) == 3.0);
    float whole = 0;
    CHECK(modff(-2.75f, &whole) == -0.75f && whole == -2.0f);
    CHECK(nextafterf(1.0f, 2.0f) == 0x1.000002p0f && nextafter(0.0, -1.0) == -0x1p-1074);
    int q = 0;
    CHECK(remquo(10.0, 4.0, &q) == 2.0 && q == 2);
    CHECK(remainder(11.0, 4.0) == -1.0 && fmod(-7.5, 2.0) == -1.5 && fmodf(1e30f, 3.0f) >= 0.0f);
}

__global__ void memory() {
    char a[8] = "abc", b[8] = {};
    memcpy(b, a, 4);
    CHECK(b[2] == 'c' && strlen("") == 0 && strcmp("", "") == 0 && strncmp("abx", "aby", 0) == 0);
    CHECK(strcmp("b", "a") > 0 && strncmp("a", "b", 1) < 0 && memcmp("ab", "aa", 1) == 0);
    memset(b, 7, sizeof b);
    CHECK(b[5] == 7);
}

__global__ void types() {
    CHECK(sizeof(float3) == 12 && alignof(float3) == 4 && alignof(float4) == 16 &&
          alignof(float2) == 8);
    CHECK(sizeof(double4) == 32 && alignof(double4) == 16 && alignof(double2) == 16);
    CHECK(sizeof(char3) == 3 && alignof(char4) == 4 && alignof(short3) == 2 && alignof(long3) == 8);
    CHECK(sizeof(dim3) == 12 && dim3(2).y == 1 && make_int3(1, 2, 3).z == 3 && warpSize == 32);
}
