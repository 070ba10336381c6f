// A failed create creates nothing: every call of the back end is made to fail in turn, and what
// existed before is still there and whole.
#include "tests/unit/runtime/null_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

// Runs `action` with its 1st, 2nd, ... call failing until it gets through; `check` after each.
template <class Action, class Check>
int fail_each_call(Action&& action, Check&& check) {
    for (int n = 1;; ++n) {
        null::fail_call(n, std::make_exception_ptr(DeviceError("made to fail")));
        bool has_failed = false;
        try {
            action();
        } catch (const DeviceError& error) {
            has_failed = true;
            EXPECT_STREQ(error.what(), "made to fail");
        }
        const bool was_reached = !null::failure_is_pending();
        null::cancel_failure();
        check();
        if (!was_reached) {
            EXPECT_FALSE(has_failed);
            return n - 1;
        }
    }
}

class FailureTest : public testing::Test {
  protected:
    void SetUp() override {
        Device().synchronize();
        Device().pool().free_held();
        allocated = null::allocated_bytes();
    }
    void expect_nothing_left() {
        Device().synchronize();
        EXPECT_EQ(Device().pool().active_bytes(), 0u);
        Device().pool().free_held();
        EXPECT_EQ(null::allocated_bytes(), allocated);
    }
    std::uint64_t allocated = 0;
};

TEST_F(FailureTest, OfAnAllocationLeavesNothing) {
    const int calls = fail_each_call([] { mem_alloc(1000); }, [&] { expect_nothing_left(); });
    EXPECT_GE(calls, 1);
}

TEST_F(FailureTest, OfAnUnpooledAllocationLeavesNothing) {
    const int calls =
        fail_each_call([] { mem_alloc_unpooled(1000, Device()); }, [&] { expect_nothing_left(); });
    EXPECT_EQ(calls, 1);
}

TEST_F(FailureTest, OfAStreamLeavesTheOthers) {
    const Stream other;
    const int calls = fail_each_call([] { Stream(); }, [&] { other.synchronize(); });
    EXPECT_EQ(calls, 1);
}

TEST_F(FailureTest, OfAnEventLeavesTheStream) {
    const Stream stream;
    const int calls = fail_each_call([&] { stream.record(); }, [&] { stream.synchronize(); });
    EXPECT_EQ(calls, 2);
}

TEST_F(FailureTest, OfACopyLeavesTheBuffer) {
    {
        Buffer buffer = mem_alloc(4);
        const int value = 3;
        buffer.copy_from(&value, 4);
        const int calls = fail_each_call(
            [&] {
                const int other = 4;
                buffer.copy_from(&other, 4);
            },
            [&] {
                int seen = 0;
                buffer.copy_to(&seen, 4);
                EXPECT_THAT(seen, testing::AnyOf(3, 4));
            });
        EXPECT_EQ(calls, 1);
    }
    expect_nothing_left();
}

TEST_F(FailureTest, OfALaunchWithHostArraysLeavesNothing) {
    {
        const Kernel kernel = kernel_with(pointer_to("x", "float *", float32));
        std::vector<float> values(100);
        const HostArray array{.data = values.data(),
                              .bytes = 400,
                              .dtype = float32,
                              .copies_in = true,
                              .copies_out = true};
        const int calls =
            fail_each_call([&] { kernel({}, array); }, [&] { expect_nothing_left(); });
        EXPECT_GE(calls, 4);
    }
}

// A destructor cannot throw: without its event the buffer waits for its stream instead.
TEST_F(FailureTest, WhileABufferEndsIsNotItsUsersAffair) {
    for (int n = 1; n <= 2; ++n) {
        {
            Buffer buffer = mem_alloc(1000);
            buffer.fill(0, 1, 1000, Stream::current());
            null::fail_call(n, std::make_exception_ptr(DeviceError("made to fail")));
        }
        null::cancel_failure();
        expect_nothing_left();
    }
}

}  // namespace
}  // namespace warpwise
