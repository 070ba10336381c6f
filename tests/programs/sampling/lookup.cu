// Functions from tables: a fetch with the linear filter interpolates. One dimension for a force
// law, two for a calibration map, layers for one table per kind of atom.

// Values at x0, x0 + 1 / scale, ...: the guide's table look-up, entry i at coordinate i + 0.5.
__device__ __forceinline__ float table(cudaTextureObject_t t, float x, float x0, float scale)
{
    return tex1D<float>(t, (x - x0) * scale + 0.5f);
}

__global__ void pair_forces(const float4 *__restrict__ atoms, float4 *forces, int n,
                            cudaTextureObject_t by_kind, float r0, float scale, float cutoff)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 me = atoms[i];
    float fx = 0, fy = 0, fz = 0, energy = 0;
    for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        const float4 other = atoms[j];
        const float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        const float r = sqrtf(dx * dx + dy * dy + dz * dz);
        if (r >= cutoff) continue;
        // Energy and force next to each other in one texel; a layer for each kind of atom.
        const float2 ef = tex1DLayered<float2>(by_kind, (r - r0) * scale + 0.5f, (int)other.w);
        energy += ef.x;
        fx += ef.y * dx;
        fy += ef.y * dy;
        fz += ef.y * dz;
    }
    forces[i] = make_float4(fx, fy, fz, energy);
}

__global__ void evaluate(const float *x, float *y, int n, cudaTextureObject_t t, float x0,
                         float scale)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = table(t, x[i], x0, scale);
}
