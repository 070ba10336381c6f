// cub::BlockReduce and cub::BlockScan. A warp combines first, then the warps' results are combined
// in their order, as CUB's algorithms by warps do. Results are valid where CUB's are.
#pragma once
#include "warp.cuh"

extern "C++" {

namespace cub {

// The threads of a block, and shared memory for one T of each warp.
template <class T, int x, int y, int z>
struct __ww_block {
    enum { threads = x * y * z, warps = (threads + 31) / 32 };
    // Bytes: a shared variable has no constructor.
    struct TempStorage {
        alignas(T) alignas(8) unsigned char bytes[sizeof(T) * (warps + 1)];
        __device__ __forceinline__ T* values() { return reinterpret_cast<T*>(bytes); }
    };
    TempStorage& storage;
    unsigned int thread, lane, warp, live;
    __device__ __forceinline__ __ww_block(TempStorage& s) : storage(s) {
        thread = static_cast<unsigned int>(RowMajorTid(x, y, z));
        lane = thread % 32u;
        warp = thread / 32u;
        unsigned int rest = threads - warp * 32u;
        live = rest < 32u ? rest : 32u;
    }
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
};

template <class T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockReduce {
    typedef __ww_block<T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> Block;

  public:
    typedef typename Block::TempStorage TempStorage;
    __device__ __forceinline__ BlockReduce() : block_(Block::own()) {}
    __device__ __forceinline__ BlockReduce(TempStorage& storage) : block_(storage) {}

    template <class Op>
    __device__ __forceinline__ T Reduce(T input, Op op) {
        return Reduce(input, op, static_cast<int>(Block::threads));
    }
    template <class Op>
    __device__ __forceinline__ T Reduce(T input, Op op, int valid) {
        int rest = valid - static_cast<int>(block_.warp * 32u);
        unsigned int end = rest < 0 ? 0u : static_cast<unsigned int>(rest);
        end = end < block_.live ? end : block_.live;
        T result = __ww_warp<32>().reduce(input, op, end);
        T* warps = block_.storage.values();
        if (block_.lane == 0) warps[block_.warp] = result;
        __syncthreads();
        if (block_.thread == 0) {
            for (int i = 1; i < Block::warps && i * 32 < valid; ++i) result = op(result, warps[i]);
        }
        return result;
    }
    template <int n, class Op>
    __device__ __forceinline__ T Reduce(T (&inputs)[n], Op op) {
        return Reduce(ThreadReduce(inputs, op), op);
    }
    __device__ __forceinline__ T Sum(T input) { return Reduce(input, cub::Sum()); }
    __device__ __forceinline__ T Sum(T input, int valid) {
        return Reduce(input, cub::Sum(), valid);
    }
    template <int n>
    __device__ __forceinline__ T Sum(T (&inputs)[n]) {
        return Reduce(inputs, cub::Sum());
    }

  private:
    Block block_;
};

template <class T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockScan {
    typedef __ww_block<T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> Block;

  public:
    typedef typename Block::TempStorage TempStorage;
    __device__ __forceinline__ BlockScan() : block_(Block::own()) {}
    __device__ __forceinline__ BlockScan(TempStorage& storage) : block_(storage) {}

    // --- Exclusive, with an initial value
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, T initial, Op op) {
        T total;
        ExclusiveScan(input, output, initial, op, total);
    }
    // The initial value is no part of the total.
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, T initial, Op op, T& total) {
        T before;
        bool has = scan(input, op, before, total);
        output = has ? op(initial, before) : initial;
    }
    template <int n, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[n], T (&output)[n], T initial, Op op) {
        T total;
        ExclusiveScan(input, output, initial, op, total);
    }
    template <int n, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[n], T (&output)[n], T initial, Op op,
                                                  T& total) {
        T before;
        ExclusiveScan(ThreadReduce(input, op), before, initial, op, total);
        spread_exclusive(input, output, before, op);
    }

    // --- Exclusive, without one: the first output is nothing of use
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, Op op) {
        T total;
        scan(input, op, output, total);
    }
    template <class Op>
    __device__ __forceinline__ void __ww_exclusive(T input, T& output, Op op, T& total) {
        scan(input, op, output, total);
    }
    template <int n, class Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[n], T (&output)[n], Op op) {
        T before, total;
        if (scan(ThreadReduce(input, op), op, before, total)) {
            spread_exclusive(input, output, before, op);
            return;
        }
        T sum = input[0];
        output[0] = sum;
        for (int i = 1; i < n; ++i) {
            T next = op(sum, input[i]);
            output[i] = sum;
            sum = next;
        }
    }

    // --- With a prefix from a callback: the first warp calls it with the total
    template <class Op, class Callback>
    __device__ __forceinline__ void __ww_exclusive_from(T input, T& output, Op op,
                                                        Callback& callback) {
        T before, total;
        bool has = scan(input, op, before, total);
        T prefix = prefix_of(total, callback);
        output = has ? op(prefix, before) : prefix;
    }
    template <class Op, class Callback>
    __device__ __forceinline__ void __ww_inclusive_from(T input, T& output, Op op,
                                                        Callback& callback) {
        T before;
        __ww_exclusive_from(input, before, op, callback);
        output = op(before, input);
    }
    template <int n, class Op, class Callback>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[n], T (&output)[n], Op op,
                                                  Callback& callback) {
        T before;
        __ww_exclusive_from(ThreadReduce(input, op), before, op, callback);
        spread_exclusive(input, output, before, op);
    }

    // --- Inclusive
    template <class Op>
    __device__ __forceinline__ void InclusiveScan(T input, T& output, Op op) {
        T total;
        __ww_inclusive(input, output, op, total);
    }
    template <class Op>
    __device__ __forceinline__ void __ww_inclusive(T input, T& output, Op op, T& total) {
        T before;
        bool has = scan(input, op, before, total);
        output = has ? op(before, input) : input;
    }
    template <int n, class Op>
    __device__ __forceinline__ void InclusiveScan(T (&input)[n], T (&output)[n], Op op) {
        T total;
        InclusiveScan(input, output, op, total);
    }
    template <int n, class Op>
    __device__ __forceinline__ void InclusiveScan(T (&input)[n], T (&output)[n], Op op, T& total) {
        T before;
        bool has = scan(ThreadReduce(input, op), op, before, total);
        T sum = has ? op(before, input[0]) : input[0];
        output[0] = sum;
        for (int i = 1; i < n; ++i) output[i] = sum = op(sum, input[i]);
    }

    // The last argument is a T that receives the total, or a callback.
    template <class Op, class Last>
    __device__ __forceinline__ void InclusiveScan(T input, T& output, Op op, Last& last) {
        choose(std::is_same<Last, T>(), true, input, output, op, last);
    }
    template <class Op, class Last>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, Op op, Last& last) {
        choose(std::is_same<Last, T>(), false, input, output, op, last);
    }

    // --- Sums
    __device__ __forceinline__ void ExclusiveSum(T input, T& output) {
        ExclusiveScan(input, output, T{}, cub::Sum());
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T& output, T& total) {
        ExclusiveScan(input, output, T{}, cub::Sum(), total);
    }
    template <class Callback>
    __device__ __forceinline__ void ExclusiveSum(T input, T& output, Callback& callback) {
        __ww_exclusive_from(input, output, cub::Sum(), callback);
    }
    template <int n>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[n], T (&output)[n]) {
        ExclusiveScan(input, output, T{}, cub::Sum());
    }
    template <int n>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[n], T (&output)[n], T& total) {
        ExclusiveScan(input, output, T{}, cub::Sum(), total);
    }
    template <int n, class Callback>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[n], T (&output)[n],
                                                 Callback& callback) {
        ExclusiveScan(input, output, cub::Sum(), callback);
    }
    __device__ __forceinline__ void InclusiveSum(T input, T& output) {
        InclusiveScan(input, output, cub::Sum());
    }
    __device__ __forceinline__ void InclusiveSum(T input, T& output, T& total) {
        __ww_inclusive(input, output, cub::Sum(), total);
    }
    template <class Callback>
    __device__ __forceinline__ void InclusiveSum(T input, T& output, Callback& callback) {
        __ww_inclusive_from(input, output, cub::Sum(), callback);
    }
    template <int n>
    __device__ __forceinline__ void InclusiveSum(T (&input)[n], T (&output)[n]) {
        InclusiveScan(input, output, cub::Sum());
    }
    template <int n>
    __device__ __forceinline__ void InclusiveSum(T (&input)[n], T (&output)[n], T& total) {
        InclusiveScan(input, output, cub::Sum(), total);
    }
    template <int n, class Callback>
    __device__ __forceinline__ void InclusiveSum(T (&input)[n], T (&output)[n],
                                                 Callback& callback) {
        T before;
        __ww_exclusive_from(ThreadReduce(input, cub::Sum()), before, cub::Sum(), callback);
        for (int i = 0; i < n; ++i) output[i] = before = before + input[i];
    }

  private:
    // What stands before the calling thread, and whether there is anything.
    template <class Op>
    __device__ __forceinline__ bool scan(T input, Op op, T& before, T& total) {
        __ww_warp<32> warp;
        T inclusive = warp.scan(input, op);
        before = warp.before(inclusive);
        T* warps = block_.storage.values();
        if (block_.lane == block_.live - 1) warps[block_.warp] = inclusive;
        __syncthreads();
        T sum = warps[0];
        T mine = sum;
        for (unsigned int i = 1; i < Block::warps; ++i) {
            if (i == block_.warp) mine = sum;
            sum = op(sum, warps[i]);
        }
        total = sum;
        if (block_.warp > 0) before = block_.lane == 0 ? mine : op(mine, before);
        return block_.thread != 0;
    }
    template <class Callback>
    __device__ __forceinline__ T prefix_of(T total, Callback& callback) {
        T* place = block_.storage.values() + Block::warps;
        if (block_.warp == 0) {
            T prefix = callback(total);
            if (block_.lane == 0) *place = prefix;
        }
        __syncthreads();
        return *place;
    }
    template <int n, class Op>
    __device__ __forceinline__ static void spread_exclusive(T (&input)[n], T (&output)[n], T before,
                                                            Op op) {
        for (int i = 0; i < n; ++i) {
            T next = op(before, input[i]);
            output[i] = before;
            before = next;
        }
    }
    template <class Op>
    __device__ __forceinline__ void choose(std::true_type, bool inclusive, T input, T& output,
                                           Op op, T& total) {
        if (inclusive) {
            __ww_inclusive(input, output, op, total);
        } else {
            __ww_exclusive(input, output, op, total);
        }
    }
    template <class Op, class Callback>
    __device__ __forceinline__ void choose(std::false_type, bool inclusive, T input, T& output,
                                           Op op, Callback& callback) {
        if (inclusive) {
            __ww_inclusive_from(input, output, op, callback);
        } else {
            __ww_exclusive_from(input, output, op, callback);
        }
    }
    Block block_;
};

}  // namespace cub

}  // extern "C++"
