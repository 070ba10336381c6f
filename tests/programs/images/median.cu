// Median filter, 3x3 by a network of exchanges in registers and 5x5 by a histogram search.

// Puts the smaller of two values first.
#define ORDER(a, b)                  \
    do {                             \
        const float low = fminf(a, b); \
        b = fmaxf(a, b);             \
        a = low;                     \
    } while (0)

#define SORT3(a, b, c) \
    ORDER(a, b);       \
    ORDER(b, c);       \
    ORDER(a, b)

__global__ void median3x3(const float *in, float *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float v[9];
    int n = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
#pragma unroll
        for (int dx = -1; dx <= 1; dx++)
            v[n++] = in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
    // Sort the columns; then the median is that of the largest low, the middle middle and the
    // smallest high.
    SORT3(v[0], v[3], v[6]);
    SORT3(v[1], v[4], v[7]);
    SORT3(v[2], v[5], v[8]);
    float lows = fmaxf(fmaxf(v[0], v[1]), v[2]);
    SORT3(v[3], v[4], v[5]);
    float highs = fminf(fminf(v[6], v[7]), v[8]);
    SORT3(lows, v[4], highs);
    out[y * w + x] = v[4];
}

// A byte's median is found bit by bit: how many of the window are below the value so far?
__global__ void median5x5(const unsigned char *in, unsigned char *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char window[25];
    for (int i = 0; i < 25; i++)
        window[i] = in[min(max(y + i / 5 - 2, 0), h - 1) * w + min(max(x + i % 5 - 2, 0), w - 1)];
    unsigned value = 0;
    for (unsigned bit = 0x80; bit; bit >>= 1) {
        int below = 0;
        for (int i = 0; i < 25; i++) below += window[i] < (value | bit);
        if (below <= 12) value |= bit;
    }
    out[y * w + x] = value;
}
