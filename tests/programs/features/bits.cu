// Bit tricks: population counts, reversals, Morton codes by spreading bits, the next number with as
// many bits, Gray codes, find-first-set loops, and byte-wise SIMD within a word.

__device__ unsigned spread3(unsigned v)
{
    v = (v * 0x00010001u) & 0xFF0000FFu;
    v = (v * 0x00000101u) & 0x0F00F00Fu;
    v = (v * 0x00000011u) & 0xC30C30C3u;
    v = (v * 0x00000005u) & 0x49249249u;
    return v;
}

__global__ void morton(const ushort4 *cells, unsigned *codes, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) codes[i] = spread3(cells[i].x) << 2 | spread3(cells[i].y) << 1 | spread3(cells[i].z);
}

enum { POPC, CLZ, FFS, BREV, GRAY, NEXT, ROTL, PARITY, BYTES, COLUMNS };

__global__ void words(const unsigned *in, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned x = in[i];
    unsigned *row = out + i * COLUMNS;
    row[POPC] = __popc(x);
    row[CLZ] = __clz(x);
    row[FFS] = __ffs(x);
    row[BREV] = __brev(x);
    row[GRAY] = x ^ (x >> 1);
    const unsigned t = x | (x - 1);
    row[NEXT] = x ? (t + 1) | (((~t & -~t) - 1) >> __ffs(x)) : 0;
    row[ROTL] = __funnelshift_lc(x, x, i & 31);
    row[PARITY] = __popcll(((unsigned long long)x << 32) | x) / 2 & 1;
    row[BYTES] = __vadd4(x, 0x01ff7f80u);
}

__global__ void set_bits(const unsigned long long *masks, int n, unsigned char *where, int *counts)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = 0;
    for (unsigned long long m = masks[i]; m; m &= m - 1) where[64 * i + k++] = __ffsll(m) - 1;
    counts[i] = k;
}
