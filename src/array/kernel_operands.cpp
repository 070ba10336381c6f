// The checks of users' kernels, with the words of launches.
#include "src/array/kernel_operands.hpp"

#include <algorithm>
#include <cstring>

#include "src/algorithm/elementwise_state.hpp"
#include "src/algorithm/parameters.hpp"
#include "src/array/refuse.hpp"
#include "src/base/text.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/launch/element_match.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::array {
namespace {

// Elements of a vector type in the last axis of an array of its numbers.
bool is_rows_of(const Array& array, const DType& vector) {
    if (vector.lanes() == 1 || array.ndim() == 0) return false;
    const int last = array.ndim() - 1;
    return array.dtype() == DType(vector.kind()) && array.shape()[last] == vector.lanes() &&
           array.strides()[last] == static_cast<std::int64_t>(array.dtype().size());
}

ArrayOperand read_array(const KernelSignature& signature, std::size_t number, const Array& array) {
    const Parameter& parameter = signature.parameters[number];
    ArrayOperand operand{.parameter = number,
                         .array = array,
                         .shape = array.shape(),
                         .strides = array.strides(),
                         .item_bytes = static_cast<std::int64_t>(array.dtype().size())};
    const auto refuse = [&](std::string_view rest) {
        refuse_type("{}: parameter '{}' expects {}, got an array of {}{}", signature.name,
                    parameter.name, parameter.type, array.dtype().name(), rest);
    };
    if (parameter.passing != Parameter::Passing::Pointer) {
        refuse("; this parameter is a value: fetch one with item()");
    }
    if (array.is_read_only() && !parameter.is_const) {
        refuse_value(
            "{}: parameter '{}' expects {}, got an array that is read-only; make the parameter "
            "const, or pass a copy",
            signature.name, parameter.name, parameter.type);
    }
    const DType& wanted = parameter.dtype;
    if (wanted.kind() == Kind::Void) {
        operand.checked_bytes = static_cast<std::uint32_t>(operand.item_bytes);
    } else if (is_rows_of(array, wanted)) {
        operand.shape.erase(operand.shape.size() - 1);
        operand.strides.erase(operand.strides.size() - 1);
        operand.item_bytes = static_cast<std::int64_t>(wanted.size());
    } else if (!runtime::same_bytes(array.dtype(), wanted)) {
        if (wanted.lanes() > 1) {
            refuse(
                fmt::format(" and shape {}; pass one of {} whose last axis has {} elements "
                            "without gaps",
                            text_of(array.shape()), DType(wanted.kind()).name(), wanted.lanes()));
        }
        refuse(
            fmt::format(": its elements are not {}; convert it with astype first", wanted.name()));
    }
    return operand;
}

std::vector<std::uint64_t> read_value(const KernelSignature& signature, std::size_t number,
                                      const Argument& argument) {
    const Parameter& parameter = signature.parameters[number];
    if (parameter.passing == Parameter::Passing::Pointer) {
        std::string advice = "; pass an array, which ww.asarray makes of values of the host";
        if (argument.form() == Argument::Form::Buffer) {
            advice = "; make an array over it with from_buffer";
        }
        refuse_type("{}: parameter '{}' expects {}, got {}{}", signature.name, parameter.name,
                    parameter.type, runtime::described(argument), advice);
    }
    // As many bytes as any struct's: pack_value() writes `size` of them.
    std::vector<std::uint64_t> words((parameter.size + 7) / 8 + 2);
    runtime::pack_value(signature, number, argument, reinterpret_cast<std::byte*>(words.data()));
    words.resize((parameter.size + 7) / 8);
    return words;
}

}  // namespace

KernelOperands read_operands(const KernelSignature& signature,
                             std::span<const KernelOperand* const> given) {
    KernelOperands operands;
    operands.scalars.resize(given.size());
    const Array* first = nullptr;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] == nullptr) continue;
        if (const Array* const array = given[i]->array()) {
            if (first == nullptr) first = array;
            require_same_device(*first, *array, signature.name);
            operands.arrays.push_back(read_array(signature, i, *array));
        } else {
            operands.scalars[i] = read_value(signature, i, given[i]->value());
        }
    }
    if (first != nullptr) operands.context = &context_of(*first);
    return operands;
}

bool overlap(const ArrayOperand& a, const ArrayOperand& b) {
    const graph::Value& x = a.array.value();
    const graph::Value& y = b.array.value();
    if (x.storage != y.storage) return false;
    const auto bytes = [](const graph::Value& value) {
        return graph::bytes_of({value.view.offset, value.view.strides}, value.view.shape,
                               static_cast<std::int64_t>(value.view.dtype.size()));
    };
    const graph::ByteRange one = bytes(x);
    const graph::ByteRange other = bytes(y);
    return one.begin < other.end && other.begin < one.end;
}

bool is_same_place(const ArrayOperand& a, const ArrayOperand& b) {
    return a.array.value().storage == b.array.value().storage &&
           a.array.value().view.offset == b.array.value().view.offset && a.shape == b.shape &&
           a.strides == b.strides && a.item_bytes == b.item_bytes;
}

KernelOperands read_all_operands(const KernelSignature& signature,
                                 std::span<const KernelOperand> given, std::string_view action) {
    if (given.size() != signature.parameters.size()) {
        runtime::refuse_count(signature, given.size());
    }
    std::vector<const KernelOperand*> all;
    for (const KernelOperand& one : given) all.push_back(&one);
    KernelOperands operands = read_operands(signature, all);
    if (operands.arrays.empty()) {
        refuse_value("{} got no array, so it has no elements to {}", signature.name, action);
    }
    return operands;
}

Stream stream_of(const std::optional<Stream>& requested, const KernelOperands& operands,
                 std::string_view kernel) {
    Stream stream = requested ? *requested : Stream(runtime::current_stream(*operands.context));
    const runtime::Context& context = stream.state()->context();
    if (&context == operands.context) return stream;
    refuse_value("{} got a stream of {} for arrays on {}; use one of their device", kernel,
                 context.name(), operands.context->name());
}

std::string cpp_type_of(const DType& dtype, std::string_view kernel) {
    std::string name = algorithm::type_of(dtype);
    if (!name.empty()) return name;
    refuse_value(
        "{}: no C++ type is known for values of {}; register one with register_dtype, or give its "
        "name",
        kernel, dtype.name());
}

KernelParameter value_type(std::string_view type, const std::string& kernel) {
    KernelParameter value =
        algorithm::parse_parameters(fmt::format("{} *value", type), kernel).front();
    if (value.dtype.kind() == Kind::Void) {
        refuse_value("{}: the type {} of the values is not known; register it with register_dtype",
                     kernel, value.type);
    }
    if (value.dtype.lanes() > 1) {
        refuse_value("{}: values of type {} have no array; use a struct that is registered", kernel,
                     value.type);
    }
    return value;
}

NewElements new_elements(const Parameter& parameter, std::string_view kernel) {
    if (parameter.dtype.kind() == Kind::Void) {
        refuse_value(
            "{}: the type {} of the output '{}' is not known, so no array can be made for it; "
            "register it with register_dtype, or pass the array",
            kernel, parameter.type, parameter.name);
    }
    if (parameter.dtype.lanes() == 1) return {parameter.dtype, 1};
    return {DType(parameter.dtype.kind()), parameter.dtype.lanes()};
}

void check_alignment(const Parameter& parameter, std::uint64_t address, std::string_view kernel) {
    const std::size_t alignment = parameter.dtype.alignment();
    if (address % alignment == 0) return;
    refuse_value(
        "{}: parameter '{}' expects {}, got an array at 0x{:x}, but {} must lie at multiples of "
        "{} bytes; pass a copy",
        kernel, parameter.name, parameter.type, address, parameter.dtype.cuda_name(), alignment);
}

}  // namespace warpwise::array
