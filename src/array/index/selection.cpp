// Index arrays to selections, with NumPy's rules for the shape of results.
//
// Invariant: an offset leads to an element of the array, whatever the indices hold.
#include "src/array/index/selection.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/array/refuse.hpp"
#include "src/graph/report/index_report.hpp"
#include "src/runtime/context.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_scans.hpp"

namespace warpwise::array {
namespace {

Array times(const Array& index, std::int64_t factor) {
    return factor == 1 ? index : multiply(index, Scalar(factor));
}

// One index array, and the axis of the sliced array that it is for.
struct Placed {
    Array index;  // bounded
    int axis = 0;
};

class Selector {
  public:
    Selector(const Array& array, std::string_view function)
        : array_(array), function_(function), context_(context_of(array)) {}

    Selection run(std::span<const IndexItem> index) {
        count_axes(index);
        for (const IndexItem& item : index) {
            std::visit([this](const auto& part) { add(part); }, item);
        }
        const graph::View sliced = basic_view(array_.value().view, basic_);
        return combined(sliced);
    }

  private:
    void count_axes(std::span<const IndexItem> index) {
        int used = 0;
        for (const IndexItem& item : index) {
            if (const auto* mask = std::get_if<Array>(&item);
                mask != nullptr && kind_of(*mask) == Kind::Bool) {
                used += mask->ndim();
            } else if (!std::holds_alternative<NewAxis>(item) &&
                       !std::holds_alternative<Ellipsis>(item) &&
                       !std::holds_alternative<bool>(item)) {
                ++used;
            }
        }
        if (used > array_.ndim()) {
            refuse_index("too many indices: the array has {} axes (shape {}), and {} were indexed",
                         array_.ndim(), text_of(array_.shape()), used);
        }
        skipped_ = array_.ndim() - used;
    }

    // --- Entries in their order: what the sliced array has, and which axes of it are indexed.
    void add(std::int64_t index) {
        note_advanced();
        basic_.emplace_back(index);
        ++source_axis_;
    }
    void add(const Slice& slice) {
        note_basic();
        basic_.emplace_back(slice);
        ++source_axis_;
        ++sliced_axes_;
    }
    void add(NewAxis) {
        note_basic();
        basic_.emplace_back(NewAxis{});
        ++sliced_axes_;
    }
    void add(Ellipsis) {
        note_basic();
        basic_.emplace_back(Ellipsis{});
        source_axis_ += skipped_;
        sliced_axes_ += skipped_;
    }
    void add(bool is_selected) {
        note_advanced();
        ++others_;
        shapes_.push_back(Shape{is_selected ? 1 : 0});
    }
    void add(const Indices& indices) {
        ++others_;
        place(inside(indices, extent(), IndexMode::Raise, source_axis_, function_, context_));
    }
    void add(const Array& index) {
        require_same_device(array_, index, function_);
        require_indices(index, function_);
        if (kind_of(index) == Kind::Bool) return add_mask(index);
        ++others_;
        place(bounded(index, extent(), IndexMode::Raise, source_axis_, function_));
    }

    void add_mask(const Array& mask) {
        if (mask.ndim() == 0) return add(mask.item().as_bool());
        for (int i = 0; i < mask.ndim(); ++i) {
            const std::int64_t own = array_.shape()[source_axis_ + i];
            if (mask.shape()[i] == own) continue;
            refuse_index(
                "a mask of shape {} does not fit axis {} with size {}; it must have the extents of "
                "the axes that it selects from",
                text_of(mask.shape()), source_axis_ + i, own);
        }
        ++masks_;
        for (const Array& index : nonzero(mask)) place(index);
    }

    std::int64_t extent() const { return array_.shape()[source_axis_]; }

    void place(Array index) {
        note_advanced();
        shapes_.push_back(index.shape());
        placed_.push_back({std::move(index), sliced_axes_});
        basic_.emplace_back(Slice{});
        ++source_axis_;
        ++sliced_axes_;
    }

    // --- Where the axes of the index arrays stand: as NumPy's consecutive indices.
    void note_advanced() {
        if (run_ == Run::None) {
            run_ = Run::Open;
            first_ = sliced_axes_ - static_cast<int>(placed_.size());
        } else if (run_ == Run::Closed) {
            run_ = Run::Apart;
        }
    }
    void note_basic() {
        if (run_ == Run::Open) run_ = Run::Closed;
    }

    Shape broadcast() const {
        try {
            return broadcast_shapes(shapes_);
        } catch (const ArgumentError&) {
            std::string all;
            for (const Shape& shape : shapes_) all += (all.empty() ? "" : ", ") + text_of(shape);
            refuse_index("index arrays of shapes {} could not be broadcast together", all);
        }
    }

    Selection combined(const graph::View& sliced) const {
        const Shape points = broadcast();
        const int at = run_ == Run::Apart ? 0 : first_;
        Selection result{.view = {.offset = sliced.offset, .dtype = sliced.dtype}};
        int kept = 0;
        const auto add_points = [&] {
            for (const std::int64_t extent : points) {
                result.view.shape.push_back(extent);
                result.view.strides.push_back(0);
            }
        };
        const int kept_axes = sliced.shape.size() - static_cast<int>(placed_.size());
        if (kept_axes + points.size() > kMaxRank) {
            refuse_value("the index gives {} axes; an array has at most {}",
                         kept_axes + points.size(), kMaxRank);
        }
        for (int axis = 0; axis < sliced.shape.size(); ++axis) {
            const bool is_indexed =
                std::ranges::any_of(placed_, [&](const Placed& one) { return one.axis == axis; });
            if (is_indexed) continue;
            if (kept++ == at) add_points();
            result.view.shape.push_back(sliced.shape[axis]);
            result.view.strides.push_back(sliced.strides[axis]);
        }
        if (at >= kept) add_points();
        count_of(result.view.shape);
        result.offset = offset(sliced, kept_axes - at);
        result.is_unique = masks_ == 1 && others_ == 0;
        return result;
    }

    Array offset(const graph::View& sliced, int behind) const {
        std::optional<Array> sum;
        for (const Placed& one : placed_) {
            const Array index = with_axes_behind(one.index, behind);
            Array part = times(index, sliced.strides[one.axis]);
            sum = sum ? warpwise::add(*sum, part) : part;
        }
        return sum ? *sum : constant(Scalar(0), Kind::Int64, Shape{}, context_);
    }

    enum class Run : std::uint8_t { None, Open, Closed, Apart };

    const Array& array_;
    const std::string_view function_;
    runtime::Context& context_;
    std::vector<IndexItem> basic_;  // of the sliced array
    std::vector<Placed> placed_;
    std::vector<Shape> shapes_;  // of the index arrays, and of masks without axes
    int skipped_ = 0;            // axes that the ellipsis stands for
    int source_axis_ = 0;        // the next one of the array
    int sliced_axes_ = 0;        // of the sliced array so far
    Run run_ = Run::None;
    int first_ = 0;  // kept axes before the first index array
    int masks_ = 0;
    int others_ = 0;  // index arrays besides
};

}  // namespace

bool is_advanced(std::span<const IndexItem> index) noexcept {
    return std::ranges::any_of(index, [](const IndexItem& item) {
        return std::holds_alternative<bool>(item) || std::holds_alternative<Indices>(item) ||
               std::holds_alternative<Array>(item);
    });
}

Selection select(const Array& array, std::span<const IndexItem> index, std::string_view function) {
    return Selector(array, function).run(index);
}

IndexMode index_mode(std::string_view mode, std::string_view function) {
    if (mode == "raise") return IndexMode::Raise;
    if (mode == "wrap") return IndexMode::Wrap;
    if (mode == "clip") return IndexMode::Clip;
    refuse_value("{} got mode '{}'; it is 'raise', 'wrap' or 'clip'", function, mode);
}

void require_indices(const Array& index, std::string_view function) {
    require_numbers(index, function);
    const Kind kind = kind_of(index);
    if (types::is_integer(kind) || types::is_bool(kind)) return;
    refuse_index("{} got an index array of {}; it must hold integers, or bools as a mask", function,
                 index.dtype().name());
}

Array bounded(const Array& index, std::int64_t extent, IndexMode mode, int axis,
              std::string_view function) {
    if (extent == 0 && index.size() > 0) {
        refuse_index("{} got {} indices for axis {} with size 0, which has no elements", function,
                     index.size(), axis);
    }
    // What int64 does not hold must not become an index from the end.
    const bool is_wide = kind_of(index) == Kind::UInt64;
    const Array held = is_wide ? minimum(index, Scalar(INT64_MAX)) : index;
    const Array whole = converted(held, Kind::Int64);
    if (index.size() == 0) return whole;
    switch (mode) {
        case IndexMode::Clip:
            return minimum(maximum(whole, Scalar(0)), Scalar(extent - 1));
        case IndexMode::Wrap:
            return remainder(
                is_wide ? converted(remainder(index, Scalar(extent)), Kind::Int64) : whole,
                Scalar(extent));
        case IndexMode::Raise:
            break;
    }
    const std::int64_t site = graph::site_number(function, axis, extent);
    return Array(graph::bounded(whole.value(), extent, site));
}

Array inside(const IndexArray& index, std::int64_t extent, IndexMode mode, int axis,
             std::string_view function, runtime::Context& context) {
    if (const Array* const array = std::get_if<Array>(&index)) {
        require_indices(*array, function);
        if (kind_of(*array) == Kind::Bool) {
            refuse_type("{} got bools for indices; give integers, or use x[mask]", function);
        }
        if (&context_of(*array) != &context) {
            refuse_value("{} got indices on {} for an array on {}; use to_device", function,
                         context_of(*array).name(), context.name());
        }
        return bounded(*array, extent, mode, axis, function);
    }
    const Indices& given = std::get<Indices>(index);
    if (count_of(given.shape) != static_cast<std::int64_t>(given.values.size())) {
        refuse_value("{} got {} indices for shape {}", function, given.values.size(),
                     text_of(given.shape));
    }
    std::vector<std::int64_t> checked = given.values;
    for (std::int64_t& one : checked) {
        const bool is_inside = one >= -extent && one < extent;
        if (mode == IndexMode::Raise ? !is_inside : extent == 0) {
            refuse_index("index {} is out of bounds for axis {} with size {}", one, axis, extent);
        }
        if (mode == IndexMode::Clip) {
            one = std::clamp<std::int64_t>(one, 0, extent - 1);
        } else if (mode == IndexMode::Wrap) {
            one = (one % extent + extent) % extent;
        } else if (one < 0) {
            one += extent;
        }
    }
    return from_host(checked.data(), given.shape, int64, nullptr, Device(context.shared()));
}

const Shape& shape_of(const IndexArray& index) noexcept {
    const Array* const array = std::get_if<Array>(&index);
    return array != nullptr ? array->shape() : std::get<Indices>(index).shape;
}

Array with_axes_behind(const Array& array, int count) {
    graph::View view = array.value().view;
    for (int i = 0; i < count; ++i) {
        view.shape.push_back(1);
        view.strides.push_back(0);
    }
    return show(array, view);
}

Selection along(const Array& array, const IndexArray& index, int axis, IndexMode mode,
                std::string_view function) {
    const graph::View& from = array.value().view;
    Selection result{.view = {.offset = from.offset, .dtype = from.dtype}};
    const Shape& asked = shape_of(index);
    if (from.shape.size() - 1 + asked.size() > kMaxRank) {
        refuse_value("{} gives {} axes; an array has at most {}", function,
                     from.shape.size() - 1 + asked.size(), kMaxRank);
    }
    for (int i = 0; i < from.shape.size(); ++i) {
        if (i != axis) {
            result.view.shape.push_back(from.shape[i]);
            result.view.strides.push_back(from.strides[i]);
            continue;
        }
        for (const std::int64_t extent : asked) {
            result.view.shape.push_back(extent);
            result.view.strides.push_back(0);
        }
    }
    count_of(result.view.shape);
    const Array one = inside(index, from.shape[axis], mode, axis, function, context_of(array));
    result.offset = times(with_axes_behind(one, from.shape.size() - 1 - axis), from.strides[axis]);
    return result;
}

Selection positions(const Array& array, const IndexArray& index, IndexMode mode,
                    std::string_view function) {
    const graph::View& from = array.value().view;
    Array position = inside(index, array.size(), mode, 0, function, context_of(array));
    Selection result{.view = {.offset = from.offset,
                              .shape = position.shape(),
                              .strides = Axes::filled(position.ndim(), 0),
                              .dtype = from.dtype}};
    const auto item = static_cast<std::int64_t>(from.dtype.size());
    if (is_c_contiguous(from.shape, from.strides, item) || array.size() == 0) {
        result.offset = times(position, item);
        return result;
    }
    // Coordinates are the digits of the position, the last axis first.
    std::optional<Array> offset;
    for (int axis = from.shape.size() - 1; axis >= 0; --axis) {
        if (from.shape[axis] == 1) continue;
        const Scalar extent(from.shape[axis]);
        const Array part = times(remainder(position, extent), from.strides[axis]);
        offset = offset ? add(*offset, part) : part;
        position = floor_divide(position, extent);
    }
    result.offset = offset ? *offset : times(position, item);
    return result;
}

Selection along_lines(const Array& array, const IndexArray& index, int axis,
                      std::string_view function) {
    const graph::View& from = array.value().view;
    const Shape& given = shape_of(index);
    if (given.size() != array.ndim()) {
        refuse_value(
            "{} got indices of shape {} for an array of shape {}; both must have the same "
            "number of axes",
            function, text_of(given), text_of(from.shape));
    }
    Selection result{.view = {.offset = from.offset, .dtype = from.dtype}};
    for (int i = 0; i < from.shape.size(); ++i) {
        const std::int64_t own = from.shape[i];
        const std::int64_t asked = given[i];
        if (i != axis && own != asked && own != 1 && asked != 1) {
            refuse_index(
                "{} got indices of shape {} for an array of shape {}; they must broadcast "
                "but for axis {}",
                function, text_of(given), text_of(from.shape), axis);
        }
        result.view.shape.push_back(i == axis || own == 1 ? asked : own);
        result.view.strides.push_back(i == axis || own == 1 ? 0 : from.strides[i]);
    }
    result.offset =
        times(inside(index, from.shape[axis], IndexMode::Raise, axis, function, context_of(array)),
              from.strides[axis]);
    return result;
}

Array gathered(const Array& array, const Selection& selection) {
    const graph::View& view = selection.view;
    if (kind_of(array) != Kind::Struct) {
        const graph::Value source{array.value().storage, view};
        return Array(graph::gather(source, view.shape, view.strides, selection.offset.value()));
    }
    // Records are read field by field, as they are written.
    Array result = empty_beside(array, view.shape, view.dtype);
    for (const StructField& field : view.dtype.fields()->fields) {
        Array target = result.field(field.name);
        const Array shown = show(array, view).field(field.name);
        Selection part{.view = shown.value().view, .offset = selection.offset};
        part.offset = with_axes_behind(part.offset, shown.ndim() - view.shape.size());
        write_into(target, gathered(array.field(field.name), part));
    }
    return result;
}

}  // namespace warpwise::array
