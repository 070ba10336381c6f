// Connected components two ways: labels that spread until nothing changes, and hooking of roots
// with pointer jumping over a parent array.

__global__ void propagate(const int *src, const int *dst, int edges, int *label, int *again)
{
    int e = blockDim.x * blockIdx.x + threadIdx.x;
    if (e < edges) {
        int a = label[src[e]], b = label[dst[e]];
        if (a < b) { atomicMin(label + dst[e], a); *again = 1; }
        if (b < a) { atomicMin(label + src[e], b); *again = 1; }
    }
}

static __device__ int find_root(volatile int *parent, int v)
{
    while (parent[v] != v) v = parent[v];
    return v;
}

__global__ void hook(const int *src, const int *dst, int edges, int *parent)
{
    int e = blockDim.x * blockIdx.x + threadIdx.x;
    if (e >= edges) return;
    int u = src[e], v = dst[e];
    for (;;) {
        u = find_root(parent, u);
        v = find_root(parent, v);
        if (u == v) break;
        int high = u > v ? u : v, low = u + v - high;
        if (atomicCAS(&parent[high], high, low) == high) break;
    }
}

__global__ void flatten(int *parent, int nodes)
{
    int v = blockDim.x * blockIdx.x + threadIdx.x;
    if (v < nodes) parent[v] = find_root(parent, v);
}
