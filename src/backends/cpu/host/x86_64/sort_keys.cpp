// Quicksort with AVX-512: vectors are parted by compression, few keys are sorted by a bitonic
// network of whole registers (K. E. Batcher, "Sorting networks and their applications", 1968;
// B. Bramas, "A novel hybrid quicksort algorithm vectorized using AVX-512", 2017).
//
// Compiled for AVX-512, and entered only on processors that have it: no function of other headers
// may be instantiated here.
#include <immintrin.h>

#include "src/backends/cpu/host/sort_keys.hpp"

namespace warpwise::cpu {
namespace {

// Registers of the network for the fewest keys that are parted further.
constexpr int kMostRegisters = 8;

struct Keys32 {
    using Key = std::uint32_t;
    using Mask = __mmask16;
    static constexpr int kLanes = 16;
    static __m512i load(const Key* from) { return _mm512_loadu_si512(from); }
    static __m512i load(Mask mask, const Key* from) {
        return _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), mask, from);
    }
    static void store(Key* to, __m512i v) { _mm512_storeu_si512(to, v); }
    static void store(Key* to, Mask mask, __m512i v) { _mm512_mask_storeu_epi32(to, mask, v); }
    static __m512i all(Key key) { return _mm512_set1_epi32(static_cast<int>(key)); }
    static __m512i least(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
    static __m512i greatest(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
    static __m512i permuted(__m512i index, __m512i v) { return _mm512_permutexvar_epi32(index, v); }
    static __m512i chosen(Mask mask, __m512i a, __m512i b) {
        return _mm512_mask_blend_epi32(mask, a, b);
    }
    static Mask is_less(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
    static __m512i packed(Mask mask, __m512i v) { return _mm512_maskz_compress_epi32(mask, v); }
};

struct Keys64 {
    using Key = std::uint64_t;
    using Mask = __mmask8;
    static constexpr int kLanes = 8;
    static __m512i load(const Key* from) { return _mm512_loadu_si512(from); }
    static __m512i load(Mask mask, const Key* from) {
        return _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), mask, from);
    }
    static void store(Key* to, __m512i v) { _mm512_storeu_si512(to, v); }
    static void store(Key* to, Mask mask, __m512i v) { _mm512_mask_storeu_epi64(to, mask, v); }
    static __m512i all(Key key) { return _mm512_set1_epi64(static_cast<long long>(key)); }
    static __m512i least(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
    static __m512i greatest(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
    static __m512i permuted(__m512i index, __m512i v) { return _mm512_permutexvar_epi64(index, v); }
    static __m512i chosen(Mask mask, __m512i a, __m512i b) {
        return _mm512_mask_blend_epi64(mask, a, b);
    }
    static Mask is_less(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
    static __m512i packed(Mask mask, __m512i v) { return _mm512_maskz_compress_epi64(mask, v); }
};

template <class Keys>
constexpr unsigned mask_of(unsigned lanes) {
    return lanes >= static_cast<unsigned>(Keys::kLanes) ? (1u << Keys::kLanes) - 1
                                                        : (1u << lanes) - 1;
}

// Lanes that exchange with the one `kDistance` away.
template <class Keys, int kDistance>
struct Partners {
    alignas(64) typename Keys::Key lanes[Keys::kLanes];
    constexpr Partners() : lanes() {
        for (int lane = 0; lane < Keys::kLanes; ++lane) {
            lanes[lane] = static_cast<typename Keys::Key>(lane ^ kDistance);
        }
    }
};
template <class Keys, int kDistance>
constexpr Partners<Keys, kDistance> kPartners;

// Lanes of a register, which begins at element `first`, that take the greater of two.
template <class Keys>
constexpr unsigned takes_greater(int first, int run, int distance) {
    unsigned mask = 0;
    for (int lane = 0; lane < Keys::kLanes; ++lane) {
        const bool is_upper = (lane & distance) != 0;
        const bool is_ascending = ((first + lane) & run) == 0;
        if (is_upper == is_ascending) mask |= 1u << lane;
    }
    return mask;
}

// Register kAt, and the one it exchanges with; then those behind it. Recursion, so that every mask
// is a constant.
template <class Keys, int kCount, int kRun, int kDistance, int kAt = 0>
__attribute__((always_inline)) inline void exchange_each(__m512i (&registers)[kCount]) {
    if constexpr (kDistance >= Keys::kLanes) {
        constexpr int kApart = kDistance / Keys::kLanes;
        if constexpr ((kAt & kApart) == 0) {
            const __m512i least = Keys::least(registers[kAt], registers[kAt | kApart]);
            const __m512i greatest = Keys::greatest(registers[kAt], registers[kAt | kApart]);
            constexpr bool kIsAscending = (kAt * Keys::kLanes & kRun) == 0;
            registers[kAt] = kIsAscending ? least : greatest;
            registers[kAt | kApart] = kIsAscending ? greatest : least;
        }
    } else {
        constexpr auto kMask = static_cast<typename Keys::Mask>(
            takes_greater<Keys>(kAt * Keys::kLanes, kRun, kDistance));
        const __m512i partners = _mm512_load_si512(kPartners<Keys, kDistance>.lanes);
        const __m512i other = Keys::permuted(partners, registers[kAt]);
        registers[kAt] = Keys::chosen(kMask, Keys::least(registers[kAt], other),
                                      Keys::greatest(registers[kAt], other));
    }
    if constexpr (kAt + 1 < kCount) {
        exchange_each<Keys, kCount, kRun, kDistance, kAt + 1>(registers);
    }
}

template <class Keys, int kCount, int kRun, int kDistance>
__attribute__((always_inline)) inline void exchange(__m512i (&registers)[kCount]) {
    exchange_each<Keys, kCount, kRun, kDistance>(registers);
    if constexpr (kDistance > 1) exchange<Keys, kCount, kRun, kDistance / 2>(registers);
}

// Runs of kRun elements, and all longer ones: ascending and descending by turns.
template <class Keys, int kCount, int kRun = 2>
__attribute__((always_inline)) inline void sort_registers(__m512i (&registers)[kCount]) {
    exchange<Keys, kCount, kRun, kRun / 2>(registers);
    if constexpr (kRun < kCount * Keys::kLanes) {
        sort_registers<Keys, kCount, kRun * 2>(registers);
    }
}

template <class Keys, int kCount>
void sort_few(typename Keys::Key* keys, std::uint64_t count) {
    const auto mask = [count](int a) {
        const auto first = static_cast<std::uint64_t>(a) * std::uint64_t{Keys::kLanes};
        return static_cast<typename Keys::Mask>(
            count <= first ? 0 : mask_of<Keys>(static_cast<unsigned>(count - first)));
    };
    __m512i registers[kCount];
#pragma GCC unroll 8
    for (int a = 0; a < kCount; ++a) {
        registers[a] = Keys::load(mask(a), keys + a * Keys::kLanes);
    }
    sort_registers<Keys, kCount>(registers);
#pragma GCC unroll 8
    for (int a = 0; a < kCount; ++a) Keys::store(keys + a * Keys::kLanes, mask(a), registers[a]);
}

template <class Keys>
void sort_up_to_most(typename Keys::Key* keys, std::uint64_t count) {
    if (count <= Keys::kLanes) return sort_few<Keys, 1>(keys, count);
    if (count <= 2 * Keys::kLanes) return sort_few<Keys, 2>(keys, count);
    if (count <= 4 * Keys::kLanes) return sort_few<Keys, 4>(keys, count);
    sort_few<Keys, kMostRegisters>(keys, count);
}

// Keys below the pivot come first; how many they are. The others pass through `scratch`.
template <class Keys>
std::uint64_t part(typename Keys::Key* keys, typename Keys::Key* scratch, std::uint64_t count,
                   typename Keys::Key pivot) {
    const __m512i pivots = Keys::all(pivot);
    std::uint64_t below = 0;
    std::uint64_t others = 0;
    std::uint64_t i = 0;
    // A whole register is stored: what is behind its keys has been read, or is written later.
    for (; i + Keys::kLanes <= count; i += Keys::kLanes) {
        const __m512i v = Keys::load(keys + i);
        const typename Keys::Mask is_below = Keys::is_less(v, pivots);
        const auto found = static_cast<unsigned>(__builtin_popcount(is_below));
        Keys::store(keys + below, Keys::packed(is_below, v));
        Keys::store(scratch + others, Keys::packed(static_cast<typename Keys::Mask>(~is_below), v));
        below += found;
        others += static_cast<unsigned>(Keys::kLanes) - found;
    }
    if (i < count) {
        const auto rest =
            static_cast<typename Keys::Mask>(mask_of<Keys>(static_cast<unsigned>(count - i)));
        const __m512i v = Keys::load(rest, keys + i);
        const auto is_below = static_cast<typename Keys::Mask>(Keys::is_less(v, pivots) & rest);
        const auto is_other = static_cast<typename Keys::Mask>(~is_below & rest);
        const auto found = static_cast<unsigned>(__builtin_popcount(is_below));
        const auto left = static_cast<unsigned>(__builtin_popcount(is_other));
        Keys::store(keys + below, static_cast<typename Keys::Mask>(mask_of<Keys>(found)),
                    Keys::packed(is_below, v));
        Keys::store(scratch + others, static_cast<typename Keys::Mask>(mask_of<Keys>(left)),
                    Keys::packed(is_other, v));
        below += found;
        others += left;
    }
    __builtin_memcpy(keys + below, scratch, others * sizeof(typename Keys::Key));
    return below;
}

// The middle of a register of keys that lie evenly spread.
template <class Keys>
typename Keys::Key pivot_of(const typename Keys::Key* keys, std::uint64_t count) {
    typename Keys::Key sample[Keys::kLanes];
    const std::uint64_t step = count / Keys::kLanes;
    for (int lane = 0; lane < Keys::kLanes; ++lane) {
        sample[lane] = keys[static_cast<std::uint64_t>(lane) * step + step / 2];
    }
    sort_few<Keys, 1>(sample, Keys::kLanes);
    return sample[Keys::kLanes / 2];
}

template <class Key>
void sift(Key* keys, std::uint64_t from, std::uint64_t count) {
    const Key key = keys[from];
    for (std::uint64_t child = 2 * from + 1; child < count; child = 2 * from + 1) {
        if (child + 1 < count && keys[child] < keys[child + 1]) ++child;
        if (keys[child] <= key) break;
        keys[from] = keys[child];
        from = child;
    }
    keys[from] = key;
}

// For keys whose pivots were bad over and over.
template <class Key>
void sort_by_heap(Key* keys, std::uint64_t count) {
    for (std::uint64_t i = count / 2; i > 0; --i) sift(keys, i - 1, count);
    for (std::uint64_t end = count - 1; end > 0; --end) {
        const Key greatest = keys[0];
        keys[0] = keys[end];
        keys[end] = greatest;
        sift(keys, 0, end);
    }
}

template <class Keys>
void sort_all(typename Keys::Key* keys, typename Keys::Key* scratch, std::uint64_t count,
              int parts_left) {
    using Key = typename Keys::Key;
    while (count > std::uint64_t{kMostRegisters} * std::uint64_t{Keys::kLanes}) {
        if (parts_left-- == 0) return sort_by_heap(keys, count);
        const Key pivot = pivot_of<Keys>(keys, count);
        std::uint64_t below = part<Keys>(keys, scratch, count, pivot);
        if (below == 0) {
            // The least key: those that are equal to it are in their places.
            if (pivot == static_cast<Key>(~Key{0})) return;
            below = part<Keys>(keys, scratch, count, static_cast<Key>(pivot + 1));
            keys += below;
            count -= below;
            continue;
        }
        const std::uint64_t others = count - below;
        if (below < others) {
            sort_all<Keys>(keys, scratch, below, parts_left);
            keys += below;
            count = others;
        } else {
            sort_all<Keys>(keys + below, scratch, others, parts_left);
            count = below;
        }
    }
    sort_up_to_most<Keys>(keys, count);
}

// Twice as many partings as halving takes.
int parts_for(std::uint64_t count) {
    return 2 * (64 - __builtin_clzll(count | 1));
}

}  // namespace

void sort_keys(std::uint32_t* keys, std::uint32_t* scratch, std::uint64_t count) noexcept {
    sort_all<Keys32>(keys, scratch, count, parts_for(count));
}
void sort_keys(std::uint64_t* keys, std::uint64_t* scratch, std::uint64_t count) noexcept {
    sort_all<Keys64>(keys, scratch, count, parts_for(count));
}

}  // namespace warpwise::cpu
