// Prints what measure_math() found as tab-separated lines: function, found, allowed, nanoseconds,
// arguments. The first argument is the number of random samples per function.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/unit/codegen/math_accuracy.hpp"

int main(int argc, char** argv) {
    int samples = argc > 1 ? std::atoi(argv[1]) : 2000;
    std::vector<double> times = warpwise::tests::time_math();
    std::vector<warpwise::tests::Measured> rows = warpwise::tests::measure_math(samples);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::printf("%s\t%.3f\t%g\t%.2f\t%s\n", rows[i].name.c_str(), rows[i].worst,
                    rows[i].allowed, times[i], rows[i].where.c_str());
    }
}
