// What writes arrays into parts of a new one, or repeats them.
#include <algorithm>
#include <numeric>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "warpwise/array.hpp"

namespace warpwise {
namespace {

// One dtype for all; structured arrays join only with equal ones.
DType common_dtype(std::span<const Array* const> arrays, const char* function) {
    if (arrays.empty()) array::refuse_value("{} got no arrays; give at least one", function);
    std::vector<Operand> operands;
    bool has_struct = false;
    for (const Array* array : arrays) {
        array::require_same_device(*arrays[0], *array, function);
        operands.emplace_back(*array);
        has_struct |= array::kind_of(*array) == Kind::Struct;
    }
    if (!has_struct) return result_type(operands);
    for (const Array* array : arrays) {
        if (array->dtype() == arrays[0]->dtype()) continue;
        array::refuse_type("{} got arrays of {} and {}, which have no common type", function,
                           arrays[0]->dtype().name(), array->dtype().name());
    }
    return arrays[0]->dtype();
}

Array rolled(const Array& array, std::int64_t shift, int axis) {
    const std::int64_t extent = array.shape()[axis];
    if (extent == 0) return copy(array);
    const std::int64_t by = ((shift % extent) + extent) % extent;
    if (by == 0) return copy(array);
    const Array head = array::part_along(array, axis, 0, extent - by);
    const Array tail = array::part_along(array, axis, extent - by, extent);
    const Array* const parts[] = {&tail, &head};
    return concat(parts, axis);
}

// Every element along `axis` of extent 1 `count` times: a read-only view.
Array widened(const Array& array, int axis, std::int64_t count) {
    graph::View view = array.value().view;
    view.shape[axis] = count;
    view.strides[axis] = 0;
    count_of(view.shape);
    return Array(graph::Value{array.value().storage, view}, /*read_only=*/true);
}

void require_count(std::int64_t count, const char* function) {
    if (count < 0) array::refuse_value("{} got {} repetitions; give 0 or more", function, count);
}

}  // namespace

Array concat(std::span<const Array* const> arrays, std::optional<int> axis) {
    const DType dtype = common_dtype(arrays, "concat");
    std::vector<Array> flat;
    std::vector<const Array*> parts(arrays.begin(), arrays.end());
    if (!axis) {
        flat.reserve(arrays.size());
        for (const Array* array : arrays) flat.push_back(ravel(*array));
        for (std::size_t i = 0; i < flat.size(); ++i) parts[i] = &flat[i];
    }
    const Array& first = *parts[0];
    if (first.ndim() == 0) {
        array::refuse_value("concat got an array without axes; use stack, or reshape it to (1,)");
    }
    const int along = checked_axis(axis.value_or(0), first.ndim());
    Shape shape = first.shape();
    shape[along] = 0;
    for (const Array* part : parts) {
        Shape others = part->shape();
        if (part->ndim() == first.ndim()) others[along] = shape[along];
        if (!(others == shape)) {
            array::refuse_value("concat got shapes {} and {}; they must be equal but for axis {}",
                                text_of(first.shape()), text_of(part->shape()), along);
        }
        shape[along] += part->shape()[along];
    }
    const Array result = array::empty_beside(first, shape, dtype);
    std::int64_t begin = 0;
    for (const Array* part : parts) {
        const std::int64_t end = begin + part->shape()[along];
        array::write_into(array::part_along(result, along, begin, end), *part);
        begin = end;
    }
    return result;
}

Array stack(std::span<const Array* const> arrays, int axis) {
    common_dtype(arrays, "stack");
    std::vector<Array> expanded;
    std::vector<const Array*> pointers;
    expanded.reserve(arrays.size());
    for (const Array* array : arrays) {
        if (!(array->shape() == arrays[0]->shape())) {
            array::refuse_value("stack got shapes {} and {}; all must be equal",
                                text_of(arrays[0]->shape()), text_of(array->shape()));
        }
        expanded.push_back(expand_dims(*array, std::span(&axis, 1)));
        pointers.push_back(&expanded.back());
    }
    return concat(pointers, axis);
}

std::vector<Array> unstack(const Array& array, int axis) {
    const int along = checked_axis(axis, array.ndim());
    std::vector<Array> parts;
    std::vector<IndexItem> index(static_cast<std::size_t>(along) + 1, Slice{});
    for (std::int64_t i = 0; i < array.shape()[along]; ++i) {
        index.back() = i;
        parts.push_back(array.at(index));
    }
    return parts;
}

Array roll(const Array& array, std::span<const std::int64_t> shift,
           const std::optional<std::vector<int>>& axes) {
    if (!axes) {
        const std::int64_t total = std::accumulate(shift.begin(), shift.end(), std::int64_t{0});
        return rolled(array.reshape(Shape{-1}), total, 0).reshape(array.shape());
    }
    if (shift.size() != axes->size() && shift.size() != 1 && axes->size() != 1) {
        array::refuse_value("roll got {} shifts for {} axes; give one for each", shift.size(),
                            axes->size());
    }
    Array result = copy(array);
    for (std::size_t i = 0; i < std::max(shift.size(), axes->size()); ++i) {
        const int axis = checked_axis((*axes)[axes->size() == 1 ? 0 : i], array.ndim());
        result = rolled(result, shift[shift.size() == 1 ? 0 : i], axis);
    }
    return result;
}

Array tile(const Array& array, std::span<const std::int64_t> repetitions) {
    const int given = static_cast<int>(repetitions.size());
    Array result = array;
    while (result.ndim() < given) result = expand_dims(result, std::array{0});
    bool is_copied = false;
    for (int i = 0; i < given; ++i) {
        const std::int64_t count = repetitions[static_cast<std::size_t>(i)];
        require_count(count, "tile");
        if (count == 1) continue;
        const int axis = result.ndim() - given + i;
        Shape shape = result.shape();
        shape[axis] *= count;
        const Array repeated = widened(expand_dims(result, std::array{axis}), axis, count);
        result = copy(repeated, Order::C).reshape(shape, false);
        is_copied = true;
    }
    return is_copied ? result : copy(result, Order::C);
}

Array repeat(const Array& given, std::int64_t count, std::optional<int> axis) {
    require_count(count, "repeat");
    if (!axis) return repeat(given.reshape(Shape{-1}), count, 0);
    const Array array = array::with_axis_of_scalar(given, axis);
    const int along = checked_axis(*axis, array.ndim());
    Shape shape = array.shape();
    shape[along] *= count;
    const Array repeated = widened(expand_dims(array, std::array{along + 1}), along + 1, count);
    return copy(repeated, Order::C).reshape(shape, false);
}

Array diff(const Array& array, int axis, int n) {
    if (n < 0) array::refuse_value("diff got n={}; give 0 or more", n);
    const int along = checked_axis(axis, array.ndim());
    array::require_numbers(array, "diff");
    Array result = array;
    for (int i = 0; i < n; ++i) {
        const std::int64_t extent = result.shape()[along];
        const std::int64_t kept = std::max<std::int64_t>(extent - 1, 0);
        const Array later = array::part_along(result, along, extent - kept, extent);
        const Array earlier = array::part_along(result, along, 0, kept);
        result = array::kind_of(result) == Kind::Bool ? not_equal(later, earlier)
                                                      : subtract(later, earlier);
    }
    return result;
}

}  // namespace warpwise
