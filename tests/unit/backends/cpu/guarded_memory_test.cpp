// Memory with guards: where it ends, what it remembers of what was released.
#include "src/backends/cpu/memory/guarded_memory.hpp"

#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "src/backends/cpu/memory/allocator.hpp"
#include "src/backends/cpu/memory/host_memory.hpp"
#include "src/base/address_ranges.hpp"
#include "tests/unit/backends/cpu/device_test.hpp"

namespace warpwise::cpu::test {
namespace {

using testing::HasSubstr;

// Whether there is memory that may be read at the address: the kernel copies from it.
bool is_readable(std::uintptr_t address) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const bool is_read = write(ends[1], reinterpret_cast<const void*>(address), 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return is_read;
}

TEST(GuardedMemory, EndsWhereNothingIs) {
    GuardedMemory memory;
    for (const std::size_t bytes : {16u, 4000u, 4096u, 4112u, 5u << 20}) {
        const std::uintptr_t address = memory.allocate(bytes);
        ASSERT_NE(address, 0u);
        std::memset(reinterpret_cast<void*>(address), 1, bytes);
        EXPECT_TRUE(is_readable(address + bytes - 1));
        EXPECT_FALSE(is_readable(address + bytes)) << bytes;
        EXPECT_FALSE(is_readable(address + bytes + GuardedMemory::kGuardBytes - kPageBytes));
        EXPECT_FALSE(is_readable((address & ~(kPageBytes - 1)) - 1));
        memory.release(address);
    }
}

TEST(GuardedMemory, AlignsForWhatFitsTheSize) {
    GuardedMemory memory;
    for (const auto& [bytes, alignment] : {std::pair<std::size_t, std::size_t>{1, 16},
                                           {4004, 16},
                                           {4000, 32},
                                           {1280, 256},
                                           {4096, 256},
                                           {1 << 20, 256}}) {
        const std::uintptr_t address = memory.allocate(bytes);
        EXPECT_EQ(address % alignment, 0u) << bytes;
        memory.release(address);
    }
}

TEST(GuardedMemory, DetectsWritesToTheSlackOnce) {
    GuardedMemory memory;
    EXPECT_EQ(memory.take_overrun(), std::nullopt);
    const std::uintptr_t address = memory.allocate(4003);
    auto* const bytes = reinterpret_cast<unsigned char*>(address);
    std::memset(bytes, 7, 4003);
    EXPECT_EQ(memory.take_overrun(), std::nullopt);
    bytes[4005] = 7;
    const auto overrun = memory.take_overrun();
    ASSERT_TRUE(overrun);
    EXPECT_EQ(overrun->allocation.begin, address);
    EXPECT_EQ(overrun->allocation.bytes, 4003u);
    EXPECT_EQ(overrun->first, 4005u);
    EXPECT_EQ(memory.take_overrun(), std::nullopt);
    memory.release(address);
    EXPECT_EQ(memory.take_overrun(), std::nullopt);
}

TEST(GuardedMemory, KnowsWhatIsNearAnAddress) {
    GuardedMemory memory;
    const std::uintptr_t address = memory.allocate(4000);
    for (const std::uintptr_t near : {address, address + 3999, address + 4000, address + 60000,
                                      address - 1, (address & ~(kPageBytes - 1)) - 1}) {
        const auto found = memory.find(near);
        ASSERT_TRUE(found) << near - address;
        EXPECT_EQ(found->begin, address);
        EXPECT_EQ(found->bytes, 4000u);
        EXPECT_FALSE(found->is_released);
    }
    EXPECT_FALSE(memory.find(address + (std::uintptr_t{1} << 40)));
    EXPECT_FALSE(memory.find(0));
    memory.release(address);
    ASSERT_TRUE(memory.find(address + 8));
    EXPECT_TRUE(memory.find(address + 8)->is_released);
    EXPECT_FALSE(is_readable(address));
}

TEST(GuardedMemory, KeepsAddressesOfTheLastReleasedOnly) {
    GuardedMemory memory;
    const std::uintptr_t first = memory.allocate(100);
    memory.release(first);
    for (std::size_t i = 1; i < GuardedMemory::kMostReleased; ++i) {
        const std::uintptr_t address = memory.allocate(100);
        ASSERT_NE(address, first);
        memory.release(address);
    }
    ASSERT_TRUE(memory.find(first));
    const std::uintptr_t second = memory.allocate(100);
    memory.release(second);
    EXPECT_FALSE(memory.find(first) && memory.find(first)->begin == first);
    EXPECT_TRUE(memory.find(second)->is_released);
}

TEST(GuardedMemory, RefusesWhatTheSystemHasNot) {
    GuardedMemory memory;
    memory.release(memory.allocate(100));
    EXPECT_EQ(memory.allocate(std::size_t{1} << 60), 0u);
    EXPECT_EQ(memory.allocate(~std::size_t{0}), 0u);
    EXPECT_NE(memory.allocate(100), 0u);
}

TEST(GuardedMemory, IsCountedByPages) {
    GuardedMemory memory;
    CpuAllocator allocator(&host_memory, &memory);
    EXPECT_TRUE(allocator.guards_ends());
    EXPECT_FALSE(CpuAllocator(&host_memory).guards_ends());
    const std::uint64_t before = allocator.info().free;
    const auto address = allocator.allocate(5000, runtime::MemoryKind::Device);
    EXPECT_EQ(allocator.info().free, before - 2 * kPageBytes);
    EXPECT_TRUE(memory.find(address));
    allocator.release(address, 5000, runtime::MemoryKind::Device);
    EXPECT_EQ(allocator.info().free, before);
    try {
        allocator.allocate(std::size_t{1} << 60, runtime::MemoryKind::Device);
        ADD_FAILURE() << "it was granted";
    } catch (const OutOfMemoryError& error) {
        EXPECT_THAT(error.what(), HasSubstr("of device memory were asked for"));
    }
    EXPECT_EQ(allocator.info().free, before);
}

}  // namespace
}  // namespace warpwise::cpu::test
