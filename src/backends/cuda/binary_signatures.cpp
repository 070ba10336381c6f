// PTX, and what both readers share. Cubins: cubin.cpp.
#include "src/backends/cuda/binary_signatures.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

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

// The words of a PTX text, comments passed over; signs are words of one character.
class PtxWords {
  public:
    explicit PtxWords(std::string_view text) : text_(text) {}

    std::string_view next() {
        skip();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_part(text_[at_])) ++at_;
        if (at_ == begin && at_ < text_.size()) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    // Behind the body that opens here.
    void skip_body() {
        int depth = 1;
        while (depth > 0) {
            const std::string_view word = next();
            if (word.empty()) return;
            depth += word == "{" ? 1 : word == "}" ? -1 : 0;
        }
    }

  private:
    static bool is_part(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
               c == '%' || c == '.';
    }
    void skip() {
        while (at_ < text_.size()) {
            const std::string_view rest = text_.substr(at_);
            if (rest.starts_with("//")) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (rest.starts_with("/*")) {
                const std::size_t end = text_.find("*/", at_);
                at_ = end == std::string_view::npos ? text_.size() : end + 2;
            } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
                ++at_;
            } else {
                return;
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::uint64_t number_of(std::string_view word) {
    std::uint64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
}

// ".u64" -> 8; 0 when the word is no type.
std::uint32_t bytes_of_type(std::string_view word) {
    if (word.size() < 3 || word.front() != '.') return 0;
    if (std::string_view("busf").find(word[1]) == std::string_view::npos) return 0;
    const std::uint64_t bits = number_of(word.substr(2));
    return bits % 8 == 0 && bits <= 128 ? static_cast<std::uint32_t>(bits / 8) : 0;
}

struct Declared {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint32_t alignment = 1;
    std::string_view end;  // the word behind it
};

// ".align 4 .b8 name[24]" and what may stand between, up to one of ",)=;".
Declared declaration(PtxWords& words) {
    Declared result;
    std::uint32_t element = 0;
    std::uint64_t count = 1;
    for (std::string_view word = words.next();; word = words.next()) {
        if (word.empty() || word == "," || word == ")" || word == "=" || word == ";") {
            result.end = word;
            break;
        }
        if (word == ".align") {
            result.alignment = static_cast<std::uint32_t>(number_of(words.next()));
        } else if (word == "[") {
            count *= number_of(words.next());
        } else if (word == ".v2" || word == ".v4") {
            count *= word == ".v2" ? 2 : 4;
        } else if (const std::uint32_t bytes = bytes_of_type(word); bytes != 0) {
            element = bytes;
        } else if (word.front() != '.' && word != "]" && !word.empty()) {
            result.name = word;
        }
    }
    result.bytes = element * count;
    result.alignment = std::max(result.alignment, element);
    return result;
}

compiler::KernelInfo ptx_kernel(PtxWords& words) {
    compiler::KernelInfo kernel;
    KernelSignature& signature = kernel.signature;
    signature.symbol = words.next();
    std::string_view word = words.next();
    while (word == "(" || word == ",") {
        const Declared declared = declaration(words);
        word = declared.end;
        if (declared.name.empty()) continue;
        const std::uint32_t alignment = std::max<std::uint32_t>(declared.alignment, 1);
        const auto size = static_cast<std::uint32_t>(declared.bytes);
        const std::uint32_t offset =
            (signature.argument_bytes + alignment - 1) / alignment * alignment;
        signature.parameters.push_back({.passing = Parameter::Passing::Sized,
                                        .offset = offset,
                                        .size = size,
                                        .alignment = alignment});
        signature.argument_bytes = offset + size;
    }
    name_kernel(kernel);
    return kernel;
}

// The name behind ".entry" or ".func": ".func (.param .b32 result) name".
std::string_view ptx_function_name(PtxWords& words) {
    std::string_view word = words.next();
    if (word != "(") return word;
    while (word != ")" && !word.empty()) word = words.next();
    return words.next();
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
    return PtxWords(text).next() == ".version" ? ImageKind::Ptx : ImageKind::Unknown;
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

bool is_of_a_compiler(const compiler::GlobalInfo& variable) noexcept {
    const std::string_view name = variable.name;
    return name.starts_with("__nv_") || name.starts_with("__ww_") || name.starts_with("_$_") ||
           name.starts_with('$');
}

compiler::Program read_ptx(std::string_view ptx, std::string_view name) {
    compiler::Program program;
    program.format = "ptx";
    const auto* const bytes = reinterpret_cast<const std::byte*>(ptx.data());
    program.binary.assign(bytes, bytes + ptx.size());
    PtxWords words(ptx);
    bool is_extern = false;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word == ".extern") is_extern = true;
        if (word == ".target") program.target = words.next();
        if (word == ".entry") {
            compiler::KernelInfo kernel = ptx_kernel(words);
            if (!is_extern) program.kernels.push_back(std::move(kernel));
            is_extern = false;
        } else if (word == ".global" || word == ".const") {
            const Declared variable = declaration(words);
            if (!is_extern && !variable.name.empty()) {
                program.globals.push_back({.name = demangled(variable.name),
                                           .symbol = variable.name,
                                           .size = variable.bytes,
                                           .is_constant = word == ".const",
                                           .dtype = {}});
            }
            is_extern = false;
            for (std::string_view end = variable.end; end != ";" && !end.empty();) {
                end = words.next();
            }
        } else if (word == "{") {
            words.skip_body();
            is_extern = false;
        } else if (word == ";") {
            is_extern = false;
        }
    }
    if (program.target.empty()) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("{} is no PTX: it names no target", quote(name)));
    }
    std::erase_if(program.globals, is_of_a_compiler);
    return program;
}

std::vector<std::string> definitions_in_ptx(std::string_view ptx) {
    std::vector<std::string> found;
    PtxWords words(ptx);
    bool is_visible = false;
    std::string_view function;  // a declaration as long as no body has come
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word == ".visible") {
            is_visible = true;
        } else if (word == ".entry" || word == ".func") {
            function = ptx_function_name(words);
        } else if (word == ".global" || word == ".const") {
            const Declared variable = declaration(words);
            if (is_visible) found.push_back(variable.name);
            is_visible = false;
            for (word = variable.end; word != ";" && !word.empty();) word = words.next();
        } else if (word == "{" || word == ";") {
            if (word == "{") words.skip_body();
            if (word == "{" && is_visible && !function.empty()) found.emplace_back(function);
            is_visible = false;
            function = {};
        }
    }
    return found;
}

}  // namespace warpwise::cuda
