// The pool: sizes, reuse in stream order, limits, and what happens when memory runs out.
#include "src/runtime/pool/pool_state.hpp"

#include <thread>

#include "tests/unit/runtime/null_device.hpp"

namespace warpwise {
namespace {

using null::Call;
using testing::HasSubstr;

using PoolTest = OnEmptyPool;

TEST_F(PoolTest, HandsOutAtOnceWhatTheStreamGaveBack) {
    const Stream stream, other;
    EXPECT_EQ(mem_alloc_kept(1000, stream).state(), nullptr);
    EXPECT_EQ(mem_alloc_kept(0, stream).state(), nullptr);
    const std::uint64_t address = mem_alloc(1000, stream).address();
    EXPECT_EQ(mem_alloc_kept(1000, other).state(), nullptr);
    EXPECT_EQ(mem_alloc_kept(100'000, stream).state(), nullptr);
    const Buffer again = mem_alloc_kept(1000, stream);
    EXPECT_EQ(again.address(), address);
    EXPECT_EQ(again.size(), 1000);
    EXPECT_EQ(mem_alloc_kept(1000, stream).state(), nullptr);
    mem_alloc(700);
    EXPECT_NE(mem_alloc_kept(700).state(), nullptr);
    stream.begin_capture();
    EXPECT_THROW(mem_alloc_kept(1000, stream), ArgumentError);
    stream.end_capture();
}

TEST(PoolBlocks, WasteAtMostASixteenth) {
    for (std::size_t bytes = 1; bytes < (std::size_t{1} << 40); bytes = bytes * 9 / 8 + 1) {
        const std::size_t block = runtime::pool_block_bytes(bytes);
        EXPECT_GE(block, bytes);
        EXPECT_LE(block, bytes + std::max<std::size_t>(511, bytes / 16));
    }
}

TEST(PoolBlocks, FitPowersOfTwoExactly) {
    for (int i = 9; i < 45; ++i) {
        EXPECT_EQ(runtime::pool_block_bytes(std::size_t{1} << i), std::size_t{1} << i);
    }
}

TEST(PoolBlocks, DoNotWrapAround) {
    EXPECT_EQ(runtime::pool_block_bytes(~std::size_t{0}), ~std::size_t{0});
}

TEST_F(PoolTest, CountsWhatIsHeldAndInUse) {
    const Buffer first = mem_alloc(1024);
    {
        const Buffer second = mem_alloc(2048);
    }
    EXPECT_EQ(pool.held_bytes(), 3072u);
    EXPECT_EQ(pool.active_bytes(), 1024u);
    EXPECT_EQ(pool.held_blocks(), 2u);
    EXPECT_EQ(pool.active_blocks(), 1u);
}

// The address of a block of `owner` that is freed while work of `user` on it may be pending.
std::uint64_t freed_while_used(const Stream& owner, const Stream& user) {
    Buffer buffer = mem_alloc(1000, owner);
    const std::uint64_t address = buffer.address();
    buffer.fill(0, 1, 1000, user);
    buffer.free();
    return address;
}

TEST_F(PoolTest, ReusesABlockAtOnceOnTheSameStream) {
    const Stream stream;
    const null::Pause pause;
    const auto address = freed_while_used(stream, stream);
    EXPECT_EQ(mem_alloc(1000, stream).address(), address);
}

TEST_F(PoolTest, KeepsABlockFromOtherStreamsWhileItIsUsed) {
    const Stream first({.non_blocking = true}), second({.non_blocking = true});
    const null::Pause pause;
    const auto address = freed_while_used(first, first);
    EXPECT_NE(mem_alloc(1000, second).address(), address);
}

TEST_F(PoolTest, GivesABlockToOtherStreamsWhenItsWorkIsDone) {
    const Stream first, second;
    Buffer buffer = mem_alloc(1000, first);
    const auto address = buffer.address();
    buffer.free();
    first.synchronize();
    EXPECT_EQ(mem_alloc(1000, second).address(), address);
}

TEST_F(PoolTest, KnowsThatTheDefaultStreamComesAfterBlockingOnes) {
    const Stream stream;
    const null::Pause pause;
    const auto address = freed_while_used(stream, stream);
    EXPECT_EQ(mem_alloc(1000, Device().default_stream()).address(), address);
}

TEST_F(PoolTest, RemembersStreamsThatOnlyUsedTheBlock) {
    const Stream owner({.non_blocking = true}), user({.non_blocking = true});
    const null::Pause pause;
    const auto address = freed_while_used(owner, user);
    EXPECT_NE(mem_alloc(1000, owner).address(), address);
}

TEST_F(PoolTest, RemembersStreamsWhoseHandlesAreGone) {
    const null::Pause pause;
    std::uint64_t address = 0;
    {
        const Stream stream({.non_blocking = true});
        address = freed_while_used(stream, stream);
    }
    EXPECT_NE(mem_alloc(1000, Stream({.non_blocking = true})).address(), address);
}

TEST_F(PoolTest, ReusesWithoutAskingTheDevice) {
    {
        const Buffer buffer = mem_alloc(5000);
    }
    const null::Recorder recorder;
    for (int i = 0; i < 10; ++i) const Buffer buffer = mem_alloc(5000);
    EXPECT_THAT(recorder.calls(Call::Kind::Allocate), testing::IsEmpty());
}

TEST_F(PoolTest, GivesKeptBlocksBack) {
    {
        const Buffer buffer = mem_alloc(4096);
    }
    const auto before = null::allocated_bytes();
    pool.free_held();
    EXPECT_EQ(null::allocated_bytes(), before - 4096);
    EXPECT_EQ(pool.held_bytes(), 0u);
}

TEST_F(PoolTest, WaitsForWorkBeforeGivingBack) {
    const Stream stream;
    bool was_done = false;
    {
        const null::Pause pause;
        Buffer buffer = mem_alloc(4096, stream);
        buffer.fill(0, 1, 4096, stream);
        stream.call_host([&] { was_done = true; });
        buffer.free();
    }
    pool.free_held();
    EXPECT_TRUE(was_done);
}

TEST_F(PoolTest, KeepsAtMostAShareOfTheMemory) {
    {
        std::vector<Buffer> many;
        for (int i = 0; i < 12; ++i) many.push_back(mem_alloc(16 << 20));
        Device().synchronize();
    }
    Device().synchronize();
    {
        const Buffer last = mem_alloc(1024);
    }
    EXPECT_LE(pool.held_bytes(), null::kTotalMemory / 8 + (16 << 20));
}

TEST_F(PoolTest, RefusesBeyondItsLimit) {
    pool.set_limit(10000);
    const Buffer first = mem_alloc(8192);
    EXPECT_THAT(message_of<OutOfMemoryError>([] { mem_alloc(4096); }),
                testing::AllOf(HasSubstr("4.0 KiB (4096 bytes)"), HasSubstr("limit is 9.8 KiB"),
                               HasSubstr("holds 8.0 KiB, 8.0 KiB of them in use")));
}

TEST_F(PoolTest, GivesKeptBlocksBackToStayWithinItsLimit) {
    pool.set_limit(10000);
    {
        const Buffer first = mem_alloc(8192);
    }
    EXPECT_NO_THROW(mem_alloc(4096));
}

TEST_F(PoolTest, TellsItsLimit) {
    EXPECT_EQ(pool.limit(), std::nullopt);
    pool.set_limit(123);
    EXPECT_EQ(pool.limit(), 123u);
}

TEST_F(PoolTest, ANewLimitFreesWhatIsKept) {
    {
        const Buffer buffer = mem_alloc(1 << 20);
    }
    pool.set_limit(1000);
    EXPECT_EQ(pool.held_bytes(), 0u);
}

TEST_F(PoolTest, GivesKeptBlocksBackWhenTheDeviceIsFull) {
    {
        const Buffer kept = mem_alloc(20 << 20);
    }
    const auto size = null::kTotalMemory - (8 << 20);
    EXPECT_NO_THROW(mem_alloc_unpooled(size, Device()));
    EXPECT_EQ(pool.held_bytes(), 0u);
}

TEST_F(PoolTest, GivesKeptHostMemoryBackWhereItIsTheDevices) {
    {
        const HostBuffer kept(20 << 20, {.pooled = true});
    }
    EXPECT_NO_THROW(mem_alloc(null::kTotalMemory - (8 << 20)));
    EXPECT_EQ(Device().host_pool().held_bytes(), 0u);
}

TEST_F(PoolTest, SaysAllFiguresWhenTheDeviceIsFull) {
    const Buffer used = mem_alloc(1 << 20);
    EXPECT_THAT(message_of<OutOfMemoryError>([] { mem_alloc(null::kTotalMemory); }),
                testing::AllOf(HasSubstr("cannot allocate 256.0 MiB (268435456 bytes)"),
                               HasSubstr("255.0 MiB are free with what the pool keeps"),
                               HasSubstr("holds 1.0 MiB, 1.0 MiB of them in use"),
                               HasSubstr("free buffers, or ask for less")));
}

TEST_F(PoolTest, IsWholeAfterRunningOut) {
    EXPECT_THROW(mem_alloc(std::size_t{1} << 60), OutOfMemoryError);
    EXPECT_EQ(pool.held_bytes(), 0u);
    EXPECT_NO_THROW(mem_alloc(1024));
}

TEST_F(PoolTest, ServesManyThreads) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            const Stream stream;
            const StreamScope scope(stream);
            for (int i = 0; i < 100; ++i) {
                Buffer buffer = mem_alloc(256 + 256 * (i % 5));
                const int value = t * 1000 + i;
                buffer.copy_from(&value, sizeof value);
                int seen = -1;
                buffer.copy_to(&seen, sizeof seen);
                ASSERT_EQ(seen, value);
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(pool.active_bytes(), 0u);
}

}  // namespace
}  // namespace warpwise
