// Unsigned keys in vectors of AVX-512, and networks that sort the keys of up to 16 registers.
//
// Only sort_keys.cpp, which is compiled for AVX-512, includes this; everything has internal
// linkage.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "src/backends/cpu/host/sort_keys.hpp"

namespace warpwise::cpu {
namespace {

struct Keys32 {
    using Key = std::uint32_t;
    using Mask = __mmask16;
    static constexpr int kLanes = 16;
    static __m512i load(const Key* from) { return _mm512_loadu_si512(from); }
    static __m512i load(Mask mask, const Key* from) { return _mm512_maskz_loadu_epi32(mask, from); }
    static void store(Key* to, __m512i v) { _mm512_storeu_si512(to, v); }
    static void store(Key* to, Mask mask, __m512i v) { _mm512_mask_storeu_epi32(to, mask, v); }
    static __m512i all(Key key) { return _mm512_set1_epi32(static_cast<int>(key)); }
    // Keys that lie `step` apart.
    static __m512i spread(const Key* from, std::uint64_t step) {
        const __m512i lanes =
            _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        const __m512i at = _mm512_mullo_epi32(lanes, all(static_cast<Key>(step)));
        return _mm512_i32gather_epi32(at, from, sizeof(Key));
    }
    static Key lane(__m512i v, int lane) {
        return static_cast<Key>(_mm512_cvtsi512_si32(permuted(all(static_cast<Key>(lane)), v)));
    }
    static __m512i permuted(__m512i index, __m512i v) { return _mm512_permutexvar_epi32(index, v); }
    static __m512i chosen(Mask mask, __m512i a, __m512i b) {
        return _mm512_mask_blend_epi32(mask, a, b);
    }
    static __m512i signs(__m512i v) { return _mm512_srai_epi32(v, 31); }
    static Mask is_less(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
    static Mask others(Mask mask) { return _knot_mask16(mask); }
    static __m512i packed(Mask mask, __m512i v) { return _mm512_maskz_compress_epi32(mask, v); }
    static void order(__m512i& a, __m512i& b) {
        const __m512i low = _mm512_min_epu32(a, b);
        b = _mm512_max_epu32(a, b);
        a = low;
    }
    // The greater of two in the lanes of the mask, the lesser in others.
    static __m512i greater_in(Mask mask, __m512i a, __m512i b) {
        return _mm512_mask_max_epu32(_mm512_min_epu32(a, b), mask, a, b);
    }
    static void transpose(__m512i (&rows)[16]);
};

struct Keys64 {
    using Key = std::uint64_t;
    using Mask = __mmask8;
    static constexpr int kLanes = 8;
    static __m512i load(const Key* from) { return _mm512_loadu_si512(from); }
    static __m512i load(Mask mask, const Key* from) { return _mm512_maskz_loadu_epi64(mask, from); }
    static void store(Key* to, __m512i v) { _mm512_storeu_si512(to, v); }
    static void store(Key* to, Mask mask, __m512i v) { _mm512_mask_storeu_epi64(to, mask, v); }
    static __m512i all(Key key) { return _mm512_set1_epi64(static_cast<long long>(key)); }
    static __m512i spread(const Key* from, std::uint64_t step) {
        const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        return _mm512_i64gather_epi64(_mm512_mullo_epi64(lanes, all(step)), from, sizeof(Key));
    }
    static Key lane(__m512i v, int lane) {
        const __m512i first = permuted(all(static_cast<Key>(lane)), v);
        return static_cast<Key>(_mm_cvtsi128_si64(_mm512_castsi512_si128(first)));
    }
    static __m512i permuted(__m512i index, __m512i v) { return _mm512_permutexvar_epi64(index, v); }
    static __m512i chosen(Mask mask, __m512i a, __m512i b) {
        return _mm512_mask_blend_epi64(mask, a, b);
    }
    static __m512i signs(__m512i v) { return _mm512_srai_epi64(v, 63); }
    static Mask is_less(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
    static Mask others(Mask mask) { return _knot_mask8(mask); }
    static __m512i packed(Mask mask, __m512i v) { return _mm512_maskz_compress_epi64(mask, v); }
    // A comparison and two blends take fewer cycles than a minimum and a maximum of 64 bits.
    static void order(__m512i& a, __m512i& b) {
        const Mask is_ordered = _mm512_cmplt_epu64_mask(a, b);
        const __m512i low = _mm512_mask_blend_epi64(is_ordered, b, a);
        b = _mm512_mask_blend_epi64(is_ordered, a, b);
        a = low;
    }
    static __m512i greater_in(Mask mask, __m512i a, __m512i b) {
        const Mask is_ordered = _mm512_cmplt_epu64_mask(a, b);
        return _mm512_mask_blend_epi64(_kxor_mask8(is_ordered, mask), b, a);
    }
    static void transpose(__m512i (&rows)[16]);
};

template <class Keys>
constexpr typename Keys::Mask first_lanes(std::uint64_t count) {
    const auto lanes = static_cast<unsigned>(Keys::kLanes);
    const unsigned found = count < lanes ? static_cast<unsigned>(count) : lanes;
    return static_cast<typename Keys::Mask>((1u << found) - 1);
}

// Keys as they are.
struct Plain {
    static __m512i key(__m512i v) { return v; }
    static __m512i element(__m512i v) { return v; }
};

// Elements as keys in the same order, by their KeyForm. What sort_keys.cuh does one by one: a
// negative float has all bits turned, another number its sign; NaN comes last.
template <class Keys>
class Form {
  public:
    explicit Form(std::uint32_t form) {
        using Key = typename Keys::Key;
        constexpr bool kIsWide = sizeof(Key) == 8;
        constexpr Key kAll = static_cast<Key>(~Key{0});
        constexpr Key kTop = Key{1} << (sizeof(Key) * 8 - 1);
        constexpr auto kInfinity =
            static_cast<Key>(kIsWide ? 0xfff0000000000000ull : 0xff800000ull);
        const bool is_float = (form & kKeyKind) == kFloatKey;
        negative_ = Keys::all(is_float ? kAll ^ kTop : 0);
        sign_ = Keys::all((form & kKeyKind) == kUnsignedKey ? 0 : kTop);
        last_ = Keys::all(is_float ? kInfinity : kAll);
        turned_ = Keys::all((form & kDescendingKey) != 0 ? kAll : 0);
    }
    __m512i key(__m512i v) const {
        const __m512i number = v ^ (Keys::signs(v) & negative_) ^ sign_;
        return Keys::chosen(Keys::is_less(last_, v), number, _mm512_set1_epi32(-1)) ^ turned_;
    }
    __m512i element(__m512i key) const {
        const __m512i v = key ^ turned_ ^ sign_;
        return v ^ (Keys::signs(v) & negative_);
    }

  private:
    __m512i negative_;  // bits to turn where the sign is set
    __m512i sign_;
    __m512i last_;  // NaN with a sign is above it
    __m512i turned_;
};

// --- Bitonic networks (K. E. Batcher, "Sorting networks and their applications", 1968).

// Lanes in the order in which each has the one whose number differs from its own by `kWith`.
template <class Keys, int kWith>
struct Partners {
    alignas(64) typename Keys::Key lanes[Keys::kLanes];
    constexpr Partners() : lanes() {
        for (int lane = 0; lane < Keys::kLanes; ++lane) {
            lanes[lane] = static_cast<typename Keys::Key>(lane ^ kWith);
        }
    }
};
template <class Keys, int kWith>
constexpr Partners<Keys, kWith> kPartners;

template <class Keys, int kWith>
__attribute__((always_inline)) inline __m512i swapped(__m512i v) {
    return Keys::permuted(_mm512_load_si512(kPartners<Keys, kWith>.lanes), v);
}

// Lanes that take the greater of two: those above their partner.
template <class Keys>
constexpr typename Keys::Mask upper_lanes(int with) {
    unsigned mask = 0;
    for (int lane = 0; lane < Keys::kLanes; ++lane) {
        if ((lane ^ with) < lane) mask |= 1u << lane;
    }
    return static_cast<typename Keys::Mask>(mask);
}

// All registers exchange lanes with partners.
template <class Keys, int kWith, int kCount>
__attribute__((always_inline)) inline void exchange_lanes(__m512i (&registers)[kCount]) {
    constexpr auto kMask = upper_lanes<Keys>(kWith);
#pragma GCC unroll 16
    for (int a = 0; a < kCount; ++a) {
        registers[a] = Keys::greater_in(kMask, registers[a], swapped<Keys, kWith>(registers[a]));
    }
}

// Halves of lanes, quarters, ... down to pairs, each of which is bitonic.
template <class Keys, int kWith, int kCount>
__attribute__((always_inline)) inline void merge_lanes(__m512i (&registers)[kCount]) {
    exchange_lanes<Keys, kWith>(registers);
    if constexpr (kWith > 1) merge_lanes<Keys, kWith / 2>(registers);
}

// Runs of kRun registers, which are sorted, are merged by pairs. Registers behind the last one are
// taken for greater than all: they stay where they are, and need no steps.
template <class Keys, int kRun, int kCount>
__attribute__((always_inline)) inline void merge_registers(__m512i (&registers)[kCount]) {
    // The second run in reverse order: lanes stay reversed, which the steps below do not mind.
#pragma GCC unroll 16
    for (int first = 0; first < kCount; first += 2 * kRun) {
#pragma GCC unroll 16
        for (int a = 0; a < kRun; ++a) {
            const int other = first + 2 * kRun - 1 - a;
            if (other >= kCount) continue;
            registers[other] = swapped<Keys, Keys::kLanes - 1>(registers[other]);
            Keys::order(registers[first + a], registers[other]);
        }
    }
#pragma GCC unroll 4
    for (int apart = kRun / 2; apart > 0; apart /= 2) {
#pragma GCC unroll 16
        for (int a = 0; a + apart < kCount; ++a) {
            if ((a & apart) == 0) Keys::order(registers[a], registers[a + apart]);
        }
    }
    merge_lanes<Keys, Keys::kLanes / 2>(registers);
    if constexpr (2 * kRun < kCount) merge_registers<Keys, 2 * kRun>(registers);
}

// Runs of 2 * kHalf lanes.
template <class Keys, int kHalf, int kCount>
__attribute__((always_inline)) inline void sort_lanes(__m512i (&registers)[kCount]) {
    exchange_lanes<Keys, 2 * kHalf - 1>(registers);
    if constexpr (kHalf > 1) merge_lanes<Keys, kHalf / 2>(registers);
    if constexpr (2 * kHalf < Keys::kLanes) sort_lanes<Keys, 2 * kHalf>(registers);
}

// --- 16 registers as rows of a matrix: columns are sorted by a network (M. W. Green, 1969), then
// merged by pairs; at last rows and columns change places.
constexpr int kGreen[][2] = {
    {0, 1},   {2, 3},  {4, 5},   {6, 7},   {8, 9},   {10, 11}, {12, 13}, {14, 15}, {0, 2},  {1, 3},
    {4, 6},   {5, 7},  {8, 10},  {9, 11},  {12, 14}, {13, 15}, {0, 4},   {1, 5},   {2, 6},  {3, 7},
    {8, 12},  {9, 13}, {10, 14}, {11, 15}, {0, 8},   {1, 9},   {2, 10},  {3, 11},  {4, 12}, {5, 13},
    {6, 14},  {7, 15}, {5, 10},  {6, 9},   {3, 12},  {13, 14}, {4, 8},   {7, 11},  {1, 2},  {1, 4},
    {7, 13},  {2, 8},  {11, 14}, {2, 4},   {5, 6},   {9, 10},  {11, 13}, {3, 8},   {7, 12}, {6, 8},
    {10, 12}, {3, 5},  {7, 9},   {3, 4},   {5, 6},   {7, 8},   {9, 10},  {11, 12}, {6, 7},  {8, 9}};

// Columns next to each other, of kWidth lanes each.
template <class Keys, int kWidth>
__attribute__((always_inline)) inline void merge_columns(__m512i (&rows)[16]) {
    constexpr int kMirror = 2 * kWidth - 1;
    constexpr auto kMask = upper_lanes<Keys>(kMirror);
#pragma GCC unroll 8
    for (int a = 0; a < 8; ++a) {
        const __m512i first = swapped<Keys, kMirror>(rows[a]);
        const __m512i last = swapped<Keys, kMirror>(rows[15 - a]);
        rows[a] = Keys::greater_in(kMask, rows[a], last);
        rows[15 - a] = Keys::greater_in(kMask, rows[15 - a], first);
    }
    if constexpr (kWidth > 1) merge_lanes<Keys, kWidth / 2>(rows);
#pragma GCC unroll 4
    for (int apart = 8; apart > 0; apart /= 2) {
#pragma GCC unroll 16
        for (int a = 0; a < 16; ++a) {
            if ((a & apart) == 0) Keys::order(rows[a], rows[a + apart]);
        }
    }
    if constexpr (2 * kWidth < Keys::kLanes) merge_columns<Keys, 2 * kWidth>(rows);
}

__attribute__((always_inline)) inline void Keys32::transpose(__m512i (&rows)[16]) {
    __m512i t[16];
#pragma GCC unroll 8
    for (int a = 0; a < 16; a += 2) {
        t[a] = _mm512_unpacklo_epi32(rows[a], rows[a + 1]);
        t[a + 1] = _mm512_unpackhi_epi32(rows[a], rows[a + 1]);
    }
#pragma GCC unroll 8
    for (int a = 0; a < 16; a += 4) {
        rows[a] = _mm512_unpacklo_epi64(t[a], t[a + 2]);
        rows[a + 1] = _mm512_unpackhi_epi64(t[a], t[a + 2]);
        rows[a + 2] = _mm512_unpacklo_epi64(t[a + 1], t[a + 3]);
        rows[a + 3] = _mm512_unpackhi_epi64(t[a + 1], t[a + 3]);
    }
#pragma GCC unroll 8
    for (int a = 0; a < 16; a += 8) {
#pragma GCC unroll 8
        for (int b = 0; b < 4; ++b) {
            t[a + b] = _mm512_shuffle_i32x4(rows[a + b], rows[a + b + 4], 0x88);
            t[a + b + 4] = _mm512_shuffle_i32x4(rows[a + b], rows[a + b + 4], 0xdd);
        }
    }
#pragma GCC unroll 8
    for (int a = 0; a < 8; ++a) {
        rows[a] = _mm512_shuffle_i32x4(t[a], t[a + 8], 0x88);
        rows[a + 8] = _mm512_shuffle_i32x4(t[a], t[a + 8], 0xdd);
    }
}

// Rows of both halves of the matrix, as each column has them, come one after the other.
__attribute__((always_inline)) inline void Keys64::transpose(__m512i (&rows)[16]) {
    __m512i t[16];
    __m512i u[16];
#pragma GCC unroll 8
    for (int a = 0; a < 16; a += 2) {
        t[a] = _mm512_unpacklo_epi64(rows[a], rows[a + 1]);
        t[a + 1] = _mm512_unpackhi_epi64(rows[a], rows[a + 1]);
    }
#pragma GCC unroll 4
    for (int a = 0; a < 16; a += 4) {
#pragma GCC unroll 2
        for (int b = a; b < a + 2; ++b) {
            u[b] = _mm512_shuffle_i64x2(t[b], t[b + 2], 0x88);
            u[b + 2] = _mm512_shuffle_i64x2(t[b], t[b + 2], 0xdd);
        }
    }
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
#pragma GCC unroll 4
        for (int a = 0; a < 4; ++a) {
            const __m512i first = u[8 * half + a];
            const __m512i second = u[8 * half + a + 4];
            rows[2 * a + half] = _mm512_shuffle_i64x2(first, second, 0x88);
            rows[2 * (a + 4) + half] = _mm512_shuffle_i64x2(first, second, 0xdd);
        }
    }
}

template <class Keys, int kCount>
__attribute__((always_inline)) inline void sort_registers(__m512i (&registers)[kCount]) {
    if constexpr (kCount == 16) {
#pragma GCC unroll 60
        for (const auto& pair : kGreen) Keys::order(registers[pair[0]], registers[pair[1]]);
        merge_columns<Keys, 1>(registers);
        Keys::transpose(registers);
    } else {
        sort_lanes<Keys, 1>(registers);
        if constexpr (kCount > 1) merge_registers<Keys, 1>(registers);
    }
}

// Up to kCount registers of elements.
template <class Keys, int kCount, class From, class To>
void sort_few(const typename Keys::Key* from, typename Keys::Key* to, std::uint64_t count,
              const From& from_form, const To& to_form) {
    const auto lanes = [count](int a) {
        const auto first = static_cast<std::uint64_t>(a) * std::uint64_t{Keys::kLanes};
        return first_lanes<Keys>(count < first ? 0 : count - first);
    };
    __m512i registers[kCount];
#pragma GCC unroll 16
    for (int a = 0; a < kCount; ++a) {
        // Behind the last: the greatest key.
        const __m512i keys = from_form.key(Keys::load(lanes(a), from + a * Keys::kLanes));
        registers[a] = Keys::chosen(lanes(a), _mm512_set1_epi32(-1), keys);
    }
    sort_registers<Keys>(registers);
#pragma GCC unroll 16
    for (int a = 0; a < kCount; ++a) {
        Keys::store(to + a * Keys::kLanes, lanes(a), to_form.element(registers[a]));
    }
}

}  // namespace
}  // namespace warpwise::cpu
