// Images and tensors by one index, taken apart by quotients and remainders.

__global__ void blur(float* out, const float* in, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h) return;
    int x = i % w, y = i / w;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int column = min(max(x + dx, 0), w - 1), row = min(max(y + dy, 0), h - 1);
            sum += in[row * w + column];
        }
    out[i] = sum / 9.0f;
}

__global__ void laplacian(float* out, const float* in, unsigned w, unsigned h) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h) return;
    unsigned x = i % w, y = i / w;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        out[i] = in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * in[i];
    else
        out[i] = 0;
}

__global__ void channels(float* out, const float* in, const float* scale, const float* shift,
                         unsigned c, unsigned hw, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned k = i / hw % c;
        out[i] = in[i] * scale[k] + shift[k];
    }
}

__global__ void nchw_to_nhwc(float* out, const float* in, int c, int hw, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int p = i % hw, k = i / hw % c, b = i / (hw * c);
    out[(b * hw + p) * c + k] = in[i];
}

__global__ void upsample(float* out, const float* in, int w, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    size_t x = i % (2 * w), y = i / (2 * w);
    out[i] = in[y / 2 * w + x / 2];
}

__global__ void im2col(float* out, const float* in, int w, int ow, int oh, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int x = i % ow, y = i / ow % oh, k = i / (ow * oh);
        int dx = k % 3, dy = k / 3;
        out[i] = in[(y + dy) * w + x + dx];
    }
}

__global__ void softmax_gradient(float* out, const float* y, const float* g, const float* dot,
                                 unsigned columns, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = y[i] * (g[i] - dot[i / columns]);
}
