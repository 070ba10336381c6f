// The format of a Program on disk and between processes. Invariant: what deserialise() returns
// could have been given to serialise(); anything else is a DeviceError.
#include "src/compiler/program.hpp"

#include "src/base/byte_stream.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

constexpr std::uint32_t kMagic = 0x50575757;  // "WWWP"
// Raise with every change of the format or of the meaning of a member.
constexpr std::uint32_t kFormatVersion = 4;
// Structs within structs; deeper than any source clang takes by default.
constexpr int kMaxDepth = 256;
// The least bytes an element takes, see ByteReader::get_count().
constexpr std::size_t kTextBytes = 8;

void put(ByteWriter& out, const DType& dtype) {
    out.put(static_cast<std::uint8_t>(dtype.kind()));
    out.put(static_cast<std::uint8_t>(dtype.lanes()));
    const StructType* type = dtype.fields();
    if (type == nullptr) return;
    out.put(type->name).put(std::uint64_t{type->size}).put(std::uint64_t{type->alignment});
    out.put(static_cast<std::uint64_t>(type->fields.size()));
    for (const StructField& field : type->fields) {
        out.put(field.name).put(std::uint64_t{field.offset}).put(std::uint64_t{field.count});
        put(out, field.dtype);
    }
}

DType get_dtype(ByteReader& in, int depth);

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
        field.dtype = get_dtype(in, depth + 1);
    }
    try {
        return DType::structure(type);
    } catch (const ArgumentError& error) {
        throw DeviceError(std::string("compiled program: ") + error.what());
    }
}

DType get_dtype(ByteReader& in, int depth) {
    const auto kind = in.get<std::uint8_t>();
    const auto lanes = in.get<std::uint8_t>();
    in.require(kind <= static_cast<std::uint8_t>(Kind::Pointer), "has an unknown element type");
    in.require(lanes >= 1 && lanes <= 4, "has an impossible vector type");
    if (static_cast<Kind>(kind) == Kind::Struct) return get_struct(in, depth);
    return {static_cast<Kind>(kind), lanes};
}

void put(ByteWriter& out, const Parameter& parameter) {
    out.put(parameter.name).put(parameter.type);
    out.put(static_cast<std::uint8_t>(parameter.passing));
    put(out, parameter.dtype);
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
    parameter.dtype = get_dtype(in, 0);
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

void put(ByteWriter& out, const KernelInfo& kernel) {
    const KernelSignature& signature = kernel.signature;
    out.put(signature.name).put(signature.symbol);
    out.put(static_cast<std::uint64_t>(signature.parameters.size()));
    for (const Parameter& parameter : signature.parameters) put(out, parameter);
    out.put(signature.argument_bytes).put(signature.max_threads_per_block);
    out.put(signature.min_blocks);
    out.put(kernel.static_shared_bytes).put(kernel.local_bytes);
    out.put(kernel.frame_bytes).put(kernel.flags);
    out.put(kernel.executor).put(kernel.lane_by_lane);
    for (const std::uint32_t extent : kernel.block) out.put(extent);
    const Refusal& refusal = kernel.refusal;
    out.put(refusal.message).put(refusal.log).put(refusal.file);
    out.put(static_cast<std::int32_t>(refusal.line));
    out.put(static_cast<std::uint8_t>(refusal.is_unsupported));
}

KernelInfo get_kernel(ByteReader& in) {
    KernelInfo kernel;
    KernelSignature& signature = kernel.signature;
    signature.name = in.get_text();
    signature.symbol = in.get_text();
    const std::size_t count = in.get_count(2 * kTextBytes);
    signature.parameters.reserve(count);
    for (std::size_t i = 0; i < count; ++i) signature.parameters.push_back(get_parameter(in));
    signature.argument_bytes = in.get<std::uint32_t>();
    signature.max_threads_per_block = in.get<std::uint32_t>();
    signature.min_blocks = in.get<std::uint32_t>();
    kernel.static_shared_bytes = in.get<std::uint32_t>();
    kernel.local_bytes = in.get<std::uint32_t>();
    kernel.frame_bytes = in.get<std::uint32_t>();
    kernel.flags = in.get<std::uint32_t>();
    kernel.executor = in.get_text();
    kernel.lane_by_lane = in.get<std::uint32_t>();
    for (std::uint32_t& extent : kernel.block) extent = in.get<std::uint32_t>();
    kernel.refusal.message = in.get_text();
    kernel.refusal.log = in.get_text();
    kernel.refusal.file = in.get_text();
    kernel.refusal.line = in.get<std::int32_t>();
    kernel.refusal.is_unsupported = in.get<std::uint8_t>() != 0;
    check_parameters(in, signature);
    return kernel;
}

void put(ByteWriter& out, const GlobalInfo& global) {
    out.put(global.name).put(global.symbol).put(global.size);
    out.put(static_cast<std::uint8_t>(global.is_constant));
    put(out, global.dtype);
}

GlobalInfo get_global(ByteReader& in) {
    GlobalInfo global;
    global.name = in.get_text();
    global.symbol = in.get_text();
    global.size = in.get<std::uint64_t>();
    global.is_constant = in.get<std::uint8_t>() != 0;
    global.dtype = get_dtype(in, 0);
    return global;
}

template <class T>
void put_all(ByteWriter& out, const std::vector<T>& elements) {
    out.put(static_cast<std::uint64_t>(elements.size()));
    for (const T& element : elements) put(out, element);
}

template <class Get>
auto get_all(ByteReader& in, const Get& get) {
    const std::size_t count = in.get_count(kTextBytes);
    std::vector<decltype(get(in))> elements;
    elements.reserve(count);
    for (std::size_t i = 0; i < count; ++i) elements.push_back(get(in));
    return elements;
}

}  // namespace

std::vector<std::byte> serialise(const Program& program) {
    ByteWriter out;
    out.reserve(program.binary.size() + program.log.size() + 4096);
    out.put(kMagic).put(kFormatVersion);
    out.put(program.target).put(program.format);
    out.put(std::span<const std::byte>(program.binary)).put(program.log);
    put_all(out, program.kernels);
    put_all(out, program.globals);
    out.put(static_cast<std::uint64_t>(program.templates.size()));
    for (const std::string& name : program.templates) out.put(name);
    out.put(static_cast<std::uint64_t>(program.dependencies.size()));
    for (const Dependency& file : program.dependencies) out.put(file.path).put(file.hash);
    return std::move(out).take();
}

Program deserialise(std::span<const std::byte> bytes) {
    ByteReader in(bytes, "compiled program");
    in.require(in.get<std::uint32_t>() == kMagic, "is none, by its first bytes");
    in.require(in.get<std::uint32_t>() == kFormatVersion, "is of another version of the format");
    Program program;
    program.target = in.get_text();
    program.format = in.get_text();
    const std::span<const std::byte> binary = in.get_block();
    program.binary.assign(binary.begin(), binary.end());
    program.log = in.get_text();
    program.kernels = get_all(in, get_kernel);
    program.globals = get_all(in, get_global);
    program.templates = get_all(in, [](ByteReader& r) { return r.get_text(); });
    program.dependencies = get_all(in, [](ByteReader& r) {
        std::string path = r.get_text();
        return Dependency{std::move(path), r.get<std::uint64_t>()};
    });
    in.require_end();
    return program;
}

}  // namespace warpwise::compiler
