// AES-128 in counter mode: S-box and key schedule are computed on the device by one block, then a
// block of the stream a thread; the state is a struct of four columns.
#include <stdint.h>

__device__ uint8_t sbox[256];
__device__ uint32_t round_keys[44];

__device__ static uint8_t gf_multiply(uint8_t a, uint8_t b)
{
    uint8_t p = 0;
    while (b) {
        if (b & 1) p ^= a;
        a = (a << 1) ^ (a & 0x80 ? 0x1b : 0);
        b >>= 1;
    }
    return p;
}

__device__ static uint32_t substitute(uint32_t w)
{
    return sbox[w & 255] | sbox[w >> 8 & 255] << 8 | sbox[w >> 16 & 255] << 16 |
           (uint32_t)sbox[w >> 24] << 24;
}

// Words hold a column, its first row in the low byte. Launched with one block of 256 threads.
__global__ void prepare(uint4 key)
{
    uint8_t x = threadIdx.x, inverse = 1, y = x;
    for (int e = 254; e; e >>= 1, y = gf_multiply(y, y))
        if (e & 1) inverse = gf_multiply(inverse, y);
    uint8_t s = inverse;
    for (int k = 1; k < 5; k++) s ^= (inverse << k) | (inverse >> (8 - k));
    sbox[x] = s ^ 0x63;
    __syncthreads();
    if (threadIdx.x) return;
    round_keys[0] = key.x, round_keys[1] = key.y, round_keys[2] = key.z, round_keys[3] = key.w;
    uint8_t constant = 1;
    for (int i = 4; i < 44; i++) {
        uint32_t t = round_keys[i - 1];
        if (i % 4 == 0) {
            t = substitute(__funnelshift_r(t, t, 8)) ^ constant;
            constant = gf_multiply(constant, 2);
        }
        round_keys[i] = round_keys[i - 4] ^ t;
    }
}

struct State {
    uint32_t c[4];
    __device__ uint8_t at(int row, int column) const { return c[column & 3] >> (8 * row); }
    __device__ void add_key(int round)
    {
        for (int i = 0; i < 4; i++) c[i] ^= round_keys[4 * round + i];
    }
    __device__ State shifted_and_substituted() const
    {
        State r;
        for (int i = 0; i < 4; i++)
            r.c[i] = sbox[at(0, i)] | sbox[at(1, i + 1)] << 8 | sbox[at(2, i + 2)] << 16 |
                     (uint32_t)sbox[at(3, i + 3)] << 24;
        return r;
    }
    __device__ void mix_columns()
    {
        for (int i = 0; i < 4; i++) {
            const uint32_t w = c[i];
            const uint32_t doubled = ((w & 0x7f7f7f7fu) << 1) ^ ((w >> 7 & 0x01010101u) * 0x1b);
            const uint32_t next = doubled ^ w;
            c[i] = doubled ^ __funnelshift_r(next, next, 8) ^ __byte_perm(w, 0, 0x1032) ^
                   __byte_perm(w, 0, 0x2103);
        }
    }
};

__global__ void encrypt_counters(uint4 *out, uint4 nonce, int blocks)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    State s = {{nonce.x, nonce.y, nonce.z, __byte_perm(b, 0, 0x0123)}};
    s.add_key(0);
    for (int round = 1; round < 10; round++) {
        s = s.shifted_and_substituted();
        s.mix_columns();
        s.add_key(round);
    }
    s = s.shifted_and_substituted();
    s.add_key(10);
    out[b] = make_uint4(s.c[0], s.c[1], s.c[2], s.c[3]);
}
