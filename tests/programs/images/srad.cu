// Speckle-reducing anisotropic diffusion: statistics of the image by a reduction, then the diffusion
// coefficient and the update, each with its four neighbours and clamped borders.

__global__ void statistics(const float *J, double *sums, int n)
{
    __shared__ double part[2][256];
    double s = 0, s2 = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        s += J[i];
        s2 += (double)J[i] * J[i];
    }
    part[0][threadIdx.x] = s;
    part[1][threadIdx.x] = s2;
    for (int k = blockDim.x / 2; k >= 1; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k) {
            part[0][threadIdx.x] += part[0][threadIdx.x + k];
            part[1][threadIdx.x] += part[1][threadIdx.x + k];
        }
    }
    if (threadIdx.x < 2) atomicAdd(&sums[threadIdx.x], part[threadIdx.x][0]);
}

#define NEIGHBOURS(image)                                        \
    const float up = image[max(row - 1, 0) * w + col],           \
                down = image[min(row + 1, h - 1) * w + col],     \
                left = image[row * w + max(col - 1, 0)],         \
                right = image[row * w + min(col + 1, w - 1)];

__global__ void coefficient(const float *image, float *diffusion, int w, int h, float q0)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < h && col < w) {
        const float own = image[row * w + col];
        NEIGHBOURS(image)
        const float inverse = __frcp_rn(own);
        const float gradient2 = (powf(up - own, 2) + powf(down - own, 2) + powf(left - own, 2) +
                                 powf(right - own, 2)) * inverse * inverse;
        const float laplace = (up + down + left + right - 4 * own) * inverse;
        const float base = 1 + 0.25f * laplace;
        const float q = (0.5f * gradient2 - laplace * laplace / 16) / (base * base);
        diffusion[row * w + col] = __saturatef(1 / (1 + (q - q0) / (q0 * (1 + q0))));
    }
}

__global__ void diffuse(const float *image, const float *diffusion, float *out, int w, int h, float step)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < h && col < w) {
        const float own = image[row * w + col], c = diffusion[row * w + col];
        NEIGHBOURS(image)
        float flux = c * (up - own) + c * (left - own);
        flux += diffusion[min(row + 1, h - 1) * w + col] * (down - own);
        flux += diffusion[row * w + min(col + 1, w - 1)] * (right - own);
        out[row * w + col] = own + 0.25f * step * flux;
    }
}
