// Devices by name, and what is current in a thread.
#include <thread>

#include "tests/unit/runtime/null_device.hpp"

namespace warpwise {
namespace {

using testing::HasSubstr;

TEST(Device, IsTheOneTheEnvironmentNames) {
    EXPECT_EQ(Device().name(), "null");
}

TEST(Device, IsFoundByNameAndNumber) {
    const Device second("null:1");
    EXPECT_EQ(second.name(), "null:1");
    EXPECT_EQ(second.ordinal(), 1);
    EXPECT_EQ(second.kind(), "null");
}

TEST(Device, IsTheSameForTheSameName) {
    EXPECT_EQ(Device("null"), Device("null:0"));
    EXPECT_FALSE(Device("null") == Device("null:1"));
}

TEST(Device, TellsThatItRunsNoKernels) {
    EXPECT_FALSE(Device("null").info().executes_kernels);
}

TEST(Device, RefusesAnUnknownKind) {
    EXPECT_THAT(message_of<DeviceError>([] { Device("tpu"); }),
                testing::AllOf(HasSubstr("'tpu'"), HasSubstr("the devices here are")));
}

TEST(Device, RefusesANumberThereIsNot) {
    EXPECT_THAT(message_of<DeviceError>([] { Device("null:7"); }), HasSubstr("null has 2 device"));
}

TEST(Device, RefusesWhatIsNoNumber) {
    EXPECT_THAT(message_of<DeviceError>([] { Device("null:one"); }),
                HasSubstr("after the colon stands the number"));
    EXPECT_THROW(Device("null:-1"), DeviceError);
    EXPECT_THROW(Device("null:"), DeviceError);
}

TEST(Device, NullIsNotListed) {
    for (const Device& device : devices()) EXPECT_NE(device.kind(), "null");
}

TEST(Device, CountsKeptMemoryAsFree) {
    const auto before = Device().memory();
    {
        const Buffer buffer = mem_alloc(1 << 20);
    }
    EXPECT_GT(Device().pool().held_bytes(), 0u);
    EXPECT_EQ(Device().memory().free, before.free);
    EXPECT_EQ(before.total, null::kTotalMemory);
}

TEST(DeviceScope, MakesADeviceCurrentUntilItsEnd) {
    {
        const DeviceScope outer(Device("null:1"));
        EXPECT_EQ(Device().name(), "null:1");
        {
            const DeviceScope inner(Device("null"));
            EXPECT_EQ(Device().name(), "null");
        }
        EXPECT_EQ(Device().name(), "null:1");
    }
    EXPECT_EQ(Device().name(), "null");
}

TEST(DeviceScope, IsPerThread) {
    const DeviceScope scope(Device("null:1"));
    std::string other;
    std::thread([&] { other = Device().name(); }).join();
    EXPECT_EQ(other, "null");
}

TEST(DeviceScope, DecidesWhereMemoryComesFrom) {
    const DeviceScope scope(Device("null:1"));
    EXPECT_EQ(mem_alloc(16).device().name(), "null:1");
}

}  // namespace
}  // namespace warpwise
