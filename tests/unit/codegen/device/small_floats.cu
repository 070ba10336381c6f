// half, bfloat16 and complex numbers on constants.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.cuh"

__global__ void halves() {
    CHECK(sizeof(__half) == 2 && alignof(half2) == 4 && sizeof(half2) == 4);
    CHECK(__half2float(__float2half(0.1f)) == 0x1.998p-4f && float(half(65520.0f)) == INFINITY);
    CHECK(float(half(1.5f) + half(2.0f)) == 3.5f && half(1.0f) < half(2) && -half(3) == half(-3));
    CHECK(__half_as_ushort(__float2half_rn(1.0f)) == 0x3c00 && __hisnan(__ushort_as_half(0x7e01)));
    CHECK(__half2int_rn(half(2.5f)) == 2 && __half2uint_rz(half(-1.5f)) == 0 &&
          float(__int2half_rn(2049)) == 2048.0f);
    half2 p = __floats2half2_rn(1.0f, 2.0f) + __float2half2_rn(1.0f);
    CHECK(__low2float(p) == 2.0f && __high2float(p) == 3.0f && __half22float2(p).y == 3.0f);
    CHECK(float(__hmax(half(1.0f), half(2.0f))) == 2.0f && float(hsqrt(half(4.0f))) == 2.0f);
    CHECK(__hbgt2(p, __float2half2_rn(1.5f)) &&
          float(__heq2(p, __half2half2(half(2.0f))).y) == 0.0f);
    half sum = 1.0f;
    sum += half(2.0f);
    CHECK(float(sum) == 3.0f && int(sum) == 3);
}

__global__ void brain_floats() {
    CHECK(sizeof(__nv_bfloat16) == 2 && alignof(__nv_bfloat162) == 4);
    CHECK(float(__float2bfloat16(0x1.01p0f)) == 1.0f &&
          float(__float2bfloat16(0x1.03p0f)) == 0x1.04p0f);
    CHECK(float(__double2bfloat16(0x1.0100000001p0)) == 0x1.02p0f &&
          float(nv_bfloat16(NAN)) != 0.0f);
    CHECK(__bfloat162float(nv_bfloat16(3.0f) * nv_bfloat16(2)) == 6.0f &&
          nv_bfloat16(1.0f) != nv_bfloat16(2.0f));
    CHECK(__bfloat16_as_ushort(__float2bfloat16_rn(1.0f)) == 0x3f80 &&
          float(nv_bfloat16(1e39)) == INFINITY);
    __nv_bfloat162 p = __bfloat162bfloat162(nv_bfloat16(2.0f));
    CHECK(__bfloat1622float2(__hadd2(p, p)).x == 4.0f && __low2float(__lowhigh2highlow(p)) == 2.0f);
}

__global__ void complex_numbers() {
    cuFloatComplex a = make_cuFloatComplex(1, 2), b = make_cuComplex(3, -1);
    CHECK(cuCmulf(a, b).x == 5 && cuCmulf(a, b).y == 5 && cuCaddf(a, b).x == 4 &&
          cuConjf(a).y == -2);
    cuDoubleComplex q = cuCdiv(make_cuDoubleComplex(5, 5), make_cuDoubleComplex(3, -1));
    CHECK(q.x > 0.999 && q.x < 1.001 && q.y > 1.999 && q.y < 2.001);
    CHECK(cuCabs(make_cuDoubleComplex(3, 4)) == 5 && cuCfmaf(a, b, a).x == 6 && cuCrealf(b) == 3);
}

// Parsed and generated only: these need lanes and memory.
__global__ void lanes(half* h, half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2) {
    *h = __shfl_down_sync(~0u, *h, 1) + __ldg(h + 1);
    *h2 = __shfl_xor_sync(~0u, *h2, 1);
    *b = __shfl_sync(~0u, *b, 0);
    *b2 = __shfl_up_sync(~0u, *b2, 2);
    atomicAdd(h, half(1.0f));
    atomicAdd(h2, *h2);
    atomicAdd(b, *b);
    atomicAdd(b2, *b2);
}
