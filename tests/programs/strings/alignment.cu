// Alignment of two sequences by anti-diagonals: Needleman-Wunsch over tiles of shared memory, a
// diagonal of tiles a launch, and Smith-Waterman with affine gaps in one block with three rolling
// diagonals.

#define BLOCK 16

__host__ __device__ inline int best_of(int a, int b, int c) { return max(a, max(b, c)); }

#define SCORE(i, j) score[(i) * cols + (j)]

__global__ void needle_diagonal(const int *reference, int *score, int cols, int penalty, int diagonal,
                                int tiles)
{
    __shared__ int temp[BLOCK + 1][BLOCK + 1];
    __shared__ int ref[BLOCK][BLOCK];
    const int bx = blockIdx.x + max(0, diagonal - tiles + 1), by = diagonal - bx;
    const int row = by * BLOCK + 1, col = bx * BLOCK + 1;
    const int tx = threadIdx.x;

    if (tx == 0) temp[0][0] = SCORE(row - 1, col - 1);
    for (int ty = 0; ty < BLOCK; ty++) ref[ty][tx] = reference[(row + ty) * cols + col + tx];
    temp[tx + 1][0] = SCORE(row + tx, col - 1);
    temp[0][tx + 1] = SCORE(row - 1, col + tx);
    __syncthreads();

    for (int m = 0; m < 2 * BLOCK - 1; m++) {
        const int x = tx + 1, y = m - tx + 1;
        if (y >= 1 && y <= BLOCK)
            temp[y][x] = best_of(temp[y - 1][x - 1] + ref[y - 1][x - 1], temp[y][x - 1] - penalty,
                                 temp[y - 1][x] - penalty);
        __syncthreads();
    }
    for (int ty = 0; ty < BLOCK; ty++) SCORE(row + ty, col + tx) = temp[ty + 1][tx + 1];
}

struct Penalties { short match, mismatch, open, extend; };

extern "C" __global__ void smith_waterman(const char *a, int n, const char *b, int m, Penalties p,
                                          int *best)
{
    extern __shared__ int diagonals[];
    int *h0 = diagonals, *h1 = h0 + n + 1, *h2 = h1 + n + 1;
    int *e = h2 + n + 1, *f0 = e + n + 1, *f1 = f0 + n + 1;
    __shared__ int high;
    if (threadIdx.x == 0) high = 0;
    for (int i = threadIdx.x; i <= n; i += blockDim.x) {
        h0[i] = h1[i] = h2[i] = 0;
        e[i] = f0[i] = f1[i] = -10000;
    }
    __syncthreads();
    // Cell (i, j) of diagonal d = i + j: h1 and h2 hold diagonals d - 1 and d - 2, by i; e[i] is the
    // gap along j of the same row, f that of the row above on the diagonal before.
    for (int d = 2; d <= n + m; ++d) {
        int mine = 0;
        for (int i = max(1, d - m) + threadIdx.x; i <= min(n, d - 1); i += blockDim.x) {
            const int j = d - i;
            e[i] = max(e[i] - p.extend, h1[i] - p.open);
            f0[i] = max(f1[i - 1] - p.extend, h1[i - 1] - p.open);
            const int s = a[i - 1] == b[j - 1] ? p.match : -p.mismatch;
            h0[i] = max(max(0, h2[i - 1] + s), max(e[i], f0[i]));
            mine = max(mine, h0[i]);
        }
        if (mine > 0) atomicMax(&high, mine);
        __syncthreads();
        int *t = h2; h2 = h1; h1 = h0; h0 = t;
        t = f1; f1 = f0; f0 = t;
        // Borders of the next diagonal: row 0 and column 0 score nothing and continue no gap.
        if (threadIdx.x == 0) {
            if (d <= n) { h1[d] = 0; f1[d] = -10000; }
            h1[0] = 0;
            f1[0] = -10000;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *best = high;
}
