// Buffers kept whole after their release: only timing shows that the pool has not taken them back.
#include "src/runtime/pool/pool_shelf.hpp"

#include <mutex>
#include <set>
#include <thread>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise::runtime {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMiB = 1 << 20;

class ShelfTest : public OnEmptyPool {
  protected:
    // Where it lay.
    std::uint64_t allocate_and_release(std::size_t bytes) {
        return mem_alloc(bytes, stream).address();
    }

    const Stream stream;
};

TEST_F(ShelfTest, GivesTheSameStateAgain) {
    const BufferState* state = nullptr;
    {
        const Buffer buffer = mem_alloc(1000, stream);
        state = buffer.state().get();
    }
    const Buffer again = mem_alloc(900, stream);
    EXPECT_EQ(again.state().get(), state);
    EXPECT_EQ(again.state()->size(), 900u);
    EXPECT_FALSE(again.is_freed());
}

TEST_F(ShelfTest, KeepsWhatIsReplaced) {
    Buffer buffer = mem_alloc(1000, stream);
    const std::uint64_t address = buffer.address();
    buffer = mem_alloc(5000, stream);
    EXPECT_EQ(mem_alloc(1000, stream).address(), address);
}

TEST_F(ShelfTest, IsNotForCopiesOfTheHandle) {
    Buffer first = mem_alloc(1000, stream);
    {
        const Buffer second = first;
    }
    EXPECT_NE(mem_alloc(1000, stream).address(), first.address());
}

TEST_F(ShelfTest, IsNotForBuffersThatOtherStreamsUsed) {
    const Stream own({.non_blocking = true}), other({.non_blocking = true});
    const null::Pause pause;
    std::uint64_t address = 0;
    {
        Buffer buffer = mem_alloc(1000, own);
        buffer.fill(0, 1, 1000, other);
        address = buffer.address();
    }
    EXPECT_NE(mem_alloc(1000, own).address(), address);
}

TEST_F(ShelfTest, CountsNothingAsActive) {
    allocate_and_release(kMiB);
    EXPECT_EQ(pool.active_bytes(), 0u);
    EXPECT_EQ(pool.active_blocks(), 0u);
    EXPECT_EQ(pool.held_bytes(), kMiB);
}

TEST_F(ShelfTest, DoesNotRaiseThePeak) {
    for (const std::size_t bytes : {1, 2, 3, 2, 1, 3}) allocate_and_release(bytes * kMiB);
    EXPECT_EQ(pool.statistics().peak_bytes, 3 * kMiB);
}

TEST_F(ShelfTest, RaisesThePeakWhenItIsTakenFromBesideOthers) {
    allocate_and_release(kMiB);
    const Buffer other = mem_alloc(2 * kMiB, stream);
    const Buffer again = mem_alloc(kMiB, stream);
    EXPECT_EQ(pool.statistics().peak_bytes, 3 * kMiB);
}

TEST_F(ShelfTest, ShowsInNoReport) {
    allocate_and_release(kMiB);
    EXPECT_THAT(pool.report(), HasSubstr("in use, largest first: none"));
}

TEST_F(ShelfTest, GivesWayWhenMemoryIsShort) {
    pool.set_limit(4 * kMiB);
    allocate_and_release(3 * kMiB);
    EXPECT_NO_THROW(mem_alloc(4 * kMiB, stream));
}

TEST_F(ShelfTest, GoesWithWhatIsKept) {
    const auto before = null::allocated_bytes();
    allocate_and_release(kMiB);
    pool.free_held();
    EXPECT_EQ(null::allocated_bytes(), before);
}

TEST_F(ShelfTest, MakesRoomForTheLatest) {
    for (int i = 1; i <= 20; ++i) allocate_and_release(static_cast<std::size_t>(i) * 1024);
    const std::uint64_t last = allocate_and_release(100 * 1024);
    EXPECT_EQ(mem_alloc(100 * 1024, stream).address(), last);
    EXPECT_EQ(pool.active_blocks(), 0u);
}

TEST_F(ShelfTest, ServesOtherStreamsToo) {
    const Stream own({.non_blocking = true}), other({.non_blocking = true});
    const std::uint64_t address = mem_alloc(5000, own).address();
    own.synchronize();
    EXPECT_EQ(mem_alloc(5000, other).address(), address);
}

TEST_F(ShelfTest, DoesNotKeepLargeBlocksFromOtherStreams) {
    const Stream own({.non_blocking = true}), other({.non_blocking = true});
    std::weak_ptr<BufferState> state;
    {
        const Buffer buffer = mem_alloc(8 * kMiB, own);
        state = buffer.state();
    }
    EXPECT_TRUE(state.expired());
}

TEST_F(ShelfTest, RefusesTheAddressOfWhatWasLetGo) {
    const std::uint64_t address = allocate_and_release(1000);
    const Buffer target = mem_alloc(5000, stream);
    EXPECT_THAT(
        message_of<ArgumentError>([&] { copy_address(target.address(), address, 100, stream); }),
        HasSubstr("freed"));
}

// Buffers of one stream that several threads take and release: no memory is handed out twice.
TEST_F(ShelfTest, GivesEachBufferToOneThread) {
    constexpr int kThreads = 4, kTurns = 20'000;
    std::mutex mutex;
    std::set<std::uint64_t> in_use;
    int shared = 0;
    const auto note = [&](std::uint64_t address, bool is_taken) {
        const std::lock_guard lock(mutex);
        if (!is_taken) {
            in_use.erase(address);
        } else if (!in_use.insert(address).second) {
            ++shared;
        }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < kTurns; ++i) {
                const Buffer buffer = mem_alloc(1000, stream);
                note(buffer.address(), true);
                note(buffer.address(), false);
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(shared, 0);
    EXPECT_EQ(pool.active_blocks(), 0u);
}

}  // namespace
}  // namespace warpwise::runtime
