// The generated text, as people read it. WARPWISE_UPDATE_GOLDEN=1 writes the files anew: look at
// the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/algorithm/sample_kernels.hpp"

namespace warpwise::algorithm {
namespace {

class UserKernelText : public testing::TestWithParam<SampleKernel> {};

TEST_P(UserKernelText, IsTheOneKept) {
    const auto path =
        std::filesystem::path(GOLDEN_FOLDER) / GetParam().folder / (GetParam().name + ".txt");
    const std::string& text = GetParam().source;
    if (std::getenv("WARPWISE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    std::ifstream file(path);
    ASSERT_TRUE(file) << path << " is missing";
    std::stringstream kept;
    kept << file.rdbuf();
    EXPECT_EQ(text, kept.str());
}

INSTANTIATE_TEST_SUITE_P(Kernels, UserKernelText, testing::ValuesIn(sample_kernels()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace warpwise::algorithm
