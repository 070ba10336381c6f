// Integer intrinsics, bit casts and conversions: every check folds to nothing when it holds.
#include "check.cuh"

__global__ void counting() {
    CHECK(__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64);
    CHECK(__clz(0) == 32 && __clz(1) == 31 && __clz(-1) == 0 && __clzll(1) == 63 &&
          __clzll(0) == 64);
    CHECK(__ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41);
    CHECK(__brev(1u) == 0x80000000u && __brevll(1ull) == 1ull << 63);
    CHECK(__fns(0b10110u, 0, 1) == 1 && __fns(0b10110u, 0, 3) == 4 && __fns(0b10110u, 0, 4) == ~0u);
    CHECK(__fns(0b10110u, 4, -2) == 2 && __fns(0b10110u, 2, 0) == 2 &&
          __fns(0b10110u, 3, 0) == ~0u);
}

__global__ void shifting() {
    CHECK(__byte_perm(0x33221100u, 0x77665544u, 0x7531) == 0x77553311u);
    CHECK(__funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_l(5u, 6u, 32) == 6u);
    CHECK(__funnelshift_lc(5u, 6u, 32) == 5u && __funnelshift_lc(5u, 6u, 99) == 5u);
    CHECK(__funnelshift_r(2u, 1u, 1) == 0x80000001u && __funnelshift_rc(5u, 6u, 40) == 6u);
}

__global__ void multiplying() {
    CHECK(__mul24(-3, 5) == -15 && __mul24(0x01000002, 3) == 6 && __umul24(0xff000003u, 2) == 6);
    CHECK(__mulhi(1 << 30, 8) == 2 && __umulhi(~0u, 2u) == 1 && __mulhi(-1, 1) == -1);
    CHECK(__umul64hi(1ull << 63, 4ull) == 2 && __mul64hi(-1ll, 1ll) == -1);
    CHECK(__hadd(-3, 2) == -1 && __uhadd(~0u, ~0u) == ~0u && __rhadd(2, 3) == 3);
    CHECK(__sad(-2, 3, 10u) == 15 && __usad(7u, 3u, 1u) == 5);
    CHECK(__dp4a(0x01ff0203, 0x02030405, 100) == 100 + 1 * 2 - 3 + 2 * 4 + 3 * 5);
    CHECK(__dp4a(0x01ff0203u, 0x02030405u, 0u) == 2 + 255 * 3 + 8 + 15);
    CHECK(__dp2a_lo(0x00020003, 0x04030201, 1) == 1 + 3 * 1 + 2 * 2);
    CHECK(__dp2a_hi(0x00020003, 0x04030201, 1) == 1 + 3 * 3 + 2 * 4);
}

__global__ void casting() {
    CHECK(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f);
    CHECK(__hiloint2double(0x3ff00000, 0) == 1.0 && __double2hiint(-2.0) == int(0xc0000000));
    CHECK(__double2loint(__longlong_as_double(0x3ff0000000000007ll)) == 7);
}

__global__ void comparing() {
    CHECK(min(3, -4) == -4 && max(3u, 4u) == 4u && max(-1, 1u) == ~0u && min(2.0f, 1.0) == 1.0);
    CHECK(min(__uint_as_float(0x7fc00000), 3.0f) == 3.0f && fmaxf(NAN, -1.0f) == -1.0f);
    CHECK(abs(-3) == 3 && abs(-3ll) == 3 && abs(-0.5f) == 0.5f && llabs(-7) == 7);
}

__global__ void converting() {
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2);
    CHECK(__float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
    CHECK(__float2int_rz(3e9f) == 2147483647 && __float2int_rz(-3e9f) == -2147483647 - 1);
    CHECK(__float2int_rz(NAN) == 0 && __float2uint_rz(-5.0f) == 0 && __float2uint_rz(5e9f) == ~0u);
    CHECK(__double2ll_rn(-1.5) == -2 && __double2ull_rz(1e30) == ~0ull);
    CHECK(__int2float_rn(16777217) == 16777216.0f && __int2float_ru(16777217) == 16777218.0f);
    CHECK(__int2float_rz(-16777217) == -16777216.0f && __int2float_rd(-16777217) == -16777218.0f);
    CHECK(__ull2float_ru(~0ull) == 18446744073709551616.0f && __ull2double_rd(~0ull) < 0x1p64);
    CHECK(__double2float_rd(1.0 + 1e-12) == 1.0f && __double2float_ru(1.0 + 1e-12) > 1.0f);
    CHECK(__double2float_rz(-1e300) == -0x1.fffffep127f && __double2float_rd(-1e300) == -INFINITY);
}

__global__ void rounding() {
    CHECK(__fadd_rd(1.0f, 0x1p-30f) == 1.0f && __fadd_ru(1.0f, 0x1p-30f) == 0x1.000002p0f);
    CHECK(__fadd_rz(-1.0f, -0x1p-30f) == -1.0f && __dadd_ru(1.0, 0x1p-60) == 0x1.0000000000001p0);
    CHECK(__fsub_rd(1.0f, 0x1p-30f) == 0x1.fffffep-1f && __fsub_rn(3.0f, 1.0f) == 2.0f);
    CHECK(__fmul_rz(0x1.000002p0f, 0x1.000002p0f) == 0x1.000004p0f);
    CHECK(__fmul_ru(0x1.000002p0f, 0x1.000002p0f) == 0x1.000006p0f);
    CHECK(__fdiv_rd(1.0f, 3.0f) < __fdiv_ru(1.0f, 3.0f) && __frcp_rz(-3.0f) > -0.33333334f);
    CHECK(__fsqrt_rd(2.0f) < __fsqrt_ru(2.0f) && __fsqrt_ru(4.0f) == 2.0f);
    CHECK(__fadd_rz(0x1.fffffep127f, 0x1p127f) == 0x1.fffffep127f);
    CHECK(__saturatef(NAN) == 0.0f && __saturatef(2.0f) == 1.0f && __saturatef(-1.0f) == 0.0f);
}

__global__ void packing() {
    CHECK(__vadd4(0x01ff7f80u, 0x01010180u) == 0x02008000u &&
          __vadd2(0xffff0001u, 1u) == 0xffff0002u);
    CHECK(__vsub2(0x00000005u, 0x00010006u) == 0xffffffffu && __vneg4(0x01000000u) == 0xff000000u);
    CHECK(__vaddss2(0x7fff8000u, 0x0001ffffu) == 0x7fff8000u &&
          __vaddus4(0xff01u, 0x0101u) == 0xff02u);
    CHECK(__vsubus2(1u, 2u) == 0 && __vabsss2(0x80000001u) == 0x7fff0001u &&
          __vabs4(0x80ffu) == 0x8001u);
    CHECK(__vmaxs4(0xff01u, 0x0002u) == 0x0002u && __vmaxu4(0xff01u, 0x0002u) == 0xff02u);
    CHECK(__vcmpeq4(0x01020304u, 0x01000300u) == 0xff00ff00u && __vsetltu2(1u, 2u) == 1u);
    CHECK(__vavgu4(0x0105u, 0x0206u) == 0x0206u && __vsadu4(0x01020304u, 0x04030201u) == 8);
    CHECK(__vabsdiffs2(0xffffu, 1u) == 2 && __vsads2(0xffff0001u, 0x0001ffffu) == 4);
}
