// First arrival times, |grad t| = slowness: blocks of 4^3 cells that are contiguous, each
// relaxed by itself between the borders of its neighbours (fast iterative method).
#define EDGE 4
#define CELLS (EDGE * EDGE * EDGE)

__device__ void order(double &a, double &b)
{
    if (a > b) {
        double t = a;
        a = b;
        b = t;
    }
}

// From the earlier neighbour along each axis.
__device__ double arrival(double a, double b, double c, double s)
{
    order(a, b);
    order(b, c);
    order(a, b);
    double t = a + s;
    if (t > b) {
        t = 0.5 * (a + b + sqrt(2 * s * s - (a - b) * (a - b)));
        if (t > c) {
            double sum = a + b + c;
            t = (sum + sqrt(sum * sum - 3 * (a * a + b * b + c * c - s * s))) / 3;
        }
    }
    return t;
}

__global__ void relax(const double *slowness, const bool *is_open, const double *before,
                      double *after, bool *is_settled, const unsigned *active, unsigned n_active,
                      int nx, int ny, int nz, int turns)
{
    __shared__ double s[EDGE + 2][EDGE + 2][EDGE + 2];
    unsigned which = blockIdx.y * gridDim.x + blockIdx.x;
    if (which >= n_active)
        return;
    unsigned block = active[which], bx = block % nx, by = block / nx % ny, bz = block / nx / ny;
    unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    unsigned cell = (z * EDGE + y) * EDGE + x, base = block * CELLS, from, other;
    bool may_change = is_open[base + cell];
    double slow = slowness[base + cell];
    s[z + 1][y + 1][x + 1] = before[base + cell];
    if (x == 0) {
        if (bx == 0) {
            other = base;
            from = cell;
        } else {
            other = base - CELLS;
            from = cell + (EDGE - 1);
        }
        s[z + 1][y + 1][0] = before[other + from];
    }
    if (x == EDGE - 1) {
        if (bx == nx - 1) {
            other = base;
            from = cell;
        } else {
            other = base + CELLS;
            from = cell - (EDGE - 1);
        }
        s[z + 1][y + 1][EDGE + 1] = before[other + from];
    }
    if (y == 0) {
        if (by == 0) {
            other = base;
            from = cell;
        } else {
            other = base - nx * CELLS;
            from = cell + (EDGE - 1) * EDGE;
        }
        s[z + 1][0][x + 1] = before[other + from];
    }
    if (y == EDGE - 1) {
        if (by == ny - 1) {
            other = base;
            from = cell;
        } else {
            other = base + nx * CELLS;
            from = cell - (EDGE - 1) * EDGE;
        }
        s[z + 1][EDGE + 1][x + 1] = before[other + from];
    }
    if (z == 0) {
        if (bz == 0) {
            other = base;
            from = cell;
        } else {
            other = base - nx * ny * CELLS;
            from = cell + (EDGE - 1) * EDGE * EDGE;
        }
        s[0][y + 1][x + 1] = before[other + from];
    }
    if (z == EDGE - 1) {
        if (bz == nz - 1) {
            other = base;
            from = cell;
        } else {
            other = base + nx * ny * CELLS;
            from = cell - (EDGE - 1) * EDGE * EDGE;
        }
        s[EDGE + 1][y + 1][x + 1] = before[other + from];
    }
    __syncthreads();
    double old = s[z + 1][y + 1][x + 1], now = old;
    for (int turn = 0; turn < turns; ++turn) {
        double along_x = fmin(s[z + 1][y + 1][x], s[z + 1][y + 1][x + 2]);
        double along_y = fmin(s[z + 1][y][x + 1], s[z + 1][y + 2][x + 1]);
        double along_z = fmin(s[z][y + 1][x + 1], s[z + 2][y + 1][x + 1]);
        now = fmin(now, arrival(along_x, along_y, along_z, slow));
        __syncthreads();
        if (may_change)
            s[z + 1][y + 1][x + 1] = now;
        __syncthreads();
    }
    after[base + cell] = s[z + 1][y + 1][x + 1];
    is_settled[base + cell] = fabs(old - now) < 1e-9;
}
