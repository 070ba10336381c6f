// Two chemicals that react and spread (Gray and Scott), on a torus: the old state is a texture with
// wrapped coordinates, the new one a surface; the host swaps them. And the old manner, with
// references, for heat.

__global__ void react(cudaTextureObject_t old, cudaSurfaceObject_t now, int n, float feed, float kill)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float s = 1.0f / n, u = (x + 0.5f) * s, v = (y + 0.5f) * s;

    float2 c = tex2D<float2>(old, u, v);
    float2 l = tex2D<float2>(old, u - s, v), r = tex2D<float2>(old, u + s, v);
    float2 t = tex2D<float2>(old, u, v - s), b = tex2D<float2>(old, u, v + s);
    float2 lap = make_float2(l.x + r.x + t.x + b.x - 4 * c.x, l.y + r.y + t.y + b.y - 4 * c.y);
    float uvv = c.x * c.y * c.y;
    float2 next = make_float2(c.x + 0.16f * lap.x - uvv + feed * (1 - c.x),
                              c.y + 0.08f * lap.y + uvv - (feed + kill) * c.y);
    surf2Dwrite(next, now, x * (int)sizeof(float2), y);
}

texture<float, cudaTextureType2D, cudaReadModeElementType> heat_in;
surface<void, cudaSurfaceType2D> heat_out;

__global__ void spread(int w, int h, float k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float c = tex2D(heat_in, x, y);
    float sum = tex2D(heat_in, x - 1, y) + tex2D(heat_in, x + 1, y) + tex2D(heat_in, x, y - 1) +
                tex2D(heat_in, x, y + 1);
    surf2Dwrite<float>(c + k * (sum - 4 * c), heat_out, x * 4, y);
}
