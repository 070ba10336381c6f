// SHA-256 of many short messages, one a thread: padding in local memory, message schedule in a ring
// of sixteen words, rotations by funnel shifts.
#include <stdint.h>

__constant__ uint32_t round_constants[64];

__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return __funnelshift_r(x, x, n); }
#define CHOOSE(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJORITY(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define BIG0(x) (rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22))
#define BIG1(x) (rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25))
#define SMALL0(x) (rotr(x, 7) ^ rotr(x, 18) ^ ((x) >> 3))
#define SMALL1(x) (rotr(x, 17) ^ rotr(x, 19) ^ ((x) >> 10))

__device__ void absorb(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[16], v[8];
#pragma unroll
    for (int i = 0; i < 16; i++)
        w[i] = block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = state[i];
    for (int r = 0; r < 64; r++) {
        if (r >= 16)
            w[r & 15] += SMALL1(w[(r + 14) & 15]) + w[(r + 9) & 15] + SMALL0(w[(r + 1) & 15]);
        const uint32_t t1 = v[7] + BIG1(v[4]) + CHOOSE(v[4], v[5], v[6]) + round_constants[r] + w[r & 15];
        const uint32_t t2 = BIG0(v[0]) + MAJORITY(v[0], v[1], v[2]);
#pragma unroll
        for (int i = 7; i > 0; i--) v[i] = v[i - 1];
        v[4] += t1;
        v[0] = t1 + t2;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

extern "C" __global__ void sha256_batch(const uint8_t *data, const int *offsets, int messages,
                                        uint32_t *digests)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= messages) return;
    const uint8_t *message = data + offsets[m];
    const int length = offsets[m + 1] - offsets[m];
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    int done = 0;
    for (; done + 64 <= length; done += 64) absorb(state, message + done);

    uint8_t last[128] = {0};
    int rest = 0;
    for (; done < length; done++) last[rest++] = message[done];
    last[rest] = 0x80;
    const int tail = rest < 56 ? 64 : 128;
    const uint64_t bits = 8ull * length;
    for (int i = 0; i < 8; i++) last[tail - 1 - i] = bits >> (8 * i);
    absorb(state, last);
    if (tail == 128) absorb(state, last + 64);
    for (int i = 0; i < 8; i++)
        digests[8 * m + i] = __byte_perm(state[i], 0, 0x0123);
}
