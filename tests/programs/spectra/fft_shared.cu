// Radix-2 FFT of one row a block in shared memory: bit-reversed load, then decimation in time with a
// barrier a stage; cuComplex values, twiddles by sincospif.
#include <cuComplex.h>

#define FORWARD -1
#define INVERSE 1

extern "C" __global__ void fft_rows(const cuFloatComplex *in, cuFloatComplex *out, int logn, int dir)
{
    extern __shared__ cuFloatComplex s[];
    unsigned int n = 1u << logn;
    unsigned int half = n >> 1;
    unsigned int i, stage;

    in += blockIdx.x * n;
    out += blockIdx.x * n;
    for (i = threadIdx.x; i < n; i += blockDim.x)
        s[__brev(i) >> (32 - logn)] = in[i];

    for (stage = 1; stage <= logn; ++stage) {
        unsigned int span = 1u << (stage - 1);
        __syncthreads();
        for (i = threadIdx.x; i < half; i += blockDim.x) {
            unsigned int k = i & (span - 1);
            unsigned int top = ((i - k) << 1) + k;
            float sn, cs;
            sincospif(dir * (float)k / span, &sn, &cs);
            cuFloatComplex t = cuCmulf(make_cuFloatComplex(cs, sn), s[top + span]);
            cuFloatComplex u = s[top];
            s[top] = cuCaddf(u, t);
            s[top + span] = cuCsubf(u, t);
        }
    }
    __syncthreads();
    float scale = dir == INVERSE ? 1.0f / n : 1.0f;
    for (i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = make_cuFloatComplex(scale * cuCrealf(s[i]), scale * cuCimagf(s[i]));
}
