// Merging two sorted lists by merge path: each thread finds by bisection where its piece of the
// result begins in both, then merges that piece alone. Stable: equal keys come from A first.
template <typename Key>
__device__ int merge_path(const Key *a, int na, const Key *b, int nb, int diagonal)
{
    int lo = max(0, diagonal - nb), hi = min(diagonal, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (b[diagonal - 1 - mid] < a[mid])
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

template <typename Key, int PER_THREAD>
__global__ void merge(const Key *a, int na, const Key *b, int nb, Key *out)
{
    int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
    if (diagonal >= na + nb) return;
    int i = merge_path(a, na, b, nb, diagonal), j = diagonal - i;
    for (int k = 0; k < PER_THREAD && diagonal + k < na + nb; ++k) {
        bool from_a = j >= nb || (i < na && !(b[j] < a[i]));
        out[diagonal + k] = from_a ? a[i++] : b[j++];
    }
}

// One level of a bottom-up merge sort: every two neighbouring runs become one.
template <typename Key, int PER_THREAD>
__global__ void merge_runs(const Key *in, Key *out, int n, int run)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
    for (int k = 0; k < PER_THREAD && at + k < n; ++k) {
        int pair = (at + k) / (2 * run) * (2 * run);
        int na = min(run, n - pair), nb = max(0, min(run, n - pair - run));
        const Key *a = in + pair, *b = a + na;
        int diagonal = at + k - pair, i = merge_path(a, na, b, nb, diagonal), j = diagonal - i;
        out[at + k] = j >= nb || (i < na && !(b[j] < a[i])) ? a[i] : b[j];
    }
}
