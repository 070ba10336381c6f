// Prints what measure_math() found as tab-separated lines: function, found, allowed, arguments.
// The first argument is the number of random samples per function.
#include <cstdio>
#include <cstdlib>

#include "tests/unit/codegen/math_accuracy.hpp"

int main(int argc, char** argv) {
    int samples = argc > 1 ? std::atoi(argv[1]) : 2000;
    for (const warpwise::tests::Measured& m : warpwise::tests::measure_math(samples)) {
        std::printf("%s\t%.3f\t%g\t%s\n", m.name.c_str(), m.worst, m.allowed, m.where.c_str());
    }
}
