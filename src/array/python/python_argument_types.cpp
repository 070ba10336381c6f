// The types of arguments of Python functions.
#include <fmt/format.h>

#include <utility>

#include "src/array/parts.hpp"
#include "src/array/python/python_kernel.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/launch/arguments.hpp"

namespace warpwise::array {
namespace {

using script::Type;

// `number`: of the argument, from 1.
Type type_of(const Argument& argument, std::size_t number) {
    using Form = Argument::Form;
    const Kind given = argument.from().kind();
    switch (argument.form()) {
        case Form::Bool:
            return script::number_type(Kind::Bool);
        case Form::Int:
            return script::number_type(given == Kind::Void ? Kind::Int64 : given);
        case Form::UInt: {
            const bool is_small = argument.as_uint() <= INT64_MAX;
            if (given != Kind::Void) return script::number_type(given);
            return script::number_type(is_small ? Kind::Int64 : Kind::UInt64);
        }
        case Form::Float:
            return script::number_type(given == Kind::Void ? Kind::Float64 : given);
        case Form::Complex:
            return script::number_type(given == Kind::Void ? Kind::Complex128 : given);
        case Form::Null:
            return script::none_type();
        case Form::Tuple: {
            const auto& tuple = *static_cast<const NumberTuple*>(argument.object());
            std::vector<Type> items;
            items.reserve(tuple.count);
            for (std::size_t i = 0; i < tuple.count; ++i) {
                items.push_back(type_of(tuple.values[i], number));
            }
            return script::tuple_type(std::move(items));
        }
        default:
            refuse_type(
                "argument {} is {}, which is no argument of a kernel; pass arrays, numbers, tuples "
                "of numbers or None",
                number, runtime::described(argument));
    }
}

}  // namespace

std::pair<std::vector<std::size_t>, DType> field_axes(const StructField& field) {
    std::vector<std::size_t> axes;
    if (field.count != 1) axes.push_back(field.count);
    DType element = field.dtype;
    // Axes behind the first are structs with one field, which has no name.
    for (const StructType* row = element.fields();
         row != nullptr && row->fields.size() == 1 && row->fields[0].name.empty();
         row = element.fields()) {
        axes.push_back(row->fields[0].count);
        element = row->fields[0].dtype;
    }
    return {std::move(axes), element};
}

namespace {

// Fields of records become arrays of their own, which the compiler reads as such: with the axes of
// the records, and those of a field that is an array.
Type record_type_of(const StructType& record, int rank, std::size_t offset, std::size_t step) {
    std::vector<std::string> names;
    std::vector<Type> types;
    for (const StructField& one : record.fields) {
        names.push_back(one.name);
        const auto [own_axes, element] = field_axes(one);
        const Kind kind = element.kind();
        if (kind == Kind::Struct && one.count == 1) {
            types.push_back(record_type_of(*one.dtype.fields(), rank, offset + one.offset, step));
            continue;
        }
        const bool is_number = kind >= Kind::Bool && kind <= Kind::Complex128 &&
                               kind != Kind::BFloat16 && element.lanes() == 1;
        if (!is_number) {
            refuse_type(
                "field '{}' of the records holds {}; kernels take records of numbers, of arrays of "
                "numbers and of records",
                one.name, kind == Kind::Struct ? "an array of records" : one.dtype.name());
        }
        const std::size_t alignment = element.alignment();
        const int axes = rank + static_cast<int>(own_axes.size());
        script::TypeData data =
            *script::with_axes(script::array_type(script::number_type(kind), 0, script::Layout::C),
                               axes, script::Layout::Strided);
        data.is_packed = (offset + one.offset) % alignment != 0 || step % alignment != 0;
        types.push_back(script::intern(std::move(data)));
    }
    if (names.empty()) refuse_type("kernels take records with fields, got records without any");
    return script::record_type(std::move(names), std::move(types), rank);
}

Type record_type_of(const graph::View& view) {
    const StructType& record = *view.dtype.fields();
    std::size_t step = record.size;
    for (const std::int64_t stride : view.strides) {
        step |= static_cast<std::size_t>(stride);  // one that is no multiple makes it none
    }
    return record_type_of(record, view.shape.size(), 0, step);
}

Type type_of(const Array& array) {
    const graph::View& view = array.value().view;
    const Kind kind = view.dtype.kind();
    if (kind == Kind::Struct) return record_type_of(view);
    if (kind == Kind::BFloat16 || view.dtype.lanes() > 1) {
        refuse_type("Python functions take arrays of numbers, got one of {}", view.dtype.name());
    }
    const bool is_dense =
        is_c_contiguous(view.shape, view.strides, static_cast<std::int64_t>(view.dtype.size()));
    return script::array_type(script::number_type(kind), view.shape.size(),
                              is_dense ? script::Layout::C : script::Layout::Strided);
}

bool is_plainly_of(const Array& array, Type type) noexcept {
    const graph::View& view = array.value().view;
    if (!type->is_array() || type->element->kind != view.dtype.kind() || view.dtype.lanes() != 1 ||
        type->rank != view.shape.size()) {
        return false;
    }
    const bool is_dense =
        is_c_contiguous(view.shape, view.strides, static_cast<std::int64_t>(view.dtype.size()));
    return type->layout == (is_dense ? script::Layout::C : script::Layout::Strided);
}

// What a number without a type of its own becomes.
Kind kind_of(const Argument& value) noexcept {
    if (value.from().kind() != Kind::Void) return value.from().kind();
    switch (value.form()) {
        case Argument::Form::Bool:
            return Kind::Bool;
        case Argument::Form::Int:
            return Kind::Int64;
        case Argument::Form::Float:
            return Kind::Float64;
        case Argument::Form::Complex:
            return Kind::Complex128;
        default:
            return Kind::Void;  // others are looked at closely
    }
}

bool is_number(const Argument& value) noexcept {
    using Form = Argument::Form;
    const Form form = value.form();
    return form == Form::Bool || form == Form::Int || form == Form::UInt || form == Form::Float ||
           form == Form::Complex;
}

}  // namespace

Type type_of(const KernelOperand& operand, std::size_t number) {
    return operand.array() != nullptr ? type_of(*operand.array())
                                      : type_of(operand.value(), number);
}

bool is_plainly_of(const KernelOperand& operand, Type type) noexcept {
    if (operand.array() != nullptr) return is_plainly_of(*operand.array(), type);
    if (operand.value().form() == Argument::Form::Null) return type == script::none_type();
    return type->is_number() && is_number(operand.value()) &&
           type->kind == kind_of(operand.value());
}

namespace {

constexpr std::uint64_t kMostItems = (std::uint64_t{1} << 30) - 1;

bool is_small(const Array& array) noexcept {
    const graph::View& view = array.value().view;
    std::uint64_t items = 1;
    for (const std::int64_t extent : view.shape) {
        const auto count = static_cast<std::uint64_t>(extent);
        if (count > kMostItems) return false;
        items *= count;
        if (items > kMostItems) return false;
    }
    const std::size_t size = view.dtype.size();  // of records, what their fields have too
    return size <= kMostItems && items * size <= INT32_MAX;
}

// Most kernels get no other sizes and strides than natural ones.
bool is_small(const Argument& value) noexcept {
    const bool is_whole =
        value.form() == Argument::Form::Int || value.form() == Argument::Form::UInt;
    return is_whole && value.as_uint() <= INT32_MAX;  // negative ones are larger
}

}  // namespace

bool is_small(std::span<const KernelOperand> operands, const std::vector<Type>& types) noexcept {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (const Array* const array = operands[i].array()) {
            if (!is_small(*array)) return false;
        } else if (script::is_signed_integer(types[i]) && !is_small(operands[i].value())) {
            return false;
        }
    }
    return true;
}

bool is_small(const LaunchConfig& config) noexcept {
    const auto is_short = [](std::uint64_t blocks, std::uint64_t threads) {
        return blocks * threads <= kMostItems;
    };
    return is_short(config.grid.x, config.block.x) && is_short(config.grid.y, config.block.y) &&
           is_short(config.grid.z, config.block.z);
}

}  // namespace warpwise::array
