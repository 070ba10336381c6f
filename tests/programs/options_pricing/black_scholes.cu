// European options by the formula of Black and Scholes: the polynomial for the normal distribution
// that samples have used ever since, and the same in double precision by normcdf, in pairs.
#include <math.h>
#define A1 0.31938153f
#define A2 -0.356563782f
#define A3 1.781477937f
#define A4 -1.821255978f
#define A5 1.330274429f
#define RSQRT2PI 0.39894228040143267793994605993438f

__device__ inline float cndGPU(float d)
{
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd = RSQRT2PI * __expf(-0.5f * d * d) *
                (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}

__device__ inline void BlackScholesBodyGPU(float &CallResult, float &PutResult, float S, float X,
                                           float T, float R, float V)
{
    float sqrtT = __fsqrt_rn(T);
    float d1 = __fdividef(__logf(__fdividef(S, X)) + (R + 0.5f * V * V) * T, V * sqrtT);
    float d2 = d1 - V * sqrtT;
    float CNDD1 = cndGPU(d1);
    float CNDD2 = cndGPU(d2);
    float expRT = __expf(-R * T);
    CallResult = S * CNDD1 - X * expRT * CNDD2;
    PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}

__launch_bounds__(128)
__global__ void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult,
                                float2 *__restrict d_StockPrice, float2 *__restrict d_OptionStrike,
                                float2 *__restrict d_OptionYears, float Riskfree, float Volatility,
                                int optN)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    // Calculating 2 options per thread to increase instruction level parallelism
    if (opt < (optN / 2)) {
        float callResult1, callResult2, putResult1, putResult2;
        BlackScholesBodyGPU(callResult1, putResult1, d_StockPrice[opt].x, d_OptionStrike[opt].x,
                            d_OptionYears[opt].x, Riskfree, Volatility);
        BlackScholesBodyGPU(callResult2, putResult2, d_StockPrice[opt].y, d_OptionStrike[opt].y,
                            d_OptionYears[opt].y, Riskfree, Volatility);
        d_CallResult[opt] = make_float2(callResult1, callResult2);
        d_PutResult[opt] = make_float2(putResult1, putResult2);
    }
}

struct Greeks { double price, delta, gamma, vega, theta, rho; };

__global__ void greeks(const double *S, const double *K, const double *T, double r, double v, int n,
                       Greeks *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        const double root = sqrt(T[i]), discount = exp(-r * T[i]);
        const double d1 = (log(S[i] / K[i]) + (r + 0.5 * v * v) * T[i]) / (v * root);
        const double d2 = d1 - v * root;
        const double density = exp(-0.5 * d1 * d1) * rsqrt(2 * 3.14159265358979323846);
        Greeks g;
        g.price = S[i] * normcdf(d1) - K[i] * discount * normcdf(d2);
        g.delta = normcdf(d1);
        g.gamma = density / (S[i] * v * root);
        g.vega = S[i] * density * root;
        g.theta = -S[i] * density * v / (2 * root) - r * K[i] * discount * normcdf(d2);
        g.rho = K[i] * T[i] * discount * normcdf(d2);
        out[i] = g;
    }
}
