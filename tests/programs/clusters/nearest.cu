// k nearest neighbours by brute force: reference points pass through shared memory in tiles, a thread
// keeps the best K of its query in registers by insertion, ties by the smaller index.
#include <cfloat>

template <int K> class BestList {
public:
    __device__ BestList() {
        #pragma unroll
        for (int i = 0; i < K; ++i) { dist_[i] = FLT_MAX; id_[i] = -1; }
    }
    __device__ void offer(float d, int id) {
        if (!(d < dist_[K - 1])) return;
        #pragma unroll
        for (int i = K - 1; i >= 0; --i) {
            const bool shift = i > 0 && d < dist_[i > 0 ? i - 1 : 0];
            if (d < dist_[i]) {
                dist_[i] = shift ? dist_[i - 1] : d;
                id_[i] = shift ? id_[i - 1] : id;
            }
        }
    }
    __device__ float distance(int i) const { return dist_[i]; }
    __device__ int index(int i) const { return id_[i]; }
private:
    float dist_[K];
    int id_[K];
};

template <int DIM, int K, int TILE>
__global__ void knn(const float *queries, int num_queries, const float *refs, int num_refs,
                    float *out_dist, int *out_id)
{
    __shared__ float tile[DIM][TILE];
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    float mine[DIM];
    if (q < num_queries)
        for (int d = 0; d < DIM; ++d) mine[d] = queries[q * DIM + d];

    BestList<K> best;
    for (int start = 0; start < num_refs; start += TILE) {
        const int count = num_refs - start < TILE ? num_refs - start : TILE;
        for (int i = threadIdx.x; i < count * DIM; i += blockDim.x)
            tile[i % DIM][i / DIM] = refs[start * DIM + i];
        __syncthreads();
        if (q < num_queries) {
            for (int r = 0; r < count; ++r) {
                float d2 = 0;
                #pragma unroll
                for (int d = 0; d < DIM; ++d) {
                    const float diff = mine[d] - tile[d][r];
                    d2 += diff * diff;
                }
                best.offer(d2, start + r);
            }
        }
        __syncthreads();
    }
    if (q >= num_queries) return;
    for (int i = 0; i < K; ++i) {
        out_dist[i * num_queries + q] = sqrtf(best.distance(i));
        out_id[i * num_queries + q] = best.index(i);
    }
}
