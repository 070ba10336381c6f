// Elements where a mask is true: counted, then written in one pass.
#include <algorithm>
#include <array>

#include "src/algorithm/library_kernel.hpp"
#include "src/algorithm/scan/scan_layout.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "warpwise/array_scans.hpp"

namespace warpwise {
namespace {

using array::aligned;
using array::item_type;

std::int64_t count_true(const Array& mask) {
    return mask.size() == 0 ? 0 : count_nonzero(mask).item().as_int();
}

// The true elements of a mask, of one axis and in C order: counted first, then written.
class Compaction {
  public:
    explicit Compaction(const Array& mask)
        : mask_(mask),
          context_(array::context_of(mask)),
          is_serial_(algorithm::is_serial(context_)) {
        if (mask_.size() == 0) return;
        if (is_serial_) {
            count_chunks();
        } else {
            count_ = count_true(mask_);
        }
    }

    std::int64_t count() const { return count_; }

    // values[mask], where they have one axis and lie as aligned() gives them.
    Array items(const Array& values) const {
        const Array out = array::empty_beside(values, Shape{count_}, values.dtype());
        if (count_ == 0) return out;
        const std::string type = item_type(values.dtype().size());
        write(values, out, "ww_compact",
              fmt::format("const __ww_written_item<{0}> written = {{(const {0} *)a1}};", type));
        return out;
    }

    // Numbers of the true elements; int64.
    Array places() const {
        const Array out = array::empty_beside(mask_, Shape{count_}, int64);
        if (count_ == 0) return out;
        write(mask_, out, "ww_nonzero", "const __ww_written_place written = {};");
        return out;
    }

  private:
    std::shared_ptr<runtime::KernelState> kernel(const char* name, const char* parameters,
                                                 const std::string& body, int threads) const {
        return algorithm::library_kernel({.name = name,
                                          .header = "warpwise_library_scan.h",
                                          .parameters = parameters,
                                          .body = body,
                                          .threads = threads},
                                         {}, context_);
    }

    void count_chunks() {
        chunks_ = std::clamp<std::int64_t>(mask_.size() / kChunk, 1, kMostChunks);
        starts_ = array::empty_beside(mask_, Shape{chunks_ + 1}, int64);
        array::LibraryStep(kernel("ww_count_true", "rwn", "__ww_count_true(a0, a1, a2);", 1),
                           context_)
            .read(mask_)
            .write(*starts_)
            .number(mask_.size())
            .run(chunks_, 1);
        array::LibraryStep(kernel("ww_sum_true", "wn", "__ww_sum_true(a0, a1);", 1), context_)
            .write(*starts_)
            .number(chunks_)
            .run(1, 1);
        const std::array<IndexItem, 1> last{chunks_};
        count_ = starts_->at(last).item().as_int();
    }

    void write(const Array& values, const Array& out, const char* name,
               const std::string& written) const {
        if (is_serial_) {
            write_chunks(values, out, name, written);
        } else {
            write_tiles(values, out, name, written);
        }
    }

    void write_chunks(const Array& values, const Array& out, const char* name,
                      const std::string& written) const {
        array::LibraryStep(
            kernel(name, "rrwrn", written + "\n__ww_write_true(a0, written, a2, a3, a4);", 1),
            context_)
            .read(mask_)
            .read(values)
            .write(out)
            .read(*starts_)
            .number(mask_.size())
            .run(chunks_, 1);
    }

    void write_tiles(const Array& values, const Array& out, const char* name,
                     const std::string& written) const {
        const bool is_wide = mask_.size() >= std::int64_t{1} << 31;
        const int groups = mask_.size() >= kLargeMask ? 4 : 1;
        const algorithm::ScanLayout layout =
            algorithm::tiled_layout(kTileThreads, 32 * groups, is_wide ? 8 : 4, 1, mask_.size());
        const std::string body = fmt::format(
            "{}\nconst __ww_scan_work work = {{a3, a4, 1, a5}};\n"
            "__ww_compact_blocks<{}, {}, {}>(work, a0, written, a2);",
            written, is_wide ? "long long" : "int", kTileThreads, groups);
        const Array workspace = array::scratch(layout.workspace_bytes, context_);
        array::LibraryStep(kernel(name, "rrwnnw", body, layout.threads), context_)
            .read(mask_)
            .read(values)
            .write(out)
            .number(mask_.size())
            .number(layout.tiles)
            .zeroed(workspace, layout.cleared_bytes)
            .run(layout.blocks(), layout.threads);
    }

    // On GPUs: threads of a block. Those of large masks take 128 elements each, for less waiting on
    // the tiles before (2^28 elements on an H200: 0.50 ms, with 64 each 0.55); of others 32, so
    // that there are blocks for all multiprocessors.
    static constexpr int kTileThreads = 128;
    static constexpr std::int64_t kLargeMask = std::int64_t{1} << 23;
    static constexpr std::int64_t kChunk = 1 << 15;
    static constexpr std::int64_t kMostChunks = 1024;

    const Array mask_;
    runtime::Context& context_;
    const bool is_serial_;
    std::int64_t count_ = 0;
    std::int64_t chunks_ = 0;
    std::optional<Array> starts_;  // of chunks in the result
};

Array places(const Array& mask) {
    return Compaction(mask).places();
}

// Rows of `bytes` bytes at these places.
Array rows_at(const Array& rows, const Array& at, const Shape& shape, std::int64_t bytes) {
    runtime::Context& context = array::context_of(rows);
    const Array out = array::empty_beside(rows, shape, rows.dtype());
    if (out.size() == 0) return out;
    const std::int64_t count = at.size();
    const std::string body = R"(
const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
if (place >= a3 * a4) return;
const long long row = place / a4;
((ITEM *)a2)[place] = ((const ITEM *)a0)[((const long long *)a1)[row] * a4 + place % a4];)";
    const auto item = static_cast<std::int64_t>(rows.dtype().size());
    const std::string type = item_type(static_cast<std::size_t>(item));
    const auto kernel =
        algorithm::library_kernel({.name = "ww_rows_at",
                                   .header = "warpwise_library_scan.h",
                                   .parameters = "rrwnn",
                                   .body = fmt::format("typedef {} ITEM;{}", type, body)},
                                  {}, context);
    const std::int64_t items = bytes / item;
    array::LibraryStep(kernel, context)
        .read(rows)
        .read(at)
        .write(out)
        .number(count)
        .number(items)
        .run((count * items + 255) / 256);
    return out;
}

Array as_mask(const Array& array, const char* function) {
    array::require_numbers(array, function);
    return array::converted(array, Kind::Bool);
}

}  // namespace

Array compact(const Array& values, const Array& mask) {
    if (array::kind_of(mask) != Kind::Bool) {
        array::refuse_type("compact got a mask of {}; it must be bool", mask.dtype().name());
    }
    array::require_same_device(values, mask, "compact");
    bool fits = mask.ndim() <= values.ndim();
    for (int axis = 0; fits && axis < mask.ndim(); ++axis) {
        fits = mask.shape()[axis] == values.shape()[axis];
    }
    if (!fits) {
        array::refuse_value(
            "compact got a mask of shape {} for values of shape {}; it must have the extents of "
            "their first axes",
            text_of(mask.shape()), text_of(values.shape()));
    }
    const Array flat = ascontiguousarray(mask).reshape(Shape{mask.size()});
    const Array packed = aligned(values);
    if (mask.ndim() == values.ndim()) return Compaction(flat).items(packed);
    const Array at = places(flat);
    Shape shape{at.size()};
    std::int64_t bytes = static_cast<std::int64_t>(values.dtype().size());
    for (int axis = mask.ndim(); axis < values.ndim(); ++axis) {
        shape.push_back(values.shape()[axis]);
        bytes *= values.shape()[axis];
    }
    return rows_at(packed, at, shape, bytes);
}

Array extract(const Array& condition, const Array& array) {
    array::require_same_device(array, condition, "extract");
    return compress(condition.reshape(Shape{-1}), array.reshape(Shape{-1}), 0);
}

Array compress(const Array& condition, const Array& array, std::optional<int> axis) {
    if (condition.ndim() != 1) {
        array::refuse_value("compress got a condition of shape {}; it must have one axis",
                            text_of(condition.shape()));
    }
    array::require_same_device(array, condition, "compress");
    if (!axis) return compress(condition, array.reshape(Shape{-1}), 0);
    const int along = checked_axis(*axis, array.ndim());
    const std::int64_t extent = array.shape()[along];
    const Array mask = as_mask(condition, "compress");
    if (mask.size() > extent) {
        const Array rest = mask.at({Slice{extent, std::nullopt, std::nullopt}});
        if (count_true(rest) > 0) {
            array::refuse_index(
                "compress got a condition of {} elements, with true ones behind the {} along axis "
                "{}",
                mask.size(), extent, along);
        }
    }
    const std::int64_t length = std::min(mask.size(), extent);
    const int first = 0;
    const Array moved = moveaxis(array, std::span(&along, 1), std::span(&first, 1));
    const IndexItem part = Slice{0, length, std::nullopt};
    const Array result = compact(moved.at({part}), mask.at({part}));
    return ascontiguousarray(moveaxis(result, std::span(&first, 1), std::span(&along, 1)));
}

Array flatnonzero(const Array& array) {
    return places(ascontiguousarray(as_mask(array.reshape(Shape{-1}), "flatnonzero")));
}

std::vector<Array> nonzero(const Array& array) {
    if (array.ndim() == 0) {
        array::refuse_value("nonzero got an array without axes; use reshape(1), or compare it");
    }
    Array rest = places(ascontiguousarray(as_mask(array.reshape(Shape{-1}), "nonzero")));
    std::vector<Array> indices(static_cast<std::size_t>(array.ndim()));
    for (int axis = array.ndim() - 1; axis > 0; --axis) {
        const Scalar extent(std::max<std::int64_t>(array.shape()[axis], 1));
        indices[static_cast<std::size_t>(axis)] = remainder(rest, extent);
        rest = floor_divide(rest, extent);
    }
    indices[0] = rest;
    return indices;
}

Array argwhere(const Array& array) {
    if (array.ndim() == 0) {
        const std::int64_t count = count_true(as_mask(array, "argwhere"));
        return array::empty_beside(array, Shape{count, 0}, int64);
    }
    const std::vector<Array> indices = nonzero(array);
    std::vector<const Array*> columns;
    columns.reserve(indices.size());
    for (const Array& one : indices) columns.push_back(&one);
    return stack(columns, 1);
}

}  // namespace warpwise
