// American puts and European calls on a binomial tree: one block an option, the levels of the tree
// in shared memory, walked back to the root.
#define MAX_STEPS 255

typedef struct { float S, X, T, R, V; int american_put; } TOptionData;

__global__ void binomialOptions(const TOptionData *d_OptionData, float *d_Value, int steps)
{
    __shared__ float values[2][MAX_STEPS + 1];
    const TOptionData option = d_OptionData[blockIdx.x];
    const float dt = option.T / (float)steps;
    const float vDt = option.V * sqrtf(dt);
    const float If = expf(option.R * dt), Df = expf(-option.R * dt);
    const float u = expf(vDt), d = expf(-vDt);
    const float pu = (If - d) / (u - d), pd = 1.0f - pu;
    const float puByDf = pu * Df, pdByDf = pd * Df;
    const float sign = option.american_put ? -1.0f : 1.0f;
    int level, i, now = 0;

    for (i = threadIdx.x; i <= steps; i += blockDim.x) {
        float price = option.S * expf(vDt * (2.0f * i - steps));
        values[0][i] = fmaxf(sign * (price - option.X), 0.0f);
    }
    for (level = steps - 1; level >= 0; level--) {
        __syncthreads();
        for (i = threadIdx.x; i <= level; i += blockDim.x) {
            float hold = puByDf * values[now][i + 1] + pdByDf * values[now][i];
            if (option.american_put) {
                float exercise = option.X - option.S * expf(vDt * (2.0f * i - level));
                hold = hold > exercise ? hold : exercise;
            }
            values[1 - now][i] = hold;
        }
        now = 1 - now;
    }
    __syncthreads();
    if (threadIdx.x == 0) d_Value[blockIdx.x] = values[now][0];
}
