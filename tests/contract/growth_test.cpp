// Pools that grow in reserved addresses: memory from there is like any other, and what is free
// serves a request of any size.
#include <algorithm>

#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

constexpr std::size_t kMiB = 1 << 20;

class GrowthTest : public ContractTest {
  protected:
    GrowthTest() {
        device.synchronize();
        pool.free_held();
        try {
            pool.set_growth(PoolGrowth::Reserved);
        } catch (const UnsupportedError&) {
            is_supported = false;
        }
    }
    ~GrowthTest() override {
        device.synchronize();
        pool.free_held();
        pool.set_growth(PoolGrowth::Segments);
    }
    void SetUp() override {
        if (!is_supported) GTEST_SKIP() << "the device maps no memory behind reserved addresses";
    }

    Pool pool = device.pool();
    bool is_supported = true;
};
WARPWISE_CONTRACT(GrowthTest);

TEST_P(GrowthTest, MemoryIsFilledAndCopiedAcrossChunks) {
    const Stream stream;
    constexpr std::size_t kBytes = 37 * kMiB + 4;
    Buffer first = mem_alloc(kBytes, stream), second = mem_alloc(kBytes, stream);
    EXPECT_EQ(first.address() % 256, 0u);
    first.fill(7, 1, kBytes, stream);
    const auto part = bytes(5 * kMiB, 3);
    first.copy_from(part.data(), part.size(), kMiB);
    second.copy_from(first, kBytes, stream);
    stream.synchronize();
    const auto found = contents(second);
    EXPECT_EQ(found.front(), 7);
    EXPECT_EQ(found.back(), 7);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), found.begin() + kMiB));
}

TEST_P(GrowthTest, MemoryIsReusedInStreamOrder) {
    const Stream stream, other({.non_blocking = true});
    int seen = 0;
    Gate gate;
    gate.hold(stream);
    {
        Buffer first = mem_alloc(4 * kMiB, stream);
        first.fill(1, 4, kMiB, stream);
        first.copy_to_async(&seen, 4, stream);
    }
    Buffer second = mem_alloc(4 * kMiB, stream);
    second.fill(2, 4, kMiB, stream);
    // Without host functions: a GPU's driver runs them one after another, and the gate is one.
    Buffer third = mem_alloc(4 * kMiB, other);
    third.fill(3, 4, kMiB, other);
    other.synchronize();
    gate.open();
    stream.synchronize();
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(first_int(second), 2);
    EXPECT_EQ(first_int(third), 3);
}

TEST_P(GrowthTest, LargerBuffersGrowFromTheSameAddress) {
    std::uint64_t address = 0;
    for (const std::size_t size : {32, 40, 72, 100}) {
        const Buffer buffer = mem_alloc(size * kMiB);
        if (address == 0) address = buffer.address();
        EXPECT_EQ(buffer.address(), address);
    }
    EXPECT_LE(pool.held_bytes(), 128 * kMiB);
}

TEST_P(GrowthTest, MemoryInTheMiddleGoesBackAndIsTakenAgain) {
    std::vector<Buffer> parts;
    for (int i = 0; i < 3; ++i) {
        parts.push_back(mem_alloc(32 * kMiB));
        parts.back().fill(i, 4, 8 * kMiB, Stream::current());
    }
    const std::uint64_t held = pool.held_bytes(), address = parts[1].address();
    parts[1].free();
    pool.free_held();
    EXPECT_EQ(pool.held_bytes(), held - 32 * kMiB);
    EXPECT_EQ(first_int(parts[0]), 0);
    EXPECT_EQ(first_int(parts[2]), 2);
    Buffer again = mem_alloc(32 * kMiB);
    EXPECT_EQ(again.address(), address);
    again.fill(9, 4, 8 * kMiB, Stream::current());
    EXPECT_EQ(first_int(again), 9);
}

TEST_P(GrowthTest, FragmentsServeALargeRequest) {
    pool.set_limit(64 * kMiB);
    std::vector<Buffer> kept;
    {
        std::vector<Buffer> all;
        for (int i = 0; i < 16; ++i) all.push_back(mem_alloc(4 * kMiB));
        for (int i = 0; i < 16; i += 2) kept.push_back(all[i]);
    }
    Buffer large = mem_alloc(32 * kMiB);
    large.fill(4, 4, 8 * kMiB, Stream::current());
    EXPECT_EQ(first_int(large), 4);
    EXPECT_EQ(pool.held_bytes(), 64 * kMiB);
    EXPECT_THROW(mem_alloc(4 * kMiB), OutOfMemoryError);
    pool.set_limit(std::nullopt);
}

TEST_P(GrowthTest, RefusesMoreThanThereIs) {
    EXPECT_THROW(mem_alloc(device.memory().total + 1), OutOfMemoryError);
    EXPECT_THROW(mem_alloc(std::size_t{1} << 62), OutOfMemoryError);
    EXPECT_NO_THROW(mem_alloc(1000));
}

TEST_P(GrowthTest, LeavesNothingBehind) {
    {
        const Buffer large = mem_alloc(20 * kMiB), small = mem_alloc(100);
        EXPECT_GT(pool.held_bytes(), 0u);
    }
    pool.free_held();
    EXPECT_EQ(pool.held_bytes(), 0u);
    EXPECT_EQ(pool.statistics().segments, 0u);
}

TEST_P(GrowthTest, PageLockedMemoryKeepsToSegments) {
    EXPECT_THROW(device.host_pool().set_growth(PoolGrowth::Reserved), UnsupportedError);
    EXPECT_EQ(device.host_pool().growth(), PoolGrowth::Segments);
}

}  // namespace
}  // namespace warpwise::contract
