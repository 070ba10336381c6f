// What kernel printf prints: a C format string and the struct of arguments clang packs for it.
//
// The struct holds the promoted arguments in order (char, short and int as 4 bytes, float as
// double), each at its natural alignment. Its size is not known here, so a format that asks for
// more than was packed reads what lies behind it, as on a GPU; pointers for %s are therefore read
// through the kernel, and an unreadable one prints as "(bad pointer)".
//
// Threading: no state.
#pragma once

#include <cstdint>
#include <string>

namespace warpwise::cpu {

// Appends the text to `out`; returns what CUDA's printf does: the number of arguments printed, or
// -1 for a null format.
std::int32_t format_device_printf(std::string& out, const char* format, const void* arguments);

}  // namespace warpwise::cpu
