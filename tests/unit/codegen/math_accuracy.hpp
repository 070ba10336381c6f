// Measures the mathematical device headers, compiled for the host, against libquadmath. Errors are
// in units of the last place of the true result; a wrong NaN, infinity or sign of zero counts as
// infinite.
#pragma once

#include <string>
#include <vector>

namespace warpwise::tests {

struct Measured {
    std::string name;   // "sinf", "sin"
    double allowed;     // CUDA's documented maximum, 0 for exact functions
    double worst;       // found
    std::string where;  // arguments of the worst
};

// One line per function and type, over special arguments and `samples` random ones: random bits,
// and uniform numbers in the function's usual range.
std::vector<Measured> measure_math(int samples);

// Nanoseconds a call of the scalar code, in the order of measure_math().
std::vector<double> time_math();

}  // namespace warpwise::tests
