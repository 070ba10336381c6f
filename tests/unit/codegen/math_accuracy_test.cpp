// Every mathematical device function keeps the error that CUDA documents for it.
#include "tests/unit/codegen/math_accuracy.hpp"

#include <gtest/gtest.h>

namespace warpwise::tests {

TEST(DeviceMath, StaysWithinCudasDocumentedErrors) {
    for (const Measured& m : measure_math(2000)) {
        EXPECT_LE(m.worst, m.allowed) << m.name << " at " << m.where;
    }
}

}  // namespace warpwise::tests
