// Cooperative groups: blocks, tiles of one warp or several, coalesced threads, the grid. Each group
// is a small value; what lanes exchange goes through the warp functions of the prelude.
#pragma once
#include "type_traits"

extern "C++" {

#define __WW_CG static __device__ __forceinline__
#define __WW_CG_MEMBER __device__ __forceinline__

namespace cooperative_groups {

namespace __ww_cg {

__WW_CG unsigned int block_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__WW_CG unsigned int block_size() {
    return blockDim.x * blockDim.y * blockDim.z;
}

// Exchanges a value of any size in words of 4 bytes; `mode` is one of the shuffle modes.
template <class T>
__WW_CG T shuffle(unsigned int mode, unsigned int mask, T value, unsigned int operand,
                  unsigned int width) {
    static_assert(__is_trivially_copyable(T), "only trivially copyable values can be shuffled");
    const unsigned int words = (sizeof(T) + 3) / 4;
    unsigned int packed[words];
    packed[words - 1] = 0;
    __builtin_memcpy(packed, &value, sizeof(T));
#pragma unroll
    for (unsigned int i = 0; i < words; ++i) {
        packed[i] = __ww_shuffle32(mode, mask, packed[i], operand, width);
    }
    __builtin_memcpy(&value, packed, sizeof(T));
    return value;
}
template <class T>
struct bits_of {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match needs values of 4 or 8 bytes");
    typedef std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long> type;
};

}  // namespace __ww_cg

// Any group, its kind forgotten: the whole block, or lanes of a warp.
class thread_group {
  public:
    __WW_CG_MEMBER void sync() const {
        if (lanes_ == 0u) {
            __syncthreads();
        } else {
            __syncwarp(lanes_);
        }
    }
    __WW_CG_MEMBER unsigned int num_threads() const {
        return lanes_ == 0u ? __ww_cg::block_size() : static_cast<unsigned int>(__popc(lanes_));
    }
    __WW_CG_MEMBER unsigned int size() const { return num_threads(); }
    __WW_CG_MEMBER unsigned int thread_rank() const {
        return lanes_ == 0u ? __ww_cg::block_rank()
                            : static_cast<unsigned int>(__popc(lanes_ & __lanemask_lt()));
    }
    __WW_CG_MEMBER bool is_valid() const { return true; }

  protected:
    // 0 stands for the block.
    __WW_CG_MEMBER explicit thread_group(unsigned int lanes) : lanes_(lanes) {}
    unsigned int lanes_;
};

class thread_block : public thread_group {
  public:
    __WW_CG_MEMBER thread_block() : thread_group(0u) {}
    __WW_CG void sync() { __syncthreads(); }
    __WW_CG unsigned int thread_rank() { return __ww_cg::block_rank(); }
    __WW_CG unsigned int num_threads() { return __ww_cg::block_size(); }
    __WW_CG unsigned int size() { return __ww_cg::block_size(); }
    __WW_CG dim3 group_index() { return dim3(blockIdx); }
    __WW_CG dim3 thread_index() { return dim3(threadIdx); }
    __WW_CG dim3 group_dim() { return dim3(blockDim); }
    __WW_CG dim3 dim_threads() { return dim3(blockDim); }
    // The thread that waits executes the whole barrier.
    struct arrival_token {};
    __WW_CG arrival_token barrier_arrive() { return {}; }
    __WW_CG void barrier_wait(arrival_token&&) { __syncthreads(); }
};
__WW_CG thread_block this_thread_block() {
    return thread_block();
}
// What tiles of several warps exchange values in; here they have storage of their own.
template <unsigned int max_block_size = 1024, unsigned int = 0>
struct block_tile_memory {
    char unused;
};
template <unsigned int max_block_size, unsigned int unused>
__WW_CG thread_block this_thread_block(block_tile_memory<max_block_size, unused>&) {
    return thread_block();
}

class grid_group {
  public:
    __WW_CG void sync() { __ww_grid_sync(); }
    __WW_CG bool is_valid() { return true; }
    __WW_CG dim3 dim_blocks() { return dim3(gridDim); }
    __WW_CG dim3 group_dim() { return dim3(gridDim); }
    __WW_CG dim3 block_index() { return dim3(blockIdx); }
    __WW_CG unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    __WW_CG unsigned long long block_rank() {
        return blockIdx.x +
               static_cast<unsigned long long>(gridDim.x) *
                   (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    }
    __WW_CG unsigned long long num_threads() { return num_blocks() * __ww_cg::block_size(); }
    __WW_CG unsigned long long size() { return num_threads(); }
    __WW_CG unsigned long long thread_rank() {
        return block_rank() * __ww_cg::block_size() + __ww_cg::block_rank();
    }
    struct arrival_token {};
    __WW_CG arrival_token barrier_arrive() { return {}; }
    __WW_CG void barrier_wait(arrival_token&&) { __ww_grid_sync(); }
};
__WW_CG grid_group this_grid() {
    return grid_group();
}

// The grids of a launch on several devices: this one alone.
class multi_grid_group : public grid_group {
  public:
    __WW_CG unsigned int grid_rank() { return 0u; }
    __WW_CG unsigned int num_grids() { return 1u; }
};
__WW_CG multi_grid_group this_multi_grid() {
    return multi_grid_group();
}

// Lanes of a warp that were active together, in the order of their lane numbers.
class coalesced_group : public thread_group {
  public:
    __WW_CG_MEMBER explicit coalesced_group(unsigned int lanes, unsigned int rank = 0u,
                                            unsigned int count = 1u)
        : thread_group(lanes), meta_rank_(rank), meta_count_(count) {}
    __WW_CG_MEMBER void sync() const { __syncwarp(lanes_); }
    __WW_CG_MEMBER unsigned int num_threads() const {
        return static_cast<unsigned int>(__popc(lanes_));
    }
    __WW_CG_MEMBER unsigned int size() const { return num_threads(); }
    __WW_CG_MEMBER unsigned int thread_rank() const {
        return static_cast<unsigned int>(__popc(lanes_ & __lanemask_lt()));
    }
    __WW_CG_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
    __WW_CG_MEMBER unsigned int meta_group_size() const { return meta_count_; }

    template <class T>
    __WW_CG_MEMBER T shfl(T value, int rank) const {
        return __ww_cg::shuffle(__WW_SHUFFLE_INDEX, lanes_, value, lane_of(rank), 32u);
    }
    template <class T>
    __WW_CG_MEMBER T shfl_up(T value, unsigned int delta) const {
        unsigned int rank = thread_rank();
        return shfl(value, static_cast<int>(rank < delta ? rank : rank - delta));
    }
    template <class T>
    __WW_CG_MEMBER T shfl_down(T value, unsigned int delta) const {
        unsigned int rank = thread_rank();
        return shfl(value, static_cast<int>(rank + delta < size() ? rank + delta : rank));
    }
    __WW_CG_MEMBER int any(int predicate) const { return __any_sync(lanes_, predicate); }
    __WW_CG_MEMBER int all(int predicate) const { return __all_sync(lanes_, predicate); }
    __WW_CG_MEMBER unsigned int ballot(int predicate) const {
        return packed(__ballot_sync(lanes_, predicate));
    }
    template <class T>
    __WW_CG_MEMBER unsigned int match_any(T value) const {
        typedef typename __ww_cg::bits_of<T>::type bits;
        return packed(__match_any_sync(lanes_, __ww_bit_cast<bits>(value)));
    }
    template <class T>
    __WW_CG_MEMBER unsigned int match_all(T value, int& all) const {
        typedef typename __ww_cg::bits_of<T>::type bits;
        return packed(__match_all_sync(lanes_, __ww_bit_cast<bits>(value), &all));
    }
    __WW_CG_MEMBER unsigned int __ww_lanes() const { return lanes_; }

  private:
    __WW_CG_MEMBER unsigned int lane_of(int rank) const { return __fns(lanes_, 0u, rank + 1); }
    // A mask of lanes as a mask of ranks.
    __WW_CG_MEMBER unsigned int packed(unsigned int lanes) const {
        unsigned int result = 0u;
        for (unsigned int left = lanes_, bit = 1u; left != 0u; left &= left - 1u, bit <<= 1) {
            result |= (lanes & left & (0u - left)) != 0u ? bit : 0u;
        }
        return result;
    }
    unsigned int meta_rank_, meta_count_;
};
__WW_CG coalesced_group coalesced_threads() {
    return coalesced_group(__activemask());
}

namespace __ww_cg {

// n neighbouring lanes of a warp, n a power of two up to 32.
template <unsigned int n>
class lanes_tile : public thread_group {
  public:
    __WW_CG_MEMBER lanes_tile(unsigned int meta_rank, unsigned int meta_count)
        : thread_group(all_lanes() << first_lane()),
          meta_rank_(meta_rank),
          meta_count_(meta_count) {}

    __WW_CG_MEMBER void sync() const { __syncwarp(lanes_); }
    __WW_CG constexpr unsigned int num_threads() { return n; }
    __WW_CG constexpr unsigned int size() { return n; }
    __WW_CG unsigned int thread_rank() { return __ww_lane() & (n - 1u); }
    __WW_CG_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
    __WW_CG_MEMBER unsigned int meta_group_size() const { return meta_count_; }

    template <class T>
    __WW_CG_MEMBER T shfl(T value, int rank) const {
        return __ww_cg::shuffle(__WW_SHUFFLE_INDEX, lanes_, value, static_cast<unsigned int>(rank),
                                n);
    }
    template <class T>
    __WW_CG_MEMBER T shfl_up(T value, unsigned int delta) const {
        return __ww_cg::shuffle(__WW_SHUFFLE_UP, lanes_, value, delta, n);
    }
    template <class T>
    __WW_CG_MEMBER T shfl_down(T value, unsigned int delta) const {
        return __ww_cg::shuffle(__WW_SHUFFLE_DOWN, lanes_, value, delta, n);
    }
    template <class T>
    __WW_CG_MEMBER T shfl_xor(T value, unsigned int lane_mask) const {
        return __ww_cg::shuffle(__WW_SHUFFLE_XOR, lanes_, value, lane_mask, n);
    }
    __WW_CG_MEMBER int any(int predicate) const { return __any_sync(lanes_, predicate); }
    __WW_CG_MEMBER int all(int predicate) const { return __all_sync(lanes_, predicate); }
    __WW_CG_MEMBER unsigned int ballot(int predicate) const {
        return (__ballot_sync(lanes_, predicate) & lanes_) >> first_lane();
    }
    template <class T>
    __WW_CG_MEMBER unsigned int match_any(T value) const {
        typedef typename __ww_cg::bits_of<T>::type bits;
        return __match_any_sync(lanes_, __ww_bit_cast<bits>(value)) >> first_lane();
    }
    template <class T>
    __WW_CG_MEMBER unsigned int match_all(T value, int& all) const {
        typedef typename __ww_cg::bits_of<T>::type bits;
        return __match_all_sync(lanes_, __ww_bit_cast<bits>(value), &all) >> first_lane();
    }
    __WW_CG_MEMBER unsigned int __ww_lanes() const { return lanes_; }

  private:
    __WW_CG unsigned int all_lanes() { return 0xffffffffu >> (32u - n); }
    __WW_CG unsigned int first_lane() { return __ww_lane() & ~(n - 1u); }
    unsigned int meta_rank_, meta_count_;
};

// n neighbouring threads of a block, in several warps. Tiles synchronise at numbered barriers, of
// which number 0 is the block's own.
template <unsigned int n>
class warps_tile {
  public:
    __WW_CG_MEMBER warps_tile(unsigned int meta_rank, unsigned int meta_count)
        : meta_rank_(meta_rank), meta_count_(meta_count) {}
    __WW_CG_MEMBER void sync() const {
        if (meta_count_ == 1u) {
            __syncthreads();
        } else {
            __ww_barrier(block_rank() / n + 1u, n);
        }
    }
    __WW_CG constexpr unsigned int num_threads() { return n; }
    __WW_CG constexpr unsigned int size() { return n; }
    __WW_CG unsigned int thread_rank() { return block_rank() % n; }
    __WW_CG bool is_valid() { return true; }
    __WW_CG_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
    __WW_CG_MEMBER unsigned int meta_group_size() const { return meta_count_; }

    // Every thread's value of the tile's `rank`-th.
    template <class T>
    __WW_CG_MEMBER T shfl(T value, int rank) const {
        T* slots = __ww_slots<T>();
        slots[thread_rank()] = value;
        sync();
        T result = slots[static_cast<unsigned int>(rank) % n];
        sync();
        return result;
    }
    __WW_CG_MEMBER int any(int predicate) const { return counted(predicate) != 0; }
    __WW_CG_MEMBER int all(int predicate) const { return counted(predicate) == n; }
    // Room for one value of each thread of this tile.
    template <class T>
    __WW_CG T* __ww_slots() {
        alignas(T) __shared__ unsigned char bytes[1024 * sizeof(T)];
        return reinterpret_cast<T*>(bytes) + block_rank() / n * n;
    }

  private:
    __WW_CG_MEMBER unsigned int counted(int predicate) const {
        int* slots = __ww_slots<int>();
        slots[thread_rank()] = predicate != 0;
        sync();
        unsigned int sum = 0;
        for (unsigned int i = 0; i < n; ++i) sum += static_cast<unsigned int>(slots[i]);
        sync();
        return sum;
    }
    unsigned int meta_rank_, meta_count_;
};

}  // namespace __ww_cg

// n neighbouring threads of a block, n a power of two.
template <unsigned int n, class Parent = void>
class thread_block_tile
    : public std::conditional_t<n <= 32, __ww_cg::lanes_tile<n>, __ww_cg::warps_tile<n>> {
    static_assert(n >= 1 && n <= 1024 && (n & (n - 1)) == 0,
                  "a tile has a power of two of threads, up to 1024");
    typedef std::conditional_t<n <= 32, __ww_cg::lanes_tile<n>, __ww_cg::warps_tile<n>> base;

  public:
    __WW_CG_MEMBER thread_block_tile(unsigned int meta_rank, unsigned int meta_count)
        : base(meta_rank, meta_count) {}
    template <class Other>
    __WW_CG_MEMBER thread_block_tile(const thread_block_tile<n, Other>& other)
        : base(other.meta_group_rank(), other.meta_group_size()) {}
};
__WW_CG thread_block_tile<1> this_thread() {
    return thread_block_tile<1>(0u, 1u);
}

// Partitions.
template <unsigned int n>
__WW_CG thread_block_tile<n, thread_block> tiled_partition(const thread_block&) {
    return thread_block_tile<n, thread_block>(__ww_cg::block_rank() / n,
                                              (__ww_cg::block_size() + n - 1u) / n);
}
template <unsigned int n, unsigned int m, class Parent>
__WW_CG thread_block_tile<n, thread_block_tile<m, Parent>> tiled_partition(
    const thread_block_tile<m, Parent>& parent) {
    static_assert(n <= m, "a tile is at most as large as its parent");
    return thread_block_tile<n, thread_block_tile<m, Parent>>(parent.thread_rank() / n, m / n);
}
__WW_CG coalesced_group tiled_partition(const coalesced_group& parent, unsigned int n) {
    unsigned int rank = parent.thread_rank() / n;
    unsigned int lanes = 0u, i = 0u;
    for (unsigned int left = parent.__ww_lanes(); left != 0u; left &= left - 1u, ++i) {
        lanes |= i / n == rank ? left & (0u - left) : 0u;
    }
    return coalesced_group(lanes, rank, (parent.size() + n - 1u) / n);
}
// A tile of run-time size n, a power of two up to 32.
__WW_CG coalesced_group tiled_partition(const thread_block&, unsigned int n) {
    unsigned int first = __ww_lane() & ~(n - 1u);
    return coalesced_group((0xffffffffu >> (32u - n)) << first, __ww_cg::block_rank() / n,
                           (__ww_cg::block_size() + n - 1u) / n);
}
__WW_CG coalesced_group tiled_partition(const thread_group& parent, unsigned int n) {
    return tiled_partition(thread_block(), n < parent.size() ? n : parent.size());
}
template <class Group>
__WW_CG coalesced_group labeled_partition(const Group& group, int label) {
    return coalesced_group(__match_any_sync(group.__ww_lanes(), label));
}
template <class Group>
__WW_CG coalesced_group binary_partition(const Group& group, bool predicate) {
    unsigned int lanes = group.__ww_lanes();
    unsigned int yes = __ballot_sync(lanes, predicate) & lanes;
    return coalesced_group(predicate ? yes : lanes & ~yes, predicate ? 0u : 1u, 2u);
}

// Functions that take the group as an argument.
template <class Group>
__WW_CG void sync(const Group& group) {
    group.sync();
}
template <class Group>
__WW_CG auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
    return group.thread_rank();
}
template <class Group>
__WW_CG auto group_size(const Group& group) -> decltype(group.size()) {
    return group.size();
}

template <class Group>
__WW_CG bool is_valid(const Group& group) {
    return group.is_valid();
}
// Calls of one thread of the group; of the second kind, all get what it gave.
template <class Group, class F, class... Rest>
__WW_CG void invoke_one(const Group& group, F&& function, Rest&&... rest) {
    if (group.thread_rank() == 0) function(rest...);
}
template <class Group, class F, class... Rest>
__WW_CG auto invoke_one_broadcast(const Group& group, F&& function, Rest&&... rest)
    -> decltype(function(rest...)) {
    decltype(function(rest...)) result{};
    if (group.thread_rank() == 0) result = function(rest...);
    return group.shfl(result, 0);
}

// Operators of reduce and scan.
#define __WW_CG_OPERATOR(name, expression)            \
    template <class T>                                \
    struct name {                                     \
        __WW_CG_MEMBER T operator()(T a, T b) const { \
            return expression;                        \
        }                                             \
    };
__WW_CG_OPERATOR(plus, a + b)
__WW_CG_OPERATOR(less, b < a ? b : a)
__WW_CG_OPERATOR(greater, a < b ? b : a)
__WW_CG_OPERATOR(bit_and, a& b)
__WW_CG_OPERATOR(bit_or, a | b)
__WW_CG_OPERATOR(bit_xor, a ^ b)
#undef __WW_CG_OPERATOR

// Names from before tiles of several warps were part of CUDA proper.
namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
}  // namespace experimental

}  // namespace cooperative_groups

}  // extern "C++"
