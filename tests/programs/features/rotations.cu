// Small algebra on built-in vectors: quaternions in float4 that rotate float3 points, and exponentials
// of 2x2 complex matrices in float2 by scaling and squaring.

typedef float4 quat;

__host__ __device__ inline float3 cross(const float3 &a, const float3 &b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
inline __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }

__device__ quat multiply(quat p, quat q)
{
    quat r;
    r.x = p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y;
    r.y = p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x;
    r.z = p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w;
    r.w = p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z;
    return r;
}

__device__ quat about(float3 axis, float angle)
{
    float s, c;
    __sincosf(0.5f * angle, &s, &c);
    s *= rnorm3df(axis.x, axis.y, axis.z);
    return make_float4(s * axis.x, s * axis.y, s * axis.z, c);
}

__device__ float3 turn(quat q, float3 v)
{
    const float3 u = make_float3(q.x, q.y, q.z);
    const float3 t = 2.0f * cross(u, v);
    return v + q.w * t + cross(u, t);
}

// Every point is turned about its first axis and then about its second.
__global__ void rotate(const float3 *points, const float4 *first, const float4 *second, float3 *out, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    const float4 a = first[i], b = second[i];
    const quat q = multiply(about(make_float3(b.x, b.y, b.z), b.w), about(make_float3(a.x, a.y, a.z), a.w));
    out[i] = turn(q, points[i]);
}

struct mat2 { float2 m[2][2]; };

__device__ float2 operator*(float2 a, float2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__device__ float2 operator+(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ float2 &operator*=(float2 &a, float s) { a.x *= s; a.y *= s; return a; }

__device__ mat2 operator*(const mat2 &a, const mat2 &b)
{
    mat2 r;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j];
    return r;
}

__global__ void matrix_exponential(const mat2 *in, mat2 *out, int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    mat2 a = in[i], sum = {}, term = {};
    for (int k = 0; k < 4; ++k) a.m[k / 2][k % 2] *= ldexpf(1.0f, -6);
    sum.m[0][0] = sum.m[1][1] = term.m[0][0] = term.m[1][1] = float2{1, 0};
    for (int k = 1; k <= 6; ++k) {
        term = term * a;
        for (int e = 0; e < 4; ++e) {
            term.m[e / 2][e % 2] *= 1.0f / k;
            sum.m[e / 2][e % 2] = sum.m[e / 2][e % 2] + term.m[e / 2][e % 2];
        }
    }
    for (int s = 0; s < 6; ++s) sum = sum * sum;
    out[i] = sum;
}
