// The levels of x86-64. cpuid through the compiler's built-in checks, which also ask the operating
// system about the vector registers it saves.
#include "src/base/processor_level.hpp"

#include <array>

#include "warpwise/error.hpp"

namespace warpwise {
namespace {

constexpr std::array<std::string_view, 3> kLevels = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

}  // namespace

std::span<const std::string_view> processor_levels() noexcept {
    return kLevels;
}

std::string native_level() {
    // The built-in takes literals only.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
    if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
    if (__builtin_cpu_supports("x86-64-v2")) return "x86-64-v2";
    throw DeviceError(
        "this processor is older than x86-64-v2 (SSE4.2, POPCNT), which the CPU device needs");
}

// Gathers are microcode on AMD's processors, on which they take as long as a load a lane. What
// the highest level lacks of the host's: counts of bits, permutations of bytes, shifts of pairs.
std::string tuned_for_host(std::string_view level) {
    __builtin_cpu_init();
    std::string target(level);
    if (__builtin_cpu_is("amd")) target += ",-fast-gather";
    if (level != kLevels.back()) return target;
    if (__builtin_cpu_supports("avx512vpopcntdq")) target += ",+avx512vpopcntdq";
    if (__builtin_cpu_supports("avx512bitalg")) target += ",+avx512bitalg";
    if (__builtin_cpu_supports("avx512vbmi")) target += ",+avx512vbmi";
    if (__builtin_cpu_supports("avx512vbmi2")) target += ",+avx512vbmi2";
    if (__builtin_cpu_supports("avx512vnni")) target += ",+avx512vnni";
    if (__builtin_cpu_supports("gfni")) target += ",+gfni";
    return target;
}

}  // namespace warpwise
