// Bytes and words: hashes, alignments, hash tables, searches, transforms in shared memory.

__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned rotate(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}

// Messages of eight words that all share and one of their own; digests side by side.
__global__ void sha256(const unsigned *shared_words, unsigned *digest, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned w[64];
    for (int j = 0; j < 8; ++j)
        w[j] = shared_words[j];
    w[8] = i;
    w[9] = 0x80000000;
    for (int j = 10; j < 15; ++j)
        w[j] = 0;
    w[15] = 9 * 32;
    for (int j = 16; j < 64; ++j) {
        unsigned s0 = rotate(w[j - 15], 7) ^ rotate(w[j - 15], 18) ^ w[j - 15] >> 3;
        unsigned s1 = rotate(w[j - 2], 17) ^ rotate(w[j - 2], 19) ^ w[j - 2] >> 10;
        w[j] = w[j - 16] + s0 + w[j - 7] + s1;
    }
    unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned s[8];
    for (int j = 0; j < 8; ++j)
        s[j] = h[j];
    for (int j = 0; j < 64; ++j) {
        unsigned e = s[4], a = s[0];
        unsigned t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                      ((e & s[5]) ^ (~e & s[6])) + K[j] + w[j];
        unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; --k)
            s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int j = 0; j < 8; ++j)
        digest[j * n + i] = h[j] + s[j];
}

#define LENGTH 128

// One pair of sequences a block: the table by diagonals, each kept in shared memory.
__global__ void align(const char *a, const char *b, int *score, int match, int mismatch, int gap)
{
    __shared__ int table[LENGTH + 1][LENGTH + 1];
    __shared__ char of_a[LENGTH], of_b[LENGTH];
    int t = threadIdx.x;
    of_a[t] = a[blockIdx.x * LENGTH + t];
    of_b[t] = b[blockIdx.x * LENGTH + t];
    table[0][t + 1] = (t + 1) * gap;
    table[t + 1][0] = (t + 1) * gap;
    if (t == 0)
        table[0][0] = 0;
    __syncthreads();
    for (int d = 0; d < 2 * LENGTH - 1; ++d) {
        int i = t, j = d - t;
        if (j >= 0 && j < LENGTH) {
            int diagonal = table[i][j] + (of_a[i] == of_b[j] ? match : mismatch);
            int side = max(table[i][j + 1], table[i + 1][j]) + gap;
            table[i + 1][j + 1] = max(diagonal, side);
        }
        __syncthreads();
    }
    if (t == 0)
        score[blockIdx.x] = table[LENGTH][LENGTH];
}

// Linear probing, keys and values side by side; 0 is an empty slot.
__global__ void look_up(const unsigned *keys, const unsigned *values, unsigned mask,
                        const unsigned *queries, unsigned *found, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = queries[i], slot = key * 2654435761u >> 7 & mask, value = 0;
    while (keys[slot] != 0) {
        if (keys[slot] == key) {
            value = values[slot];
            break;
        }
        slot = (slot + 1) & mask;
    }
    found[i] = value;
}

// Where a pattern begins in a text: counted.
__global__ void search(const char *text, size_t length, const char *pattern, int size,
                       unsigned *count)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + size > length)
        return;
    int k = 0;
    while (k < size && text[i + k] == pattern[k])
        ++k;
    if (k == size)
        atomicAdd(count, 1u);
}

// Transforms of 1024 complex numbers, one a block of 512 threads, radix 2, in shared memory.
__global__ void fft_1024(const float2 *in, float2 *out, const float2 *roots)
{
    __shared__ float2 s[1024];
    int t = threadIdx.x;
    s[__brev(t) >> 22] = in[blockIdx.x * 1024 + t];
    s[__brev(t + 512) >> 22] = in[blockIdx.x * 1024 + t + 512];
    __syncthreads();
    for (int half = 1; half < 1024; half *= 2) {
        int k = t & (half - 1), a = 2 * t - k, b = a + half;
        float2 w = roots[k * (512 / half)], x = s[a], y = s[b];
        float2 p = make_float2(y.x * w.x - y.y * w.y, y.x * w.y + y.y * w.x);
        s[a] = make_float2(x.x + p.x, x.y + p.y);
        s[b] = make_float2(x.x - p.x, x.y - p.y);
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = s[t];
    out[blockIdx.x * 1024 + t + 512] = s[t + 512];
}
