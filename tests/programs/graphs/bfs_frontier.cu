// Breadth-first search with queues: a block gathers the nodes it finds in shared memory and takes
// room for all of them in the next frontier with a single atomic; what does not fit is appended one by one.
namespace traversal {

constexpr int kLocalCapacity = 96;
constexpr int kUnreached = -1;

struct Csr {
    const int *__restrict__ offsets;
    const int *__restrict__ targets;
    int nodes;
};

__global__ void expand(Csr graph, const int *frontier, int frontier_size, int *next,
                       int *next_size, int *depth, int level) {
    __shared__ int found[kLocalCapacity];
    __shared__ int found_count;
    __shared__ int base;
    if (threadIdx.x == 0) found_count = 0;
    __syncthreads();

    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < frontier_size) {
        const int node = frontier[index];
        for (int e = graph.offsets[node]; e < graph.offsets[node + 1]; ++e) {
            const int other = graph.targets[e];
            if (atomicCAS(&depth[other], kUnreached, level) != kUnreached) continue;
            const int slot = atomicAdd(&found_count, 1);
            if (slot < kLocalCapacity)
                found[slot] = other;
            else
                next[atomicAdd(next_size, 1)] = other;
        }
    }
    __syncthreads();

    const int kept = min(found_count, kLocalCapacity);
    if (threadIdx.x == 0) base = atomicAdd(next_size, kept);
    __syncthreads();
    for (int i = threadIdx.x; i < kept; i += blockDim.x) next[base + i] = found[i];
}

}  // namespace traversal
