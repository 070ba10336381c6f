// Quicksort with AVX-512: vectors are parted by compression (B. Bramas, "A novel hybrid quicksort
// algorithm vectorized using AVX-512", 2017), few keys are sorted by networks of whole registers.
//
// Compiled for AVX-512, and entered only on processors that have it: no function of other headers
// may be instantiated here.
#include "src/backends/cpu/host/sort_keys.hpp"
#include "src/backends/cpu/host/x86_64/sort_vectors.hpp"

namespace warpwise::cpu {
namespace {

// Registers of the network for the fewest keys that are parted further.
constexpr int kMostRegisters = 16;
// From here on a pivot is the middle of more keys.
constexpr std::uint64_t kLargePart = 1 << 14;

// Keys below the pivot go to `low`, the others to `high`. One of them may be where keys come from:
// whole registers are stored, and what is behind their keys has been read, or is written later.
template <class Keys>
class Parting {
  public:
    using Key = typename Keys::Key;
    using Mask = typename Keys::Mask;
    Parting(Key* low, Key* high, Key pivot) : low_(low), high_(high), pivots_(Keys::all(pivot)) {}

    template <class From>
    void add(const Key* from, std::uint64_t count, const From& form) {
        constexpr std::uint64_t kLanes = Keys::kLanes;
        constexpr unsigned kAtOnce = 8;
        std::uint64_t i = 0;
        for (; i + kAtOnce * kLanes <= count; i += kAtOnce * kLanes) {
            __m512i keys[kAtOnce];
#pragma GCC unroll 8
            for (unsigned a = 0; a < kAtOnce; ++a) {
                keys[a] = form.key(Keys::load(from + i + a * kLanes));
            }
#pragma GCC unroll 8
            for (unsigned a = 0; a < kAtOnce; ++a) put(keys[a]);
        }
        for (; i + kLanes <= count; i += kLanes) put(form.key(Keys::load(from + i)));
        if (i < count) put_few(form.key(Keys::load(rest(count - i), from + i)), rest(count - i));
    }
    std::uint64_t below() const { return below_; }

  private:
    static Mask rest(std::uint64_t count) { return first_lanes<Keys>(count); }
    static unsigned lanes_in(Mask mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }
    void put(__m512i keys) {
        const Mask is_below = Keys::is_less(keys, pivots_);
        Keys::store(low_ + below_, Keys::packed(is_below, keys));
        Keys::store(high_ + others_, Keys::packed(Keys::others(is_below), keys));
        const unsigned found = lanes_in(is_below);
        below_ += found;
        others_ += static_cast<unsigned>(Keys::kLanes) - found;
    }
    void put_few(__m512i keys, Mask which) {
        const auto is_below = static_cast<Mask>(Keys::is_less(keys, pivots_) & which);
        const auto is_other = static_cast<Mask>(Keys::others(is_below) & which);
        Keys::store(low_ + below_, rest(lanes_in(is_below)), Keys::packed(is_below, keys));
        Keys::store(high_ + others_, rest(lanes_in(is_other)), Keys::packed(is_other, keys));
        below_ += lanes_in(is_below);
        others_ += lanes_in(is_other);
    }

    Key* low_;
    Key* high_;
    __m512i pivots_;
    std::uint64_t below_ = 0;
    std::uint64_t others_ = 0;
};

template <class Keys, class From>
typename Keys::Key pivot_of(const typename Keys::Key* from, std::uint64_t count, const From& form) {
    constexpr int kLanes = Keys::kLanes;
    const std::uint64_t step = count / kLanes;
    if (count < kLargePart) {
        __m512i sample[] = {form.key(Keys::spread(from + step / 2, step))};
        sort_registers<Keys>(sample);
        return Keys::lane(sample[0], kLanes / 2);
    }
    // The middle of middles. Places within each step vary: keys may repeat themselves.
    typename Keys::Key middles[kLanes];
    std::uint64_t place = count;
    for (auto& middle : middles) {
        typename Keys::Key sample[kLanes];
        for (std::uint64_t lane = 0; lane < std::uint64_t{kLanes}; ++lane) {
            place = place * 6364136223846793005u + 1442695040888963407u;
            sample[lane] = from[lane * step + (place >> 33) % step];
        }
        sort_few<Keys, 1>(sample, sample, kLanes, form, Plain{});
        middle = sample[kLanes / 2];
    }
    sort_few<Keys, 1>(middles, middles, kLanes, Plain{}, Plain{});
    return middles[kLanes / 2];
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

// Keys that are sorted next: in the place of their results, or (`is_away`) in a spare one of the
// same size. Of keys that are away, those below a pivot come back; of others, those that are not
// below it leave. So both parts have a spare place again.
template <class Keys>
struct Part {
    using Key = typename Keys::Key;
    Key* to;
    Key* spare;
    std::uint64_t count;
    bool is_away;
    Key* keys() const { return is_away ? spare : to; }
    Part low(std::uint64_t below) const { return {to, spare + (count - below), below, false}; }
    Part high(std::uint64_t below) const { return {to + below, spare, count - below, true}; }
};

template <class Keys>
class Sort {
  public:
    using Key = typename Keys::Key;
    explicit Sort(std::uint32_t to_form) : to_form_(to_form) {}

    template <class From>
    void all(const Key* from, const Part<Keys>& part, int parts_left, const From& form) const {
        if (part.count <= std::uint64_t{kMostRegisters} * std::uint64_t{Keys::kLanes}) {
            return few(from, part.to, part.count, form);
        }
        const Key pivot = pivot_of<Keys>(from, part.count, form);
        Parting<Keys> parting(part.to, part.spare, pivot);
        parting.add(from, part.count, form);
        both(part, parting.below(), pivot, parts_left);
    }

    // Of keys that were parted.
    void both(const Part<Keys>& part, std::uint64_t below, Key pivot, int parts_left) const {
        if (below > 0) {
            next(part.low(below), parts_left);
            return next(part.high(below), parts_left);
        }
        // No key is less than the pivot: those that are equal to it are in their places.
        if (pivot == static_cast<Key>(~Key{0})) return fill(pivot, part.to, part.count);
        Parting<Keys> parting(part.to, part.spare, static_cast<Key>(pivot + 1));
        parting.add(part.spare, part.count, Plain{});
        fill(pivot, part.to, parting.below());
        next(part.high(parting.below()), parts_left);
    }

  private:
    void next(const Part<Keys>& part, int parts_left) const {
        if (parts_left > 0) return all(part.keys(), part, parts_left - 1, Plain{});
        sort_by_heap(part.keys(), part.count);
        each(part.to, part.count, [&](std::uint64_t i, typename Keys::Mask lanes) {
            return to_form_.element(Keys::load(lanes, part.keys() + i));
        });
    }

    template <class From>
    void few(const Key* from, Key* to, std::uint64_t count, const From& form) const {
        switch ((count + Keys::kLanes - 1) / Keys::kLanes) {
            case 0:
                return;
            case 1:
                return sort_few<Keys, 1>(from, to, count, form, to_form_);
            case 2:
                return sort_few<Keys, 2>(from, to, count, form, to_form_);
            case 3:
            case 4:
                return sort_few<Keys, 4>(from, to, count, form, to_form_);
            case 5:
            case 6:
                return sort_few<Keys, 6>(from, to, count, form, to_form_);
            case 7:
            case 8:
                return sort_few<Keys, 8>(from, to, count, form, to_form_);
            case 9:
            case 10:
                return sort_few<Keys, 10>(from, to, count, form, to_form_);
            default:
                return sort_few<Keys, kMostRegisters>(from, to, count, form, to_form_);
        }
    }

    void fill(Key key, Key* to, std::uint64_t count) const {
        const __m512i elements = to_form_.element(Keys::all(key));
        each(to, count, [&](std::uint64_t, typename Keys::Mask) { return elements; });
    }
    template <class Value>
    static void each(Key* to, std::uint64_t count, const Value& value) {
        for (std::uint64_t i = 0; i < count; i += Keys::kLanes) {
            const auto lanes = first_lanes<Keys>(count - i);
            Keys::store(to + i, lanes, value(i, lanes));
        }
    }

    Form<Keys> to_form_;
};

// Twice as many partings as halving takes.
int parts_for(std::uint64_t count) {
    return 2 * (64 - __builtin_clzll(count | 1));
}

// Splitters first to end, which divide the keys into one part more. Keys come to part.to.
template <class Keys>
void split(const Part<Keys>& part, const KeySplit& task, std::uint64_t first, std::uint64_t end,
           std::uint64_t start) {
    using Key = typename Keys::Key;
    if (first == end) {
        task.starts[first] = static_cast<std::int64_t>(start);
        if (part.is_away) __builtin_memcpy(part.to, part.spare, part.count * sizeof(Key));
        return;
    }
    const std::uint64_t middle = first + (end - first) / 2;
    Parting<Keys> parting(part.to, part.spare, static_cast<const Key*>(task.splitters)[middle]);
    if (start == 0 && end - first == task.buckets - 1) {
        parting.add(static_cast<const Key*>(task.from), part.count, Form<Keys>(task.form));
    } else {
        parting.add(part.keys(), part.count, Plain{});
    }
    const std::uint64_t below = parting.below();
    split<Keys>(part.low(below), task, first, middle, start);
    split<Keys>(part.high(below), task, middle + 1, end, start + below);
}

template <class Keys>
void split_all(const KeySplit& task) {
    using Key = typename Keys::Key;
    split<Keys>({static_cast<Key*>(task.to), static_cast<Key*>(task.spare), task.count, false},
                task, 0, task.buckets - 1, 0);
    task.starts[task.buckets] = static_cast<std::int64_t>(task.count);
}

template <class Keys>
void sort_pieces(const KeyPieces& task) {
    using Key = typename Keys::Key;
    const Key pivot = *static_cast<const Key*>(task.pivot);
    const Part<Keys> part{static_cast<Key*>(task.to), static_cast<Key*>(task.spare), task.count,
                          false};
    Parting<Keys> parting(part.to, part.spare, pivot);
    for (std::uint64_t piece = 0; piece < task.pieces; ++piece) {
        const std::int64_t* const starts = task.starts + piece * task.starts_apart;
        parting.add(static_cast<const Key*>(task.from) + piece * task.pieces_apart + starts[0],
                    static_cast<std::uint64_t>(starts[1] - starts[0]), Plain{});
    }
    Sort<Keys>(task.form).both(part, parting.below(), pivot, parts_for(task.count));
}

template <class Keys>
void sort_all(const void* from, void* to, void* spare, std::uint64_t count, std::uint32_t from_form,
              std::uint32_t to_form) {
    using Key = typename Keys::Key;
    Sort<Keys>(to_form).all(static_cast<const Key*>(from),
                            {static_cast<Key*>(to), static_cast<Key*>(spare), count, false},
                            parts_for(count), Form<Keys>(from_form));
}

}  // namespace

void sort_keys(const void* from, void* to, void* spare, std::uint64_t count, unsigned bytes,
               std::uint32_t from_form, std::uint32_t to_form) noexcept {
    bytes == 4 ? sort_all<Keys32>(from, to, spare, count, from_form, to_form)
               : sort_all<Keys64>(from, to, spare, count, from_form, to_form);
}
void split_keys(const KeySplit& task) noexcept {
    task.bytes == 4 ? split_all<Keys32>(task) : split_all<Keys64>(task);
}
void sort_key_pieces(const KeyPieces& task) noexcept {
    task.bytes == 4 ? sort_pieces<Keys32>(task) : sort_pieces<Keys64>(task);
}

}  // namespace warpwise::cpu
