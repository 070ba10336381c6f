// CUB's warp-wide operations: shuffles of any type, reductions and scans of a logical warp,
// combined in the order in which CUB combines, so that sums of floats are the GPU's.
#pragma once
#include "operators.cuh"

extern "C++" {

namespace cub {

// Moves a value's words. `mode` and `operand` as the shuffle service has them.
template <class T>
__device__ __forceinline__ T __ww_move(unsigned int mode, unsigned int mask, const T& value,
                                       unsigned int operand, int width) {
    constexpr int bytes = static_cast<int>(sizeof(T));
    constexpr int words = (bytes + 3) / 4;
    unsigned int in[words] = {};
    unsigned int out[words];
    __builtin_memcpy(in, &value, sizeof(T));
    for (int i = 0; i < words; ++i) {
        out[i] = __ww_shuffle32(mode, mask, in[i], operand, static_cast<unsigned int>(width));
    }
    T result;
    __builtin_memcpy(&result, out, sizeof(T));
    return result;
}

template <int logical_threads, class T>
__device__ __forceinline__ T ShuffleUp(T input, int offset, int first, unsigned int mask) {
    T moved =
        __ww_move(__WW_SHUFFLE_UP, mask, input, static_cast<unsigned int>(offset), logical_threads);
    return static_cast<int>(LaneId() % logical_threads) - offset < first ? input : moved;
}
template <int logical_threads, class T>
__device__ __forceinline__ T ShuffleDown(T input, int offset, int last, unsigned int mask) {
    T moved = __ww_move(__WW_SHUFFLE_DOWN, mask, input, static_cast<unsigned int>(offset),
                        logical_threads);
    return static_cast<int>(LaneId() % logical_threads) + offset > last ? input : moved;
}
template <int logical_threads, class T>
__device__ __forceinline__ T ShuffleIndex(T input, int lane, unsigned int mask) {
    return __ww_move(__WW_SHUFFLE_INDEX, mask, input, static_cast<unsigned int>(lane),
                     logical_threads);
}

// The lanes of the logical warp that the calling lane is of.
template <int logical_threads>
__device__ __forceinline__ unsigned int WarpMask(unsigned int logical_warp) {
    if (logical_threads == 32) return 0xffffffffu;
    unsigned int lanes = (1u << (logical_threads % 32)) - 1u;
    bool is_power = (logical_threads & (logical_threads - 1)) == 0;
    return is_power ? lanes << (logical_warp * logical_threads) : lanes;
}

// One logical warp: its lanes, and the number of the calling one.
template <int threads>
struct __ww_warp {
    static_assert(threads >= 1 && threads <= 32, "a logical warp has 1 to 32 threads");
    enum { is_power = (threads & (threads - 1)) == 0, width = is_power ? threads : 32 };
    unsigned int lane, mask;
    __device__ __forceinline__ __ww_warp() {
        unsigned int physical = LaneId();
        lane = is_power ? physical % threads : physical;
        mask = WarpMask<threads>(is_power ? physical / threads : 0);
    }
    // The value `offset` lanes on, and whether there is one before `end`.
    template <class T, class Op>
    __device__ __forceinline__ T reduce(T value, Op op, unsigned int end) const {
        for (unsigned int offset = 1; offset < threads; offset *= 2) {
            T other = __ww_move(__WW_SHUFFLE_DOWN, mask, value, offset, width);
            if (lane + offset < end) value = op(value, other);
        }
        return value;
    }
    template <class T, class Op>
    __device__ __forceinline__ T scan(T value, Op op) const {
        for (unsigned int offset = 1; offset < threads; offset *= 2) {
            T other = __ww_move(__WW_SHUFFLE_UP, mask, value, offset, width);
            if (lane >= offset) value = op(other, value);
        }
        return value;
    }
    template <class T>
    __device__ __forceinline__ T from(const T& value, unsigned int source) const {
        return __ww_move(__WW_SHUFFLE_INDEX, mask, value, source, width);
    }
    template <class T>
    __device__ __forceinline__ T before(const T& value) const {
        return __ww_move(__WW_SHUFFLE_UP, mask, value, 1, width);
    }
};

template <class T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0>
class WarpReduce {
  public:
    struct TempStorage {
        char unused;
    };
    __device__ __forceinline__ WarpReduce(TempStorage&) {}

    template <class Op>
    __device__ __forceinline__ T Reduce(T input, Op op) {
        return warp_.reduce(input, op, LOGICAL_WARP_THREADS);
    }
    template <class Op>
    __device__ __forceinline__ T Reduce(T input, Op op, int valid) {
        return warp_.reduce(input, op, static_cast<unsigned int>(valid));
    }
    __device__ __forceinline__ T Sum(T input) { return Reduce(input, cub::Sum()); }
    __device__ __forceinline__ T Sum(T input, int valid) {
        return Reduce(input, cub::Sum(), valid);
    }
    __device__ __forceinline__ T Max(T input) { return Reduce(input, cub::Max()); }
    __device__ __forceinline__ T Min(T input) { return Reduce(input, cub::Min()); }

    // The aggregate of each segment, at its first lane.
    template <class Flag, class Op>
    __device__ __forceinline__ T HeadSegmentedReduce(T input, Flag flag, Op op) {
        return segmented(input, op, heads(flag) >> 1);
    }
    template <class Flag, class Op>
    __device__ __forceinline__ T TailSegmentedReduce(T input, Flag flag, Op op) {
        return segmented(input, op, heads(flag));
    }
    template <class Flag>
    __device__ __forceinline__ T HeadSegmentedSum(T input, Flag flag) {
        return HeadSegmentedReduce(input, flag, cub::Sum());
    }
    template <class Flag>
    __device__ __forceinline__ T TailSegmentedSum(T input, Flag flag) {
        return TailSegmentedReduce(input, flag, cub::Sum());
    }

  private:
    template <class Flag>
    __device__ __forceinline__ unsigned int heads(Flag flag) {
        unsigned int first = LaneId() - warp_.lane;
        return (__ballot_sync(warp_.mask, static_cast<int>(flag)) & warp_.mask) >> first;
    }
    // `ends` has a bit for each lane that a segment ends with.
    template <class Op>
    __device__ __forceinline__ T segmented(T input, Op op, unsigned int ends) {
        unsigned int mine = ends >> warp_.lane << warp_.lane;
        unsigned int last = mine == 0
                                ? LOGICAL_WARP_THREADS - 1u
                                : static_cast<unsigned int>(__ffs(static_cast<int>(mine))) - 1u;
        return warp_.reduce(input, op, last + 1);
    }
    __ww_warp<LOGICAL_WARP_THREADS> warp_;
};

template <class T, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0>
class WarpScan {
  public:
    struct TempStorage {
        char unused;
    };
    __device__ __forceinline__ WarpScan(TempStorage&) {}

    __device__ __forceinline__ void InclusiveSum(T input, T& output) {
        InclusiveScan(input, output, cub::Sum());
    }
    __device__ __forceinline__ void InclusiveSum(T input, T& output, T& total) {
        InclusiveScan(input, output, cub::Sum(), total);
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T& output) {
        ExclusiveScan(input, output, T{}, cub::Sum());
    }
    __device__ __forceinline__ void ExclusiveSum(T input, T& output, T& total) {
        ExclusiveScan(input, output, T{}, cub::Sum(), total);
    }
    template <class Op>
    __device__ __forceinline__ void InclusiveScan(T input, T& output, Op op) {
        output = warp_.scan(input, op);
    }
    template <class Op>
    __device__ __forceinline__ void InclusiveScan(T input, T& output, Op op, T& total) {
        output = warp_.scan(input, op);
        total = warp_.from(output, LOGICAL_WARP_THREADS - 1);
    }
    // Without an initial value lane 0 gets nothing of use, as on a GPU.
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, Op op) {
        output = warp_.before(warp_.scan(input, op));
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, T initial, Op op) {
        T total;
        ExclusiveScan(input, output, initial, op, total);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, Op op, T& total) {
        T inclusive = warp_.scan(input, op);
        total = warp_.from(inclusive, LOGICAL_WARP_THREADS - 1);
        output = warp_.before(inclusive);
    }
    template <class Op>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, T initial, Op op, T& total) {
        T inclusive = warp_.scan(input, op);
        total = warp_.from(inclusive, LOGICAL_WARP_THREADS - 1);
        T before = warp_.before(inclusive);
        output = warp_.lane == 0 ? initial : op(initial, before);
    }
    template <class Op>
    __device__ __forceinline__ void Scan(T input, T& inclusive, T& exclusive, Op op) {
        inclusive = warp_.scan(input, op);
        exclusive = warp_.before(inclusive);
    }
    template <class Op>
    __device__ __forceinline__ void Scan(T input, T& inclusive, T& exclusive, T initial, Op op) {
        ExclusiveScan(input, exclusive, initial, op);
        inclusive = op(exclusive, input);
    }
    __device__ __forceinline__ T Broadcast(T input, unsigned int lane) {
        return warp_.from(input, lane);
    }

  private:
    __ww_warp<LOGICAL_WARP_THREADS> warp_;
};

}  // namespace cub

}  // extern "C++"
