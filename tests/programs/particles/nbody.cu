// All-pairs gravity with tiles of bodies in shared memory, and the leapfrog step; positions carry the
// mass in w.

template <typename T> struct Vec4;
template <> struct Vec4<float> { typedef float4 type; };
template <> struct Vec4<double> { typedef double4 type; };
template <typename T> struct Vec3;
template <> struct Vec3<float> { typedef float3 type; };
template <> struct Vec3<double> { typedef double3 type; };

template <typename T> struct SharedMemory {
    __device__ inline operator T *()
    {
        extern __shared__ double4 raw[];
        return (T *)raw;
    }
};

__constant__ float softening2;
__device__ __forceinline__ float inverse_root(float x) { return rsqrtf(x); }
__device__ __forceinline__ double inverse_root(double x) { return rsqrt(x); }

template <typename T>
__device__ typename Vec3<T>::type pull(typename Vec3<T>::type a, typename Vec4<T>::type me,
                                       typename Vec4<T>::type other)
{
    const T dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const T r = inverse_root(dx * dx + dy * dy + dz * dz + softening2);
    const T s = other.w * (r * r * r);
    a.x += dx * s;
    a.y += dy * s;
    a.z += dz * s;
    return a;
}

template <typename T>
__global__ void advance(typename Vec4<T>::type *after, const typename Vec4<T>::type *before,
                        typename Vec4<T>::type *velocity, int n, T dt)
{
    typename Vec4<T>::type *tile = SharedMemory<typename Vec4<T>::type>();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    typename Vec4<T>::type me = before[min(i, n - 1)];
    typename Vec3<T>::type a = {0, 0, 0};

    for (int start = 0; start < n; start += blockDim.x) {
        if (start + threadIdx.x < n) tile[threadIdx.x] = before[start + threadIdx.x];
        __syncthreads();
        const int count = min((int)blockDim.x, n - start);
#pragma unroll 4
        for (int j = 0; j < count; j++) a = pull<T>(a, me, tile[j]);
        __syncthreads();
    }
    if (i >= n) return;
    typename Vec4<T>::type v = velocity[i];
    v.x += a.x * dt;
    v.y += a.y * dt;
    v.z += a.z * dt;
    me.x += v.x * dt;
    me.y += v.y * dt;
    me.z += v.z * dt;
    after[i] = me;
    velocity[i] = v;
}
