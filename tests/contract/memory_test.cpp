// Memory: alignment, accounting, running out, and reuse across streams.
#include <atomic>

#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

class MemoryTest : public ContractTest {};
WARPWISE_CONTRACT(MemoryTest);

TEST_P(MemoryTest, IsAlignedTo256Bytes) {
    for (const std::size_t size : {1, 100, 300, 70000, 5'000'000}) {
        EXPECT_EQ(mem_alloc(size).address() % 256, 0u);
        EXPECT_EQ(mem_alloc_unpooled(size, device).address() % 256, 0u);
    }
}

TEST_P(MemoryTest, IsAccountedFor) {
    device.synchronize();
    device.pool().free_held();
    const MemoryInfo before = device.memory();
    EXPECT_GT(before.free, 0u);
    EXPECT_LE(before.free, before.total);
    const Buffer buffer = mem_alloc(16 << 20);
    EXPECT_GE(device.pool().active_bytes(), std::uint64_t{16} << 20);
}

TEST_P(MemoryTest, RefusesMoreThanThereIs) {
    const auto total = device.memory().total;
    EXPECT_THROW(mem_alloc(total + 1), OutOfMemoryError);
    EXPECT_THROW(mem_alloc_unpooled(total + 1, device), OutOfMemoryError);
    EXPECT_THROW(mem_alloc(std::size_t{1} << 62), OutOfMemoryError);
    EXPECT_NO_THROW(mem_alloc(1000));
}

TEST_P(MemoryTest, RefusesASumOfMoreThanThereIs) {
    const auto quarter = device.memory().total / 4;
    std::vector<Buffer> all;
    EXPECT_THROW(
        {
            for (int i = 0; i < 8; ++i) all.push_back(mem_alloc(quarter));
        },
        OutOfMemoryError);
    all.clear();
    EXPECT_NO_THROW(mem_alloc(quarter));
    device.pool().free_held();
}

TEST_P(MemoryTest, IsReusedInStreamOrder) {
    const Stream stream;
    int seen = 0;
    Gate gate;
    gate.hold(stream);
    {
        Buffer first = mem_alloc(4, stream);
        first.fill(1, 4, 1, stream);
        first.copy_to_async(&seen, 4, stream);
    }
    Buffer second = mem_alloc(4, stream);
    second.fill(2, 4, 1, stream);
    gate.open();
    stream.synchronize();
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(first_int(second), 2);
}

TEST_P(MemoryTest, IsNotTakenFromWorkOfAnotherStream) {
    const Stream held({.non_blocking = true}), other({.non_blocking = true});
    int seen = 0;
    Gate gate;
    {
        Buffer buffer = mem_alloc(4, held);
        buffer.fill(1, 4, 1, held);
        gate.hold(held);
        buffer.copy_to_async(&seen, 4, held);
    }
    Buffer second = mem_alloc(4, other);
    second.fill(2, 4, 1, other);
    other.synchronize();
    gate.open();
    held.synchronize();
    EXPECT_EQ(seen, 1);
}

TEST_P(MemoryTest, ChangesStreamsWhenItsWorkIsDone) {
    device.pool().free_held();
    constexpr std::size_t kBytes = 20 << 20;  // more than a segment has left beside it
    const Stream first({.non_blocking = true}), second({.non_blocking = true});
    Buffer buffer = mem_alloc(kBytes, first);
    const auto address = buffer.address();
    buffer.fill(1, 1, kBytes, first);
    buffer.free();
    first.synchronize();
    EXPECT_EQ(mem_alloc(kBytes, second).address(), address);
}

TEST_P(MemoryTest, StaysRightUnderManyThreadsAndStreams) {
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
        threads.emplace_back([&, t] {
            const DeviceScope here(device);
            const Stream stream({.non_blocking = t % 2 == 0});
            for (int i = 0; i < 50; ++i) {
                int seen = 0;
                Buffer buffer = mem_alloc(4 + 64 * (i % 7), stream);
                buffer.fill(t * 1000 + i, 4, 1, stream);
                buffer.copy_to_async(&seen, 4, stream);
                buffer.free();
                stream.synchronize();
                if (seen == t * 1000 + i) ++right;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(right, 300);
}

TEST_P(MemoryTest, OfOthersIsUsedInPlace) {
    const Buffer own = buffer_of(bytes(64));
    Buffer wrapped = wrap_memory(own.address(), 64, device, own.state());
    const auto values = bytes(64, 5);
    wrapped.copy_from(values.data(), 64);
    EXPECT_EQ(contents(own), values);
}

}  // namespace
}  // namespace warpwise::contract
