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

[[noreturn]] void refuse_argument(const Argument& argument) {
    refuse_type(
        "a Python function got {}, which is no argument of a kernel; pass arrays, "
        "numbers, tuples of numbers or None",
        runtime::described(argument));
}

Type type_of(const Argument& argument) {
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
            for (std::size_t i = 0; i < tuple.count; ++i) items.push_back(type_of(tuple.values[i]));
            return script::tuple_type(std::move(items));
        }
        default:
            refuse_argument(argument);
    }
}

// Fields of records become arrays of their own, which the compiler reads as such.
Type record_type_of(const graph::View& view) {
    const StructType& record = *view.dtype.fields();
    std::vector<std::string> names;
    std::vector<Type> types;
    for (const StructField& one : record.fields) {
        const Kind kind = one.dtype.kind();
        const bool is_number = kind >= Kind::Bool && kind <= Kind::Complex128 &&
                               kind != Kind::BFloat16 && one.dtype.lanes() == 1;
        if (!is_number || one.count != 1) {
            refuse_type(
                "field '{}' of the records is no single number; kernels take records of numbers",
                one.name);
        }
        const std::size_t alignment = one.dtype.alignment();
        if (one.offset % alignment != 0 || record.size % alignment != 0) {
            refuse_value(
                "field '{}' of the records is not aligned to {} bytes; make their dtype with "
                "align=True",
                one.name, alignment);
        }
        names.push_back(one.name);
        types.push_back(script::number_type(kind));
    }
    if (names.empty() || view.shape.empty()) {
        refuse_type("kernels take arrays of records of one axis or more; got {}",
                    names.empty() ? "records without fields" : "a record alone");
    }
    return script::record_type(std::move(names), types, view.shape.size());
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
    return form == Form::Bool || form == Form::Int || form == Form::Float || form == Form::Complex;
}

}  // namespace

Type type_of(const KernelOperand& operand) {
    return operand.array() != nullptr ? type_of(*operand.array()) : type_of(operand.value());
}

bool is_plainly_of(const KernelOperand& operand, Type type) noexcept {
    if (operand.array() != nullptr) return is_plainly_of(*operand.array(), type);
    return type->is_number() && is_number(operand.value()) &&
           type->kind == kind_of(operand.value());
}

}  // namespace warpwise::array
