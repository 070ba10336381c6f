// The table of leaf functions. All are pure or touch only the memory they are given; none keeps
// state, takes locks or allocates, so a fault inside one may be abandoned.
#include "src/backends/cpu/module/leaf_functions.hpp"

#include <cmath>
#include <cstring>
#include <unordered_map>

#include "src/backends/cpu/host/compiler_support.hpp"

namespace warpwise::cpu {
namespace {

using Table = std::unordered_map<std::string_view, std::uint64_t>;

template <class Function>
std::uint64_t address_of(Function* function) {
    return reinterpret_cast<std::uint64_t>(function);
}

// Picks the C function of an overloaded name by its type.
template <class Result, class... Parameters>
std::uint64_t pick(Result (*function)(Parameters...)) {
    return reinterpret_cast<std::uint64_t>(function);
}

void add_memory(Table& table) {
    table.emplace("memcpy", address_of(&::memcpy));
    table.emplace("memmove", address_of(&::memmove));
    table.emplace("memset", address_of(&::memset));
    table.emplace("memcmp", address_of(&::memcmp));
    table.emplace("bcmp", address_of(&::memcmp));
    table.emplace("strlen", address_of(&::strlen));
}

void add_math(Table& table) {
#define WARPWISE_UNARY(name)                            \
    table.emplace(#name, pick<double, double>(::name)); \
    table.emplace(#name "f", pick<float, float>(::name##f));
#define WARPWISE_BINARY(name)                                   \
    table.emplace(#name, pick<double, double, double>(::name)); \
    table.emplace(#name "f", pick<float, float, float>(::name##f));
    // clang-format off
    WARPWISE_UNARY(sin) WARPWISE_UNARY(cos) WARPWISE_UNARY(tan) WARPWISE_UNARY(asin)
    WARPWISE_UNARY(acos) WARPWISE_UNARY(atan) WARPWISE_UNARY(sinh) WARPWISE_UNARY(cosh)
    WARPWISE_UNARY(tanh) WARPWISE_UNARY(asinh) WARPWISE_UNARY(acosh) WARPWISE_UNARY(atanh)
    WARPWISE_UNARY(exp) WARPWISE_UNARY(exp2) WARPWISE_UNARY(exp10) WARPWISE_UNARY(expm1)
    WARPWISE_UNARY(log) WARPWISE_UNARY(log2) WARPWISE_UNARY(log10) WARPWISE_UNARY(log1p)
    WARPWISE_UNARY(logb) WARPWISE_UNARY(sqrt) WARPWISE_UNARY(cbrt) WARPWISE_UNARY(erf)
    WARPWISE_UNARY(erfc) WARPWISE_UNARY(tgamma) WARPWISE_UNARY(lgamma) WARPWISE_UNARY(floor)
    WARPWISE_UNARY(ceil) WARPWISE_UNARY(trunc) WARPWISE_UNARY(round) WARPWISE_UNARY(roundeven)
    WARPWISE_UNARY(rint) WARPWISE_UNARY(nearbyint) WARPWISE_UNARY(fabs) WARPWISE_UNARY(j0)
    WARPWISE_UNARY(j1) WARPWISE_UNARY(y0) WARPWISE_UNARY(y1)
    WARPWISE_BINARY(fmod) WARPWISE_BINARY(remainder) WARPWISE_BINARY(pow) WARPWISE_BINARY(atan2)
    WARPWISE_BINARY(hypot) WARPWISE_BINARY(fmin) WARPWISE_BINARY(fmax) WARPWISE_BINARY(fdim)
    WARPWISE_BINARY(copysign) WARPWISE_BINARY(nextafter)
    // clang-format on
#undef WARPWISE_UNARY
#undef WARPWISE_BINARY
#define WARPWISE_NAMED(name) table.emplace(#name, address_of(&::name));
        // clang-format off
    WARPWISE_NAMED(fma) WARPWISE_NAMED(fmaf) WARPWISE_NAMED(ldexp) WARPWISE_NAMED(ldexpf)
    WARPWISE_NAMED(frexp) WARPWISE_NAMED(frexpf) WARPWISE_NAMED(modf) WARPWISE_NAMED(modff)
    WARPWISE_NAMED(scalbn) WARPWISE_NAMED(scalbnf) WARPWISE_NAMED(scalbln) WARPWISE_NAMED(scalblnf)
    WARPWISE_NAMED(ilogb) WARPWISE_NAMED(ilogbf) WARPWISE_NAMED(lrint) WARPWISE_NAMED(lrintf)
    WARPWISE_NAMED(llrint) WARPWISE_NAMED(llrintf) WARPWISE_NAMED(lround) WARPWISE_NAMED(lroundf)
    WARPWISE_NAMED(llround) WARPWISE_NAMED(llroundf) WARPWISE_NAMED(remquo) WARPWISE_NAMED(remquof)
    WARPWISE_NAMED(sincos) WARPWISE_NAMED(sincosf) WARPWISE_NAMED(jn) WARPWISE_NAMED(jnf)
    WARPWISE_NAMED(yn) WARPWISE_NAMED(ynf)
    // clang-format on
#undef WARPWISE_NAMED
}

void add_compiler_support(Table& table) {
    for (const SupportFunction& function : compiler_support()) {
        table.emplace(function.name, function.address);
    }
}

}  // namespace

std::optional<std::uint64_t> leaf_function(std::string_view name) {
    static const Table* const table = [] {
        auto* made = new Table;
        add_memory(*made);
        add_math(*made);
        add_compiler_support(*made);
        return made;
    }();
    const auto found = table->find(name);
    if (found == table->end()) return std::nullopt;
    return found->second;
}

}  // namespace warpwise::cpu
