// Persistent threads that draw work by an atomic counter: adaptive quadrature by a queue of intervals
// that grows while it is worked on, and uneven rows by blocks that fetch the next row.

__device__ unsigned next_row;

__global__ void uneven_rows(const int *row_start, const float *values, int rows, float *norms)
{
    __shared__ unsigned row;
    __shared__ float sum;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            row = atomicAdd(&next_row, 1u);
            sum = 0.f;
        }
        __syncthreads();
        if (row >= rows) return;
        float mine = 0.f;
        for (int i = row_start[row] + threadIdx.x; i < row_start[row + 1]; i += blockDim.x)
            mine = fmaf(values[i], values[i], mine);
        atomicAdd(&sum, mine);
        __syncthreads();
        if (threadIdx.x == 0) norms[row] = sqrtf(sum);
    }
}

struct Queue {
    int tail;     // intervals ever put in
    int head;     // intervals ever drawn
    int pending;  // put in and not finished
};

__device__ double f(double x) { return 1.0 / (1e-3 + x * x); }

__device__ double simpson(double a, double b) { return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)); }

__global__ void integrate(Queue *queue, double2 *intervals, int *ready, int capacity, double tolerance,
                          double *result)
{
    while (atomicAdd(&queue->pending, 0) > 0) {
        const int slot = atomicAdd(&queue->head, 1);
        bool exists = true;
        while (atomicAdd(&ready[slot], 0) == 0)
            if (atomicAdd(&queue->pending, 0) == 0) {
                exists = false;
                break;
            }
        if (!exists) return;
        __threadfence();
        const double a = intervals[slot].x, b = intervals[slot].y, m = 0.5 * (a + b);
        const double whole = simpson(a, b), halves = simpson(a, m) + simpson(m, b);
        if (fabs(whole - halves) > tolerance * (b - a) && queue->tail + 2 < capacity) {
            atomicAdd(&queue->pending, 2);
            const int to = atomicAdd(&queue->tail, 2);
            intervals[to] = make_double2(a, m);
            intervals[to + 1] = make_double2(m, b);
            __threadfence();
            atomicExch(&ready[to], 1);
            atomicExch(&ready[to + 1], 1);
        } else {
            atomicAdd(result, halves);
        }
        atomicSub(&queue->pending, 1);
    }
}
