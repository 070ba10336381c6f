// The first half of an LZ77 compressor: for every position the longest earlier match in a window,
// found by all threads of a warp together; ties go to the nearer match.
static const int kWindow = 64;
static const int kLongest = 18;

__global__ void longest_match(const unsigned char *data, int n, uchar2 *result)
{
    const int lane = threadIdx.x & 31;
    const int pos = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (pos >= n) return;

    unsigned int best = 0;
    for (int back = 1 + lane; back <= kWindow && back <= pos; back += 32) {
        int len = 0;
        while (len < kLongest && pos + len < n && data[pos + len] == data[pos - back + len]) len++;
        // Longer first, then nearer: one number orders both.
        unsigned int key = len ? (len << 16) | (0xffff - back) : 0;
        best = umax(best, key);
    }
#if __CUDA_ARCH__ >= 800
    best = __reduce_max_sync(0xffffffffu, best);
#else
    for (int d = 16; d; d >>= 1) best = umax(best, __shfl_xor_sync(0xffffffffu, best, d));
#endif
    if (lane == 0)
        result[pos] = best ? make_uchar2(best >> 16, 0xffff - (best & 0xffff)) : make_uchar2(0, 0);
}
