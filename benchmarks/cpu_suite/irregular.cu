// Loops whose length differs by thread: escape times, Newton's iteration, sparse rows.

// A square and a sum until the number leaves the circle of radius 2.
__global__ void julia(const float2 *start, int *steps, float c_re, float c_im, int limit,
                      unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = start[i].x, y = start[i].y;
    int k = 0;
    while (k < limit && x * x + y * y < 4) {
        float re = x * x - y * y + c_re;
        y = 2 * x * y + c_im;
        x = re;
        ++k;
    }
    steps[i] = k;
}

// Kepler's equation by Newton's iteration, until a step is small.
__global__ void kepler(const float *mean, const float *eccentricity, float *anomaly, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float m = mean[i], e = eccentricity[i], x = m + e * sinf(m), step = 1;
    for (int k = 0; k < 30 && fabsf(step) > 1e-6f; ++k) {
        step = (x - e * sinf(x) - m) / (1 - e * cosf(x));
        x -= step;
    }
    anomaly[i] = x;
}

// What flows to a page from those that link to it, a thread a page.
__global__ void pagerank(const int *start, const int *from, const float *rank, const float *share,
                         float *out, float damping, unsigned n)
{
    unsigned page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page >= n)
        return;
    float sum = 0;
    for (int k = start[page]; k < start[page + 1]; ++k) {
        int source = from[k];
        sum += rank[source] * share[source];
    }
    out[page] = (1 - damping) / n + damping * sum;
}

// Jacobi's iteration on rows whose diagonal stands apart, a thread a row.
__global__ void jacobi(const int *start, const int *column, const float *value,
                       const float *diagonal, const float *b, const float *x, float *out, unsigned n)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    float rest = b[row];
    for (int k = start[row]; k < start[row + 1]; ++k)
        rest -= value[k] * x[column[k]];
    out[row] = rest / diagonal[row];
}

// One round of Bellman and Ford: the shortest way over the last edge, a thread a vertex.
__global__ void relax(const int *start, const int *from, const float *length, const float *distance,
                      float *out, size_t n)
{
    size_t vertex = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (vertex >= n)
        return;
    float best = distance[vertex];
    for (int k = start[vertex]; k < start[vertex + 1]; ++k)
        best = fminf(best, distance[from[k]] + length[k]);
    out[vertex] = best;
}
