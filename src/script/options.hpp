// How functions are translated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwise::script {

struct TranslateOptions {
    // Variables that some path leaves unset are zero there, as under Numba; else they are refused.
    bool zero_unset = false;
    // What a thread raises reaches the host; indices and divisors are checked. Else `raise` and
    // `assert` end the thread.
    bool checks = false;
    bool checks_divisors = true;  // with checks
    // The kernel's arguments that are signed integers are from 0 to 2^31 - 1, its arrays have less
    // than 2^30 elements and 2^31 bytes, and the grid has less than 2^30 threads along each axis.
    bool is_small_launch = false;
    // By argument, of arrays in C order: how many items the last axis has; 0: that is not known.
    // Empty: of none.
    std::vector<int> last_extents = {};
    // The arguments of the kernel's __launch_bounds__; empty: none.
    std::vector<std::uint32_t> launch_bounds = {};
    // CUDA C++ before the program: what declared functions are defined in.
    std::string preamble = {};
};

}  // namespace warpwise::script
