// Bilateral filter of packed RGBA pixels, unpacked to float4; the spatial weights are in constant
// memory, the range weights are computed.

__constant__ float spatial[64];

inline __device__ float4 operator*(float s, float4 a) { return make_float4(s * a.x, s * a.y, s * a.z, s * a.w); }
inline __device__ float4 &operator+=(float4 &a, const float4 &b)
{
    a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
    return a;
}

union Packed {
    unsigned int word;
    uchar4 bytes;
};

__device__ float4 unpack(unsigned int word)
{
    Packed p;
    p.word = word;
    return (1.0f / 255) * make_float4(p.bytes.x, p.bytes.y, p.bytes.z, p.bytes.w);
}

__device__ unsigned int pack(float4 c)
{
    Packed p;
    p.bytes = make_uchar4(__saturatef(c.x) * 255, __saturatef(c.y) * 255, __saturatef(c.z) * 255,
                          __saturatef(c.w) * 255);
    return p.word;
}

// How alike two colours are; alpha has no say.
__device__ float likeness(const float4 &a, const float4 &b, float spread)
{
    float dr = a.x - b.x, dg = a.y - b.y, db = a.z - b.z;
    return __expf(__fdividef(dr * dr + dg * dg + db * db, -2 * spread * spread));
}

__global__ void bilateral(unsigned int *to, const unsigned int *from, int w, int h, float spread, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    const float4 own = unpack(from[y * w + x]);
    float4 total = make_float4(0, 0, 0, 0);
    float weights = 0;
    for (int dy = -r; dy <= r; dy++) {
        const unsigned int *line = from + w * min(max(y + dy, 0), h - 1);
        for (int dx = -r; dx <= r; dx++) {
            const float4 near = unpack(line[min(max(x + dx, 0), w - 1)]);
            const float weight = spatial[dy + r] * spatial[dx + r] * likeness(near, own, spread);
            total += weight * near;
            weights += weight;
        }
    }
    to[y * w + x] = pack(__frcp_rn(weights) * total);
}
