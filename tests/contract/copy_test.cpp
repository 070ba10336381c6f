// Copies and fills of every kind and many sizes.
#include <thread>

#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 3, 255, 256, 257, 4097, std::size_t{1} << 20, 3'000'001};

class CopyTest : public ContractTest {};
WARPWISE_CONTRACT(CopyTest);

TEST_P(CopyTest, GoesInAndOut) {
    for (const std::size_t size : kSizes) {
        EXPECT_EQ(contents(buffer_of(bytes(size))), bytes(size)) << size;
    }
}

TEST_P(CopyTest, GoesFromBufferToBuffer) {
    for (const std::size_t size : kSizes) {
        const Buffer from = buffer_of(bytes(size));
        Buffer to = mem_alloc(size);
        to.copy_from(from, size, Stream::current());
        EXPECT_EQ(contents(to), bytes(size)) << size;
    }
}

TEST_P(CopyTest, IsAsynchronousInStreamOrder) {
    const Stream stream;
    for (const std::size_t size : kSizes) {
        const auto in = bytes(size);
        std::vector<std::uint8_t> out(size);
        Buffer first = mem_alloc(size, stream), second = mem_alloc(size, stream);
        first.copy_from_async(in.data(), size, stream);
        second.copy_from(first, size, stream);
        second.copy_to_async(out.data(), size, stream);
        stream.synchronize();
        EXPECT_EQ(out, in) << size;
    }
}

TEST_P(CopyTest, UsesPageLockedMemory) {
    const Stream stream;
    for (const std::size_t size : kSizes) {
        HostBuffer in(size), out(size);
        const auto values = bytes(size);
        if (size > 0) std::memcpy(in.data(), values.data(), size);
        Buffer buffer = mem_alloc(size, stream);
        buffer.copy_from_async(in.data(), size, stream);
        buffer.copy_to_async(out.data(), size, stream);
        stream.synchronize();
        const auto* const seen = static_cast<const std::uint8_t*>(out.data());
        EXPECT_TRUE(std::equal(values.begin(), values.end(), seen)) << size;
    }
}

TEST_P(CopyTest, TouchesOnlyItsRange) {
    Buffer buffer = buffer_of(bytes(1000));
    const auto patch = bytes(10, 9);
    buffer.copy_from(patch.data(), 10, 501);
    auto expected = bytes(1000);
    std::copy(patch.begin(), patch.end(), expected.begin() + 501);
    EXPECT_EQ(contents(buffer), expected);
}

TEST_P(CopyTest, FindsRawAddresses) {
    const Buffer from = buffer_of(bytes(1000));
    const Buffer to = buffer_of(bytes(1000, 2));
    copy_address(to.address() + 7, from.address() + 3, 100, Stream::current());
    auto expected = bytes(1000, 2);
    const auto source = bytes(1000);
    std::copy(source.begin() + 3, source.begin() + 103, expected.begin() + 7);
    EXPECT_EQ(contents(to), expected);
}

TEST_P(CopyTest, ReachesOtherDevices) {
    for (const std::string& name : device_names()) {
        const Buffer from = buffer_of(bytes(5000));
        const Device other(name);
        Buffer to = mem_alloc(5000, other.default_stream());
        to.copy_from(from, 5000, other.default_stream());
        EXPECT_EQ(contents(to), bytes(5000)) << name;
    }
}

TEST_P(CopyTest, FillsPatternsOfEveryWidth) {
    const std::uint64_t pattern = 0x8877665544332211;
    for (const std::size_t width : {1, 2, 4, 8}) {
        Buffer buffer = buffer_of(bytes(1032));
        buffer.fill(pattern, width, 1000 / width, Stream::current(), 16);
        auto expected = bytes(1032);
        for (std::size_t i = 0; i < 1000; ++i) {
            expected[16 + i] = (pattern >> (8 * (i % width))) & 0xff;
        }
        EXPECT_EQ(contents(buffer), expected) << width;
    }
}

TEST_P(CopyTest, RefusesToRunPastTheEnd) {
    Buffer buffer = buffer_of(bytes(100));
    std::vector<std::uint8_t> host(200);
    EXPECT_THROW(buffer.copy_from(host.data(), 101), ArgumentError);
    EXPECT_THROW(buffer.copy_to(host.data(), 100, 1), ArgumentError);
    EXPECT_THROW(buffer.fill(0, 4, 26, Stream::current()), ArgumentError);
    EXPECT_EQ(contents(buffer), bytes(100));
}

TEST_P(CopyTest, WorksFromManyThreads) {
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (unsigned t = 0; t < 6; ++t) {
        threads.emplace_back([&, t] {
            const DeviceScope here(device);
            const Stream stream;
            const StreamScope current(stream);
            for (unsigned i = 0; i < 20; ++i) {
                const auto values = bytes(1000 + 100 * i, t * 100 + i);
                if (contents(buffer_of(values)) == values) ++right;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(right, 120);
}

}  // namespace
}  // namespace warpwise::contract
