// Count, mean, and the second, third and fourth central moments in one pass, merged pairwise; the
// partial results travel through shuffles of a whole struct.
struct Moments {
    double n, mean, m2, m3, m4;

    __device__ Moments() : n(0), mean(0), m2(0), m3(0), m4(0) {}
    __device__ explicit Moments(double x) : n(1), mean(x), m2(0), m3(0), m4(0) {}

    __device__ Moments &operator+=(const Moments &o) {
        if (o.n == 0) return *this;
        const double total = n + o.n, d = o.mean - mean, dn = d / total, dn2 = dn * dn;
        const double cross = d * dn * n * o.n;
        const double m4new = m4 + o.m4 + cross * dn2 * (n * n - n * o.n + o.n * o.n) +
                             6 * dn2 * (n * n * o.m2 + o.n * o.n * m2) +
                             4 * dn * (n * o.m3 - o.n * m3);
        m3 += o.m3 + cross * dn * (n - o.n) + 3 * dn * (n * o.m2 - o.n * m2);
        m4 = m4new;
        m2 += o.m2 + cross;
        mean += dn * o.n;
        n = total;
        return *this;
    }
};

template <typename T>
__device__ T shuffle_down(const T &value, int delta) {
    static_assert(sizeof(T) % sizeof(int) == 0, "whole words only");
    T result;
    const int *from = reinterpret_cast<const int *>(&value);
    int *to = reinterpret_cast<int *>(&result);
#pragma unroll
    for (int i = 0; i < int(sizeof(T) / sizeof(int)); ++i)
        to[i] = __shfl_down_sync(0xffffffff, from[i], delta);
    return result;
}

__global__ void moments(const float *x, int n, Moments *out) {
    __shared__ double raw[32 * sizeof(Moments) / sizeof(double)];
    Moments *parts = reinterpret_cast<Moments *>(raw), mine;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine += Moments(x[i]);
    for (int d = 16; d; d /= 2) mine += shuffle_down(mine, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; ++w) mine += parts[w];
        *out = mine;
    }
}
