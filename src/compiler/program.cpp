// The format of a Program on disk and between processes. Invariant: what deserialise() returns
// could have been given to serialise(); anything else is a DeviceError.
#include "src/compiler/program.hpp"

#include "src/base/byte_stream.hpp"
#include "src/compiler/signature_bytes.hpp"

namespace warpwise::compiler {
namespace {

constexpr std::uint32_t kMagic = 0x50575757;  // "WWWP"
// Raise with every change of the format or of the meaning of a member.
constexpr std::uint32_t kFormatVersion = 7;

void put(ByteWriter& out, const KernelInfo& kernel) {
    put_signature(out, kernel.signature);
    out.put(kernel.static_shared_bytes).put(kernel.local_bytes);
    out.put(std::span<const std::byte>(kernel.backend_data));
    for (const std::uint32_t extent : kernel.block) out.put(extent);
    const Refusal& refusal = kernel.refusal;
    out.put(refusal.message).put(refusal.log).put(refusal.file);
    out.put(static_cast<std::int32_t>(refusal.line));
    out.put(static_cast<std::uint8_t>(refusal.is_unsupported));
}

KernelInfo get_kernel(ByteReader& in) {
    KernelInfo kernel;
    kernel.signature = get_signature(in);
    kernel.static_shared_bytes = in.get<std::uint32_t>();
    kernel.local_bytes = in.get<std::uint32_t>();
    const std::span<const std::byte> data = in.get_block();
    kernel.backend_data.assign(data.begin(), data.end());
    for (std::uint32_t& extent : kernel.block) extent = in.get<std::uint32_t>();
    kernel.refusal.message = in.get_text();
    kernel.refusal.log = in.get_text();
    kernel.refusal.file = in.get_text();
    kernel.refusal.line = in.get<std::int32_t>();
    kernel.refusal.is_unsupported = in.get<std::uint8_t>() != 0;
    return kernel;
}

void put(ByteWriter& out, const GlobalInfo& global) {
    out.put(global.name).put(global.symbol).put(global.size);
    out.put(static_cast<std::uint8_t>(global.is_constant));
    put_dtype(out, global.dtype);
    out.put(static_cast<std::uint8_t>(global.role));
}

GlobalInfo get_global(ByteReader& in) {
    GlobalInfo global;
    global.name = in.get_text();
    global.symbol = in.get_text();
    global.size = in.get<std::uint64_t>();
    global.is_constant = in.get<std::uint8_t>() != 0;
    global.dtype = get_dtype(in);
    const auto role = in.get<std::uint8_t>();
    in.require(role <= static_cast<std::uint8_t>(GlobalInfo::Role::Surface),
               "has a variable of an unknown role");
    global.role = static_cast<GlobalInfo::Role>(role);
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
