// What LLVM calls on x86-64: libgcc's functions, and the conversions of bfloat16 that libgcc lacks.
#include "src/backends/cpu/host/compiler_support.hpp"

#include <bit>
#include <cmath>
#include <vector>

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

template <class Function>
SupportFunction row(std::string_view name, Function* function) {
    return {name, reinterpret_cast<std::uint64_t>(function)};
}

}  // namespace

std::span<const SupportFunction> compiler_support() {
#define WARPWISE_NAMED(name) row(#name, &::name)
    static const std::vector<SupportFunction> rows{
        WARPWISE_NAMED(__extendhfsf2),
        WARPWISE_NAMED(__extendhfdf2),
        WARPWISE_NAMED(__truncsfhf2),
        WARPWISE_NAMED(__truncdfhf2),
        WARPWISE_NAMED(__divti3),
        WARPWISE_NAMED(__modti3),
        WARPWISE_NAMED(__udivti3),
        WARPWISE_NAMED(__umodti3),
        WARPWISE_NAMED(__multi3),
        WARPWISE_NAMED(__ashlti3),
        WARPWISE_NAMED(__ashrti3),
        WARPWISE_NAMED(__lshrti3),
        WARPWISE_NAMED(__fixdfti),
        WARPWISE_NAMED(__fixsfti),
        WARPWISE_NAMED(__fixunsdfti),
        WARPWISE_NAMED(__fixunssfti),
        WARPWISE_NAMED(__floattidf),
        WARPWISE_NAMED(__floattisf),
        WARPWISE_NAMED(__floatuntidf),
        WARPWISE_NAMED(__floatuntisf),
        WARPWISE_NAMED(__powidf2),
        WARPWISE_NAMED(__powisf2),
        WARPWISE_NAMED(__popcountdi2),
        WARPWISE_NAMED(__mulsc3),
        WARPWISE_NAMED(__muldc3),
        WARPWISE_NAMED(__divsc3),
        WARPWISE_NAMED(__divdc3),
        row("__truncsfbf2", &narrow_to_bfloat16),
        row("__truncdfbf2", &narrow_double_to_bfloat16),
        row("__extendbfsf2", &widen_bfloat16),
    };
#undef WARPWISE_NAMED
    return rows;
}

}  // namespace warpwise::cpu
