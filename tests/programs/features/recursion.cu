// Recursion on the device: quicksort of a slice a thread, the depth and sum of a binary tree, the
// number of ways to place queens, and Ackermann's function.

__device__ int partition(float *a, int lo, int hi)
{
    const float pivot = a[lo + (hi - lo) / 2];
    int i = lo - 1, j = hi + 1;
    while (true) {
        do ++i; while (a[i] < pivot);
        do --j; while (a[j] > pivot);
        if (i >= j) return j;
        float t = a[i]; a[i] = a[j]; a[j] = t;
    }
}

__device__ void quicksort(float *a, int lo, int hi)
{
    if (lo >= hi) return;
    const int p = partition(a, lo, hi);
    quicksort(a, lo, p);
    quicksort(a, p + 1, hi);
}

__global__ void sort_slices(float *data, const int *starts, int slices)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < slices) quicksort(data, starts[s], starts[s + 1] - 1);
}

struct TreeNode {
    int left, right;
    int value;
};

__device__ int2 measure(const TreeNode *tree, int at)
{
    if (at < 0) return make_int2(0, 0);
    const int2 l = measure(tree, tree[at].left), r = measure(tree, tree[at].right);
    return make_int2(1 + max(l.x, r.x), tree[at].value + l.y + r.y);
}

// Of the subtree under every node: depth and sum of values.
__global__ void subtrees(const TreeNode *tree, int n, int2 *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = measure(tree, i);
}

__device__ unsigned place(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    if (columns == all) return 1;
    unsigned ways = 0;
    for (unsigned open = all & ~(columns | left | right); open; open &= open - 1) {
        const unsigned bit = open & -open;
        ways += place(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return ways;
}

// A thread a place of the first queen.
__global__ void queens(int n, unsigned *ways)
{
    const unsigned bit = 1u << threadIdx.x;
    if (threadIdx.x < n) atomicAdd(ways, place((1u << n) - 1, bit, bit << 1, bit >> 1));
}

__device__ int ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void ackermann_row(int m, int *out) { out[threadIdx.x] = ackermann(m, threadIdx.x); }
