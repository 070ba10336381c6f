// A block sorts its keys bit by bit: a split puts the zeros before the ones, ranked by ballots.
#include <cuda_runtime.h>

template <int kWarps>
class BlockSplit {
  public:
    struct Storage {
        int zeros[kWarps];
        unsigned exchange[kWarps * 32];
    };

    explicit __device__ BlockSplit(Storage& storage) : storage_(storage) {}

    __device__ unsigned operator()(unsigned key, int bit) {
        const bool one = (key >> bit) & 1u;
        const unsigned ballot = __ballot_sync(~0u, !one);
        if (lane() == 0) storage_.zeros[warp()] = __popc(ballot);
        __syncthreads();
        int before = 0, all = 0;
        for (int w = 0; w < kWarps; ++w) {
            if (w < warp()) before += storage_.zeros[w];
            all += storage_.zeros[w];
        }
        before += __popc(ballot & ((1u << lane()) - 1));
        const int place = one ? all + static_cast<int>(threadIdx.x) - before : before;
        storage_.exchange[place] = key;
        __syncthreads();
        return storage_.exchange[threadIdx.x];
    }

  private:
    static __device__ int lane() { return threadIdx.x & 31; }
    static __device__ int warp() { return threadIdx.x >> 5; }
    Storage& storage_;
};

template <int kWarps>
__global__ void sort_blocks(unsigned* keys, int bits) {
    __shared__ typename BlockSplit<kWarps>::Storage storage;
    BlockSplit<kWarps> split(storage);
    unsigned key = keys[blockIdx.x * kWarps * 32 + threadIdx.x];
    for (int bit = 0; bit < bits; ++bit) key = split(key, bit);
    keys[blockIdx.x * kWarps * 32 + threadIdx.x] = key;
}
