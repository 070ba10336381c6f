// Generated kernels through NVRTC, which needs no GPU: the golden groups and random ones, for the
// oldest and the newest architecture and those between.
#include <algorithm>
#include <array>

#include "src/codegen/arguments.hpp"
#include "src/runtime/registry.hpp"
#include "tests/unit/codegen/cpu_device.hpp"
#include "tests/unit/codegen/golden_groups.hpp"

namespace warpwise::codegen {
namespace {

constexpr std::array kArchitectures = {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"};

runtime::Backend& cuda() {
    const auto rows = runtime::registry();
    return std::ranges::find(rows, "cuda", &runtime::RegistryRow::kind)->backend();
}

compiler::Program compiled(const Group& group, const char* architecture) {
    compiler::CompileRequest request;
    request.source = emit(group);
    request.name = "fused.cu";
    request.target = architecture;
    request.mode.contraction = false;
    request.mode.signatures = {signature_of(group)};
    return compiler::compile_cached(cuda().compiler(), request);
}

class GpuCode : public testing::Test {
  protected:
    void SetUp() override {
        try {
            compiled(golden_groups().front().group, "sm_80");
        } catch (const CompileError&) {
            // The tests say which groups.
        } catch (const Error& error) {
            GTEST_SKIP() << "there is no NVRTC here: " << error.what();
        }
    }
};

TEST_F(GpuCode, OfGoldenGroupsCompilesForEveryArchitecture) {
    for (const GoldenGroup& one : golden_groups()) {
        for (const char* const architecture : kArchitectures) {
            EXPECT_NO_THROW({ EXPECT_FALSE(compiled(one.group, architecture).binary.empty()); })
                << one.name << " for " << architecture;
        }
    }
}

TEST_F(GpuCode, OfRandomGroupsCompiles) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Case sample = random_case(seed);
        try {
            compiled(sample.group, kArchitectures[seed % kArchitectures.size()]);
        } catch (const Error& error) {
            ADD_FAILURE() << "seed " << seed << ": " << error.what() << "\n" << emit(sample.group);
        }
    }
}

}  // namespace
}  // namespace warpwise::codegen
