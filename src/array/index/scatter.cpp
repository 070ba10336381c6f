// Writing through selections.
#include "src/array/index/scatter.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::array {

Lie lie_of(const Array& array) {
    const graph::View& view = array.value().view;
    const auto item = static_cast<std::int64_t>(view.dtype.size());
    const graph::ByteRange range = graph::bytes_of({view.offset, view.strides}, view.shape, item);
    std::int64_t divisor = std::gcd(item, range.begin);
    for (int axis = 0; axis < view.shape.size(); ++axis) {
        if (view.shape[axis] > 1) divisor = std::gcd(divisor, view.strides[axis]);
    }
    const auto power = static_cast<std::int64_t>(
        std::uint64_t{1} << std::countr_zero(static_cast<std::uint64_t>(divisor)));
    return {range.begin, range.end - range.begin, std::min<std::int64_t>(power, 8)};
}

Array places_of(const Selection& selection, const Lie& lie, runtime::Context& context) {
    const graph::View& view = selection.view;
    Array places = constant(Scalar(view.offset - lie.begin), Kind::Int64, view.shape, context);
    places = add(places, selection.offset);
    for (int axis = 0; axis < view.shape.size(); ++axis) {
        if (view.strides[axis] == 0 || view.shape[axis] == 1) continue;
        const Array step =
            multiply(coordinate(view.shape, axis, context), Scalar(view.strides[axis]));
        places = add(places, step);
    }
    return ascontiguousarray(places);
}

Array settled(const Array& value, const Shape& shape, const Array& target) {
    const bool is_shared = value.value().storage == target.value().storage;
    if (value.size() == 1) return is_shared ? copy(value) : value;
    const Array spread = value.shape() == shape ? value : value.broadcast_to(shape);
    return is_shared ? copy(spread, Order::C) : ascontiguousarray(spread);
}

std::int64_t owners(std::int64_t count, const runtime::Context& context) {
    constexpr std::int64_t kWorthIt = 1 << 15;  // fewer are written before another thread wakes
    return count < kWorthIt ? 1 : std::int64_t{context.info().multiprocessors};
}

namespace {

// The kernels of device/skeleton/scatter.cuh.
class Scatter {
  public:
    Scatter(const Lie& lie, std::int64_t item, std::int64_t count, runtime::Context& context)
        : unit_(lie.unit),
          words_(item / lie.unit),
          units_(lie.bytes / lie.unit),
          count_(count),
          context_(context) {}

    std::int64_t before = 0;

    void run(const Array& places, const Array& values, const Array& target, bool is_unique) const {
        const bool is_one_value = values.size() == 1;
        if (is_one_value || is_unique) {
            launch("write(false)", places, values, target, places);
            return;
        }
        if (algorithm::is_serial(context_)) {
            launch("write_in_order(a8)", places, values, target, places);
            return;
        }
        const Array turns = scratch(units_ * (is_wide() ? 8 : 4), context_);
        launch("clear()", places, values, target, turns);
        launch("contend()", places, values, target, turns);
        launch("write(true)", places, values, target, turns);
    }

  private:
    bool is_wide() const noexcept { return count_ > INT32_MAX; }

    const char* unit_type() const noexcept {
        switch (unit_) {
            case 1:
                return "unsigned char";
            case 2:
                return "unsigned short";
            case 4:
                return "unsigned int";
            default:
                return "unsigned long long";
        }
    }

    void launch(std::string_view phase, const Array& places, const Array& values,
                const Array& target, const Array& turns) const {
        const char* const turn = is_wide() ? "long long" : "int";
        const std::string body = fmt::format(
            "const __ww_scatter<{0}, {1}> step = {{(const long long *)a0, (const {0} *)a1, a2, "
            "({1} *)a3, a4, a5, a6, a7}};\nstep.{2};",
            unit_type(), turn, phase);
        const bool in_order = phase.starts_with("write_in_order");
        const int threads = in_order ? 1 : 256;
        const auto kernel = algorithm::library_kernel({.name = "ww_scatter",
                                                       .header = "warpwise_library_index.h",
                                                       .parameters = "rrwwnnnnn",
                                                       .body = body,
                                                       .threads = threads},
                                                      {}, context_);
        LibraryStep(kernel, context_)
            .read(places)
            .read(values)
            .write(target)
            .write(turns)
            .number(before)
            .number(count_)
            .number(words_)
            .number(values.size() == 1 ? 0 : words_)
            .number(units_)
            .run(in_order ? owners(count_, context_) : (count_ + 255) / 256, threads);
    }

    const std::int64_t unit_;
    const std::int64_t words_;  // of a value
    const std::int64_t units_;  // of the target
    const std::int64_t count_;
    runtime::Context& context_;
};

}  // namespace

void scatter(const Array& array, const Selection& selection, const Array& value) {
    const Shape& shape = selection.view.shape;
    if (count_of(shape) == 0) return;
    if (kind_of(array) == Kind::Struct) {
        const Array spread = value.broadcast_to(shape);
        for (const StructField& field : array.dtype().fields()->fields) {
            const Array shown = show(array, selection.view).field(field.name);
            Selection part{
                .view = shown.value().view,
                .offset = with_axes_behind(selection.offset, shown.ndim() - shape.size()),
                .is_unique = selection.is_unique};
            scatter(array.field(field.name), part, spread.field(field.name));
        }
        return;
    }
    runtime::Context& context = context_of(array);
    const Lie lie = lie_of(array);
    const Array places = places_of(selection, lie, context);
    const Array values = settled(value, shape, array);
    Scatter step(lie, static_cast<std::int64_t>(array.dtype().size()), count_of(shape), context);
    step.before = array.value().view.offset - lie.begin;
    step.run(places, values, array, selection.is_unique);
}

}  // namespace warpwise::array
