// Scans of one thread by vectors, on the CPU.
#pragma once

#include "scan.cuh"

// One thread scans a tile by vectors: prefixes within one, joined with what comes before it in the
// tile, then with what comes before the tile. Where that is known already, in one pass; else the
// tile's total is computed before.
template <class T, class Vectors>
struct __ww_vector_scan {
    enum { kLanes = Vectors::lanes };
    typedef typename Vectors::vector vector;

    // The first `count` of a vector's elements, neutral ones behind them.
    template <class Load>
    static __device__ __forceinline__ vector load(const Load& load, long long row, long long first,
                                                  long long count = kLanes) {
        T values[kLanes];
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
            values[lane] = lane < count ? load(row, first + lane) : Vectors::neutral();
        }
        vector result;
        __builtin_memcpy(&result, values, sizeof result);
        return result;
    }
    // One access where nothing is converted: the compiler does not make one of single elements.
    template <class Load>
    static __device__ __forceinline__ vector load_whole(const Load& load, long long row,
                                                        long long first) {
        if (!Load::is_plain) return __ww_vector_scan::load(load, row, first);
        vector result;
        __builtin_memcpy(&result, load.place(row, first), sizeof result);
        return result;
    }
    template <class Store>
    static __device__ __forceinline__ void store(const Store& store, long long row, long long first,
                                                 const vector& items, long long count = kLanes) {
        T values[kLanes];
        __builtin_memcpy(values, &items, sizeof items);
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
            if (lane < count) store(row, first + lane, values[lane], true, values[lane]);
        }
    }
    template <class Store>
    static __device__ __forceinline__ void store_whole(const Store& store, long long row,
                                                       long long first, const vector& items) {
        if (Store::is_plain) {
            __builtin_memcpy(store.place(row, first), &items, sizeof items);
        } else {
            __ww_vector_scan::store(store, row, first, items);
        }
    }

    // As the last of its prefixes, of a whole vector: the tree has the same form.
    static __device__ __forceinline__ T total_of(const vector& v) {
        return Vectors::first(Vectors::last(Vectors::prefixes(v)));
    }

    // As scan() has it. As many vectors as one has elements are joined at once, by neighbours.
    template <class Load>
    static __device__ __forceinline__ T total(long long row, long long first, long long count,
                                              const Load& load) {
        T before = Vectors::neutral();
        long long i = 0;
        for (; i + kLanes * kLanes <= count; i += kLanes * kLanes) {
            vector vectors[kLanes];
#pragma unroll
            for (int k = 0; k < kLanes; ++k) {
                vectors[k] = __ww_vector_scan::load_whole(load, row, first + i + k * kLanes);
            }
#pragma unroll
            for (int pairs = kLanes / 2; pairs > 0; pairs /= 2) {
#pragma unroll
                for (int k = 0; k < kLanes / 2; ++k) {
                    if (k < pairs) {
                        vectors[k] = Vectors::pairs(vectors[2 * k], vectors[2 * k + 1]);
                    }
                }
            }
#pragma unroll
            for (int k = 0; k < kLanes; ++k) {
                before = Vectors::joined_values(before, (T)vectors[0][k]);
            }
        }
        for (; i < count; i += kLanes) {
            const vector v = __ww_vector_scan::load_whole(load, row, first + i);
            before = Vectors::joined_values(before, total_of(v));
        }
        return before;
    }

    // Returns the total.
    template <class Load, class Store>
    static __device__ __forceinline__ T scan(long long row, long long first, long long count,
                                             const T& base, const Load& load, const Store& store) {
        const vector bases = Vectors::all(base);
        vector before = Vectors::all(Vectors::neutral());
        long long i = 0;
        for (; i + kLanes <= count; i += kLanes) {
            const vector own =
                Vectors::prefixes(__ww_vector_scan::load_whole(load, row, first + i));
            const vector items = Vectors::joined(bases, Vectors::joined(before, own));
            __ww_vector_scan::store_whole(store, row, first + i, items);
            before = Vectors::joined(before, Vectors::last(own));
        }
        if (i < count) {
            const vector own =
                Vectors::prefixes(__ww_vector_scan::load(load, row, first + i, count - i));
            const vector items = Vectors::joined(bases, Vectors::joined(before, own));
            __ww_vector_scan::store(store, row, first + i, items, count - i);
        }
        return Vectors::first(before);
    }

    template <class Load, class Store, class Join>
    static __device__ __forceinline__ void run(const __ww_scan_work& work, const Load& load,
                                               const Store& store, const Join& join) {
        const unsigned long long unit = atomicAdd((unsigned long long*)work.workspace, 1ull);
        const long long row = (long long)(unit / (unsigned long long)work.tiles);
        const long long tile = (long long)(unit % (unsigned long long)work.tiles);
        __ww_states<T> states = work.states<T>();
        const long long first = tile * __ww_serial_tile;
        const long long before = row * work.tiles + tile - 1;
        const bool is_last = tile == work.tiles - 1;
        if (is_last || tile == 0 || states.peek(before) != 0) {
            const T base = tile == 0 ? Vectors::neutral() : states.wait(before);
            const T total = scan(row, first, is_last ? work.length - first : __ww_serial_tile, base,
                                 load, store);
            if (!is_last) states.set(before + 1, join(base, total));
            return;
        }
        const T all = total(row, first, __ww_serial_tile, load);
        const T base = states.wait(before);
        states.set(before + 1, join(base, all));
        scan(row, first, __ww_serial_tile, base, load, store);
    }
};
template <class T, class Join, int kLanes>
struct __ww_serial_scan<T, false, Join, kLanes> {
    template <class Load, class Store>
    static __device__ __forceinline__ void run(const __ww_scan_work& work, const Load& load,
                                               const Store& store, const Join& join) {
        __ww_vector_scan<T, __ww_vector_join<T, Join> >::run(work, load, store, join);
    }
};
template <class T, class Join>
struct __ww_serial_scan<T, false, Join, 0> {
    template <class Load, class Store>
    static __device__ __forceinline__ void run(const __ww_scan_work& work, const Load& load,
                                               const Store& store, const Join& join) {
        __ww_scan_serial<T, false>(work, load, store, join);
    }
};

// Vectors of 64 bytes, of elements E; whatever the processor has.
template <class E>
struct __ww_scan_vector;
#define __WW_SCAN_VECTOR_16(E)                                                                     \
    template <>                                                                                    \
    struct __ww_scan_vector<E> {                                                                   \
        enum { lanes = 16 };                                                                       \
        typedef E vector __attribute__((ext_vector_type(16)));                                     \
        template <class Join>                                                                      \
        static __device__ __forceinline__ vector prefixes(vector v, vector neutral,                \
                                                          const Join& join) {                      \
            v = join(__builtin_shufflevector(neutral, v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24,    \
                                             25, 26, 27, 28, 29, 30),                              \
                     v);                                                                           \
            v = join(__builtin_shufflevector(neutral, v, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
                                             25, 26, 27, 28, 29),                                  \
                     v);                                                                           \
            v = join(__builtin_shufflevector(neutral, v, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22,   \
                                             23, 24, 25, 26, 27),                                  \
                     v);                                                                           \
            return join(__builtin_shufflevector(neutral, v, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18,    \
                                                19, 20, 21, 22, 23),                               \
                        v);                                                                        \
        }                                                                                          \
        template <class Join>                                                                      \
        static __device__ __forceinline__ vector pairs(vector a, vector b, const Join& join) {     \
            return join(__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22,   \
                                                24, 26, 28, 30),                                   \
                        __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,   \
                                                25, 27, 29, 31));                                  \
        }                                                                                          \
    };
#define __WW_SCAN_VECTOR_8(E)                                                                  \
    template <>                                                                                \
    struct __ww_scan_vector<E> {                                                               \
        enum { lanes = 8 };                                                                    \
        typedef E vector __attribute__((ext_vector_type(8)));                                  \
        template <class Join>                                                                  \
        static __device__ __forceinline__ vector prefixes(vector v, vector neutral,            \
                                                          const Join& join) {                  \
            v = join(__builtin_shufflevector(neutral, v, 0, 8, 9, 10, 11, 12, 13, 14), v);     \
            v = join(__builtin_shufflevector(neutral, v, 0, 0, 8, 9, 10, 11, 12, 13), v);      \
            return join(__builtin_shufflevector(neutral, v, 0, 0, 0, 0, 8, 9, 10, 11), v);     \
        }                                                                                      \
        template <class Join>                                                                  \
        static __device__ __forceinline__ vector pairs(vector a, vector b, const Join& join) { \
            return join(__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),              \
                        __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15));             \
        }                                                                                      \
    };
__WW_SCAN_VECTOR_16(float)
__WW_SCAN_VECTOR_16(unsigned int)
__WW_SCAN_VECTOR_8(double)
__WW_SCAN_VECTOR_8(unsigned long long)
#undef __WW_SCAN_VECTOR_16
#undef __WW_SCAN_VECTOR_8

// Of T as E, which has the same bits and wraps around.
template <class T, class E, class Join>
struct __ww_joined_vectors {
    typedef __ww_scan_vector<E> vectors;
    typedef typename vectors::vector vector;
    enum { lanes = vectors::lanes };
    static __device__ __forceinline__ T neutral() { return Join::template neutral<T>(); }
    static __device__ __forceinline__ vector all(const T& value) { return (vector)(E)value; }
    static __device__ __forceinline__ vector last(const vector& v) {
        return (vector)(E)v[lanes - 1];
    }
    static __device__ __forceinline__ T first(const vector& v) { return (T)v[0]; }
    static __device__ __forceinline__ vector joined(const vector& a, const vector& b) {
        return Join::of_vectors(a, b);
    }
    struct joins {
        __device__ __forceinline__ vector operator()(const vector& a, const vector& b) const {
            return Join::of_vectors(a, b);
        }
    };
    static __device__ __forceinline__ vector prefixes(const vector& v) {
        return vectors::prefixes(v, all(neutral()), joins());
    }
    // Neighbours joined, those of `a` first.
    static __device__ __forceinline__ vector pairs(const vector& a, const vector& b) {
        return vectors::pairs(a, b, joins());
    }
    static __device__ __forceinline__ T joined_values(const T& a, const T& b) {
        return Join()(a, b);
    }
};
