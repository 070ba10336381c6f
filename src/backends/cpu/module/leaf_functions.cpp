// The table of leaf functions. All are pure or touch only the memory they are given; none keeps
// state, takes locks or allocates, so a fault inside one may be abandoned.
#include "src/backends/cpu/module/leaf_functions.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>

extern "C" {
// Of libgcc, linked statically, whose names these are.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
float __extendhfsf2(_Float16);
double __extendhfdf2(_Float16);
_Float16 __truncsfhf2(float);
_Float16 __truncdfhf2(double);
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
__int128 __multi3(__int128, __int128);
__int128 __ashlti3(__int128, int);
__int128 __ashrti3(__int128, int);
__int128 __lshrti3(__int128, int);
__int128 __fixdfti(double);
__int128 __fixsfti(float);
unsigned __int128 __fixunsdfti(double);
unsigned __int128 __fixunssfti(float);
double __floattidf(__int128);
float __floattisf(__int128);
double __floatuntidf(unsigned __int128);
float __floatuntisf(unsigned __int128);
double __powidf2(double, int);
float __powisf2(float, int);
int __popcountdi2(long);
float _Complex __mulsc3(float, float, float, float);
double _Complex __muldc3(double, double, double, double);
float _Complex __divsc3(float, float, float, float);
double _Complex __divdc3(double, double, double, double);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace warpwise::cpu {
namespace {

// bfloat16 travels in the low 16 bits of xmm0, as _Float16 does, whatever the bits mean.
_Float16 narrow_to_bfloat16(float value) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    if (value != value) {
        bits = (bits >> 16) | 0x40u;  // quiet the NaN, keep its sign and payload
    } else {
        bits = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;  // to nearest even
    }
    return std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits));
}

// Rounding twice (to float, then to bfloat16) must not differ from rounding once: the float is
// rounded to odd, which keeps what the second rounding needs.
_Float16 narrow_double_to_bfloat16(double value) {
    float nearest = static_cast<float>(value);
    if (static_cast<double>(nearest) != value && std::isfinite(nearest)) {
        auto bits = std::bit_cast<std::uint32_t>(nearest);
        const bool too_far = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
        if ((bits & 1u) == 0) bits = too_far ? bits - 1 : bits + 1;
        nearest = std::bit_cast<float>(bits);
    }
    return narrow_to_bfloat16(nearest);
}

float widen_bfloat16(_Float16 value) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(std::bit_cast<std::uint16_t>(value))
                                << 16);
}

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
#define WARPWISE_NAMED(name) table.emplace(#name, address_of(&::name));
    // clang-format off
    WARPWISE_NAMED(__extendhfsf2) WARPWISE_NAMED(__extendhfdf2) WARPWISE_NAMED(__truncsfhf2)
    WARPWISE_NAMED(__truncdfhf2) WARPWISE_NAMED(__divti3) WARPWISE_NAMED(__modti3)
    WARPWISE_NAMED(__udivti3) WARPWISE_NAMED(__umodti3) WARPWISE_NAMED(__multi3)
    WARPWISE_NAMED(__ashlti3) WARPWISE_NAMED(__ashrti3) WARPWISE_NAMED(__lshrti3)
    WARPWISE_NAMED(__fixdfti) WARPWISE_NAMED(__fixsfti) WARPWISE_NAMED(__fixunsdfti)
    WARPWISE_NAMED(__fixunssfti) WARPWISE_NAMED(__floattidf) WARPWISE_NAMED(__floattisf)
    WARPWISE_NAMED(__floatuntidf) WARPWISE_NAMED(__floatuntisf) WARPWISE_NAMED(__powidf2)
    WARPWISE_NAMED(__powisf2) WARPWISE_NAMED(__popcountdi2) WARPWISE_NAMED(__mulsc3)
    WARPWISE_NAMED(__muldc3) WARPWISE_NAMED(__divsc3) WARPWISE_NAMED(__divdc3)
    // clang-format on
#undef WARPWISE_NAMED
                                                table.emplace("__truncsfbf2",
                                                              address_of(&narrow_to_bfloat16));
    table.emplace("__truncdfbf2", address_of(&narrow_double_to_bfloat16));
    table.emplace("__extendbfsf2", address_of(&widen_bfloat16));
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
