// Bellman-Ford shortest paths over an edge list; distances are floats whose order as integers is
// their own, since none is negative, so that an integer atomicMin relaxes them.
#define INFINITE_BITS 0x7f800000

typedef struct { int from, to; float weight; } edge_t;

extern "C" __global__ void init_distances(int *dist, int n, int source)
{
    int i;
    for (i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x)
        dist[i] = (i == source) ? __float_as_int(0.0f) : INFINITE_BITS;
}

extern "C" __global__ void relax(const edge_t *edges, int m, int *dist, int *changed)
{
    int e = threadIdx.x + blockIdx.x * blockDim.x;
    if (e >= m) return;
    edge_t edge = edges[e];
    float through = __int_as_float(dist[edge.from]) + edge.weight;
    if (through < __int_as_float(dist[edge.to])) {
        atomicMin(&dist[edge.to], __float_as_int(through));
        *changed = 1;
    }
}
