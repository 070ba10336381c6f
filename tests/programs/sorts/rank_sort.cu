/* Sort by counting: the place of an element is how many are smaller, ties broken by index.  Tiles of
   keys pass through shared memory. */
#define TILE 96

struct record { int key; float payload; };

extern "C" __global__ void rank_sort(const struct record *in, struct record *out, int n)
{
    __shared__ int keys[TILE];
    int i = blockIdx.x * TILE + threadIdx.x, rank = 0, first, k;
    struct record mine;
    if (i < n) mine = in[i];
    for (first = 0; first < n; first += TILE) {
        if (first + threadIdx.x < n) keys[threadIdx.x] = in[first + threadIdx.x].key;
        __syncthreads();
        for (k = 0; k < TILE && first + k < n; k++)
            rank += keys[k] < mine.key || (keys[k] == mine.key && first + k < i);
        __syncthreads();
    }
    if (i < n) out[rank] = mine;
}
