// What C++ reserves, and what the headers of device code define as macros or functions.
#include "src/script/identifiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace warpwise::script {
namespace {

// Keywords of C++20, of CUDA, macros, and the namespace of translated functions.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"CHAR_BIT",     "DBL_EPSILON",   "DBL_MAX",     "DBL_MIN",   "EOF",
     "FLT_EPSILON",  "FLT_MAX",       "FLT_MIN",     "HUGE_VAL",  "INFINITY",
     "INT_MAX",      "INT_MIN",       "LLONG_MAX",   "LLONG_MIN", "LONG_MAX",
     "LONG_MIN",     "M_1_PI",        "M_2_PI",      "M_E",       "M_LN10",
     "M_LN2",        "M_LOG10E",      "M_LOG2E",     "M_PI",      "M_PI_2",
     "M_PI_4",       "M_SQRT1_2",     "M_SQRT2",     "NAN",       "NULL",
     "RAND_MAX",     "UINT_MAX",      "ULLONG_MAX",  "alignas",   "alignof",
     "and",          "and_eq",        "asm",         "assert",    "auto",
     "bitand",       "bitor",         "blockDim",    "blockIdx",  "bool",
     "break",        "case",          "catch",       "char",      "char16_t",
     "char32_t",     "char8_t",       "class",       "co_await",  "co_return",
     "co_yield",     "compl",         "concept",     "const",     "const_cast",
     "consteval",    "constexpr",     "constinit",   "continue",  "decltype",
     "default",      "delete",        "do",          "double",    "dynamic_cast",
     "else",         "enum",          "errno",       "explicit",  "export",
     "extern",       "false",         "float",       "for",       "friend",
     "goto",         "half",          "half2",       "gridDim",   "if",
     "inline",       "int",           "linux",       "long",      "mutable",
     "namespace",    "new",           "noexcept",    "not",       "not_eq",
     "nullptr",      "operator",      "or",          "or_eq",     "private",
     "protected",    "public",        "py",          "register",  "reinterpret_cast",
     "requires",     "return",        "short",       "signed",    "sizeof",
     "static",       "static_assert", "static_cast", "stderr",    "stdin",
     "stdout",       "struct",        "switch",      "template",  "this",
     "thread_local", "threadIdx",     "throw",       "true",      "try",
     "typedef",      "typeid",        "typename",    "union",     "unix",
     "unsigned",     "using",         "virtual",     "void",      "volatile",
     "warpSize",     "wchar_t",       "while",       "xor",       "xor_eq"});

// Functions with C linkage in device code, whose names no kernel can have. Those of
// mathematics have a second name that ends in f.
constexpr auto kFunctions = std::to_array<std::string_view>(
    {"abort",   "abs",    "acos",      "acosh",     "asin",    "asinh",     "atan",    "atan2",
     "atanh",   "cbrt",   "ceil",      "clock",     "clock64", "copysign",  "cos",     "cosh",
     "cospi",   "erf",    "erfc",      "exit",      "exp",     "exp10",     "exp2",    "expm1",
     "fabs",    "fdim",   "floor",     "fma",       "fmax",    "fmin",      "fmod",    "fprintf",
     "free",    "frexp",  "hypot",     "ilogb",     "isinf",   "isnan",     "j0",      "j1",
     "jn",      "labs",   "ldexp",     "lgamma",    "llabs",   "llmax",     "llmin",   "llrint",
     "llround", "log",    "log10",     "log1p",     "log2",    "logb",      "lrint",   "lround",
     "main",    "malloc", "max",       "memcmp",    "memcpy",  "memmove",   "memset",  "min",
     "modf",    "nan",    "nearbyint", "nextafter", "norm",    "norm3d",    "normcdf", "pow",
     "powi",    "printf", "puts",      "rand",      "rcbrt",   "remainder", "remquo",  "rhypot",
     "rint",    "round",  "rsqrt",     "scalbln",   "scalbn",  "sin",       "sincos",  "sinh",
     "sinpi",   "sqrt",   "strcmp",    "strcpy",    "strlen",  "tan",       "tanh",    "tgamma",
     "time",    "trunc",  "ullmax",    "ullmin",    "umax",    "umin",      "y0",      "y1",
     "yn"});

bool is_function(std::string_view name) {
    if (std::ranges::find(kFunctions, name) != kFunctions.end()) return true;
    return name.ends_with('f') &&
           std::ranges::find(kFunctions, name.substr(0, name.size() - 1)) != kFunctions.end();
}

}  // namespace

std::string identifier(std::string_view name) {
    if (name.starts_with('.')) name.remove_prefix(1);  // of the translation's own
    std::string text;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (c < 0x80) {
            text += name[i];
            continue;
        }
        // UTF-8: the number of continuation bytes is in the first one.
        const int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        std::uint32_t point = c & (0x3fU >> more);
        for (int k = 0; k < more && i + 1 < name.size(); ++k) {
            point = point << 6 | (static_cast<unsigned char>(name[++i]) & 0x3fU);
        }
        text += fmt::format("u{:x}_", point);
    }
    const bool is_reserved = std::ranges::find(kReserved, text) != kReserved.end() ||
                             text.find("__") != text.npos ||
                             (text.size() > 1 && text[0] == '_' &&
                              std::isupper(static_cast<unsigned char>(text[1])) != 0);
    if (!is_reserved) return text;
    // Two underscores stand for themselves nowhere in C++.
    std::string spread;
    for (const char c : text) {
        if (c == '_' && spread.ends_with('_')) spread += 'u';
        spread += c;
    }
    if (spread[0] == '_') spread.insert(0, "py");
    return spread + "_";
}

std::string global_identifier(std::string_view name) {
    const std::string text = identifier(name);
    return is_function(text) ? text + "_kernel" : text;
}

}  // namespace warpwise::script
