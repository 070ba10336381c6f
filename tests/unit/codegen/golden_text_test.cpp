// The generated text, as people read it. WARPWISE_UPDATE_GOLDEN=1 writes the files anew: look at
// the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/codegen/fused.hpp"
#include "tests/unit/codegen/golden_groups.hpp"

namespace warpwise::codegen {
namespace {

class GoldenText : public testing::TestWithParam<GoldenGroup> {};

TEST_P(GoldenText, IsTheOneKept) {
    const auto path = std::filesystem::path(GOLDEN_FOLDER) / (GetParam().name + ".txt");
    const std::string text = emit(GetParam().group);
    if (std::getenv("WARPWISE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    std::ifstream file(path);
    ASSERT_TRUE(file) << path << " is missing";
    std::stringstream kept;
    kept << file.rdbuf();
    EXPECT_EQ(text, kept.str());
}

INSTANTIATE_TEST_SUITE_P(Groups, GoldenText, testing::ValuesIn(golden_groups()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace warpwise::codegen
