// Declarations word by word. What a name means as a type is up to DType, or to who
// registered it.
#include "src/algorithm/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "src/algorithm/tokens.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace algorithm {
namespace {

struct Registry {
    Mutex mutex;
    std::map<std::string, DType, std::less<>> types WARPWISE_GUARDED_BY(mutex);
    std::vector<std::string> order WARPWISE_GUARDED_BY(mutex);  // of registration
};
Registry& registry() {
    static auto* const all = new Registry;
    return *all;
}

template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> format, Values&&... values) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format(format, std::forward<Values>(values)...));
}

constexpr std::array<std::string_view, 6> kIntegerWords = {"unsigned", "signed", "long",
                                                           "short",    "int",    "char"};

// "unsigned long int" and its like, as DType spells them; empty for other types.
std::string integer_name(const std::vector<std::string_view>& words) {
    std::array<int, kIntegerWords.size()> count{};
    for (const std::string_view word : words) {
        const auto* const at = std::ranges::find(kIntegerWords, word);
        if (at == kIntegerWords.end()) return {};
        ++count[static_cast<std::size_t>(at - kIntegerWords.begin())];
    }
    const auto [is_unsigned, is_signed, longs, shorts, ints, chars] = count;
    if (is_unsigned + is_signed > 1 || ints > 1 || longs > 2 || words.empty()) return {};
    const std::string sign = is_unsigned != 0 ? "unsigned " : "";
    if (chars == 1) return is_unsigned != 0 ? "unsigned char" : "signed char";
    if (shorts == 1) return sign + "short";
    if (longs == 2) return sign + "long long";
    if (longs == 1) return sign + "long";
    return sign + "int";
}

// "complex<float>" of any library that has it.
DType complex_type(std::string_view type) {
    for (const std::string_view prefix : {"cuda::std::", "std::", "thrust::", "pycuda::"}) {
        if (type.starts_with(prefix)) {
            type.remove_prefix(prefix.size());
            break;
        }
    }
    if (type == "complex<float>") return complex64;
    if (type == "complex<double>") return complex128;
    return {};
}

// Words with blanks between names alone: "std::pair<int, float>" as "std::pair<int,float>".
std::string joined(const std::vector<Token>& tokens) {
    std::string text;
    bool was_name = false;
    for (const Token& token : tokens) {
        const bool is_name = token.kind == Token::Kind::Name;
        if (is_name && was_name) text += ' ';
        text += token.text;
        was_name = is_name;
    }
    return text;
}

class Declarations {
  public:
    Declarations(std::string_view text, std::string_view kernel) : text_(text), kernel_(kernel) {}

    std::vector<KernelParameter> all() {
        std::vector<KernelParameter> parameters;
        std::vector<Token> one;
        int depth = 0;
        for (const Token& token : tokens_of(text_)) {
            if (token.is("<") || token.is("(")) ++depth;
            if (token.is(">") || token.is(")")) --depth;
            if (token.is(",") && depth == 0) {
                parameters.push_back(parameter(one));
                one.clear();
            } else {
                one.push_back(token);
            }
        }
        if (!one.empty() || !parameters.empty()) parameters.push_back(parameter(one));
        return parameters;
    }

  private:
    std::string_view text_of(const std::vector<Token>& tokens) const {
        if (tokens.empty()) return {};
        const std::size_t begin = tokens.front().offset;
        return text_.substr(begin, tokens.back().offset + tokens.back().text.size() - begin);
    }

    KernelParameter parameter(std::vector<Token> tokens) const {
        const std::string_view whole = text_of(tokens);
        KernelParameter parameter;
        const bool has_brackets =
            tokens.size() > 2 && tokens[tokens.size() - 2].is("[") && tokens.back().is("]");
        if (has_brackets) tokens.resize(tokens.size() - 2);
        if (tokens.size() < 2 || tokens.back().kind != Token::Kind::Name) {
            refuse(
                "{}: '{}' among the arguments is no parameter; write type and name, as in "
                "\"float a, const float *x\"",
                kernel_, whole);
        }
        parameter.name = tokens.back().text;
        tokens.pop_back();
        std::vector<Token> type;
        for (const Token& token : tokens) add(token, type, parameter, whole);
        if (has_brackets) add({.text = "*"}, type, parameter, whole);
        if (type.empty()) refuse("{}: '{}' among the arguments has no type", kernel_, whole);
        parameter.type = joined(type);
        std::vector<std::string_view> words;
        words.reserve(type.size());
        for (const Token& token : type) words.push_back(token.text);
        if (const std::string plain = integer_name(words); !plain.empty()) parameter.type = plain;
        parameter.dtype = element_of(parameter.type);
        // "float32 x", NumPy's name and so CuPy's for it.
        const bool is_scalar = parameter.dtype.kind() != Kind::Struct;
        if (is_scalar && parameter.type == parameter.dtype.name()) {
            parameter.type = type_of(parameter.dtype);
        }
        return parameter;
    }

    // What a word of a declaration means.
    void add(const Token& token, std::vector<Token>& type, KernelParameter& parameter,
             std::string_view whole) const {
        if (token.is_name("const")) {
            parameter.is_const |= !parameter.is_array;
        } else if (token.is("*")) {
            if (parameter.is_array) {
                refuse(
                    "{}: '{}' is a pointer to pointers; parameters are numbers, structs and "
                    "pointers to elements",
                    kernel_, whole);
            }
            parameter.is_array = true;
        } else if (token.is("&") || token.is("&&") || token.is("[") || token.is("(")) {
            refuse("{}: '{}' is no number, struct or pointer to elements", kernel_, whole);
        } else if (!token.is_name("volatile") && !token.is_name("restrict") &&
                   !token.is_name("__restrict__") && !token.is_name("__restrict") &&
                   !token.is_name("struct")) {
            if (parameter.is_array) refuse("{}: '{}' is no parameter", kernel_, whole);
            type.push_back(token);
        }
    }

    std::string_view text_;
    std::string_view kernel_;
};

bool is_identifier(std::string_view name) {
    const std::vector<Token> tokens = tokens_of(name);
    return tokens.size() == 1 && tokens[0].kind == Token::Kind::Name && tokens[0].text == name;
}

}  // namespace

std::vector<KernelParameter> parse_parameters(std::string_view arguments, std::string_view kernel) {
    auto parameters = Declarations(arguments, kernel).all();
    check_parameters(parameters, kernel);
    return parameters;
}

void check_parameters(const std::vector<KernelParameter>& parameters, std::string_view kernel) {
    std::set<std::string_view> names;
    for (const KernelParameter& one : parameters) {
        if (!is_identifier(one.name)) {
            refuse("{}: '{}' is no name of a parameter", kernel, one.name);
        }
        if (one.name == "i" || one.name == "n") {
            refuse(
                "{}: a parameter is called '{}', which is the kernel's own name for {}; call it "
                "otherwise",
                kernel, one.name, one.name == "i" ? "the index" : "the number of elements");
        }
        if (one.name.starts_with("__ww")) {
            refuse("{}: names that begin with __ww are Warpwise's own; call '{}' otherwise", kernel,
                   one.name);
        }
        if (!names.insert(one.name).second) {
            refuse("{}: two parameters are called '{}'", kernel, one.name);
        }
        if (!one.is_array && one.dtype.kind() == Kind::Void) {
            refuse(
                "{}: '{} {}' has a type that is not known; register it with register_dtype, or "
                "pass the number's own type",
                kernel, one.type, one.name);
        }
    }
}

DType element_of(std::string_view type) {
    {
        MutexLock lock(registry().mutex);
        const auto found = registry().types.find(type);
        if (found != registry().types.end()) return found->second;
    }
    if (const DType complex = complex_type(type); complex.kind() != Kind::Void) return complex;
    if (type == "void") return {};
    try {
        return DType::parse(type);
    } catch (const ArgumentError&) {
        return {};  // a type of the user's
    }
}

std::string type_of(const DType& dtype) {
    if (dtype == complex64) return "std::complex<float>";
    if (dtype == complex128) return "std::complex<double>";
    if (dtype.kind() != Kind::Struct) {
        return dtype.kind() == Kind::Void || dtype.lanes() > 1 ? std::string() : dtype.cuda_name();
    }
    MutexLock lock(registry().mutex);
    for (auto name = registry().order.rbegin(); name != registry().order.rend(); ++name) {
        if (registry().types.at(*name) == dtype) return *name;
    }
    return {};
}

std::string includes_of(const std::vector<std::string>& types) {
    std::set<std::string_view> headers;
    for (const std::string_view type : types) {
        if (type == "half" || type == "__half" || type == "half2" || type == "__half2") {
            headers.insert("cuda_fp16.h");
        }
        if (type.find("bfloat16") != type.npos) headers.insert("cuda_bf16.h");
        if (type.starts_with("cu") && type.ends_with("Complex")) headers.insert("cuComplex.h");
        if (type.starts_with("std::complex<")) headers.insert("complex");
        if (type.starts_with("cuda::std::complex<")) headers.insert("cuda/std/complex");
        if (type.starts_with("thrust::complex<")) headers.insert("thrust/complex.h");
        if (type.starts_with("pycuda::complex<")) headers.insert("pycuda-complex.hpp");
    }
    std::string text;
    for (const std::string_view header : headers) text += fmt::format("#include <{}>\n", header);
    return text;
}

std::string declaration_of(const KernelParameter& parameter) {
    return fmt::format("{}{} {}{}", parameter.is_const && parameter.is_array ? "const " : "",
                       parameter.type, parameter.is_array ? "*" : "", parameter.name);
}

}  // namespace algorithm

void register_dtype(std::string_view name, const DType& dtype) {
    const std::vector<algorithm::Token> tokens = algorithm::tokens_of(name);
    const bool is_name = !tokens.empty() && tokens[0].kind == algorithm::Token::Kind::Name;
    if (!is_name || dtype.kind() == Kind::Void) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            fmt::format("register_dtype got {} for {}; give the name of a C++ type "
                                        "and what its values are",
                                        quote(name), dtype.name()));
    }
    try {
        DType::parse(name);
    } catch (const ArgumentError&) {
        MutexLock lock(algorithm::registry().mutex);
        const std::string type = algorithm::joined(tokens);
        algorithm::registry().types.insert_or_assign(type, dtype);
        std::erase(algorithm::registry().order, type);
        algorithm::registry().order.push_back(type);
        return;
    }
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("register_dtype got {}, a type of CUDA C++'s own; register types of your own",
                    quote(name)));
}

}  // namespace warpwise
