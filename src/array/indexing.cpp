// Indexing: integers, slices, new axes and the ellipsis as views, the rest as selections.
//
// Invariant: every element of a result is an element of the array; offsets stay inside of it.
#include <algorithm>
#include <optional>
#include <string>

#include "src/array/index/selection.hpp"
#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/base/text.hpp"
#include "warpwise/array.hpp"
#include "warpwise/array_scans.hpp"

namespace warpwise {
namespace {

// A slice over an axis: `count` elements from `start` on.
struct Range {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};

// As PySlice_AdjustIndices.
Range range_of(const Slice& slice, std::int64_t extent) {
    Range range;
    range.step = slice.step.value_or(1);
    if (range.step == 0) array::refuse_value("a slice got step 0; use 1 or -1, or leave it out");
    // -step must not overflow.
    range.step = std::max(range.step, -INT64_MAX);
    const bool backwards = range.step < 0;
    const std::int64_t low = backwards ? -1 : 0;
    const std::int64_t high = backwards ? extent - 1 : extent;
    const auto clipped = [&](std::int64_t index) {
        if (index < 0) index = index < -extent ? low : index + extent;
        return std::clamp(index, low, high);
    };
    range.start = slice.start ? clipped(*slice.start) : (backwards ? high : low);
    const std::int64_t stop = slice.stop ? clipped(*slice.stop) : (backwards ? low : high);
    if (backwards && stop < range.start) range.count = (range.start - stop - 1) / -range.step + 1;
    if (!backwards && range.start < stop) range.count = (stop - range.start - 1) / range.step + 1;
    return range;
}

class Indexer {
  public:
    Indexer(const graph::View& from, std::span<const IndexItem> index) : from_(from) {
        to_.offset = from.offset;
        to_.dtype = from.dtype;
        count_axes(index);
        for (const IndexItem& item : index) {
            std::visit([this](const auto& part) { add(part); }, item);
        }
        if (!has_ellipsis_) add(Ellipsis{});
    }
    graph::View view() && { return to_; }

  private:
    void count_axes(std::span<const IndexItem> index) {
        int used = 0;
        int added = 0;
        for (const IndexItem& item : index) {
            if (std::holds_alternative<Ellipsis>(item)) {
                if (has_ellipsis_) {
                    array::refuse_index(
                        "an index can have one ellipsis ('...'), got two; write ':' for "
                        "single axes");
                }
                has_ellipsis_ = true;
            } else if (std::holds_alternative<NewAxis>(item)) {
                ++added;
            } else {
                ++used;
            }
        }
        const int rank = from_.shape.size();
        if (used > rank) {
            array::refuse_index(
                "too many indices: the array has {} axes (shape {}), and {} were indexed", rank,
                text_of(from_.shape), used);
        }
        skipped_ = rank - used;
        if (rank + added > kMaxRank) {
            array::refuse_value("the index adds {} axes to the array's {}; an array has at most {}",
                                added, rank, kMaxRank);
        }
    }

    void add(std::int64_t index) {
        const std::int64_t extent = from_.shape[axis_];
        if (index < -extent || index >= extent) {
            array::refuse_index("index {} is out of bounds for axis {} with size {}", index, axis_,
                                extent);
        }
        to_.offset += (index < 0 ? index + extent : index) * from_.strides[axis_];
        ++axis_;
    }
    void add(const Slice& slice) {
        const Range range = range_of(slice, from_.shape[axis_]);
        const std::int64_t stride = from_.strides[axis_];
        // Where nothing is selected the offset stays inside of the array.
        if (range.count > 0) to_.offset += range.start * stride;
        to_.shape.push_back(range.count);
        std::int64_t step = stride;  // as NumPy's; where it overflows there is one element at most
        if (range.count > 0) __builtin_mul_overflow(stride, range.step, &step);
        to_.strides.push_back(step);
        ++axis_;
    }
    void add(NewAxis) {
        to_.shape.push_back(1);
        to_.strides.push_back(0);
    }
    // Of advanced indices, which select() takes before.
    template <class Advanced>
    void add(const Advanced&) {
        throw Error("an index array was taken for a view");
    }
    void add(Ellipsis) {
        for (int i = 0; i < skipped_; ++i, ++axis_) {
            to_.shape.push_back(from_.shape[axis_]);
            to_.strides.push_back(from_.strides[axis_]);
        }
    }

    const graph::View& from_;
    graph::View to_;
    bool has_ellipsis_ = false;
    int skipped_ = 0;  // axes that the ellipsis stands for
    int axis_ = 0;     // the next one of the array
};

// Of x[mask] with a mask of x's shape: the mask. Elements are moved at once then, in one pass, and
// their places are not written.
const Array* whole_mask(const Array& array, std::span<const IndexItem> index) {
    if (index.size() != 1) return nullptr;
    const auto* mask = std::get_if<Array>(&index[0]);
    if (mask == nullptr || array::kind_of(*mask) != Kind::Bool || array.ndim() == 0) return nullptr;
    // What does not lie together would be copied first. select() refuses what does not fit.
    const bool fits = mask->shape() == array.shape() && array.is_c_contiguous() &&
                      &array::context_of(*mask) == &array::context_of(array);
    return fits ? mask : nullptr;
}

}  // namespace

namespace array {

graph::View basic_view(const graph::View& from, std::span<const IndexItem> index) {
    return Indexer(from, index).view();
}

}  // namespace array

Array Array::at(std::span<const IndexItem> index) const {
    if (array::is_advanced(index)) {
        if (const Array* mask = whole_mask(*this, index)) return compact(*this, *mask);
        return array::gathered(*this, array::select(*this, index, "x[...]"));
    }
    return array::show(*this, array::basic_view(value_->view, index));
}

void Array::assign(std::span<const IndexItem> index, const Operand& value) {
    if (!array::is_advanced(index)) {
        Array target = at(index);
        // Python's `x[i] += 1` writes in place and then assigns the part to itself.
        if (value.array() == nullptr)
            target.assign(value.scalar());
        else if (!value.array()->shows_same(target))
            target.assign(*value.array());
        return;
    }
    array::require_writable(*this, "x[...] = value");
    array::assign_selected(*this, index, value);
}

Array Array::field(std::string_view name) const {
    const StructType* const type = dtype().fields();
    if (type == nullptr) {
        array::refuse_index("an array of {} has no fields, got {}", dtype().name(), quote(name));
    }
    std::vector<std::string> names;
    for (const StructField& field : type->fields) {
        names.push_back(field.name);
        if (field.name != name) continue;
        graph::View part = value_->view;
        part.offset += static_cast<std::int64_t>(field.offset);
        part.dtype = field.dtype;
        // Vector types have no arrays: their lanes are elements.
        std::size_t count = field.count;
        if (field.dtype.lanes() > 1) {
            part.dtype = DType(field.dtype.kind());
            count *= static_cast<std::size_t>(field.dtype.lanes());
        }
        if (count > 1) {
            part.shape.push_back(static_cast<std::int64_t>(count));
            part.strides.push_back(static_cast<std::int64_t>(part.dtype.size()));
        }
        // Arrays of several axes are arrays of structs with one field, which has no name.
        for (const StructType* row = part.dtype.fields();
             row != nullptr && row->fields.size() == 1 && row->fields[0].name.empty();
             row = part.dtype.fields()) {
            part.dtype = row->fields[0].dtype;
            part.shape.push_back(static_cast<std::int64_t>(row->fields[0].count));
            part.strides.push_back(static_cast<std::int64_t>(part.dtype.size()));
        }
        return array::show(*this, part);
    }
    array::refuse_value("{} has no field {}{}; its fields are {}", dtype().name(), quote(name),
                        suggestion(name, names), join(names));
}

}  // namespace warpwise
