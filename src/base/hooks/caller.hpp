// Which line of a program is calling the library: what the handler of warpwise/output.hpp answers.
//
// Threading: any thread that a user's code runs on, no lock held.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "warpwise/output.hpp"

namespace warpwise {

// Empty without a handler.
std::string caller_line();

namespace hooks {
extern std::atomic<std::uint64_t (*)() noexcept> g_mark_place;
}
// A number for the line, in some nanoseconds; 0 where it is not known. May be called under locks.
inline std::uint64_t caller_place() noexcept {
    const auto mark = hooks::g_mark_place.load(std::memory_order_relaxed);
    return mark != nullptr ? mark() : 0;
}
// The line; empty where it is not known. No lock held.
std::string name_of_place(std::uint64_t place);

}  // namespace warpwise
