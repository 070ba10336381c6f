// Layer normalisation, a warp a row, mean and variance by Welford's update merged across lanes; the
// row is read as float4 where its length allows.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

struct Welford {
    float mean = 0.f, m2 = 0.f, count = 0.f;

    __device__ void push(float x) {
        count += 1.f;
        const float delta = x - mean;
        mean += delta / count;
        m2 += delta * (x - mean);
    }

    __device__ void merge(const Welford &o) {
        if (o.count == 0.f) return;
        const float total = count + o.count, delta = o.mean - mean;
        mean += delta * o.count / total;
        m2 += o.m2 + delta * delta * count * o.count / total;
        count = total;
    }
};

template <int Vector>
__global__ void layer_norm(const float *__restrict__ x, const float *__restrict__ gamma,
                           const float *__restrict__ beta, float *__restrict__ y, int rows,
                           int columns, float eps) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (row >= rows) return;
    x += size_t(row) * columns;
    y += size_t(row) * columns;

    Welford stats;
    if constexpr (Vector == 4) {
        const float4 *x4 = reinterpret_cast<const float4 *>(x);
        for (int i = warp.thread_rank(); i < columns / 4; i += warp.size()) {
            const float4 v = x4[i];
            stats.push(v.x); stats.push(v.y); stats.push(v.z); stats.push(v.w);
        }
    } else {
        for (int i = warp.thread_rank(); i < columns; i += warp.size()) stats.push(x[i]);
    }
    for (int d = warp.size() / 2; d > 0; d /= 2) {
        Welford other;
        other.mean = warp.shfl_xor(stats.mean, d);
        other.m2 = warp.shfl_xor(stats.m2, d);
        other.count = warp.shfl_xor(stats.count, d);
        stats.merge(other);
    }
    const float mean = warp.shfl(stats.mean, 0);
    const float inverse = rsqrtf(warp.shfl(stats.m2, 0) / columns + eps);
    for (int i = warp.thread_rank(); i < columns; i += warp.size())
        y[i] = (x[i] - mean) * inverse * gamma[i] + beta[i];
}

__global__ void rms_norm(const float *x, const float *gamma, float *y, int columns, float eps) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float sum = 0.f;
    for (int i = warp.thread_rank(); i < columns; i += 32) sum = fmaf(x[i], x[i], sum);
    sum = cg::reduce(warp, sum, cg::plus<float>());
    const float inverse = rsqrtf(sum / columns + eps);
    for (int i = warp.thread_rank(); i < columns; i += 32) y[i] = x[i] * inverse * gamma[i];
}
