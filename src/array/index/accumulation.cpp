// Accumulating through an index, in order: the places are sorted stably, and a thread takes all
// values for one place, one after the other. Where a block is best one thread, nothing is sorted:
// a block takes all values in order, for the part of the target that it owns.
#include <array>
#include <string>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/elementwise.hpp"
#include "src/array/index/scatter.hpp"
#include "src/array/order/library_step.hpp"
#include "src/array/refuse.hpp"
#include "src/ir/op.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_accumulation.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

// The kinds of the operation, and of the elements that it is done on.
struct Typing {
    Kind computation = Kind::Void;
    Kind element = Kind::Void;
};

Typing typing_of(ir::Op op, const Array& array, const Operand& value) {
    const Scalar* const weak =
        value.array() == nullptr && value.scalar().is_weak() ? &value.scalar() : nullptr;
    const Kind kind = value.array() != nullptr ? array::kind_of(*value.array())
                      : weak != nullptr        ? types::default_kind(*weak)
                                               : value.scalar().kind();
    const std::array operands{ir::OperandType{array::kind_of(array), nullptr},
                              ir::OperandType{kind, weak}};
    const ir::OpTypes types = ir::types_of(op, operands);
    if (!types::can_cast_same_kind(types.result, array::kind_of(array))) {
        array::refuse_type(
            "{}_at gives {}, which is not converted to {} by itself; use astype, or a target of a "
            "type that holds it",
            ir::row_of(op).name, DType(types.result).name(), array.dtype().name());
    }
    return {types.computation, array::kind_of(array)};
}

std::string text_of(ir::Op op, const Typing& typing, bool in_order) {
    const bool is_bool = typing.element == Kind::Bool;
    // What belongs to other blocks is done on `nowhere`: a branch would be unpredictable.
    const std::string_view text = in_order ? R"(
const long long *places = (const long long *)a0;
char *first = (char *)a3 - a5;
const unsigned long long size = (a7 / sizeof({0}) + gridDim.x - 1) / gridDim.x * sizeof({0});
const unsigned long long own = blockIdx.x * size;
{0} nowhere = {{}};
for (long long q = 0; q < a4; ++q) {{
    const bool is_own = (unsigned long long)places[q] - own < size;
    {0} *target = is_own ? ({0} *)(first + places[q]) : &nowhere;
    const {1} element = *target{2};
    const {3} a = __ww_cast<{3}>(element);
    const {3} b = (({4} *)a2)[q * a6]{5};
    *target = __ww_cast<{1}>({6});
}})"
                                           : R"(
const long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
if (p >= a4) return;
const long long *places = (const long long *)a0;
const long long place = places[p];
if (p > 0 && places[p - 1] == place) return;
{0} *target = ({0} *)((char *)a3 - a5 + place);
{1} element = *target{2};
for (long long q = p; q < a4 && places[q] == place; ++q) {{
    const {3} a = __ww_cast<{3}>(element);
    const {3} b = (({4} *)a2)[((const long long *)a1)[q] * a6]{5};
    element = __ww_cast<{1}>({6});
}}
*target = element;)";
    return fmt::format(fmt::runtime(text),
                       is_bool ? "unsigned char" : algorithm::device_type(typing.element),
                       algorithm::device_type(typing.element), is_bool ? " != 0" : "",
                       algorithm::device_type(typing.computation),
                       typing.computation == Kind::Bool
                           ? "const unsigned char"
                           : "const " + std::string(algorithm::device_type(typing.computation)),
                       typing.computation == Kind::Bool ? " != 0" : "", ir::row_of(op).spelling);
}

void accumulate(ir::Op op, Array& array, std::span<const IndexItem> index, const Operand& value) {
    const std::string name = fmt::format("{}_at", ir::row_of(op).name);
    array::require_numbers(array, name);
    array::require_writable(array, name);
    const Typing typing = typing_of(op, array, value);
    // A basic index is one without index arrays: the view's own elements, each once.
    if (!array::is_advanced(index)) {
        Array target = array.at(index);
        array::update(op, target, value);
        return;
    }
    const array::Selection selection = array::select(array, index, name);
    const Shape& shape = selection.view.shape;
    runtime::Context& context = array::context_of(array);
    Array given = value.array() != nullptr
                      ? *value.array()
                      : array::constant(value.scalar(), typing.computation, Shape{}, context);
    array::require_same_device(array, given, name);
    if (!array::broadcasts_to(given.shape(), shape)) {
        array::refuse_value(
            "{} got values of shape {} for an index of shape {}; they must "
            "broadcast to it",
            name, text_of(given.shape()), text_of(shape));
    }
    const std::int64_t count = count_of(shape);
    if (count == 0) return;
    const array::Lie lie = array::lie_of(array);
    const Array places = array::places_of(selection, lie, context).reshape(Shape{count});
    const bool in_order = algorithm::is_serial(context);
    const Array order = in_order ? places : argsort(places);
    const Array sorted = in_order ? places : take(places, order, 0, "clip");
    const Array values = array::settled(array::converted(given, typing.computation), shape, array);
    const int threads = in_order ? 1 : 256;
    const auto kernel = algorithm::library_kernel({.name = "ww_accumulate",
                                                   .header = "warpwise_library_index.h",
                                                   .parameters = "rrrwnnnn",
                                                   .body = text_of(op, typing, in_order),
                                                   .threads = threads},
                                                  {typing.computation, typing.element}, context);
    array::LibraryStep(kernel, context)
        .read(sorted)
        .read(order)
        .read(values)
        .write(array)
        .number(count)
        .number(array.value().view.offset - lie.begin)
        .number(values.size() == 1 ? 0 : 1)
        .number(lie.bytes)
        .run(in_order ? array::owners(count, context) : (count + 255) / 256, threads);
}

}  // namespace

void add_at(Array& array, std::span<const IndexItem> index, const Operand& value) {
    accumulate(ir::Op::Add, array, index, value);
}
void subtract_at(Array& array, std::span<const IndexItem> index, const Operand& value) {
    accumulate(ir::Op::Subtract, array, index, value);
}
void multiply_at(Array& array, std::span<const IndexItem> index, const Operand& value) {
    accumulate(ir::Op::Multiply, array, index, value);
}
void minimum_at(Array& array, std::span<const IndexItem> index, const Operand& value) {
    accumulate(ir::Op::Minimum, array, index, value);
}
void maximum_at(Array& array, std::span<const IndexItem> index, const Operand& value) {
    accumulate(ir::Op::Maximum, array, index, value);
}

}  // namespace warpwise
