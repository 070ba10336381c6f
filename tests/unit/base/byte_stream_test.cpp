// Bytes out and in again.
#include "src/base/byte_stream.hpp"

#include <gtest/gtest.h>

namespace warpwise {
namespace {

TEST(ByteStream, GivesBackWhatWasPut) {
    const auto bytes =
        std::move(ByteWriter().put(std::uint32_t{7}).put("text").put(std::int8_t{-1})).take();
    ByteReader in(bytes, "test");
    EXPECT_EQ(in.get<std::uint32_t>(), 7u);
    EXPECT_EQ(in.get_text(), "text");
    EXPECT_EQ(in.get<std::int8_t>(), -1);
    EXPECT_NO_THROW(in.require_end());
}

TEST(ByteStream, RefusesToReadPastItsEnd) {
    const auto bytes = std::move(ByteWriter().put(std::uint16_t{7})).take();
    ByteReader in(bytes, "test");
    EXPECT_THROW(in.get<std::uint32_t>(), DeviceError);
}

TEST(ByteStream, RefusesABlockLongerThanTheRest) {
    const auto bytes = std::move(ByteWriter().put(std::uint64_t{9}).put(std::uint8_t{1})).take();
    ByteReader in(bytes, "test");
    EXPECT_THROW(in.get_block(), DeviceError);
}

TEST(ByteStream, RefusesACountThatCannotBe) {
    const auto bytes = std::move(ByteWriter().put(std::uint64_t{3}).put(std::uint64_t{0})).take();
    ByteReader in(bytes, "test");
    EXPECT_THROW(in.get_count(4), DeviceError);
}

TEST(ByteStream, RefusesBytesAfterItsEnd) {
    const auto bytes = std::move(ByteWriter().put(std::uint8_t{1})).take();
    EXPECT_THROW(ByteReader(bytes, "test").require_end(), DeviceError);
}

TEST(ByteStream, ErrorsNameTheBytes) {
    try {
        ByteReader({}, "manifest").get<std::uint8_t>();
        FAIL() << "nothing was thrown";
    } catch (const DeviceError& error) {
        EXPECT_STREQ(error.what(), "manifest: ends too early");
    }
}

}  // namespace
}  // namespace warpwise
