// A pool that cuts segments, over the null device: how many allocations and events it asks for, and
// random sequences from several threads.
#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise::runtime {
namespace {

using null::Call;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kMiB = 1 << 20;

std::shared_ptr<StreamCore> core_of(const Stream& stream) {
    return stream.state()->core();
}

// Streams of its own: no other pool shares their lanes. Pools are never destroyed, as in a context.
class SegmentPoolTest : public testing::Test {
  protected:
    SegmentPoolTest() : pool(make_pool(*current_context(), policy())) {}
    ~SegmentPoolTest() override { pool.free_held(); }

    static PoolPolicy policy() {
        PoolPolicy policy;
        policy.splits = true;
        return policy;
    }
    std::shared_ptr<BufferState> allocate(std::size_t bytes, const Stream& stream) {
        return pool.allocate(bytes, core_of(stream));
    }
    // All of it is released then.
    void fill_a_segment(const Stream& stream) {
        const auto half = allocate(kMiB, stream), other_half = allocate(kMiB, stream);
    }

    PoolState& pool;
    const Stream one{{.non_blocking = true}}, two{{.non_blocking = true}};
};

TEST_F(SegmentPoolTest, ServesSmallRequestsFromOneSegment) {
    const null::Recorder recorder;
    std::vector<std::shared_ptr<BufferState>> many;
    for (int i = 0; i < 100; ++i) many.push_back(allocate(1000, one));
    EXPECT_THAT(recorder.calls(Call::Kind::Allocate), SizeIs(1));
    const PoolStatistics now = pool.statistics();
    EXPECT_EQ(now.held_bytes, 2 * kMiB);
    EXPECT_EQ(now.active_bytes, 100 * 1024u);
    EXPECT_EQ(now.active_blocks, 100u);
    EXPECT_EQ(now.segments, 1u);
    EXPECT_EQ(now.largest_free_bytes, 2 * kMiB - 100 * 1024);
}

TEST_F(SegmentPoolTest, KeepsSmallOnesOutOfLargeSegments) {
    const auto large = allocate(5 * kMiB, one), small = allocate(1000, one);
    EXPECT_EQ(pool.statistics().held_bytes, 34 * kMiB);
    EXPECT_EQ(pool.statistics().segments, 2u);
}

TEST_F(SegmentPoolTest, ServesALargeRequestByCoalescingSmallerOnes) {
    {
        std::vector<std::shared_ptr<BufferState>> parts;
        for (int i = 0; i < 8; ++i) parts.push_back(allocate(4 * kMiB, one));
    }
    const null::Recorder recorder;
    const auto whole = allocate(32 * kMiB, one);
    EXPECT_THAT(recorder.calls(Call::Kind::Allocate), IsEmpty());
}

TEST_F(SegmentPoolTest, AsksForNoEventOnOneStream) {
    const null::Recorder recorder;
    for (int i = 0; i < 200; ++i) allocate(64 << (i % 8), one);
    EXPECT_THAT(recorder.calls(Call::Kind::Record), IsEmpty());
    EXPECT_THAT(recorder.calls(Call::Kind::MakeEvent), IsEmpty());
}

TEST_F(SegmentPoolTest, RecordsOneEventWhenAnotherStreamAsks) {
    fill_a_segment(one);
    const null::Recorder recorder;
    allocate(1000, two);
    EXPECT_THAT(recorder.calls(Call::Kind::Record), SizeIs(1));
    EXPECT_THAT(recorder.calls(Call::Kind::Wait), IsEmpty());
}

TEST_F(SegmentPoolTest, MarksLargeBlocksWhenTheyAreGivenBack) {
    auto buffer = allocate(16 * kMiB, one);
    const null::Recorder recorder;
    buffer.reset();
    EXPECT_THAT(recorder.calls(Call::Kind::Record), SizeIs(1));
}

TEST_F(SegmentPoolTest, StopsMarkingWhatOnlyItsOwnStreamTakesAgain) {
    const null::Recorder recorder;
    for (int i = 0; i < 100; ++i) allocate(16 * kMiB, one);
    EXPECT_LE(recorder.calls(Call::Kind::Record).size(), 4u);
}

TEST_F(SegmentPoolTest, MarksAgainOnceAnotherStreamHasTakenSome) {
    for (int i = 0; i < 100; ++i) allocate(16 * kMiB, one);
    const auto other_half = allocate(16 * kMiB, two);
    one.synchronize();
    const DeviceAddress address = allocate(16 * kMiB, two)->address();
    const auto again = allocate(16 * kMiB, two);
    ASSERT_EQ(again->address(), address);
    const null::Recorder recorder;
    allocate(16 * kMiB, one);
    EXPECT_EQ(recorder.calls(Call::Kind::Record).size(), 1u);
}

// What the stream is given after the give-back does not count.
TEST_F(SegmentPoolTest, TakesAMarkedBlockFromAStreamThatIsBusyAgain) {
    auto buffer = allocate(16 * kMiB, one);
    const auto other_half = allocate(16 * kMiB, two);  // of the segment
    const DeviceAddress address = buffer->address();
    buffer.reset();
    // The queue is queried, not the stream, which would inform the pool.
    while (!core_of(one)->queue().is_done(Wait::No)) std::this_thread::yield();
    std::mutex gate;
    std::unique_lock hold(gate);
    one.call_host([&] { const std::lock_guard lock(gate); });
    EXPECT_EQ(allocate(16 * kMiB, two)->address(), address);
    hold.unlock();
    one.synchronize();
}

TEST_F(SegmentPoolTest, NeverTakesFromWorkUnderWay) {
    const null::Pause pause;
    auto buffer = allocate(3 * kMiB, one);
    const DeviceAddress address = buffer->address();
    Buffer(buffer, 0, 3 * kMiB).fill(1, 1, 3 * kMiB, one);
    buffer.reset();
    for (int i = 0; i < 20; ++i) EXPECT_NE(allocate(3 * kMiB, two)->address(), address);
    EXPECT_EQ(allocate(3 * kMiB, one)->address(), address);
}

TEST_F(SegmentPoolTest, KnowsAfterWaitingForAStreamThatItsMemoryIsFree) {
    fill_a_segment(one);
    one.synchronize();
    const null::Recorder recorder;
    allocate(1000, two);
    EXPECT_THAT(recorder.calls(Call::Kind::Record), IsEmpty());
    EXPECT_THAT(recorder.calls(Call::Kind::Allocate), IsEmpty());
}

TEST_F(SegmentPoolTest, MemoryForTheHostIsFreeOfAllWork) {
    const null::Pause pause;
    auto buffer = pool.allocate(1000, nullptr);
    const DeviceAddress address = buffer->address();
    Buffer(buffer, 0, 1000).fill(1, 1, 1000, one);
    buffer.reset();
    EXPECT_NE(pool.allocate(1000, nullptr)->address(), address);
}

TEST_F(SegmentPoolTest, TakesASmallerSegmentWhereNoMoreIsLeft) {
    const auto most = pool.allocate_direct(null::kTotalMemory - 4 * kMiB, MemoryKind::Device);
    const auto rest = allocate(3 * kMiB, one);
    EXPECT_EQ(pool.statistics().held_bytes, 3 * kMiB);
}

TEST_F(SegmentPoolTest, TakesASmallerSegmentWithinItsLimit) {
    pool.set_limit(4 * kMiB);
    const auto buffer = allocate(3 * kMiB, one);
    EXPECT_EQ(pool.statistics().held_bytes, 3 * kMiB);
    EXPECT_NO_THROW(allocate(1000, one));
}

TEST_F(SegmentPoolTest, TrimsBeforeItFails) {
    {
        const auto kept = allocate(200 * kMiB, one);
    }
    const auto small = allocate(1000, one);
    EXPECT_NO_THROW(allocate(210 * kMiB, one));
}

TEST_F(SegmentPoolTest, SaysWhoHoldsWhatWhenNothingIsLeft) {
    const auto large = allocate(100 * kMiB, one), other = allocate(100 * kMiB, one);
    const auto small = allocate(1000, one);
    const auto direct = pool.allocate_direct(3 * kMiB, MemoryKind::Device);
    {
        const auto freed = allocate(300, one);
    }
    const std::string message = message_of<OutOfMemoryError>([&] { allocate(128 * kMiB, one); });
    EXPECT_THAT(message, HasSubstr("cannot allocate 128.0 MiB (134217728 bytes)"));
    EXPECT_THAT(message, HasSubstr("in use, largest first: 2 x 100.0 MiB, 1 x 3.0 MiB (unpooled), "
                                   "1 x 1.0 KiB"));
    EXPECT_THAT(message, HasSubstr(", the largest piece 2.0 MiB"));
    EXPECT_THAT(message, HasSubstr("segments: 3, which hold both"));
}

TEST_F(SegmentPoolTest, CountsThePeak) {
    {
        const auto a = allocate(4096, one), b = allocate(4096, one);
    }
    EXPECT_EQ(pool.statistics().peak_bytes, 8192u);
    const auto c = allocate(4096, one);
    pool.reset_peak();
    EXPECT_EQ(pool.statistics().peak_bytes, 4096u);
}

TEST_F(SegmentPoolTest, FindsAllocationsAndOnlyThose) {
    auto buffer = allocate(1000, one);
    const DeviceAddress address = buffer->address();
    EXPECT_EQ(pool.find(address + 999).buffer, buffer);
    EXPECT_EQ(pool.find(address + 999).start, address);
    EXPECT_FALSE(pool.find(address + 1000).found);  // the end of its block, not its own
    buffer->free();
    EXPECT_TRUE(pool.find(address).found);
    EXPECT_EQ(pool.find(address).buffer, nullptr);
    buffer.reset();
    pool.free_held();
    EXPECT_FALSE(pool.find(address).found);
}

TEST_F(SegmentPoolTest, IsWholeAfterEveryFailure) {
    for (int n = 1; n <= 6; ++n) {
        null::fail_call(n, std::make_exception_ptr(DeviceError("made to fail")));
        try {
            auto buffer = allocate(5 * kMiB, one);
            buffer.reset();
            allocate(6 * kMiB, two);
            pool.free_held();
        } catch (const DeviceError& error) {
            EXPECT_STREQ(error.what(), "made to fail");
        }
        null::cancel_failure();
        pool.free_held();
        EXPECT_EQ(pool.statistics().held_bytes, 0u);
        EXPECT_EQ(pool.statistics().active_bytes, 0u);
    }
}

class UnpooledTest : public testing::Test {
  protected:
    ~UnpooledTest() override { pool.free_held(); }

    std::shared_ptr<BufferState> allocate(std::size_t bytes) {
        return pool.allocate(bytes, core_of(stream));
    }

    const std::shared_ptr<Context> context = current_context();
    PoolState& pool = make_pool(*context, PoolPolicy::of_device(context->info(), "none"));
    const Stream stream{{.non_blocking = true}};
};

TEST_F(UnpooledTest, TakesEachBufferFromTheDeviceAndGivesItBack) {
    const null::Recorder recorder;
    allocate(1001).reset();
    stream.synchronize();
    const auto second = allocate(1001);
    ASSERT_THAT(recorder.calls(Call::Kind::Allocate), SizeIs(2));
    EXPECT_EQ(recorder.calls(Call::Kind::Allocate).front().bytes, 1001u);
    EXPECT_THAT(recorder.calls(Call::Kind::Release), SizeIs(1));
}

TEST_F(UnpooledTest, KeepsMemoryForAsLongAsItsWorkRuns) {
    {
        const null::Pause pause;
        auto buffer = allocate(1000);
        Buffer(buffer, 0, 1000).fill(1, 1, 1000, stream);
        buffer.reset();
        EXPECT_EQ(pool.statistics().held_bytes, 1000u);
    }
    stream.synchronize();
    pool.sweep();
    EXPECT_EQ(pool.statistics().held_bytes, 0u);
}

// The model: who has which bytes, and what must be in them when its stream gets there.
struct Model {
    std::mutex mutex;
    std::map<DeviceAddress, DeviceAddress> live;  // begin, end

    void add(DeviceAddress begin, std::size_t bytes) {
        const std::lock_guard lock(mutex);
        const auto after = live.lower_bound(begin);
        if (after != live.end()) {
            ASSERT_LE(begin + bytes, after->first);
        }
        if (after != live.begin()) {
            ASSERT_LE(std::prev(after)->second, begin);
        }
        live[begin] = begin + bytes;
    }
    void remove(DeviceAddress begin) {
        const std::lock_guard lock(mutex);
        live.erase(begin);
    }
};

struct Live {
    std::shared_ptr<BufferState> state;
    std::uint64_t tag = 0;
    std::size_t stream = 0;
};

// A random sequence of one thread: buffers are written by one stream and read, later, by the same
// one. Memory that is handed on too early shows as a wrong tag.
void run_sequence(PoolState& pool, Model& model, const std::vector<Stream>& streams,
                  unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<Live> live;
    std::deque<std::pair<std::uint64_t, std::uint64_t>> seen;  // read, expected
    const auto end_one = [&](std::size_t i) {
        Live& item = live[i];
        const Buffer buffer(item.state, 0, item.state->size());
        auto& slot = seen.emplace_back(0, item.tag);
        const std::size_t last = (item.state->size() / 8 - 1) * 8;
        buffer.copy_to_async(&slot.first, 8, streams[item.stream], random() % 2 == 0 ? 0 : last);
        model.remove(item.state->address());
        std::swap(item, live.back());
        live.pop_back();
    };
    for (int step = 0; step < 400; ++step) {
        const auto dice = random() % 20;
        if (dice < 11) {
            const std::size_t stream = random() % streams.size();
            const std::size_t bytes = 8 * (1 + random() % (dice == 0 ? 400'000 : 2000));
            Live item{pool.allocate(bytes, core_of(streams[stream])), random(), stream};
            ASSERT_NO_FATAL_FAILURE(model.add(item.state->address(), bytes));
            Buffer(item.state, 0, bytes).fill(item.tag, 8, bytes / 8, streams[stream]);
            live.push_back(std::move(item));
        } else if (dice < 18) {
            if (!live.empty()) end_one(random() % live.size());
        } else if (dice == 18) {
            streams[random() % streams.size()].synchronize();
        } else if (random() % 4 == 0) {
            pool.free_held();
        }
    }
    while (!live.empty()) end_one(live.size() - 1);
    for (const Stream& stream : streams) stream.synchronize();
    for (const auto& [found, expected] : seen) ASSERT_EQ(found, expected) << "seed " << seed;
}

void run_rounds(PoolState& pool, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
        Model model;
        std::vector<std::thread> threads;
        std::vector<Stream> shared;
        for (int i = 0; i < 3; ++i) shared.emplace_back(StreamOptions{.non_blocking = i != 0});
        for (unsigned t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                std::vector<Stream> streams = shared;
                streams.emplace_back(StreamOptions{.non_blocking = true});
                run_sequence(pool, model, streams, round * 10 + t);
            });
        }
        for (auto& thread : threads) thread.join();
        EXPECT_EQ(pool.statistics().active_bytes, 0u);
        pool.free_held();
        EXPECT_EQ(pool.statistics().held_bytes, 0u);
    }
}

TEST_F(SegmentPoolTest, KeepsStreamsApartInRandomSequences) {
    run_rounds(pool, 5);
}

TEST_F(SegmentPoolTest, KeepsStreamsApartInReservedAddresses) {
    pool.set_growth(PoolGrowth::Reserved);
    run_rounds(pool, 5);
}

TEST_F(SegmentPoolTest, KeepsStreamsApartWhileItsGrowthChanges) {
    std::atomic<bool> is_over{false};
    std::thread changing([&] {
        for (int i = 0; !is_over; ++i) {
            pool.set_growth(i % 2 == 0 ? PoolGrowth::Reserved : PoolGrowth::Segments);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    run_rounds(pool, 3);
    is_over = true;
    changing.join();
}

}  // namespace
}  // namespace warpwise::runtime
