// Random groups on the CPU device, against the interpreter. WARPWISE_GROUPS=N runs more of them,
// WARPWISE_FIRST_GROUP=S begins at another seed.
#include "src/codegen/geometry.hpp"
#include "tests/unit/codegen/cpu_device.hpp"
#include "tests/unit/codegen/interpreter.hpp"

namespace warpwise::codegen {
namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(RandomGroups, ComputeWhatTheInterpreterDoes) {
    const std::uint64_t first = number_from("WARPWISE_FIRST_GROUP", 0);
    const std::uint64_t count = number_from("WARPWISE_GROUPS", 100);
    int failures = 0;
    for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
        const Case sample = random_case(seed);
        std::string found;
        try {
            run(sample);
            found = difference(sample);
        } catch (const std::exception& error) {
            found = error.what();
        }
        if (found.empty()) continue;
        ++failures;
        ADD_FAILURE() << "seed " << seed << ": " << found << "\n"
                      << sample.text() << emit(sample.group);
    }
}

// As those of more blocks than a row of the grid may have, which take a million times the work.
TEST(RandomGroups, ReduceInSeveralRowsOfBlocks) {
    struct LowLimit {
        explicit LowLimit(std::int64_t most) { most_blocks_of_row = most; }
        ~LowLimit() { most_blocks_of_row = kMostBlocks; }
    };
    int reductions = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Case sample = random_case(seed);
        if (sample.group.skeleton != Skeleton::Reduction) continue;
        sample.group.wide = true;
        const LowLimit limit(1 + static_cast<std::int64_t>(seed % 7));
        const Geometry geometry = geometry_of(sample.group, sample.binding.extents, 1);
        reductions += grid_of(sample.group, geometry)[1] > 1 ? 1 : 0;
        run(sample);
        const std::string found = difference(sample);
        EXPECT_TRUE(found.empty()) << "seed " << seed << ": " << found << "\n"
                                   << sample.text() << emit(sample.group);
    }
    EXPECT_GE(reductions, 8);
}

TEST(RandomGroups, HaveGridsThatDevicesTake) {
    Group group;
    group.skeleton = Skeleton::Reduction;
    group.wide = true;
    for (const std::int64_t blocks :
         {std::int64_t{1}, kMostBlocks - 1, kMostBlocks, kMostBlocks + 1,
          (std::int64_t{1} << 31) + 3, (std::int64_t{1} << 36) + 7}) {
        const auto grid = grid_of(group, {.blocks = blocks});
        EXPECT_LE(std::int64_t{grid[0]} * kThreads, std::int64_t{1} << 31);
        EXPECT_LE(grid[1], 65535U);
        EXPECT_GE(std::int64_t{grid[0]} * grid[1], blocks);
        EXPECT_LT(std::int64_t{grid[0]} * grid[1] - blocks, grid[1]) << "few in vain";
    }
    EXPECT_EQ(grid_of(group, {.blocks = kMostBlocks})[1], 1U);
}

}  // namespace
}  // namespace warpwise::codegen
