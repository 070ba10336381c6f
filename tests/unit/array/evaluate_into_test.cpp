// Array::evaluate_into(): results in memory that the caller has allocated.
#include "tests/unit/array/on_cpu.hpp"

namespace warpwise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EvaluateInto : public testing::Test {
  protected:
    const Buffer buffer_ = mem_alloc(3 * sizeof(double));
    const Array pending_ = numbers({1, 2, 3}) + 1;
};

TEST_F(EvaluateInto, ComputesInTheBuffer) {
    EXPECT_TRUE(pending_.evaluate_into(buffer_));
    EXPECT_EQ(pending_.address(), buffer_.address());
    EXPECT_THAT(values_of(from_buffer(buffer_, {3}, float64)), ElementsAre(2, 3, 4));
}

TEST_F(EvaluateInto, LaterWritesGoThere) {
    ASSERT_TRUE(pending_.evaluate_into(buffer_));
    Array(pending_) += 1;
    EXPECT_THAT(values_of(from_buffer(buffer_, {3}, float64)), ElementsAre(3, 4, 5));
}

TEST_F(EvaluateInto, StoresReductionsAndConstants) {
    EXPECT_TRUE(sum(pending_).evaluate_into(buffer_));
    EXPECT_EQ(from_buffer(buffer_, {}, float64).item().real(), 9);
    EXPECT_TRUE(ones({3}).evaluate_into(mem_alloc(3 * sizeof(double))));
}

TEST_F(EvaluateInto, DoesNothingForWhatHasMemory) {
    const Array array = numbers({1, 2, 3});
    EXPECT_FALSE(array.evaluate_into(buffer_));
    EXPECT_NE(array.address(), buffer_.address());
}

TEST_F(EvaluateInto, DoesNothingForWhatOtherArraysShow) {
    const Array view = pending_.at({Slice{.stop = 2}});
    EXPECT_FALSE(pending_.evaluate_into(buffer_));
    EXPECT_FALSE(view.evaluate_into(buffer_));
    EXPECT_THAT(values_of(view), ElementsAre(2, 3));
}

TEST_F(EvaluateInto, DoesNothingWhereAnArrayShowsTheBuffer) {
    const Array other = from_buffer(buffer_, {3}, float64);
    EXPECT_FALSE(pending_.evaluate_into(buffer_));
}

TEST_F(EvaluateInto, DoesNothingForAPartOfABuffer) {
    const Buffer whole = mem_alloc(64);
    EXPECT_FALSE(pending_.evaluate_into(whole.slice(8, 24)));
}

TEST_F(EvaluateInto, ComesBehindWritesToTheBuffer) {
    from_buffer(buffer_, {3}, float64).assign(7);
    EXPECT_TRUE(pending_.evaluate_into(buffer_));
    EXPECT_THAT(values_of(pending_), ElementsAre(2, 3, 4));
}

TEST_F(EvaluateInto, RefusesBuffersThatCannotHoldIt) {
    EXPECT_THAT(refusal([&] { pending_.evaluate_into(mem_alloc(8)); }),
                HasSubstr("a buffer of 8 bytes for an array of 24"));
    Buffer freed = mem_alloc(24);
    freed.free();
    EXPECT_THAT(refusal([&] { pending_.evaluate_into(freed); }), HasSubstr("was freed"));
}

}  // namespace
}  // namespace warpwise
