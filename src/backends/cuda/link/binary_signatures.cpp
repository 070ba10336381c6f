// What the readers of cubins (cubin.cpp) and of PTX (ptx.cpp) share.
#include "src/backends/cuda/link/binary_signatures.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace warpwise::cuda {
namespace {

constexpr unsigned char kFatbin[] = {0x50, 0xed, 0x55, 0xba};
constexpr unsigned char kLtoIr[] = {0xed, 0x43, 0x4e, 0x7f};
constexpr std::string_view kElf =
    "\x7f"
    "ELF";
constexpr std::string_view kLibrary = "!<arch>\n";

std::string_view text_of(std::span<const std::byte> image) {
    return {reinterpret_cast<const char*>(image.data()), image.size()};
}

// The spelling of types in demangled names.
struct KnownType {
    std::string_view name;
    DType dtype;
};
const KnownType kTypes[] = {
    {"float", float32},
    {"double", float64},
    {"int", int32},
    {"unsigned int", uint32},
    {"long", int64},
    {"unsigned long", uint64},
    {"long long", int64},
    {"unsigned long long", uint64},
    {"short", int16},
    {"unsigned short", uint16},
    {"char", int8},
    {"signed char", int8},
    {"unsigned char", uint8},
    {"bool", DType(Kind::Bool)},
    {"__half", DType(Kind::Float16)},
    {"float2", DType(Kind::Float32, 2)},
    {"float3", DType(Kind::Float32, 3)},
    {"float4", DType(Kind::Float32, 4)},
    {"double2", DType(Kind::Float64, 2)},
    {"int2", DType(Kind::Int32, 2)},
    {"int3", DType(Kind::Int32, 3)},
    {"int4", DType(Kind::Int32, 4)},
    {"uint2", DType(Kind::UInt32, 2)},
    {"uint4", DType(Kind::UInt32, 4)},
    {"void", DType()},
};

// "f(A<b, c>, int)": the text before the list, and its entries.
struct Demangled {
    std::string_view name;
    std::vector<std::string_view> types;
};

Demangled split(std::string_view text) {
    Demangled result;
    int depth = 0;
    std::size_t open = std::string_view::npos;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (depth == 0 && c == '(') {
            open = i;
            begin = i + 1;
        }
        const bool is_end =
            (depth == 1 && (c == ')' || c == ',')) && open != std::string_view::npos;
        if (is_end && i > begin) {
            std::string_view type = text.substr(begin, i - begin);
            while (type.starts_with(' ')) type.remove_prefix(1);
            result.types.push_back(type);
            begin = i + 1;
        }
        if (c == '(' || c == '<') ++depth;
        if (c == ')' || c == '>') --depth;
    }
    result.name = text.substr(0, open);
    // Templates carry the type that they return.
    if (result.name.starts_with("void ")) result.name.remove_prefix(5);
    return result;
}

void set_type(Parameter& parameter, std::string_view spelling) {
    std::string_view type = spelling;
    const bool is_pointer = type.ends_with('*');
    if (is_pointer) type.remove_suffix(1);
    bool is_const = false;
    if (type.ends_with(" const")) {
        is_const = true;
        type.remove_suffix(6);
    }
    const auto* const known = std::ranges::find(kTypes, type, &KnownType::name);
    const bool has_size = known != std::end(kTypes) && known->dtype.size() == parameter.size;
    if (is_pointer && parameter.size == sizeof(std::uint64_t)) {
        parameter.passing = Parameter::Passing::Pointer;
        parameter.dtype = known != std::end(kTypes) ? known->dtype : DType();
        parameter.is_const = is_const;
    } else if (!is_pointer && has_size) {
        parameter.passing = Parameter::Passing::Scalar;
        parameter.dtype = known->dtype;
    }
    parameter.type = spelling;
}

}  // namespace

ImageKind kind_of_image(std::span<const std::byte> image) noexcept {
    const std::string_view text = text_of(image);
    if (text.starts_with(kElf)) {
        return architecture_of_cubin(image) != 0 ? ImageKind::Cubin : ImageKind::Object;
    }
    if (text.starts_with(kLibrary)) return ImageKind::Library;
    if (text.size() > 4 && std::memcmp(text.data(), kFatbin, 4) == 0) return ImageKind::Fatbin;
    if (text.size() > 4 && std::memcmp(text.data(), kLtoIr, 4) == 0) return ImageKind::LtoIr;
    return is_ptx(text) ? ImageKind::Ptx : ImageKind::Unknown;
}

std::string demangled(const std::string& symbol) {
    // A word that is no mangled function may be a mangled type: "f" is float.
    if (!symbol.starts_with("_Z")) return symbol;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text != nullptr ? text.get() : symbol;
}

void name_kernel(compiler::KernelInfo& kernel) {
    KernelSignature& signature = kernel.signature;
    const std::string text = demangled(signature.symbol);
    const Demangled parts = split(text);
    signature.name = parts.name;
    const bool has_types = parts.types.size() == signature.parameters.size();
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        Parameter& parameter = signature.parameters[i];
        parameter.type = fmt::format("{} bytes", parameter.size);
        if (has_types) set_type(parameter, parts.types[i]);
    }
}

bool is_of_a_compiler(std::string_view name) noexcept {
    return name.starts_with("__nv_") || name.starts_with("__ww_") || name.starts_with("_$_") ||
           name.starts_with('$');
}

}  // namespace warpwise::cuda
