// CRC-32 of a long buffer: the table is made by the first threads in shared memory, every thread takes
// a piece, and pieces are joined by multiplying with powers of x modulo the polynomial.

#define POLYNOMIAL 0xedb88320u

// The product of two polynomials modulo ours; bit 31 represents x to the 0.
__device__ unsigned multiply(unsigned a, unsigned b)
{
    unsigned product = 0;
    for (unsigned m = 1u << 31; m; m >>= 1) {
        if (a & m) product ^= b;
        b = (b & 1) ? (b >> 1) ^ POLYNOMIAL : b >> 1;
    }
    return product;
}

__device__ unsigned power_of_x(unsigned long long n)
{
    unsigned result = 1u << 31, square = 1u << 30;
    for (; n; n >>= 1, square = multiply(square, square))
        if (n & 1) result = multiply(result, square);
    return result;
}

__global__ void crc32(const unsigned char *data, unsigned n, unsigned piece, unsigned *crc)
{
    __shared__ unsigned table[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned c = i;
#pragma unroll 8
        for (int k = 0; k < 8; k++) c = c & 1 ? POLYNOMIAL ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    __syncthreads();

    const unsigned begin = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    const unsigned end = min(n, begin + piece);
    if (begin >= n) return;
    unsigned c = begin == 0 ? ~0u : 0u;
    for (unsigned i = begin; i < end; i++) c = table[(c ^ data[i]) & 0xff] ^ (c >> 8);
    atomicXor(crc, multiply(power_of_x(8ull * (n - end)), c));
}
