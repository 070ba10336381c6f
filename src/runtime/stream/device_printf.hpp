// What kernel printf prints: a C format string and the struct of arguments that compilers pack for
// it.
//
// The struct holds the promoted arguments in order (char, short and int as 4 bytes, float as
// double), each at its natural alignment. Its size is not known here, so a format that asks for
// more than was packed reads what lies behind it, as on a GPU. What a pointer for %s points to is
// the back end's to know.
//
// Threading: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace warpwise::runtime {

// Appends the text at `address`, at most `limit` bytes of it; false where nothing can be read,
// which prints as "(bad pointer)". `address` is not 0.
using StringReader =
    std::function<bool(std::uint64_t address, std::size_t limit, std::string& out)>;

// Of this process's memory, through the kernel: any address may be asked for.
bool read_own_string(std::uint64_t address, std::size_t limit, std::string& out);

// Appends the text to `out`; returns what CUDA's printf does: the number of arguments printed, or
// -1 for a null format.
std::int32_t format_device_printf(std::string& out, const char* format, const void* arguments,
                                  const StringReader& read_string);

}  // namespace warpwise::runtime
