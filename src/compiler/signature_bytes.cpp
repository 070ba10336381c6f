// Encoding in declaration order, checked on the way back.
#include "src/compiler/signature_bytes.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

// Structs within structs; deeper than any source clang takes by default.
constexpr int kMaxDepth = 256;

DType get_nested(ByteReader& in, int depth);

DType get_struct(ByteReader& in, int depth) {
    in.require(depth < kMaxDepth, "nests structs too deeply");
    StructType type;
    type.name = in.get_text();
    type.size = in.get<std::uint64_t>();
    type.alignment = in.get<std::uint64_t>();
    type.fields.resize(in.get_count(kTextBytes));
    for (StructField& field : type.fields) {
        field.name = in.get_text();
        field.offset = in.get<std::uint64_t>();
        field.count = in.get<std::uint64_t>();
        field.dtype = get_nested(in, depth + 1);
    }
    try {
        return DType::structure(type);
    } catch (const ArgumentError& error) {
        throw DeviceError(std::string("compiled program: ") + error.what());
    }
}

DType get_nested(ByteReader& in, int depth) {
    const auto kind = in.get<std::uint8_t>();
    const auto lanes = in.get<std::uint8_t>();
    in.require(kind <= static_cast<std::uint8_t>(Kind::Pointer), "has an unknown element type");
    in.require(lanes >= 1 && lanes <= 4, "has an impossible vector type");
    if (static_cast<Kind>(kind) == Kind::Struct) return get_struct(in, depth);
    return {static_cast<Kind>(kind), lanes};
}

void put_parameter(ByteWriter& out, const Parameter& parameter) {
    out.put(parameter.name).put(parameter.type);
    out.put(static_cast<std::uint8_t>(parameter.passing));
    out.put(static_cast<std::uint8_t>(parameter.handle));
    put_dtype(out, parameter.dtype);
    out.put(static_cast<std::uint8_t>(parameter.is_const));
    out.put(parameter.offset).put(parameter.size).put(parameter.alignment);
}

Parameter get_parameter(ByteReader& in) {
    Parameter parameter;
    parameter.name = in.get_text();
    parameter.type = in.get_text();
    const auto passing = in.get<std::uint8_t>();
    in.require(passing <= static_cast<std::uint8_t>(Parameter::Passing::Sized),
               "passes a parameter in an unknown way");
    parameter.passing = static_cast<Parameter::Passing>(passing);
    const auto handle = in.get<std::uint8_t>();
    in.require(handle <= static_cast<std::uint8_t>(Parameter::Handle::Surface),
               "has a parameter that is an unknown kind of handle");
    parameter.handle = static_cast<Parameter::Handle>(handle);
    parameter.dtype = get_dtype(in);
    parameter.is_const = in.get<std::uint8_t>() != 0;
    parameter.offset = in.get<std::uint32_t>();
    parameter.size = in.get<std::uint32_t>();
    parameter.alignment = in.get<std::uint32_t>();
    return parameter;
}

// Launches write arguments at these offsets: they must lie in the buffer.
void check_parameters(const ByteReader& in, const KernelSignature& signature) {
    for (const Parameter& p : signature.parameters) {
        in.require(std::uint64_t{p.offset} + p.size <= signature.argument_bytes,
                   "has a parameter outside its argument buffer");
        in.require(p.passing != Parameter::Passing::Struct || p.dtype.kind() == Kind::Struct,
                   "has a struct parameter without fields");
    }
}

}  // namespace

void put_dtype(ByteWriter& out, const DType& dtype) {
    out.put(static_cast<std::uint8_t>(dtype.kind()));
    out.put(static_cast<std::uint8_t>(dtype.lanes()));
    const StructType* type = dtype.fields();
    if (type == nullptr) return;
    out.put(type->name).put(std::uint64_t{type->size}).put(std::uint64_t{type->alignment});
    out.put(static_cast<std::uint64_t>(type->fields.size()));
    for (const StructField& field : type->fields) {
        out.put(field.name).put(std::uint64_t{field.offset}).put(std::uint64_t{field.count});
        put_dtype(out, field.dtype);
    }
}

DType get_dtype(ByteReader& in) {
    return get_nested(in, 0);
}

void put_signature(ByteWriter& out, const KernelSignature& signature) {
    out.put(signature.name).put(signature.symbol);
    out.put(static_cast<std::uint64_t>(signature.parameters.size()));
    for (const Parameter& parameter : signature.parameters) put_parameter(out, parameter);
    out.put(signature.argument_bytes).put(signature.max_threads_per_block);
    out.put(signature.min_blocks);
}

KernelSignature get_signature(ByteReader& in) {
    KernelSignature signature;
    signature.name = in.get_text();
    signature.symbol = in.get_text();
    const std::size_t count = in.get_count(2 * kTextBytes);
    signature.parameters.reserve(count);
    for (std::size_t i = 0; i < count; ++i) signature.parameters.push_back(get_parameter(in));
    signature.argument_bytes = in.get<std::uint32_t>();
    signature.max_threads_per_block = in.get<std::uint32_t>();
    signature.min_blocks = in.get<std::uint32_t>();
    check_parameters(in, signature);
    return signature;
}

}  // namespace warpwise::compiler
