// How functions are translated.
#pragma once

#include <string>

namespace warpwise::script {

struct TranslateOptions {
    // Variables that some path leaves unset are zero there, as under Numba; else they are refused.
    bool zero_unset = false;
    // What a thread raises reaches the host; indices and divisors are checked. Else `raise` and
    // `assert` end the thread.
    bool checks = false;
    // CUDA C++ before the program: what declared functions are defined in.
    std::string preamble = {};
};

}  // namespace warpwise::script
