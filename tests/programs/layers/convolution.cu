// A convolution layer with bias and ReLU, then max-pooling with the place of the maximum, and the
// pooling's gradient; NCHW, filters in constant memory.
#define MAX_WEIGHTS 4096
__constant__ float c_filter[MAX_WEIGHTS];

#define IDX4(n, c, h, w, C, H, W) ((((n) * (C) + (c)) * (H) + (h)) * (W) + (w))

__global__ void conv2d_relu(const float *x, const float *bias, float *y, int C, int H, int W, int K,
                            int R, int pad, int stride, int OH, int OW)
{
    extern __shared__ float patch[];
    const int n = blockIdx.z / K, k = blockIdx.z % K;
    const int PH = (blockDim.y - 1) * stride + R, PW = (blockDim.x - 1) * stride + R;
    const int oh = blockIdx.y * blockDim.y + threadIdx.y;
    const int ow = blockIdx.x * blockDim.x + threadIdx.x;
    const int h0 = blockIdx.y * blockDim.y * stride - pad;
    const int w0 = blockIdx.x * blockDim.x * stride - pad;
    float sum = bias[k];
    for (int c = 0; c < C; c++) {
        __syncthreads();
        for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < PH * PW; i += blockDim.x * blockDim.y) {
            const int h = h0 + i / PW, w = w0 + i % PW;
            patch[i] = (h >= 0 && h < H && w >= 0 && w < W) ? x[IDX4(n, c, h, w, C, H, W)] : 0.0f;
        }
        __syncthreads();
        for (int r = 0; r < R; r++)
            for (int s = 0; s < R; s++)
                sum += patch[(threadIdx.y * stride + r) * PW + threadIdx.x * stride + s] *
                       c_filter[IDX4(k, c, r, s, C, R, R)];
    }
    if (oh < OH && ow < OW) y[IDX4(n, k, oh, ow, K, OH, OW)] = fmaxf(sum, 0.0f);
}

__global__ void max_pool(const float *x, float *y, int *arg, int planes, int H, int W, int P)
{
    const int OH = H / P, OW = W / P;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;
    const int w = i % OW, h = i / OW % OH, c = i / (OW * OH);
    float best = -INFINITY;
    int where = -1;
    for (int p = 0; p < P; p++)
        for (int q = 0; q < P; q++) {
            const int at = (c * H + h * P + p) * W + w * P + q;
            if (x[at] > best || where < 0) { best = x[at]; where = at; }
        }
    y[i] = best;
    arg[i] = where;
}

__global__ void max_pool_grad(const float *dy, const int *arg, float *dx, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(dx + arg[i], dy[i]);
}
