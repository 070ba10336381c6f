// Profiles of every device: what was queued is what is recorded, whatever way it went.
#include <algorithm>

#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

using Kind = ProfileRecord::Kind;
using Direction = ProfileRecord::Direction;

class ProfileTest : public ContractTest {};
WARPWISE_CONTRACT(ProfileTest);

// Bytes of all records of that kind and direction. A source may see a copy as several.
std::uint64_t bytes_of(const Profile& profile, Kind kind, Direction direction = Direction::None) {
    std::uint64_t bytes = 0;
    for (const ProfileRecord& record : profile.records()) {
        if (record.kind == kind && record.direction == direction) bytes += record.bytes;
    }
    return bytes;
}

TEST_P(ProfileTest, HasEveryCopyAndFill) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{4097}, std::size_t{3} << 20}) {
        const auto in = bytes(size);
        std::vector<std::uint8_t> out(size);
        Buffer first = mem_alloc(size), second = mem_alloc(size);
        Profile profile;
        first.copy_from(in.data(), size);
        second.copy_from(first, size, Stream::current());
        second.copy_to(out.data(), size);
        first.fill(7, 1, size, Stream::current());
        profile.stop();
        EXPECT_EQ(bytes_of(profile, Kind::Copy, Direction::HostToDevice), size);
        EXPECT_EQ(bytes_of(profile, Kind::Copy, Direction::DeviceToDevice), size);
        EXPECT_EQ(bytes_of(profile, Kind::Copy, Direction::DeviceToHost), size);
        EXPECT_EQ(bytes_of(profile, Kind::Fill), size);
        EXPECT_EQ(out, in);
        for (const ProfileRecord& record : profile.records()) {
            EXPECT_EQ(record.device, device.name());
            EXPECT_GE(record.start, 0);
            EXPECT_GE(record.duration, 0);
        }
    }
}

TEST_P(ProfileTest, HasWhatWaitedForItsTurn) {
    const std::size_t size = std::size_t{3} << 20;
    const auto in = bytes(size);
    std::vector<std::uint8_t> out(size);
    const Stream stream;
    Buffer buffer = mem_alloc(size, stream);
    Profile profile;
    Gate gate;
    gate.hold(stream);
    buffer.copy_from_async(in.data(), size, stream);
    buffer.copy_to_async(out.data(), size, stream);
    gate.open();
    profile.stop();
    EXPECT_EQ(out, in);
    EXPECT_EQ(bytes_of(profile, Kind::Copy, Direction::HostToDevice), size);
    EXPECT_EQ(bytes_of(profile, Kind::Copy, Direction::DeviceToHost), size);
}

TEST_P(ProfileTest, LeavesTheDeviceAsItWas) {
    Buffer buffer = mem_alloc(64);
    for (int i = 0; i < 3; ++i) {
        Profile profile;
        buffer.fill(1, 1, 64, Stream::current());
        if (i == 1) profile.stop_at_once();
        if (i == 2) profile.stop();
    }
    EXPECT_EQ(contents(buffer), std::vector<std::uint8_t>(64, 1));
}

}  // namespace
}  // namespace warpwise::contract
