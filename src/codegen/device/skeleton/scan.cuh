// Scans: every element joined with all before it, in one pass over memory.
//
// A row is cut into tiles. Blocks take them in order, scan their own, and learn what the tiles
// before them come to: by decoupled look-back (D. Merrill, M. Garland, "Single-pass Parallel Prefix
// Scan with Decoupled Look-back", NVIDIA, 2016), with tiles joined in groups of 32 and of 32 * 32
// that depend on their numbers alone. So the association is a function of the row's length, and a
// floating-point scan has the same bits every time.
//
// `load(row, i)` gives a value, `join(a, b)` joins two, `store(row, i, item, has_previous,
// previous)` takes element `i` of the result and the one before it. Values need only be copyable.
#pragma once

// Room for a value, without constructing one.
template <class T>
union __ww_slot {
    T value;
    __device__ __forceinline__ __ww_slot() {}
    __device__ __forceinline__ ~__ww_slot() {}
};

template <class T>
struct __ww_pieces {
    enum { count = (sizeof(T) + 3) / 4 };
    unsigned int word[count];
    __device__ __forceinline__ void read(const T& value) {
        word[count - 1] = 0;
        __builtin_memcpy((void*)word, (const void*)&value, sizeof(T));
    }
    __device__ __forceinline__ T value() const {
        __ww_slot<T> result;
        __builtin_memcpy((void*)&result.value, (const void*)word, sizeof(T));
        return result.value;
    }
};

// Copies to memory where no value has been constructed.
template <class T>
__device__ __forceinline__ void __ww_put(T* to, const T& value) {
    __builtin_memcpy((void*)to, (const void*)&value, sizeof(T));
}

// The values of other lanes of the warp: of lane `from`, of the lane `step` before (its own where
// there is none), and of the lane whose number differs in the bit `step`. Numbers are moved as what
// they are: as words they would take a register twice.
template <class T>
struct __ww_lanes {
    template <class Shuffle>
    static __device__ __forceinline__ T moved(const T& value, const Shuffle& shuffle) {
        __ww_pieces<T> words;
        words.read(value);
#pragma unroll
        for (int i = 0; i < __ww_pieces<T>::count; ++i) words.word[i] = shuffle(words.word[i]);
        return words.value();
    }
    static __device__ __forceinline__ T at(const T& value, int from) {
        return moved(value,
                     [from](unsigned int word) { return __shfl_sync(0xffffffffu, word, from); });
    }
    static __device__ __forceinline__ T before(const T& value, int step) {
        return moved(value,
                     [step](unsigned int word) { return __shfl_up_sync(0xffffffffu, word, step); });
    }
    static __device__ __forceinline__ T across(const T& value, int step) {
        return moved(
            value, [step](unsigned int word) { return __shfl_xor_sync(0xffffffffu, word, step); });
    }
};
template <class T>
struct __ww_lanes_of_numbers {
    static __device__ __forceinline__ T at(T value, int from) {
        return __shfl_sync(0xffffffffu, value, from);
    }
    static __device__ __forceinline__ T before(T value, int step) {
        return __shfl_up_sync(0xffffffffu, value, step);
    }
    static __device__ __forceinline__ T across(T value, int step) {
        return __shfl_xor_sync(0xffffffffu, value, step);
    }
};
template <>
struct __ww_lanes<int> : __ww_lanes_of_numbers<int> {};
template <>
struct __ww_lanes<unsigned int> : __ww_lanes_of_numbers<unsigned int> {};
template <>
struct __ww_lanes<long long> : __ww_lanes_of_numbers<long long> {};
template <>
struct __ww_lanes<unsigned long long> : __ww_lanes_of_numbers<unsigned long long> {};
template <>
struct __ww_lanes<float> : __ww_lanes_of_numbers<float> {};
template <>
struct __ww_lanes<double> : __ww_lanes_of_numbers<double> {};

template <class T>
__device__ __forceinline__ T __ww_of_lane(const T& value, int from) {
    return __ww_lanes<T>::at(value, from);
}

// Whether values may be joined in any order, as numbers are added: those of a tile that is only
// summed are, in an order of its own.
template <class Join>
struct __ww_commutes {
    enum { value = 0 };
};

// Every lane's value joined with those of the lanes before it.
template <class T, class Join>
__device__ __forceinline__ T __ww_scan_lanes(T value, int lane, const Join& join) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const T joined = join(__ww_lanes<T>::before(value, step), value);
        value = lane >= step ? joined : value;
    }
    return value;
}

// Values that blocks exchange: there once the flag is set. Zero at first; a value of four
// bytes or fewer is written together with its flag.
template <class T, bool IsSmall = (sizeof(T) <= 4)>
struct __ww_states {
    volatile unsigned int* flags;
    volatile unsigned int* values;
    __device__ __forceinline__ __ww_states(void* memory, long long count)
        : flags((volatile unsigned int*)memory), values((volatile unsigned int*)memory + count) {}
    __device__ __forceinline__ void set(long long at, const T& value) {
        __ww_pieces<T> words;
        words.read(value);
#pragma unroll
        for (int i = 0; i < __ww_pieces<T>::count; ++i) {
            values[at * __ww_pieces<T>::count + i] = words.word[i];
        }
        __threadfence();
        flags[at] = 1;
    }
    typedef unsigned int seen;
    __device__ __forceinline__ seen peek(long long at) const { return flags[at]; }
    __device__ __forceinline__ T wait(long long at) const { return wait(at, peek(at)); }
    // From what was seen of it before.
    __device__ __forceinline__ T wait(long long at, seen flag) const {
        while (flag == 0) flag = flags[at];
        __threadfence();
        __ww_pieces<T> words;
#pragma unroll
        for (int i = 0; i < __ww_pieces<T>::count; ++i) {
            words.word[i] = values[at * __ww_pieces<T>::count + i];
        }
        return words.value();
    }
};
template <class T>
struct __ww_states<T, true> {
    volatile unsigned long long* words;
    __device__ __forceinline__ __ww_states(void* memory, long long)
        : words((volatile unsigned long long*)memory) {}
    __device__ __forceinline__ void set(long long at, const T& value) {
        __ww_pieces<T> bits;
        bits.read(value);
        words[at] = 1ull << 32 | bits.word[0];
    }
    typedef unsigned long long seen;
    __device__ __forceinline__ seen peek(long long at) const { return words[at]; }
    __device__ __forceinline__ T wait(long long at) const { return wait(at, peek(at)); }
    // From what was seen of it before.
    __device__ __forceinline__ T wait(long long at, seen word) const {
        while (word >> 32 == 0) word = words[at];
        __ww_pieces<T> bits;
        bits.word[0] = (unsigned int)word;
        return bits.value();
    }
};

// Rows that are scanned, and the memory by which their tiles synchronise: a ticket, then the states
// of tiles, of groups of 32 tiles, and of groups of those.
struct __ww_scan_work {
    long long length;  // of a row
    long long tiles;   // of a row
    long long rows;
    void* workspace;
    __device__ __forceinline__ long long groups() const { return (tiles + 31) / 32; }
    __device__ __forceinline__ long long supers() const { return (tiles + 1023) / 1024; }
    // Where the states of a row begin.
    __device__ __forceinline__ long long tile_states(long long row) const { return row * tiles; }
    __device__ __forceinline__ long long group_states(long long row) const {
        return rows * tiles + row * groups();
    }
    __device__ __forceinline__ long long super_states(long long row) const {
        return rows * (tiles + groups()) + row * supers();
    }
    template <class T>
    __device__ __forceinline__ __ww_states<T> states() const {
        return __ww_states<T>((char*)workspace + 16, rows * (tiles + groups() + supers()));
    }
};

// Thread 0 takes the next tile; every thread of the block gets its number.
__device__ __forceinline__ unsigned long long __ww_next_tile(const __ww_scan_work& work,
                                                             unsigned long long* shared) {
    if (threadIdx.x == 0) *shared = atomicAdd((unsigned long long*)work.workspace, 1ull);
    __syncthreads();
    return *shared;
}

// A warp finds what all tiles before `tile` of the row come to, and publishes what `all` completes.
template <class T, class Join>
__device__ __forceinline__ T __ww_look_back(const __ww_scan_work& work, long long row,
                                            long long tile, const T& all, const Join& join) {
    const int lane = (int)(threadIdx.x & 31);
    __ww_states<T> states = work.states<T>();
    const long long tiles = work.tile_states(row);
    const long long groups = work.group_states(row);
    const long long supers = work.super_states(row);
    const int in_group = (int)(tile & 31);
    const int in_super = (int)(tile >> 5 & 31);
    const long long super = tile >> 10;
    if (lane == 0 && in_group != 31) states.set(tiles + tile, all);
    // All are asked for at once.
    typedef typename __ww_states<T>::seen Seen;
    const long long at_tiles = tiles + (tile & ~31ll) + (lane < in_group ? lane : 0);
    const long long at_groups = groups + (tile >> 10 << 5) + (lane < in_super ? lane : 0);
    const long long at_supers = supers + super - 1;
    Seen of_tile = 0, of_group = 0, of_super = 0;
    if (in_group > 0) of_tile = states.peek(at_tiles);
    if (in_super > 0) of_group = states.peek(at_groups);
    if (super > 0) of_super = states.peek(at_supers);
    // Of the group: the tiles before this one.
    T of_tiles = all;
    if (in_group > 0) {
        const T one = states.wait(at_tiles, of_tile);
        of_tiles = __ww_of_lane(__ww_scan_lanes(one, lane, join), in_group - 1);
    }
    T group = all;
    if (in_group == 31) {
        group = join(of_tiles, all);
        if (lane == 0 && in_super != 31) states.set(groups + (tile >> 5), group);
    }
    T of_groups = all;
    if (in_super > 0) {
        const T one = states.wait(at_groups, of_group);
        of_groups = __ww_of_lane(__ww_scan_lanes(one, lane, join), in_super - 1);
    }
    T of_supers = all;
    if (super > 0) of_supers = states.wait(at_supers, of_super);
    if (in_group == 31 && in_super == 31) {
        T total = join(of_groups, group);
        if (super > 0) total = join(of_supers, total);
        if (lane == 0) states.set(supers + super, total);
    }
    T prefix = in_group > 0 ? of_tiles : all;
    if (in_super > 0) prefix = in_group > 0 ? join(of_groups, prefix) : of_groups;
    if (super > 0) prefix = in_group > 0 || in_super > 0 ? join(of_supers, prefix) : of_supers;
    return prefix;
}

// A block scans one tile: kItems times 32 neighbouring elements for each warp, in shared memory, of
// which a thread joins kItems neighbours. Memory is read and written by neighbouring lanes.
template <class T, int kThreads, int kItems, bool kPrevious, class Load, class Store, class Join>
__device__ __forceinline__ void __ww_scan_blocks(const __ww_scan_work& work, const Load& load,
                                                 const Store& store, const Join& join) {
    // A place is left out behind every 32, so that lanes' neighbours lie in different banks.
    enum { kWarps = kThreads / 32, kTile = kThreads * kItems, kRoom = 33 * kItems };
    // What a thread keeps in registers at once.
    enum { kChunk = kItems < 16 ? kItems : 16 };
    __shared__ unsigned long long ticket;
    __shared__ __align__(16) unsigned char bytes[(kWarps + 1) * sizeof(T)];
    __shared__ __align__(16) unsigned char exchanged[kWarps * kRoom * sizeof(T)];
    T* const totals = (T*)bytes;
    const unsigned long long unit = __ww_next_tile(work, &ticket);
    const long long row = (long long)(unit / (unsigned long long)work.tiles);
    const long long tile = (long long)(unit % (unsigned long long)work.tiles);
    const int lane = (int)(threadIdx.x & 31);
    const int warp = (int)(threadIdx.x >> 5);
    T* const room = (T*)exchanged + warp * kRoom;
    const long long first = tile * kTile + warp * (32 * kItems) + lane;
    const long long last = work.length - 1;
    // Places behind the row's end repeat its last element; what comes of them is not used.
#pragma unroll 1
    for (int chunk = 0; chunk < kItems; chunk += kChunk) {
        __ww_slot<T> values[kChunk];
#pragma unroll
        for (int j = 0; j < kChunk; ++j) {
            const long long at = first + (chunk + j) * 32;
            values[j].value = load(row, at < last ? at : last);
        }
#pragma unroll
        for (int j = 0; j < kChunk; ++j) __ww_put(room + (chunk + j) * 33 + lane, values[j].value);
    }
    __syncwarp();
    __ww_slot<T> total;
#pragma unroll
    for (int j = 0; j < kItems; ++j) {
        const int at = lane * kItems + j;
        total.value = j > 0 ? join(total.value, room[at + at / 32]) : room[at + at / 32];
    }
    const T scanned = __ww_scan_lanes(total.value, lane, join);
    const T neighbour = __ww_of_lane(scanned, lane > 0 ? lane - 1 : 0);
    if (lane == 31) __ww_put(totals + warp, scanned);
    __syncthreads();
    T all = totals[0];
    T base = all;  // what is before the warp
#pragma unroll
    for (int i = 1; i < kWarps; ++i) {
        if (i == warp) base = all;
        all = join(all, totals[i]);
    }
    if (work.tiles > 1) {
        if (warp == 0) {
            const T prefix = __ww_look_back(work, row, tile, all, join);
            if (lane == 0) __ww_put(totals + kWarps, prefix);
        }
        __syncthreads();
        if (tile > 0) base = warp > 0 ? join(totals[kWarps], base) : totals[kWarps];
    }
    const bool has_base = tile > 0 || warp > 0;
    T before = neighbour;  // what is before the thread
    if (lane == 0) {
        before = base;
    } else if (has_base) {
        before = join(base, neighbour);
    }
    bool has_before = has_base || lane > 0;
#pragma unroll
    for (int j = 0; j < kItems; ++j) {
        const int at = lane * kItems + j;
        T& item = room[at + at / 32];
        before = has_before ? join(before, item) : item;
        has_before = true;
        __ww_put(&item, before);
    }
    __syncwarp();
#pragma unroll 8
    for (int j = 0; j < kItems; ++j) {
        const long long at = first + j * 32;
        const T item = room[j * 33 + lane];
        const bool is_first = j == 0 && lane == 0;
        if (kPrevious && !is_first) base = room[j * 33 + lane - (lane > 0 ? 1 : 2)];
        if (at < work.length) store(row, at, item, has_base || !is_first, base);
    }
}

// One thread scans a tile, for processors whose threads are few and fast: eight chains of elements
// at a time, since each join waits for the one before it.
enum { __ww_chains = 8, __ww_chain_length = 1040, __ww_serial_tile = 8320 };

template <class T, bool kPrevious, class Load, class Store, class Join>
__device__ __forceinline__ T __ww_scan_chain(long long row, long long first, long long count,
                                             bool has_base, const T& base, const Load& load,
                                             const Store& store, const Join& join) {
    T local = load(row, first);
    T item = has_base ? join(base, local) : local;
    store(row, first, item, has_base, base);
    for (long long i = first + 1; i < first + count; ++i) {
        const T previous = item;
        local = join(local, load(row, i));
        item = has_base ? join(base, local) : local;
        store(row, i, item, true, previous);
    }
    return item;
}

template <class T, bool kPrevious, class Load, class Store, class Join>
__device__ __forceinline__ void __ww_scan_full_tile(const __ww_scan_work& work, long long row,
                                                    long long tile, const Load& load,
                                                    const Store& store, const Join& join) {
    __ww_states<T> states = work.states<T>();
    const long long first = tile * __ww_serial_tile;
    __ww_slot<T> chains[__ww_chains];
    __ww_slot<T> bases[__ww_chains + 1];
#pragma unroll
    for (int c = 0; c < __ww_chains; ++c) {
        chains[c].value = load(row, first + c * __ww_chain_length);
    }
    for (long long i = 1; i < __ww_chain_length; ++i) {
#pragma unroll
        for (int c = 0; c < __ww_chains; ++c) {
            chains[c].value = join(chains[c].value, load(row, first + c * __ww_chain_length + i));
        }
    }
    const bool has_base = tile > 0;
    if (has_base) {
        bases[0].value = states.wait(row * work.tiles + tile - 1);
        bases[1].value = join(bases[0].value, chains[0].value);
    } else {
        bases[0].value = chains[0].value;
        bases[1].value = chains[0].value;
    }
#pragma unroll
    for (int c = 1; c < __ww_chains; ++c) {
        bases[c + 1].value = join(bases[c].value, chains[c].value);
    }
    states.set(row * work.tiles + tile, bases[__ww_chains].value);
    __ww_slot<T> items[__ww_chains];
#pragma unroll
    for (int c = 0; c < __ww_chains; ++c) {
        const long long at = first + c * __ww_chain_length;
        chains[c].value = load(row, at);
        const bool has = has_base || c > 0;
        items[c].value = has ? join(bases[c].value, chains[c].value) : chains[c].value;
        store(row, at, items[c].value, has, bases[c].value);
    }
    for (long long i = 1; i < __ww_chain_length; ++i) {
#pragma unroll
        for (int c = 0; c < __ww_chains; ++c) {
            const long long at = first + c * __ww_chain_length + i;
            const T previous = items[c].value;
            chains[c].value = join(chains[c].value, load(row, at));
            items[c].value =
                has_base || c > 0 ? join(bases[c].value, chains[c].value) : chains[c].value;
            store(row, at, items[c].value, true, previous);
        }
    }
}

template <class T, bool kPrevious, class Load, class Store, class Join>
__device__ __forceinline__ void __ww_scan_serial(const __ww_scan_work& work, const Load& load,
                                                 const Store& store, const Join& join) {
    const unsigned long long unit = atomicAdd((unsigned long long*)work.workspace, 1ull);
    const long long row = (long long)(unit / (unsigned long long)work.tiles);
    const long long tile = (long long)(unit % (unsigned long long)work.tiles);
    if (tile < work.tiles - 1) {
        __ww_scan_full_tile<T, kPrevious>(work, row, tile, load, store, join);
        return;
    }
    // No tile waits for the last one of a row.
    __ww_slot<T> base;
    bool has_base = tile > 0;
    if (has_base) base.value = work.states<T>().wait(row * work.tiles + tile - 1);
    for (long long i = tile * __ww_serial_tile; i < work.length; i += __ww_chain_length) {
        const long long left = work.length - i;
        base.value = __ww_scan_chain<T, kPrevious>(
            row, i, left < __ww_chain_length ? left : (long long)__ww_chain_length, has_base,
            base.value, load, store, join);
        has_base = true;
    }
}

// kLanes: of the vectors that Join has (scan_vectors.cuh), 0 for none.
template <class T, bool kPrevious, class Join, int kLanes>
struct __ww_serial_scan {
    template <class Load, class Store>
    static __device__ __forceinline__ void run(const __ww_scan_work& work, const Load& load,
                                               const Store& store, const Join& join) {
        __ww_scan_serial<T, kPrevious>(work, load, store, join);
    }
};
template <class T, class Join>
struct __ww_vector_join {
    enum { lanes = 0 };
};

// kSerial: a thread is a block. Else kThreads of them, with kItems elements each.
template <class T, bool kSerial, int kThreads, int kItems, bool kPrevious>
struct __ww_scan {
    template <class Load, class Store, class Join>
    static __device__ __forceinline__ void run(const __ww_scan_work& work, const Load& load,
                                               const Store& store, const Join& join) {
        __ww_scan_blocks<T, kThreads, kItems, kPrevious>(work, load, store, join);
    }
};
template <class T, int kThreads, int kItems, bool kPrevious>
struct __ww_scan<T, true, kThreads, kItems, kPrevious> {
    template <class Load, class Store, class Join>
    static __device__ __forceinline__ void run(const __ww_scan_work& work, const Load& load,
                                               const Store& store, const Join& join) {
        __ww_serial_scan<T, kPrevious, Join,
                         kPrevious ? 0 : (int)__ww_vector_join<T, Join>::lanes>::run(work, load,
                                                                                     store, join);
    }
};
