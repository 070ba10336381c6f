// Functions chosen at run time: a table of function pointers in constant memory, pointers to member
// functions, and a small stack machine that calls through them.

typedef float (*op_t)(float, float);

__device__ float op_add(float a, float b) { return a + b; }
__device__ float op_sub(float a, float b) { return a - b; }
__device__ float op_mul(float a, float b) { return a * b; }
__device__ float op_max(float a, float b) { return a > b ? a : b; }

__device__ op_t const ops[] = {op_add, op_sub, op_mul, op_max};

enum { PUSH_X = 100, PUSH_Y, PUSH_ONE, STOP };

__global__ void evaluate(const unsigned char *program, const float *x, const float *y, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float stack[8];
    int top = 0;
    for (const unsigned char *pc = program; *pc != STOP; ++pc) {
        switch (*pc) {
        case PUSH_X: stack[top++] = x[i]; break;
        case PUSH_Y: stack[top++] = y[i]; break;
        case PUSH_ONE: stack[top++] = 1.f; break;
        default: --top; stack[top - 1] = ops[*pc](stack[top - 1], stack[top]);
        }
    }
    out[i] = stack[0];
}

struct Series {
    int terms;
    __device__ double geometric(double q) const
    {
        double sum = 0, t = 1;
        for (int k = 0; k < terms; ++k, t *= q) sum += t;
        return sum;
    }
    __device__ double harmonic(double q) const
    {
        double sum = 0;
        for (int k = 1; k <= terms; ++k) sum += q / k;
        return sum;
    }
};

__global__ void by_member(Series s, const double *q, double *out, int n)
{
    using Method = double (Series::*)(double) const;
    const Method methods[2] = {&Series::geometric, &Series::harmonic};
    const int i = threadIdx.x;
    if (i < n) out[i] = (s.*methods[i & 1])(q[i]);
}

template <typename F, typename... Rest>
__device__ auto chain(double x, F first, Rest... rest)
{
    if constexpr (sizeof...(rest) == 0) return first(x);
    else return chain(first(x), rest...);
}

__global__ void lambdas(double *x, int n, double scale)
{
    const int i = threadIdx.x;
    auto scaled = [=](double v) { return v * scale; };
    if (i < n) x[i] = chain(x[i], scaled, [](double v) { return v + 1; }, [&](double v) { return v * v - i; });
}
