// Scaled dot-product attention of one head, tile by tile over the keys: scores never leave shared
// memory, the running maximum and sum rescale what was gathered so far. A thread owns a query row.

template <int HEAD_DIM, int TILE>
__global__ void flash_attention(const float *Q, const float *K, const float *V, float *O, int length,
                                bool causal)
{
    __shared__ float ks[TILE][HEAD_DIM];
    __shared__ float vs[TILE][HEAD_DIM];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t head = size_t(blockIdx.y) * length * HEAD_DIM;
    const float scale = rsqrtf(float(HEAD_DIM));
    Q += head; K += head; V += head; O += head;

    float q[HEAD_DIM], acc[HEAD_DIM];
    for (int d = 0; d < HEAD_DIM; ++d) {
        q[d] = row < length ? Q[row * HEAD_DIM + d] * scale : 0.0f;
        acc[d] = 0.0f;
    }
    float m = -INFINITY, l = 0.0f;

    for (int start = 0; start < length; start += TILE) {
        __syncthreads();
        for (int i = threadIdx.x; i < TILE * HEAD_DIM; i += blockDim.x) {
            const int j = start + i / HEAD_DIM;
            ks[i / HEAD_DIM][i % HEAD_DIM] = j < length ? K[j * HEAD_DIM + i % HEAD_DIM] : 0.0f;
            vs[i / HEAD_DIM][i % HEAD_DIM] = j < length ? V[j * HEAD_DIM + i % HEAD_DIM] : 0.0f;
        }
        __syncthreads();
        const int stop = min(TILE, length - start);
        for (int j = 0; j < stop; ++j) {
            if (causal && start + j > row) break;
            float s = 0.0f;
#pragma unroll
            for (int d = 0; d < HEAD_DIM; ++d) s += q[d] * ks[j][d];
            const float m_new = fmaxf(m, s);
            const float keep = expf(m - m_new), p = expf(s - m_new);
            l = l * keep + p;
#pragma unroll
            for (int d = 0; d < HEAD_DIM; ++d) acc[d] = acc[d] * keep + p * vs[j][d];
            m = m_new;
        }
    }
    if (row < length)
        for (int d = 0; d < HEAD_DIM; ++d) O[row * HEAD_DIM + d] = acc[d] / l;
}
