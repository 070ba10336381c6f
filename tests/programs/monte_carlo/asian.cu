// An Asian option by simulated paths: Park and Miller's generator with Schrage's trick, normals in
// pairs by Box and Muller, antithetic paths, and the sums of payoffs and of their squares.
#define IA 16807
#define IM 2147483647
#define IQ 127773
#define IR 2836

class MinimalStandard {
public:
    __device__ MinimalStandard(int seed) : state(seed ? seed : 1) {}
    __device__ float uniform() {
        int k = state / IQ;
        state = IA * (state - k * IQ) - IR * k;
        if (state < 0) state += IM;
        return float(state * (1.0 / IM));
    }
    __device__ float2 normals() {
        float r = sqrtf(-2.0f * logf(uniform())), s, c;
        sincospif(2.0f * uniform(), &s, &c);
        return make_float2(r * c, r * s);
    }
private:
    int state;
};

struct Market { float spot, strike, rate, volatility, years; int steps; };

__global__ void asian_call(Market m, const int *seeds, int paths, float2 *sums, float *first_normals)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths) return;
    MinimalStandard random(seeds[i]);
    const float dt = m.years / m.steps;
    const float drift = (m.rate - 0.5f * m.volatility * m.volatility) * dt;
    const float step = m.volatility * sqrtf(dt);
    float up = m.spot, down = m.spot, sum_up = 0, sum_down = 0;
    for (int k = 0; k < m.steps; k += 2) {
        float2 z = random.normals();
        if (k == 0) first_normals[i] = z.x;
        up *= expf(drift + step * z.x);
        down *= expf(drift - step * z.x);
        sum_up += up;
        sum_down += down;
        up *= expf(drift + step * z.y);
        down *= expf(drift - step * z.y);
        sum_up += up;
        sum_down += down;
    }
    float payoff = 0.5f * (fmaxf(sum_up / m.steps - m.strike, 0.0f) +
                           fmaxf(sum_down / m.steps - m.strike, 0.0f));
    payoff *= expf(-m.rate * m.years);
    sums[i] = make_float2(payoff, payoff * payoff);
}
