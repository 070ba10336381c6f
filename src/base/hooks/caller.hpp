// Which line of a program is calling the library: what the handler of warpwise/output.hpp answers.
//
// Threading: any thread that a user's code runs on, no lock held.
#pragma once

#include <string>

namespace warpwise {

// Empty without a handler.
std::string caller_line();

}  // namespace warpwise
