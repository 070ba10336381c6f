// A pool that grows in reserved addresses, over the null device: what it maps, when it releases,
// and that nothing is left over after a failure of any call.
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

PoolPolicy splitting() {
    PoolPolicy policy;
    policy.splits = true;
    return policy;
}

std::uint64_t sum_of(const null::Recorder& recorder, Call::Kind kind) {
    std::uint64_t sum = 0;
    for (const Call& call : recorder.calls(kind)) sum += call.bytes;
    return sum;
}

class GrowthTest : public testing::Test {
  protected:
    GrowthTest() : pool(make_pool(*current_context(), splitting())) {
        Device().pool().free_held();
        Device().host_pool().free_held();
        pool.set_growth(PoolGrowth::Reserved);
    }
    ~GrowthTest() override {
        pool.free_held();
        EXPECT_EQ(pool.statistics().held_bytes, 0u);
    }
    std::shared_ptr<BufferState> allocate(std::size_t bytes) {
        return pool.allocate(bytes, core_of(stream));
    }
    // Every other one of buffers that fill the memory is released.
    std::vector<std::shared_ptr<BufferState>> break_up(std::size_t bytes) {
        std::vector<std::shared_ptr<BufferState>> all, kept;
        for (std::uint64_t sum = bytes; sum <= null::kTotalMemory; sum += bytes) {
            all.push_back(allocate(bytes));
        }
        for (std::size_t i = 0; i < all.size(); i += 2) kept.push_back(all[i]);
        return kept;
    }

    PoolState& pool;
    const Stream stream{{.non_blocking = true}};
};

TEST_F(GrowthTest, ReservesOnceAndMapsBySteps) {
    const null::Recorder recorder;
    const auto one = allocate(5 * kMiB), two = allocate(40 * kMiB), small = allocate(100);
    EXPECT_THAT(recorder.calls(Call::Kind::Allocate), IsEmpty());
    EXPECT_THAT(recorder.calls(Call::Kind::Reserve), SizeIs(2));  // one for small requests
    EXPECT_EQ(sum_of(recorder, Call::Kind::Map), pool.statistics().held_bytes);
    EXPECT_EQ(two->address(), one->address() + 5 * kMiB);
    const PoolStatistics now = pool.statistics();
    EXPECT_EQ(now.held_bytes, 66 * kMiB);
    EXPECT_EQ(now.active_bytes, 45 * kMiB + 512);
    EXPECT_EQ(now.held_blocks, 5u);
}

TEST_F(GrowthTest, GrowsByWhatIsMissing) {
    auto first = allocate(32 * kMiB);
    const DeviceAddress address = first->address();
    first.reset();
    const auto larger = allocate(80 * kMiB);
    EXPECT_EQ(larger->address(), address);
    EXPECT_EQ(pool.statistics().held_bytes, 80 * kMiB);
}

TEST_F(GrowthTest, ServesFromTheFreePiecesOfManyBuffers) {
    break_up(16 * kMiB);
    const null::Recorder recorder;
    const auto large = allocate(null::kTotalMemory);
    EXPECT_THAT(recorder.calls(Call::Kind::Map), IsEmpty());
}

TEST_F(GrowthTest, ServesARequestThatFragmentsOfSegmentsCannot) {
    const auto kept = break_up(32 * kMiB);
    const null::Recorder recorder;
    const auto large = allocate(128 * kMiB);
    EXPECT_EQ(sum_of(recorder, Call::Kind::Unmap), 128 * kMiB);
    EXPECT_EQ(pool.statistics().held_bytes, null::kTotalMemory);

    // Halves of segments do not go back.
    PoolState& other = make_pool(Device("null:1").context(), splitting());
    const DeviceScope there(Device("null:1"));
    const Stream its({.non_blocking = true});
    std::vector<std::shared_ptr<BufferState>> halves, rest;
    for (int i = 0; i < 16; ++i) {
        (i % 2 == 0 ? halves : rest).push_back(other.allocate(16 * kMiB, core_of(its)));
    }
    rest.clear();
    EXPECT_THROW(other.allocate(128 * kMiB, core_of(its)), OutOfMemoryError);
    halves.clear();
    other.free_held();
}

TEST_F(GrowthTest, ServesItAlsoFromHalvesOfSteps) {
    const auto kept = break_up(16 * kMiB);
    const auto large = allocate(100 * kMiB);
    EXPECT_LE(pool.statistics().held_bytes, null::kTotalMemory);
    Buffer(large, 0, 100 * kMiB).fill(7, 4, 25 * kMiB, stream);
    stream.synchronize();
}

TEST_F(GrowthTest, GivesMemoryInTheMiddleBack) {
    auto first = allocate(32 * kMiB), middle = allocate(32 * kMiB), last = allocate(32 * kMiB);
    const DeviceAddress address = middle->address();
    const auto before = null::allocated_bytes();
    middle.reset();
    pool.free_held();
    EXPECT_EQ(null::allocated_bytes(), before - 32 * kMiB);
    EXPECT_FALSE(pool.find(address).found);
    const null::Recorder recorder;
    EXPECT_EQ(allocate(32 * kMiB)->address(), address);
    EXPECT_THAT(recorder.calls(Call::Kind::Reserve), IsEmpty());
}

TEST_F(GrowthTest, GivesAddressesBackWhenNothingIsInThem) {
    {
        const auto one = allocate(5 * kMiB), two = allocate(100);
    }
    const null::Recorder recorder;
    pool.free_held();
    EXPECT_THAT(recorder.calls(Call::Kind::Unreserve), SizeIs(2));
    EXPECT_EQ(pool.statistics().segments, 0u);
}

TEST_F(GrowthTest, StaysWithinItsLimit) {
    pool.set_limit(16 * kMiB);
    const auto one = allocate(5 * kMiB);
    EXPECT_EQ(pool.statistics().held_bytes, 6 * kMiB);
    EXPECT_THAT(message_of<OutOfMemoryError>([&] { allocate(12 * kMiB); }),
                HasSubstr("the limit of the memory pool is reached"));
    {
        const auto two = allocate(9 * kMiB);
    }
    const auto three = allocate(8 * kMiB);
    EXPECT_LE(pool.statistics().held_bytes, 16 * kMiB);
}

TEST_F(GrowthTest, SaysWhoHoldsWhatWhenNothingIsLeft) {
    const auto large = allocate(200 * kMiB);
    const std::string message = message_of<OutOfMemoryError>([&] { allocate(100 * kMiB); });
    EXPECT_THAT(message, HasSubstr("in use, largest first: 1 x 200.0 MiB"));
    EXPECT_THAT(message_of<OutOfMemoryError>([&] { allocate(null::kTotalMemory + 1); }),
                HasSubstr("the device has 256.0 MiB in all"));
}

TEST_F(GrowthTest, CountsNoHoles) {
    auto first = allocate(32 * kMiB);
    const auto second = allocate(32 * kMiB);
    first.reset();
    pool.free_held();
    const PoolStatistics now = pool.statistics();
    EXPECT_EQ(now.held_blocks, 1u);
    EXPECT_EQ(now.largest_free_bytes, 0u);
    EXPECT_THAT(pool.report(), HasSubstr("kept for reuse: 0"));
}

TEST_F(GrowthTest, WaitsForWorkBeforeItUnmaps) {
    bool was_done = false;
    {
        const null::Pause pause;
        const auto buffer = allocate(4 * kMiB);
        Buffer(buffer, 0, 4 * kMiB).fill(0, 1, 4 * kMiB, stream);
        stream.call_host([&] { was_done = true; });
    }
    pool.free_held();
    EXPECT_TRUE(was_done);
}

TEST_F(GrowthTest, ChangesForWhatComesLater) {
    auto reserved = allocate(5 * kMiB);
    pool.set_growth(PoolGrowth::Segments);
    EXPECT_EQ(pool.growth(), PoolGrowth::Segments);
    auto segment = allocate(60 * kMiB);
    EXPECT_TRUE(pool.is_in_range(reserved->address()));
    EXPECT_FALSE(pool.is_in_range(segment->address()));
    EXPECT_EQ(pool.statistics().held_bytes, 92 * kMiB);
    reserved.reset();
    segment.reset();
    const null::Recorder recorder;
    pool.free_held();
    EXPECT_EQ(sum_of(recorder, Call::Kind::Unmap), 32 * kMiB);
    EXPECT_EQ(sum_of(recorder, Call::Kind::Release), 60 * kMiB);
}

TEST_F(GrowthTest, IsForDeviceMemoryOnly) {
    EXPECT_THAT(
        message_of<UnsupportedError>([] { Device().host_pool().set_growth(PoolGrowth::Reserved); }),
        HasSubstr("the pool of page-locked memory of null grows by segments only"));
    EXPECT_NO_THROW(Device().host_pool().set_growth(PoolGrowth::Segments));
}

TEST_F(GrowthTest, IsNotForPoolsThatKeepNothing) {
    PoolState& none = make_pool(*current_context(), PoolPolicy::of_device(Device().info(), "none"));
    EXPECT_THAT(message_of<UnsupportedError>([&] { none.set_growth(PoolGrowth::Reserved); }),
                HasSubstr("WARPWISE_POOL is none or guard"));
}

TEST_F(GrowthTest, IsWholeAfterEveryFailure) {
    const Stream other({.non_blocking = true});
    const auto before = null::allocated_bytes();
    const auto run = [&] {
        const auto anchor = allocate(3 * kMiB);
        auto buffer = allocate(40 * kMiB);
        buffer.reset();
        const auto second = pool.allocate(90 * kMiB, core_of(other));
        pool.free_held();
        const auto third = allocate(100 * kMiB), small = allocate(100);
    };
    int failures = 0;
    for (const bool is_memory : {false, true}) {
        for (int n = 1; n <= 20; ++n) {
            null::fail_call(n, is_memory ? std::make_exception_ptr(OutOfMemoryError("made to fail"))
                                         : std::make_exception_ptr(DeviceError("made to fail")));
            try {
                run();
            } catch (const Error& error) {
                EXPECT_THAT(error.what(), HasSubstr("made to fail"));
                ++failures;
            }
            null::cancel_failure();
            pool.free_held();
            EXPECT_EQ(pool.statistics().held_bytes, 0u);
            EXPECT_EQ(pool.statistics().active_bytes, 0u);
            EXPECT_EQ(null::allocated_bytes(), before);
            EXPECT_NO_THROW(run());
        }
    }
    EXPECT_GE(failures, 3);
}

}  // namespace
}  // namespace warpwise::runtime
