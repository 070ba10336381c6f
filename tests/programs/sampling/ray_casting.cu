// Direct volume rendering: rays march through a volume of bytes in a 3-D texture, a 1-D texture
// turns densities into colours, front to back until a ray is opaque.

struct Ray { float3 o, d; };

inline __host__ __device__ float3 operator+(float3 a, float3 b)
{
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ float3 operator*(float3 a, float b)
{
    return make_float3(a.x * b, a.y * b, a.z * b);
}

__device__ bool hit_box(const Ray &r, float lo, float hi, float *t_near, float *t_far)
{
    float3 inv = make_float3(1.0f / r.d.x, 1.0f / r.d.y, 1.0f / r.d.z);
    float3 a = make_float3(inv.x * (lo - r.o.x), inv.y * (lo - r.o.y), inv.z * (lo - r.o.z));
    float3 b = make_float3(inv.x * (hi - r.o.x), inv.y * (hi - r.o.y), inv.z * (hi - r.o.z));
    *t_near = fmaxf(fmaxf(fminf(a.x, b.x), fminf(a.y, b.y)), fminf(a.z, b.z));
    *t_far = fminf(fminf(fmaxf(a.x, b.x), fmaxf(a.y, b.y)), fmaxf(a.z, b.z));
    return *t_far > *t_near;
}

typedef struct { float4 m[3]; } float3x4;
__constant__ float3x4 inverse_view;

__device__ float3 turn(const float3x4 &M, float3 v)
{
    return make_float3(v.x * M.m[0].x + v.y * M.m[0].y + v.z * M.m[0].z,
                       v.x * M.m[1].x + v.y * M.m[1].y + v.z * M.m[1].z,
                       v.x * M.m[2].x + v.y * M.m[2].y + v.z * M.m[2].z);
}

__global__ void render(float4 *image, int w, int h, float density, float step,
                       cudaTextureObject_t volume, cudaTextureObject_t transfer)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float u = (x / (float)w) * 2.0f - 1.0f, v = (y / (float)h) * 2.0f - 1.0f;

    Ray eye;
    eye.o = make_float3(inverse_view.m[0].w, inverse_view.m[1].w, inverse_view.m[2].w);
    eye.d = turn(inverse_view, make_float3(u * 0.7f, v * 0.7f, -2.0f));
    eye.d = eye.d * rsqrtf(eye.d.x * eye.d.x + eye.d.y * eye.d.y + eye.d.z * eye.d.z);

    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float tnear, tfar;
    if (hit_box(eye, -1.0f, 1.0f, &tnear, &tfar)) {
        if (tnear < 0.0f) tnear = 0.0f;
        float t = tnear;
        float3 pos = eye.o + eye.d * tnear;
        for (int i = 0; i < 500; i++) {
            // From [-1, 1] to [0, 1].
            float sample = tex3D<float>(volume, pos.x * 0.5f + 0.5f, pos.y * 0.5f + 0.5f,
                                        pos.z * 0.5f + 0.5f);
            float4 col = tex1D<float4>(transfer, sample);
            col.w *= density;
            col.x *= col.w;
            col.y *= col.w;
            col.z *= col.w;
            float rest = 1.0f - sum.w;
            sum = make_float4(sum.x + col.x * rest, sum.y + col.y * rest, sum.z + col.z * rest,
                              sum.w + col.w * rest);
            if (sum.w > 0.95f) break;
            t += step;
            if (t > tfar) break;
            pos = pos + eye.d * step;
        }
    }
    image[y * w + x] = sum;
}
