// CUB's small change: function objects, pairs of key and value, and the names of its algorithms,
// which are all one here.
#pragma once
#include "../include/algorithm"
#include "../include/functional"
#include "../include/limits"
#include "../include/type_traits"

#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX
#define CUB_NS_QUALIFIER ::cub
#define CUB_RUNTIME_FUNCTION
#define CUB_VERSION 200800
#define CUB_PTX_WARP_THREADS 32
#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_WARP_THREADS(unused) 32
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) < (b)) ? (b) : (a))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y) - 1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CubDebug(error) (error)
#define CubDebugExit(error) (error)

extern "C++" {

namespace cub {

struct NullType {
    template <class T>
    __host__ __device__ NullType& operator=(const T&) {
        return *this;
    }
    __host__ __device__ bool operator==(const NullType&) const { return true; }
    __host__ __device__ bool operator!=(const NullType&) const { return false; }
};

template <int number>
struct Int2Type {
    enum { VALUE = number };
};
template <int n, int count = 0, bool is_done = (n <= (1 << count))>
struct Log2 {
    enum { VALUE = Log2<n, count + 1>::VALUE };
};
template <int n, int count>
struct Log2<n, count, true> {
    enum { VALUE = count };
};
template <int n>
struct PowerOfTwo {
    enum { VALUE = (n & (n - 1)) == 0 };
};
template <class A, class B>
struct Equals {
    enum { VALUE = std::is_same<A, B>::value ? 1 : 0, NEGATE = VALUE ? 0 : 1 };
};
template <bool which, class A, class B>
struct If {
    typedef typename std::conditional<which, A, B>::type Type;
};

// Memory for a T that is not constructed.
template <class T>
struct Uninitialized {
    alignas(T) unsigned char storage[sizeof(T)];
    __host__ __device__ T& Alias() { return reinterpret_cast<T&>(*this); }
};

template <class Key_, class Value_>
struct KeyValuePair {
    typedef Key_ Key;
    typedef Value_ Value;
    Key key;
    Value value;
    KeyValuePair() = default;
    __host__ __device__ KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
    __host__ __device__ bool operator==(const KeyValuePair& b) const {
        return key == b.key && value == b.value;
    }
    __host__ __device__ bool operator!=(const KeyValuePair& b) const { return !(*this == b); }
};

template <class T>
struct DoubleBuffer {
    T* d_buffers[2];
    int selector;
    __host__ __device__ DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
    __host__ __device__ DoubleBuffer(T* a, T* b) : d_buffers{a, b}, selector(0) {}
    __host__ __device__ T* Current() { return d_buffers[selector]; }
    __host__ __device__ T* Alternate() { return d_buffers[selector ^ 1]; }
};

struct Equality {
    template <class A, class B>
    __host__ __device__ bool operator()(const A& a, const B& b) const {
        return a == b;
    }
};
struct Inequality {
    template <class A, class B>
    __host__ __device__ bool operator()(const A& a, const B& b) const {
        return a != b;
    }
};
template <class Op>
struct InequalityWrapper {
    Op op;
    __host__ __device__ InequalityWrapper(Op equal) : op(equal) {}
    template <class T>
    __host__ __device__ bool operator()(const T& a, const T& b) {
        return !op(a, b);
    }
};
struct Sum {
    template <class A, class B>
    __host__ __device__ auto operator()(const A& a, const B& b) const -> decltype(a + b) {
        return a + b;
    }
};
struct Difference {
    template <class A, class B>
    __host__ __device__ auto operator()(const A& a, const B& b) const -> decltype(a - b) {
        return a - b;
    }
};
struct Division {
    template <class A, class B>
    __host__ __device__ auto operator()(const A& a, const B& b) const -> decltype(a / b) {
        return a / b;
    }
};
struct Max {
    template <class A, class B>
    __host__ __device__ typename std::common_type<A, B>::type operator()(const A& a,
                                                                         const B& b) const {
        return a < b ? b : a;
    }
};
struct Min {
    template <class A, class B>
    __host__ __device__ typename std::common_type<A, B>::type operator()(const A& a,
                                                                         const B& b) const {
        return b < a ? b : a;
    }
};
// Of equal values, the one of the lower offset.
struct ArgMax {
    template <class K, class V>
    __host__ __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a,
                                                      const KeyValuePair<K, V>& b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class K, class V>
    __host__ __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a,
                                                      const KeyValuePair<K, V>& b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
template <class B>
struct CastOp {
    template <class A>
    __host__ __device__ B operator()(const A& a) const {
        return static_cast<B>(a);
    }
};
template <class Scan>
class SwizzleScanOp {
  public:
    __host__ __device__ SwizzleScanOp(Scan op) : op_(op) {}
    template <class T>
    __host__ __device__ T operator()(const T& a, const T& b) {
        return op_(b, a);
    }

  private:
    Scan op_;
};
// Keys that differ start again.
template <class Op>
struct ReduceByKeyOp {
    Op op;
    __host__ __device__ ReduceByKeyOp() {}
    __host__ __device__ ReduceByKeyOp(Op o) : op(o) {}
    template <class Pair>
    __host__ __device__ Pair operator()(const Pair& a, const Pair& b) {
        Pair result = b;
        if (a.key == b.key) result.value = op(a.value, b.value);
        return result;
    }
};
template <class Op>
struct ReduceBySegmentOp {
    Op op;
    __host__ __device__ ReduceBySegmentOp() {}
    __host__ __device__ ReduceBySegmentOp(Op o) : op(o) {}
    template <class Pair>
    __host__ __device__ Pair operator()(const Pair& a, const Pair& b) {
        Pair result;
        result.key = a.key + b.key;
        result.value = b.key ? b.value : op(a.value, b.value);
        return result;
    }
};

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum CacheLoadModifier {
    LOAD_DEFAULT,
    LOAD_CA,
    LOAD_CG,
    LOAD_CS,
    LOAD_CV,
    LOAD_LDG,
    LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheLoadModifier modifier, class It>
__device__ __forceinline__ auto ThreadLoad(It place) ->
    typename std::decay<decltype(*place)>::type {
    return *place;
}
template <CacheStoreModifier modifier, class It, class T>
__device__ __forceinline__ void ThreadStore(It place, T value) {
    *place = value;
}
template <int n, class T, class Op>
__device__ __forceinline__ T ThreadReduce(T (&values)[n], Op op) {
    T result = values[0];
    for (int i = 1; i < n; ++i) result = op(result, values[i]);
    return result;
}
template <int n, class T, class Op>
__device__ __forceinline__ T ThreadReduce(T (&values)[n], Op op, T prefix) {
    for (int i = 0; i < n; ++i) prefix = op(prefix, values[i]);
    return prefix;
}
namespace internal {
using cub::ThreadReduce;
}

__device__ __forceinline__ unsigned int LaneId() {
    return __ww_lane();
}
__device__ __forceinline__ int RowMajorTid(int x, int y, int) {
    return static_cast<int>((threadIdx.z * static_cast<unsigned>(y) + threadIdx.y) *
                                static_cast<unsigned>(x) +
                            threadIdx.x);
}
__device__ __forceinline__ unsigned int WarpId() {
    return static_cast<unsigned int>(
               RowMajorTid(static_cast<int>(blockDim.x), static_cast<int>(blockDim.y), 0)) /
           32u;
}
__device__ __forceinline__ unsigned int LaneMaskLt() {
    return __lanemask_lt();
}
__device__ __forceinline__ unsigned int LaneMaskLe() {
    return __lanemask_le();
}
__device__ __forceinline__ unsigned int LaneMaskGt() {
    return __lanemask_gt();
}
__device__ __forceinline__ unsigned int LaneMaskGe() {
    return __lanemask_ge();
}
__device__ __forceinline__ void CTA_SYNC() {
    __syncthreads();
}
__device__ __forceinline__ void WARP_SYNC(unsigned int mask) {
    __syncwarp(mask);
}
template <class T>
__device__ __forceinline__ unsigned int BFE(T source, unsigned int start, unsigned int bits) {
    unsigned long long word = static_cast<unsigned long long>(source) >> start;
    return static_cast<unsigned int>(bits >= 64 ? word : word & ((1ull << bits) - 1));
}

}  // namespace cub

}  // extern "C++"
