// Scans of more elements than a cache holds, on GPUs: tiles are summed ahead of those that are
// scanned.
//
// Where a block scans its tile at once (scan.cuh), it holds the tile's elements while it waits for
// those before it, and memory rests meanwhile. Here blocks sum a tile or scan one that was summed
// kAhead tiles before, in turns. So hardly any block waits, and the second reading is from the
// cache.
//
// The association is that of the tiles, as in scan.cuh: a function of the row's length. Values have
// 4 or 8 bytes. A lane takes 16 bytes of neighbouring values at a time. Tiles that cannot be read
// or written so, at rows' ends or since an array is not aligned, go through shared memory.
//
// `load.vector<last>(row, i, values)` gives neighbouring values, for the `last` time or not;
// `store.vector(row, i, values)` takes some; load(row, i) and store(row, i, item) one.
#pragma once

#include "scan.cuh"
#include "vectors.cuh"

template <int kBytes>
struct __ww_word_of;
template <>
struct __ww_word_of<2> {
    typedef unsigned short type;
};
template <>
struct __ww_word_of<4> {
    typedef unsigned int type;
};
template <>
struct __ww_word_of<8> {
    typedef uint2 type;
};
template <>
struct __ww_word_of<16> {
    typedef uint4 type;
};

// Neighbouring elements that nothing uses again: the cache keeps others.
template <int Items, class T>
__device__ __forceinline__ void __ww_load_last(T (&values)[Items], const T* place) {
    enum { count = __ww_vector_of<T, Items>::count };
    typedef typename __ww_word_of<count*(int)sizeof(T)>::type Word;
#pragma unroll
    for (int first = 0; first < Items; first += count) {
        const Word word = __ldlu((const Word*)(place + first));
        __builtin_memcpy((void*)(values + first), (const void*)&word, sizeof(Word));
    }
}
template <int Items, class T>
__device__ __forceinline__ void __ww_store_last(const T (&values)[Items], T* place) {
    enum { count = __ww_vector_of<T, Items>::count };
    typedef typename __ww_word_of<count*(int)sizeof(T)>::type Word;
#pragma unroll
    for (int first = 0; first < Items; first += count) {
        Word word;
        __builtin_memcpy((void*)&word, (const void*)(values + first), sizeof(Word));
        __stcs((Word*)(place + first), word);
    }
}

// Neighbouring elements, for the last time or not.
template <bool kLast, int Items, class T>
__device__ __forceinline__ void __ww_load_neighbours(T (&values)[Items], const T* place) {
    if (kLast) {
        __ww_load_last(values, place);
    } else {
        __ww_load(values, place);
    }
}

// The elements of an array as they are, for users' scans of "x[i]" to "y[i] = item".
template <class Element, class T>
struct __ww_plain_load {
    const Element* in;
    template <int kPer>
    __device__ __forceinline__ bool is_aligned(long long) const {
        return __ww_is_aligned<kPer>(in);
    }
    template <bool kLast, int kPer>
    __device__ __forceinline__ void vector(long long, long long i, T (&values)[kPer]) const {
        Element elements[kPer];
        __ww_load_neighbours<kLast>(elements, in + i);
#pragma unroll
        for (int j = 0; j < kPer; ++j) values[j] = elements[j];
    }
    __device__ __forceinline__ T operator()(long long, long long i) const { return in[i]; }
};
template <class Element, class T>
struct __ww_plain_store {
    Element* out;
    template <int kPer>
    __device__ __forceinline__ bool is_aligned(long long) const {
        return __ww_is_aligned<kPer>(out);
    }
    template <int kPer>
    __device__ __forceinline__ void vector(long long, long long i, const T (&items)[kPer]) const {
        Element elements[kPer];
#pragma unroll
        for (int j = 0; j < kPer; ++j) elements[j] = items[j];
        __ww_store_last(elements, out + i);
    }
    __device__ __forceinline__ void operator()(long long, long long i, const T& item) const {
        out[i] = item;
    }
};

// Of a tile that is scanned later: a warp publishes what `all` completes.
template <class T, class Join>
__device__ __forceinline__ void __ww_publish(const __ww_scan_work& work, long long row,
                                             long long tile, const T& all, const Join& join) {
    const int lane = (int)(threadIdx.x & 31);
    __ww_states<T> states = work.states<T>();
    const long long tiles = work.tile_states(row) + tile;
    const long long groups = work.group_states(row) + (tile >> 5);
    const long long supers = work.super_states(row) + (tile >> 10);
    if (lane == 0) states.set(tiles, all);
    if ((tile & 31) != 31) return;
    const T one = states.wait(tiles - 31 + (lane < 31 ? lane : 0));
    const T group = join(__ww_of_lane(__ww_scan_lanes(one, lane, join), 30), all);
    if (lane == 0) states.set(groups, group);
    if ((tile >> 5 & 31) != 31) return;
    const T of_group = states.wait(groups - 31 + (lane < 31 ? lane : 0));
    T total = join(__ww_of_lane(__ww_scan_lanes(of_group, lane, join), 30), group);
    if (tile >> 10 > 0) total = join(states.wait(supers - 1), total);
    if (lane == 0) states.set(supers, total);
}

// What all tiles before `tile` come to, as __ww_look_back joins them. Waits until the tile itself
// is summed, too, since its elements may be overwritten then.
template <class T, class Join>
__device__ __forceinline__ T __ww_published_before(const __ww_scan_work& work, long long row,
                                                   long long tile, const Join& join) {
    const int lane = (int)(threadIdx.x & 31);
    __ww_states<T> states = work.states<T>();
    const int in_group = (int)(tile & 31);
    const int in_super = (int)(tile >> 5 & 31);
    const long long super = tile >> 10;
    const long long at_tiles =
        work.tile_states(row) + (tile & ~31ll) + (lane < in_group ? lane : in_group);
    const long long at_groups =
        work.group_states(row) + (tile >> 10 << 5) + (lane < in_super ? lane : 0);
    const long long at_supers = work.super_states(row) + super - 1;
    // All are asked for at once.
    typedef typename __ww_states<T>::seen Seen;
    const Seen of_tile = states.peek(at_tiles);
    Seen of_group = 0, of_super = 0;
    if (in_super > 0) of_group = states.peek(at_groups);
    if (super > 0) of_super = states.peek(at_supers);
    const T one = states.wait(at_tiles, of_tile);
    T prefix = __ww_of_lane(__ww_scan_lanes(one, lane, join), in_group > 0 ? in_group - 1 : 0);
    if (in_super > 0) {
        const T of_groups = __ww_of_lane(
            __ww_scan_lanes(states.wait(at_groups, of_group), lane, join), in_super - 1);
        prefix = in_group > 0 ? join(of_groups, prefix) : of_groups;
    }
    if (super > 0) {
        const T of_supers = states.wait(at_supers, of_super);
        prefix = in_group > 0 || in_super > 0 ? join(of_supers, prefix) : of_supers;
    }
    return prefix;
}

// kSteps times 32 vectors for each warp; kAhead tiles are summed before one is scanned. With
// kPrevious an element gets what is before it: store.neutral() for the first.
template <class T, int kThreads, int kSteps, bool kPrevious, int kAhead>
struct __ww_scan_ahead {
    enum {
        kPer = sizeof(T) <= 4 ? 4 : 2,
        kWarps = kThreads / 32,
        kStep = 32 * kPer,
        kTile = kThreads * kPer * kSteps,
        // Whether reading and writing take vectors apart from each other. Values of 8 bytes would
        // be spilled, of which a thread has as many registers: 1.96 ms for 2^27 float64 on an H200
        // instead of 0.79.
        kSeparate = sizeof(T) <= 4
    };
    struct Place {
        long long row, tile;
        long long first;  // of the warp's elements
        bool reads_vectors, writes_vectors;
        int lane, warp;
        T* room;  // of a step of the warp
    };

    // Elements behind the row's end repeat its last one; what comes of them is not used.
    template <bool kLast, class Load>
    static __device__ __forceinline__ void read(T (&values)[kSteps][kPer], const Place& place,
                                                long long length, const Load& load) {
        if (place.reads_vectors) {
#pragma unroll
            for (int s = 0; s < kSteps; ++s) {
                load.template vector<kLast>(place.row, place.first + place.lane * kPer + s * kStep,
                                            values[s]);
            }
            return;
        }
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
#pragma unroll
            for (int j = 0; j < kPer; ++j) {
                const long long at = place.first + s * kStep + j * 32 + place.lane;
                place.room[j * 32 + place.lane] = load(place.row, at < length ? at : length - 1);
            }
            __syncwarp();
#pragma unroll
            for (int j = 0; j < kPer; ++j) values[s][j] = place.room[place.lane * kPer + j];
            __syncwarp();
        }
    }

    template <class Store>
    static __device__ __forceinline__ void write(const T (&values)[kPer], int s, const Place& place,
                                                 long long length, const Store& store) {
        if (kSeparate ? place.writes_vectors : place.reads_vectors) {
            store.vector(place.row, place.first + place.lane * kPer + s * kStep, values);
            return;
        }
#pragma unroll
        for (int j = 0; j < kPer; ++j) place.room[place.lane * kPer + j] = values[j];
        __syncwarp();
#pragma unroll
        for (int j = 0; j < kPer; ++j) {
            const long long at = place.first + s * kStep + j * 32 + place.lane;
            if (at < length) store(place.row, at, place.room[j * 32 + place.lane]);
        }
        __syncwarp();
    }

    // In a lane for each warp: what the warps up to it come to.
    template <class Join>
    static __device__ __forceinline__ T of_warps(const Place& place, const T* totals,
                                                 const Join& join) {
        const int warp = place.lane < kWarps ? place.lane : kWarps - 1;
        return __ww_scan_lanes(totals[warp], place.lane, join);
    }

    // What a warp's values come to.
    template <class Join>
    static __device__ __forceinline__ T in_order(const T (&values)[kSteps][kPer], int lane,
                                                 const Join& join) {
        T total;
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
            T one = values[s][0];
#pragma unroll
            for (int j = 1; j < kPer; ++j) one = join(one, values[s][j]);
            one = __ww_of_lane(__ww_scan_lanes(one, lane, join), 31);
            total = s > 0 ? join(total, one) : one;
        }
        return total;
    }
    // The same, each lane's own first: a fifth of the shuffles. With it a scan of 2^27 int64 takes
    // 0.92 ms on an H100 instead of 1.08.
    template <class Join>
    static __device__ __forceinline__ T in_any_order(const T (&values)[kSteps][kPer],
                                                     const Join& join) {
        T of_step[kSteps];
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
            of_step[s] = values[s][0];
#pragma unroll
            for (int j = 1; j < kPer; ++j) of_step[s] = join(of_step[s], values[s][j]);
        }
#pragma unroll
        for (int half = kSteps / 2; half > 0; half /= 2) {
#pragma unroll
            for (int s = 0; s < half; ++s) of_step[s] = join(of_step[s], of_step[s + half]);
        }
        T total = of_step[0];
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            total = join(total, __ww_lanes<T>::across(total, step));
        }
        return total;
    }

    template <class Load, class Join>
    static __device__ __forceinline__ void sum(const __ww_scan_work& work, const Place& place,
                                               const Load& load, const Join& join, T* totals) {
        T values[kSteps][kPer];
        read<false>(values, place, work.length, load);
        const T total = __ww_commutes<Join>::value ? in_any_order(values, join)
                                                   : in_order(values, place.lane, join);
        if (place.lane == 0) totals[place.warp] = total;
        __syncthreads();
        if (place.warp > 0) return;
        const T all = __ww_of_lane(of_warps(place, totals, join), kWarps - 1);
        __ww_publish(work, place.row, place.tile, all, join);
    }

    template <class Load, class Store, class Join>
    static __device__ __forceinline__ void scan(const __ww_scan_work& work, const Place& place,
                                                const Load& load, const Store& store,
                                                const Join& join, T* totals) {
        T values[kSteps][kPer];
        read<true>(values, place, work.length, load);
        if (place.warp == kWarps - 1) {
            const T prefix = __ww_published_before<T>(work, place.row, place.tile, join);
            if (place.lane == 0) totals[kWarps] = prefix;
        }
        // before[s]: what is before the lane in the warp; there is nothing before the first.
        T before[kSteps];
        T total;
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
#pragma unroll
            for (int j = 1; j < kPer; ++j) values[s][j] = join(values[s][j - 1], values[s][j]);
            const T lanes = __ww_scan_lanes(values[s][kPer - 1], place.lane, join);
            const T neighbour = __ww_of_lane(lanes, place.lane > 0 ? place.lane - 1 : 0);
            const T all = __ww_of_lane(lanes, 31);
            before[s] = neighbour;
            if (s > 0) before[s] = place.lane > 0 ? join(total, neighbour) : total;
            total = s > 0 ? join(total, all) : all;
        }
        if (place.lane == 0) totals[place.warp] = total;
        __syncthreads();
        const bool has_base = place.tile > 0 || place.warp > 0;
        T base = totals[kWarps];
        if (place.warp > 0) {
            const T warps = __ww_of_lane(of_warps(place, totals, join), place.warp - 1);
            base = place.tile > 0 ? join(base, warps) : warps;
        }
#pragma unroll
        for (int s = 0; s < kSteps; ++s) {
            const bool has_own = s > 0 || place.lane > 0;
            if (has_base) before[s] = has_own ? join(base, before[s]) : base;
            if (has_base || has_own) {
#pragma unroll
                for (int j = 0; j < kPer; ++j) values[s][j] = join(before[s], values[s][j]);
            }
            if constexpr (kPrevious) {
#pragma unroll
                for (int j = kPer - 1; j > 0; --j) values[s][j] = values[s][j - 1];
                values[s][0] = has_base || has_own ? before[s] : store.neutral();
            }
            write(values[s], s, place, work.length, store);
        }
    }

    template <class Load, class Store, class Join>
    static __device__ __forceinline__ void run(const __ww_scan_work& work, const Load& load,
                                               const Store& store, const Join& join) {
        __shared__ unsigned long long ticket;
        __shared__ __align__(16) unsigned char bytes[(kWarps + 1) * sizeof(T)];
        __shared__ __align__(16) unsigned char rooms[kWarps * kStep * sizeof(T)];
        const unsigned long long turn = __ww_next_tile(work, &ticket);
        const bool is_sum = turn % 2 == 0;
        const long long unit = (long long)(turn / 2) - (is_sum ? 0 : (long long)kAhead);
        if (unit < 0 || unit >= work.rows * work.tiles) return;
        Place place;
        place.row = (long long)((unsigned long long)unit / (unsigned long long)work.tiles);
        place.tile = (long long)((unsigned long long)unit % (unsigned long long)work.tiles);
        place.lane = (int)(threadIdx.x & 31);
        place.warp = (int)(threadIdx.x >> 5);
        place.first = place.tile * kTile + place.warp * (kStep * kSteps);
        place.room = (T*)rooms + place.warp * kStep;
        const bool is_whole = (place.tile + 1) * kTile <= work.length;
        place.writes_vectors = is_whole && store.template is_aligned<kPer>(place.row);
        place.reads_vectors = (kSeparate ? is_whole : place.writes_vectors) &&
                              load.template is_aligned<kPer>(place.row);
        if (is_sum) {
            sum(work, place, load, join, (T*)bytes);
        } else {
            scan(work, place, load, store, join, (T*)bytes);
        }
    }
};
