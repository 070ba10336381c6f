// Scans whose tiles are summed ahead: when they are, and their text through NVRTC.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "src/algorithm/parameters.hpp"
#include "src/algorithm/scan/scan.hpp"
#include "src/compiler/compiler.hpp"
#include "src/runtime/module/compile_request.hpp"
#include "src/runtime/registry.hpp"
#include "warpwise/error.hpp"

namespace warpwise::algorithm {
namespace {

constexpr std::int64_t kMillion = 1 << 20;

DeviceInfo device_with_cache(std::uint64_t megabytes) {
    DeviceInfo info;
    info.l2_cache_bytes = megabytes << 20;
    return info;
}

// A scan of float32 with these texts.
ScanDefinition scan_of(const std::string& input, const std::string& output,
                       const std::string& preamble = "") {
    ScanDefinition definition;
    definition.parameters = parse_parameters("const float *x, float *y, float k", "scan");
    definition.type = "float";
    definition.dtype = float32;
    definition.input_expr = input;
    definition.scan_expr = "a+b";
    definition.neutral = "0";
    definition.output_statement = output;
    definition.text = {.name = "scan", .preamble = preamble};
    return ScanState(definition).definition();
}

TEST(ScansSummedAhead, AreThoseOfMoreThanTheCacheKeeps) {
    const DeviceInfo device = device_with_cache(50);
    EXPECT_TRUE(ahead_layout(device, 4, 1, 16 * kMillion));
    EXPECT_FALSE(ahead_layout(device, 4, 1, kMillion));
    EXPECT_FALSE(ahead_layout(device, 4, kMillion, 1024)) << "rows shorter than a few tiles";
}

TEST(ScansSummedAhead, NeedACacheAndNumbersOfFourOrEightBytes) {
    EXPECT_FALSE(ahead_layout(device_with_cache(6), 4, 1, 64 * kMillion));
    EXPECT_FALSE(ahead_layout(device_with_cache(50), 2, 1, 64 * kMillion));
    EXPECT_FALSE(ahead_layout(device_with_cache(50), 16, 1, 64 * kMillion));
    EXPECT_TRUE(ahead_layout(device_with_cache(50), 8, 1, 64 * kMillion));
}

TEST(ScansSummedAhead, TakeEveryTileTwice) {
    const auto layout = ahead_layout(device_with_cache(50), 4, 1, 16 * kMillion);
    ASSERT_TRUE(layout);
    EXPECT_GT(layout->ahead, 0);
    EXPECT_EQ(layout->blocks(), 2 * (layout->tiles + layout->ahead));
    EXPECT_EQ(layout->tiles, 16 * kMillion / layout->tile);
}

TEST(ScansSummedAhead, AreOfElementsAsTheyAre) {
    EXPECT_TRUE(scan_of("x[i]", "y[i] = item").plain);
    EXPECT_TRUE(scan_of(" x [i] ", "y[i] = prev_item;").plain);
    EXPECT_FALSE(scan_of("x[i] * k", "y[i] = item").plain);
    EXPECT_FALSE(scan_of("x[n-1-i]", "y[i] = item").plain);
    EXPECT_FALSE(scan_of("x[i]", "y[i] = item + k").plain);
    EXPECT_FALSE(scan_of("x[i]", "if (i > 0) y[i-1] = item").plain);
    EXPECT_FALSE(scan_of("k", "y[i] = item").plain);
    EXPECT_FALSE(scan_of("x[i]", "y[i] = item", "#define item 7").plain);
}

class ScansSummedAheadOnGpus : public testing::TestWithParam<const char*> {};

TEST_P(ScansSummedAheadOnGpus, Compile) {
    const auto rows = runtime::registry();
    runtime::Backend& cuda =
        std::ranges::find(rows, "cuda", &runtime::RegistryRow::kind)->backend();
    const auto layout = ahead_layout(device_with_cache(50), 4, 1, 16 * kMillion);
    ASSERT_TRUE(layout);
    for (const char* const output : {"y[i] = item", "y[i] = prev_item"}) {
        const ScanDefinition definition = scan_of("x[i]", output);
        const std::string source = emit(definition, *layout);
        ASSERT_NE(source.find("__ww_scan_ahead<"), std::string::npos) << source;
        compiler::CompileRequest request = runtime::compile_request(source, {.name = "scan.cu"});
        request.target = GetParam();
        request.mode.signatures = {signature_of(definition, *layout)};
        try {
            EXPECT_FALSE(compiler::compile_cached(cuda.compiler(), request).binary.empty());
        } catch (const CompileError& error) {
            ADD_FAILURE() << error.what() << "\n" << source;
        } catch (const Error& error) {
            GTEST_SKIP() << "there is no NVRTC here: " << error.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, ScansSummedAheadOnGpus,
                         testing::Values("sm_75", "sm_80", "sm_90", "sm_100", "sm_120"));

}  // namespace
}  // namespace warpwise::algorithm
