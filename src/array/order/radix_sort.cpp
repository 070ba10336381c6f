// Radix sorts of rows.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "src/codegen/geometry.hpp"
#include "src/runtime/context.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::array {
namespace {

constexpr const char* kHeader = "warpwise_library_sort.h";
constexpr int kThreads = 256;  // __ww_sort_threads
// A row up to this length is sorted by one processor, in its cache.
constexpr std::int64_t kSerialRow = 1 << 15;
constexpr std::int64_t kLeastChunk = 1 << 15;
constexpr std::int64_t kMostChunks = 32;
constexpr int kBucketBits = 11;  // __ww_most_buckets
// CPU devices of this architecture sort by vectors: what kernels of sort_samples.cuh call.
constexpr std::string_view kVectorLevel = "x86-64-v4";
// With vectors: bytes of a chunk and of a bucket, each of which fits a cache; the most of both.
constexpr std::int64_t kVectorBytes = 1 << 18;
constexpr std::int64_t kMostVectorBuckets = 1024;
// Up to this length, elements of rows count those that come before them.
constexpr std::int64_t kRankedRow = 64;

// Elements of one kind in rows; sorted themselves, or their places.
class RadixSort {
  public:
    RadixSort(const Array& in, Kind kind, std::int64_t rows, std::int64_t length, std::int64_t step,
              bool descending, bool has_places)
        : context_(context_of(in)),
          in_(in),
          rows_(rows),
          length_(length),
          step_(step),
          bits_(static_cast<std::int64_t>(DType(kind).size())),
          place_bytes_(!has_places                      ? 0
                       : length < std::int64_t{1} << 32 ? 4
                                                        : 8),
          sort_(fmt::format("__ww_sort_of<{}, {}, {}>", algorithm::device_type(kind),
                            !has_places         ? "__ww_no_index"
                            : place_bytes_ == 4 ? "unsigned int"
                                                : "unsigned long long",
                            descending)),
          has_vectors_(!has_places && bits_ >= 4 && context_.info().architecture == kVectorLevel) {}

    // What is wanted of the result; ignored where it would not save work.
    RadixSort& only(const Wanted& wanted) {
        if (wanted.limit || !wanted.places.empty()) has_vectors_ = false;
        limit_ = wanted.limit.value_or(length_);
        if (wanted.places.empty()) return *this;
        wanted_ =
            from_host(wanted.places.data(), Shape{static_cast<std::int64_t>(wanted.places.size())},
                      int64, nullptr, in_.device());
        return *this;
    }

    // `order` (may be null): int64 places, the order in which the elements are taken.
    void run(const Array* order, const Array& out) const {
        const bool serial = algorithm::is_serial(context_);
        const bool in_parts =
            serial ? length_ > whole_row() && rows_ < 2 * std::int64_t{processors()}
                   : length_ > 4096 && rows_ * 8192 <= length_ * codegen::divided_up(rows_, 500);
        if (!in_parts && rows_ > 1 && length_ <= kRankedRow) return by_ranks(order, out);
        if (!in_parts) return by_rows(order, out, serial);
        for (std::int64_t row = 0; row < rows_; ++row) {
            const Array from = part(in_, row, length_ * step_);
            const Array to = part(out, row, length_);
            std::optional<Array> taken;
            if (order != nullptr) taken = part(*order, row, length_);
            const Array* const places = taken ? &*taken : nullptr;
            if (!serial) {
                in_tiles(from, places, to);
            } else if (has_vectors_) {
                in_samples(from, to);
            } else {
                in_buckets(from, places, to);
            }
        }
    }

  private:
    // Elements row * count to (row + 1) * count, as one axis.
    static Array part(const Array& array, std::int64_t row, std::int64_t count) {
        graph::View view = array.value().view;
        view.offset += row * count * static_cast<std::int64_t>(view.dtype.size());
        view.shape = Shape{count};
        view.strides = Strides{static_cast<std::int64_t>(view.dtype.size())};
        return show(array, view);
    }

    std::shared_ptr<runtime::KernelState> kernel(const char* name, const char* parameters,
                                                 const std::string& body, int threads,
                                                 int resident_blocks = 0) const {
        return algorithm::library_kernel({.name = name,
                                          .header = kHeader,
                                          .parameters = parameters,
                                          .body = body,
                                          .threads = threads,
                                          .resident_blocks = resident_blocks},
                                         {}, context_);
    }
    static void add(LibraryStep& step, const Array* array) {
        if (array == nullptr) {
            step.number(0);  // a null pointer
        } else {
            step.read(*array);
        }
    }

    void by_rows(const Array* order, const Array& out, bool serial) const {
        const int threads = serial ? 1 : kThreads;
        const std::string body =
            serial ? fmt::format("__ww_sort_row<{}>(a0, a1, a2, a3, a4, a5, a6);", sort_)
                   : fmt::format("__ww_sort_row_by_block<{}, {}>(a0, a1, a2, a3, a4, a5, a6);",
                                 sort_, row_items());
        const Array keys = scratch(2 * rows_ * length_ * bits_, context_);
        const Array places =
            scratch(std::max<std::int64_t>(2 * rows_ * length_ * place_bytes_, 1), context_);
        LibraryStep step(kernel("ww_sort_rows", "rrwwwnn", body, threads), context_);
        step.read(in_);
        add(step, order);
        step.write(out).write(keys).write(places).number(length_).number(step_).run(rows_, threads);
    }

    void by_ranks(const Array* order, const Array& out) const {
        LibraryStep step(
            kernel("ww_sort_by_rank", "rrwnnn",
                   fmt::format("__ww_sort_by_rank<{}>(a0, a1, a2, a3, (int)a4, a5);", sort_),
                   kThreads),
            context_);
        step.read(in_);
        add(step, order);
        step.write(out).number(rows_).number(length_).number(step_).run(
            codegen::divided_up(rows_, kThreads / length_), kThreads);
    }

    // One pass over the row, by the highest bits of what keys are above the least; then its buckets
    // are sorted.
    void in_buckets(const Array& from, const Array* order, const Array& to) const {
        const std::int64_t chunks = std::clamp<std::int64_t>(length_ / kLeastChunk, 1, kMostChunks);
        const std::int64_t bits = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(length_))) - 11, 8,
            kBucketBits);
        const std::int64_t buckets = std::int64_t{1} << bits;
        const Array words = scratch(16 * chunks, context_);
        const Array counts = scratch(buckets * chunks * 8, context_);
        const Array keys = scratch(2 * length_ * bits_, context_);
        const Array places =
            scratch(std::max<std::int64_t>(2 * length_ * place_bytes_, 1), context_);
        const std::string source = fmt::format(
            "const __ww_row_keys<{0}> keys = {{(const {0}::memory *)a0, (const long long *)a1, "
            "a2}};\n",
            sort_);
        const auto step = [&](const char* name, const char* parameters, const std::string& body) {
            LibraryStep one(kernel(name, parameters, source + body, 1), context_);
            one.read(from);
            add(one, order);
            one.number(step_);
            return one;
        };
        step("ww_sort_range", "rrnwn", "__ww_key_range(keys, a3, a4);")
            .write(words)
            .number(length_)
            .run(chunks, 1);
        step("ww_sort_count", "rrnrwnn", "__ww_count_buckets(keys, a3, a4, a5, (int)a6);")
            .read(words)
            .write(counts)
            .number(length_)
            .number(bits)
            .run(chunks, 1);
        LibraryStep(kernel("ww_sort_sum", "wn", "__ww_sum_counts(a0, a1);", 1), context_)
            .write(counts)
            .number(buckets * chunks)
            .run(1, 1);
        step("ww_sort_move", "rrnrrwwnnn",
             "__ww_move_to_buckets(keys, a3, a4, a5, a6, a7, (int)a8, a9);")
            .read(words)
            .read(counts)
            .write(keys)
            .write(places)
            .number(length_)
            .number(bits)
            .number(limit_)
            .run(chunks, 1);
        LibraryStep buckets_step(
            kernel("ww_sort_buckets", "rwwwnnnrn",
                   fmt::format("__ww_sort_bucket<{}>(a0, a1, a2, a3, a4, a5, a6, a7, a8);", sort_),
                   1),
            context_);
        buckets_step.read(counts)
            .write(keys)
            .write(places)
            .write(to)
            .number(length_)
            .number(chunks)
            .number(limit_);
        add(buckets_step, wanted_ ? &*wanted_ : nullptr);
        buckets_step.number(wanted_ ? wanted_->size() : 0).run(buckets, 1);
    }

    // By the host's vectors: parts of all chunks, then buckets (sort_samples.cuh).
    void in_samples(const Array& from, const Array& to) const {
        const std::int64_t cached = kVectorBytes / bits_;
        const std::int64_t fewest = processors() == 1 ? 2 : 4 * processors();
        const std::int64_t buckets = std::clamp<std::int64_t>(
            length_ / cached, fewest,
            std::max(fewest, std::min(kMostVectorBuckets, length_ / kSerialRow * 8)));
        const std::int64_t chunk =
            std::max(std::clamp<std::int64_t>(length_ / fewest, kSerialRow / 8, cached),
                     codegen::divided_up(length_, kMostVectorBuckets));
        const std::int64_t chunks = codegen::divided_up(length_, chunk);
        const Array splitters = scratch(2 * buckets * bits_, context_);
        const Array keys = scratch(length_ * bits_, context_);
        const Array spare = scratch(length_ * bits_, context_);
        const Array starts = scratch(chunks * (buckets + 1) * 8, context_);
        const Array begins = scratch((buckets + 1) * 8, context_);
        const auto step = [&](const char* name, const char* parameters, const char* body) {
            return LibraryStep(kernel(name, parameters, fmt::format(fmt::runtime(body), sort_), 1),
                               context_);
        };
        step("ww_sort_splitters", "rwwnn", "__ww_choose_splitters<{}>(a0, a1, a2, a3, a4);")
            .read(from)
            .write(splitters)
            .write(spare)
            .number(length_)
            .number(buckets)
            .run(1, 1);
        step("ww_sort_split", "rrwwwnn", "__ww_split_chunk<{}>(a0, a1, a2, a3, a4, a5, a6);")
            .read(from)
            .read(splitters)
            .write(keys)
            .write(spare)
            .write(starts)
            .number(length_)
            .number(buckets)
            .run(chunks, 1);
        step("ww_sort_begins", "rwnn", "__ww_sum_buckets(a0, a1, a2, a3);")
            .read(starts)
            .write(begins)
            .number(chunks)
            .number(buckets)
            .run(1, 1);
        step("ww_sort_pieces", "rrwrrwnnn",
             "__ww_sort_pieces<{}>(a0, a1, a2, a3, a4, a5, a6, a7, a8);")
            .read(splitters)
            .read(keys)
            .write(spare)
            .read(starts)
            .read(begins)
            .write(to)
            .number(length_)
            .number(chunks)
            .number(buckets)
            .run(buckets, 1);
    }

    // A histogram of all digits, then a kernel for each.
    void in_tiles(const Array& from, const Array* order, const Array& to) const {
        const PassTile tile = pass_tile();
        const std::int64_t tiles =
            codegen::divided_up(length_, std::int64_t{tile.threads} * tile.items);
        const std::array keys{scratch(length_ * bits_, context_),
                              scratch(length_ * bits_, context_)};
        const std::int64_t places_bytes = std::max<std::int64_t>(length_ * place_bytes_, 1);
        const std::array places{scratch(places_bytes, context_), scratch(places_bytes, context_)};
        const Array counts = scratch(bits_ * 256 * 8, context_);
        const Array states = scratch(16 + tiles * 256 * 8, context_);
        const std::string source = fmt::format(
            "const __ww_sort_source<{0}> source = {{(const {0}::memory *)a0, (const long long "
            "*)a1, "
            "a2, (const {0}::bits *)a0, (const {0}::index *)a1, a3 != 0}};\n",
            sort_);
        LibraryStep histogram(
            kernel("ww_sort_histogram", "rrnnwn",
                   source + fmt::format("__ww_sort_histogram<{}>(source, a5, a4);", sort_),
                   kThreads),
            context_);
        histogram.read(from);
        add(histogram, order);
        histogram.number(step_)
            .number(1)
            .zeroed(counts, bits_ * 256 * 8)
            .number(length_)
            .run(std::clamp<std::int64_t>(codegen::divided_up(length_, 8 * kThreads), 1,
                                          8 * std::int64_t{context_.info().multiprocessors}));
        const std::string body =
            source +
            fmt::format(
                "const __ww_sort_target<{0}> target = {{({0}::bits *)a4, ({0}::index *)a5, a4, a6 "
                "!= 0}};\n__ww_sort_pass<{0}, {1}, {2}>::run(source, target, (const long long *)a7 "
                "+ "
                "a9 * 256, a8, a10, (int)a9 * 8);",
                sort_, tile.threads, tile.items);
        for (std::int64_t pass = 0; pass < bits_; ++pass) {
            const bool is_first = pass == 0;
            const bool is_last = pass == bits_ - 1;
            const auto before = static_cast<std::size_t>((pass + 1) & 1);
            const auto next = static_cast<std::size_t>(pass & 1);
            LibraryStep step(
                kernel("ww_sort_pass", "rrnnwwnrwnn", body, tile.threads, tile.resident), context_);
            step.read(is_first ? from : keys[before]);
            add(step, is_first ? order : &places[before]);
            step.number(step_)
                .number(is_first)
                .write(is_last ? to : keys[next])
                .write(places[next])
                .number(is_last)
                .read(counts)
                .zeroed(states, 16 + tiles * 256 * 8)
                .number(pass)
                .number(length_)
                .run(tiles, tile.threads);
        }
    }
    // What a block moves in a pass. Of 2^26 float32 on an H200 a sort takes 1.53 ms with 384 x 20,
    // 1.55 with 512 x 20, 1.64 with 384 x 16 and 256 x 20; with places 2.38 with 512 x 12, 2.46
    // with 512 x 16.
    struct PassTile {
        int threads;
        int items;
        int resident;  // blocks of a multiprocessor
    };
    PassTile pass_tile() const {
        const bool is_wide = std::max(bits_, place_bytes_) > 4;
        if (place_bytes_ > 0) return {.threads = 512, .items = is_wide ? 8 : 12, .resident = 2};
        return {.threads = 384, .items = is_wide ? 10 : 20, .resident = 3};
    }

    // One processor takes rows in parts where they do not fit its cache.
    std::int64_t whole_row() const {
        return has_vectors_ && processors() == 1 ? 4 * kVectorBytes / bits_ : kSerialRow;
    }
    int processors() const { return static_cast<int>(context_.info().multiprocessors); }
    int items() const { return bits_ <= 4 ? 16 : 8; }
    // Short rows: as few as the block needs for one.
    int row_items() const {
        int few = 1;
        while (few < items() && std::int64_t{few} * kThreads < length_) few *= 2;
        return few;
    }

    runtime::Context& context_;
    const Array in_;
    std::int64_t rows_;
    std::int64_t length_;
    std::int64_t step_;
    std::int64_t bits_;  // bytes of a key
    std::int64_t place_bytes_;
    std::string sort_;
    bool has_vectors_;  // of the host, and they sort all of it
    std::int64_t limit_ = length_;
    std::optional<Array> wanted_;
};

// By imaginary parts, then by real ones; what has a NaN in either part comes behind what has none.
Array argsort_complex(const Rows& rows, bool descending) {
    const Kind part = types::real_kind(kind_of(rows.packed));
    const auto places = [&] { return empty_beside(rows.packed, rows.packed.shape(), int64); };
    const std::array<Array, 3> orders{places(), places(), places()};
    RadixSort(rows.packed.imag(), part, rows.rows, rows.length, 2, descending, true)
        .run(nullptr, orders[0]);
    RadixSort(rows.packed.real(), part, rows.rows, rows.length, 2, descending, true)
        .run(&orders[0], orders[1]);
    RadixSort(isnan(rows.packed), Kind::Bool, rows.rows, rows.length, 1, descending, true)
        .run(&orders[1], orders[2]);
    return orders[2];
}

}  // namespace

Array argsort_rows(const Rows& rows, bool descending, const Wanted& wanted) {
    if (rows.packed.size() == 0) return empty_beside(rows.packed, rows.packed.shape(), int64);
    if (types::is_complex(kind_of(rows.packed))) return argsort_complex(rows, descending);
    const Array out = empty_beside(rows.packed, rows.packed.shape(), int64);
    RadixSort(rows.packed, kind_of(rows.packed), rows.rows, rows.length, 1, descending, true)
        .only(wanted)
        .run(nullptr, out);
    return out;
}

Array sort_rows(const Rows& rows, bool descending, const Wanted& wanted) {
    if (types::is_complex(kind_of(rows.packed))) {
        return take_rows(rows, argsort_rows(rows, descending));
    }
    const Array out = empty_beside(rows.packed, rows.packed.shape(), rows.packed.dtype());
    if (out.size() == 0) return out;
    RadixSort(rows.packed, kind_of(rows.packed), rows.rows, rows.length, 1, descending, false)
        .only(wanted)
        .run(nullptr, out);
    return out;
}

}  // namespace warpwise::array
