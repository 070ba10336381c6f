// Words that stay zero between the kernels of a stream.
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

class ZeroedWordsTest : public OnFakeCuda {
  protected:
    Device device{"cuda:0"};
    DeviceScope scope{device};
};

TEST_F(ZeroedWordsTest, AreFilledOnceForEachStream) {
    const Stream stream;
    const int before = calls("cuMemsetD8Async");
    const auto words = stream.state()->zeroed_words(4);
    EXPECT_EQ(stream.state()->zeroed_words(4096), words);
    EXPECT_EQ(calls("cuMemsetD8Async"), before + 1);
    EXPECT_NE(Stream().state()->zeroed_words(4), words);
}

TEST_F(ZeroedWordsTest, AreZero) {
    const Stream stream;
    Buffer used = mem_alloc(4096 * 4, stream);
    used.fill(7, 4, 4096, stream);
    used.free();
    const auto words = stream.state()->zeroed_words(4096);
    stream.synchronize();
    const auto* const first = reinterpret_cast<const std::uint32_t*>(words->address());
    EXPECT_THAT(std::vector<std::uint32_t>(first, first + 4096), testing::Each(0u));
}

TEST_F(ZeroedWordsTest, AreNotGivenInLargeNumbers) {
    EXPECT_EQ(Stream().state()->zeroed_words(4097), nullptr);
}

TEST_F(ZeroedWordsTest, AreNotGivenInCaptures) {
    const Stream stream;
    ASSERT_NE(stream.state()->zeroed_words(1), nullptr);
    stream.state()->begin_capture();
    EXPECT_EQ(stream.state()->zeroed_words(1), nullptr);
    stream.state()->discard_capture();
    EXPECT_NE(stream.state()->zeroed_words(1), nullptr);
}

TEST_F(ZeroedWordsTest, AreNotGivenOnForeignStreams) {
    const Stream own;
    StreamHandle foreign = nullptr;
    ContextHandle context = nullptr;
    driver().primary_context_retain(&context, 0);
    driver().context_set_current(context);
    driver().stream_create(&foreign, 0, 0);
    const Stream stream = Stream::from_handle(reinterpret_cast<std::uintptr_t>(foreign));
    EXPECT_EQ(stream.state()->zeroed_words(1), nullptr);
}

TEST_F(ZeroedWordsTest, AreNotGivenOnProcessors) {
    const DeviceScope on_cpu{Device("cpu")};
    EXPECT_EQ(Stream().state()->zeroed_words(1), nullptr);
}

}  // namespace
}  // namespace warpwise::cuda
