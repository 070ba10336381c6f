// LU with partial pivoting of many small matrices, a matrix a block: the pivot is found by a tree
// over (value, row) pairs, rows are swapped through memory.

template <int kThreads>
__global__ void __launch_bounds__(kThreads)
getrf_batched(double *matrices, int *pivots, int n)
{
    struct Candidate { double size; int row; };
    __shared__ Candidate best[kThreads];
    double *a = matrices + (size_t)blockIdx.x * n * n;
    int *pivot = pivots + blockIdx.x * n;
    const auto tid = threadIdx.x;
    auto at = [&](int i, int j) -> double & { return a[i * n + j]; };

    for (int k = 0; k < n; ++k) {
        Candidate mine = {-1.0, n};
        for (int i = k + tid; i < n; i += kThreads)
            if (fabs(at(i, k)) > mine.size) mine = Candidate{fabs(at(i, k)), i};
        best[tid] = mine;
        __syncthreads();
        for (unsigned s = kThreads / 2; s > 0; s >>= 1) {
            if (tid < s) {
                const Candidate other = best[tid + s];
                if (other.size > best[tid].size ||
                    (other.size == best[tid].size && other.row < best[tid].row))
                    best[tid] = other;
            }
            __syncthreads();
        }
        const int p = best[0].row;
        if (tid == 0) pivot[k] = p;
        if (p != k)
            for (int j = tid; j < n; j += kThreads) {
                const double t = at(k, j);
                at(k, j) = at(p, j);
                at(p, j) = t;
            }
        __syncthreads();
        const double inverse = 1.0 / at(k, k);
        for (int i = k + 1 + tid; i < n; i += kThreads) at(i, k) *= inverse;
        __syncthreads();
        const int m = n - k - 1;
        for (int e = tid; e < m * m; e += kThreads) {
            const int i = k + 1 + e / m, j = k + 1 + e % m;
            at(i, j) -= at(i, k) * at(k, j);
        }
        __syncthreads();
    }
}
