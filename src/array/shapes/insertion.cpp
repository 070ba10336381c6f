// Elements more and fewer along an axis.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise {
namespace {

// Elements from `start` to `stop` along the axis.
struct Run {
    std::int64_t start = 0;
    std::int64_t stop = 0;
};

// Up to this many runs are copied one by one, more by an index array.
constexpr std::size_t kFewRuns = 64;

struct Along {
    Array array;
    int axis = 0;

    std::int64_t extent() const { return array.shape()[axis]; }
    Array part(const Run& run) const { return array::part_along(array, axis, run.start, run.stop); }
    // array[:, ..., indices] = values
    void assign(Indices indices, const Array& values) {
        std::vector<IndexItem> items(static_cast<std::size_t>(axis), Slice{});
        items.emplace_back(std::move(indices));
        array.assign(items, values);
    }
};

Along along(const Array& array, std::optional<int> axis) {
    if (!axis) return {array.reshape(Shape{-1}), 0};
    return {array, checked_axis(*axis, array.ndim())};
}

// From 0 on; `most` is the greatest that may be.
std::int64_t place_of(std::int64_t index, std::int64_t extent, std::int64_t most,
                      const char* function) {
    if (index < -extent || index > most) {
        array::refuse_index("{} got index {} for an axis of {} elements", function, index, extent);
    }
    return index < 0 ? index + extent : index;
}

// What is not marked.
std::vector<Run> unmarked(const std::vector<bool>& marks) {
    std::vector<Run> runs;
    const auto count = static_cast<std::int64_t>(marks.size());
    for (std::int64_t i = 0; i < count; ++i) {
        if (marks[static_cast<std::size_t>(i)]) continue;
        if (runs.empty() || runs.back().stop != i) runs.push_back({i, i});
        runs.back().stop = i + 1;
    }
    return runs;
}

Indices elements_of(const std::vector<Run>& runs) {
    std::vector<std::int64_t> all;
    for (const Run& run : runs) {
        for (std::int64_t i = run.start; i < run.stop; ++i) all.push_back(i);
    }
    return {std::move(all)};
}

// `from`, whose elements are those of `runs`, is written there.
void write_runs(Along& result, const std::vector<Run>& runs, const Along& from) {
    if (runs.size() > kFewRuns) {
        result.assign(elements_of(runs), from.array);
        return;
    }
    std::int64_t read = 0;
    for (const Run& run : runs) {
        const std::int64_t length = run.stop - run.start;
        result.part(run).assign(from.part({read, read + length}));
        read += length;
    }
}

// With as many axes as the array, of its type.
Array values_for(const Along& given, const Operand& values, bool is_one) {
    const DType dtype = given.array.dtype();
    Array all = values.array() != nullptr
                    ? array::converted(*values.array(), dtype.kind())
                    : full(Shape{}, values.scalar(), dtype, given.array.device());
    if (all.ndim() > given.array.ndim()) {
        array::refuse_value("insert got values of shape {} for an array of shape {}",
                            text_of(all.shape()), text_of(given.array.shape()));
    }
    Shape shape = Axes::filled(given.array.ndim() - all.ndim(), 1);
    for (const std::int64_t extent : all.shape()) shape.push_back(extent);
    all = all.reshape(shape);
    // As NumPy has it, a[:, 2, :] = values for one index, a[:, [2], :] = values for a list.
    const int first = 0;
    return is_one ? moveaxis(all, std::span(&first, 1), std::span(&given.axis, 1)) : all;
}

Array inserted(const Along& given, const std::vector<std::int64_t>& places, const Array& values) {
    Shape shape = given.array.shape();
    const auto count = static_cast<std::int64_t>(places.size());
    shape[given.axis] = count;
    if (!array::broadcasts_to(values.shape(), shape)) {
        array::refuse_value("insert got values of shape {} where {} fit", text_of(values.shape()),
                            text_of(shape));
    }
    shape[given.axis] = given.extent() + count;
    // In the order of the places; of equal ones the first given is in front.
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(places[i], i); });
    std::vector<std::int64_t> finals(places.size());
    std::vector<bool> is_new(static_cast<std::size_t>(shape[given.axis]));
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int64_t place = places[order[i]] + static_cast<std::int64_t>(i);
        finals[order[i]] = place;
        is_new[static_cast<std::size_t>(place)] = true;
    }
    Along result{empty(shape, given.array.dtype(), given.array.device()), given.axis};
    write_runs(result, unmarked(is_new), given);
    const bool is_run =
        std::ranges::is_sorted(finals) && count > 0 && finals.back() - finals.front() == count - 1;
    if (is_run) {
        result.part({finals.front(), finals.back() + 1}).assign(values);
    } else if (count > 0) {
        result.assign(std::move(finals), values);
    }
    return result.array;
}

}  // namespace

Array delete_(const Array& array, const Indices& indices, std::optional<int> axis) {
    const Along given = along(array, axis);
    std::vector<bool> leaves(static_cast<std::size_t>(given.extent()));
    for (const std::int64_t index : indices.values) {
        const std::int64_t place = place_of(index, given.extent(), given.extent() - 1, "delete");
        leaves[static_cast<std::size_t>(place)] = true;
    }
    const std::vector<Run> runs = unmarked(leaves);
    if (runs.size() > kFewRuns) return take(given.array, elements_of(runs), given.axis);
    if (runs.empty()) return copy(given.part({0, 0}));
    std::vector<Array> parts;
    parts.reserve(runs.size());
    for (const Run& run : runs) parts.push_back(given.part(run));
    std::vector<const Array*> all;
    all.reserve(parts.size());
    for (const Array& part : parts) all.push_back(&part);
    return concat(all, given.axis);
}

Array insert(const Array& array, const Indices& indices, const Operand& values,
             std::optional<int> axis) {
    const Along given = along(array, axis);
    const Array lying = values_for(given, values, indices.shape.empty());
    std::vector<std::int64_t> places;
    places.reserve(indices.values.size());
    for (const std::int64_t index : indices.values) {
        places.push_back(place_of(index, given.extent(), given.extent(), "insert"));
    }
    // One place takes as many elements as there are.
    if (places.size() == 1) {
        places.assign(static_cast<std::size_t>(lying.shape()[given.axis]), places.front());
    }
    return inserted(given, places, lying);
}

}  // namespace warpwise
