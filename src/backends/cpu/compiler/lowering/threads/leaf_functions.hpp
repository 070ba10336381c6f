// The only functions outside itself that an object may call directly: those LLVM's code generator
// makes up by itself. The object loader resolves them from the host's C library and libgcc; they
// must be leaves (no locks, no callbacks). Everything else goes through RuntimeTable.
#pragma once

#include <string_view>

namespace warpwise::cpu_compiler {

inline constexpr std::string_view kLeafFunctions[] = {
    "memcpy",        "memmove",      "memset",        "fma",
    "fminf",         "fmaxf",        "fmin",          "fmax",  // of half
    "fmaf",          "fmod",         "fmodf",                  // fma: below x86-64-v3
    "ceil",          "ceilf",        "floor",         "floorf",
    "rint",          "rintf",  // below x86-64-v2
    "nearbyint",     "nearbyintf",   "roundeven",     "roundevenf",
    "round",         "roundf",       "trunc",         "truncf",
    "__udivti3",     "__divti3",     "__umodti3",     "__modti3",  // 128-bit integers
    "__floattidf",   "__floattisf",  "__floatuntidf", "__floatuntisf",
    "__fixdfti",     "__fixsfti",    "__fixunsdfti",  "__fixunssfti",
    "__extendhfsf2", "__truncsfhf2", "__truncdfhf2",  // half and bfloat16
    "__truncsfbf2",  "__truncdfbf2",
};

}  // namespace warpwise::cpu_compiler
