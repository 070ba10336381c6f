// What the build leaves out of the programs for GPUs, and what ends it. NVRTC is a fake that knows
// sm_90 alone.
#include "src/prebuild/gpu_programs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "warpwise/error.hpp"

namespace warpwise::prebuild {
namespace {

compiler::CompileRequest request_of(const std::string& text) {
    compiler::CompileRequest request;
    request.source = "extern \"C\" __global__ void " + text + "() {}";
    KernelSignature signature;
    signature.name = signature.symbol = text;
    request.mode.signatures = {signature};
    return request;
}

TEST(GpuPrograms, AreOfEveryRequest) {
    EXPECT_EQ(compiled_for_gpu({request_of("first"), request_of("second")}, "sm_90").count(), 2u);
}

TEST(GpuPrograms, ThereAreNoneForAKindThatNvrtcDoesNotKnow) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(compiled_for_gpu({request_of("first")}, "sm_100").count(), 0u);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::HasSubstr("warning: no programs for sm_100: "));
}

// The fake refuses what has this word.
TEST(GpuPrograms, AKernelThatNvrtcRefusesIsThrown) {
    EXPECT_THROW(compiled_for_gpu({request_of("first"), request_of("wrong")}, "sm_90"),
                 CompileError);
}

}  // namespace
}  // namespace warpwise::prebuild

int main(int count, char** words) {
    ::setenv("WARPWISE_NVRTC", FAKE_NVRTC, 1);
    ::setenv("WARPWISE_CACHE_SIZE", "0", 1);
    testing::InitGoogleMock(&count, words);
    return RUN_ALL_TESTS();
}
