// Rotating and blurring photographs by texture objects: normalised coordinates, bytes read as
// ratios, the hardware's bilinear filter, wrapped or mirrored edges.
#include <cuda_runtime.h>

// The sample "simple texture", with the centre of each pixel.
extern "C" __global__ void rotate_image(float *out, int width, int height, float theta,
                                        cudaTextureObject_t tex)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    float u = (x + 0.5f) / width - 0.5f;
    float v = (y + 0.5f) / height - 0.5f;
    float tu = u * cosf(theta) - v * sinf(theta) + 0.5f;
    float tv = v * cosf(theta) + u * sinf(theta) + 0.5f;
    out[y * width + x] = tex2D<float>(tex, tu, tv);
}

__constant__ float weights[9];

// Each tap is between two pixels, so that one fetch weights both of them.
template <int R>
__global__ void blur_rows(cudaTextureObject_t tex, uchar4 *out, int pitch, int width, int height,
                          float inv_width, float inv_height)
{
    const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= width || y >= height) return;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int i = -R; i <= R; i++) {
        const float4 c = tex2D<float4>(tex, (x + 0.5f + i) * inv_width, (y + 0.5f) * inv_height);
        const float w = weights[i + R];
        sum.x += w * c.x;
        sum.y += w * c.y;
        sum.z += w * c.z;
        sum.w += w * c.w;
    }
    out[y * pitch + x] = make_uchar4(sum.x * 255 + 0.5f, sum.y * 255 + 0.5f, sum.z * 255 + 0.5f,
                                     sum.w * 255 + 0.5f);
}
