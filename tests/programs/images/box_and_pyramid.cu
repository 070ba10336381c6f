// A box filter by running sums, a row and then a column a thread; the Gaussian pyramid's step down
// with the 5-tap binomial kernel; grey erosion by a plus-shaped or square structuring element.

// Mean of 2r + 1 neighbours along a line of n elements that are `step` apart; ends are repeated.
static __device__ void running_mean(const float *from, float *to, int n, int step, int r)
{
    float sum = from[0];
    for (int i = 1; i <= r; i++) sum += from[0] + from[min(i, n - 1) * step];
    for (int i = 0; i < n; i++) {
        to[i * step] = sum / (2 * r + 1);
        sum += from[min(i + r + 1, n - 1) * step] - from[max(i - r, 0) * step];
    }
}

__global__ void box_x(const float *from, float *to, int w, int h, int r)
{
    const unsigned int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < h) running_mean(from + y * w, to + y * w, w, 1, r);
}

__global__ void box_y(const float *from, float *to, int w, int h, int r)
{
    const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < w) running_mean(from + x, to + x, h, w, r);
}

__device__ int mirror(int i, int n) { return i < 0 ? -i : (i >= n ? 2 * n - 2 - i : i); }

template <typename T>
__global__ void pyramid_down(const T *src, int sw, int sh, T *dst, int dw, int dh)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dw || y >= dh) return;
    static const float k[] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    float sum = 0;
    for (int i = -2; i <= 2; i++)
        for (int j = -2; j <= 2; j++)
            sum += k[i + 2] * k[j + 2] * src[mirror(2 * y + i, sh) * sw + mirror(2 * x + j, sw)];
    dst[y * dw + x] = (T)(sizeof(T) == 1 ? sum + 0.5f : sum);
}

struct Plus { __device__ static bool has(int dx, int dy) { return dx == 0 || dy == 0; } };
struct Square { __device__ static bool has(int, int) { return true; } };

template <class Shape, int R>
__global__ void erode(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < w && y < h) {
        unsigned char low = 255;
        for (int dy = -R; dy <= R; ++dy)
            for (int dx = -R; dx <= R; ++dx) {
                if (!Shape::has(dx, dy)) continue;
                if ((unsigned)(x + dx) >= w || (unsigned)(y + dy) >= h) continue;
                low = min(low, in[(y + dy) * w + x + dx]);
            }
        out[y * w + x] = low;
    }
}
