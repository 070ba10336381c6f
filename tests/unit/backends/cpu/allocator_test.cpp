// Device memory: alignment, accounting, refusal at the request.
#include "src/backends/cpu/memory/allocator.hpp"

#include "src/backends/cpu/memory/host_memory.hpp"
#include "tests/unit/backends/cpu/device_test.hpp"

namespace warpwise::cpu::test {
namespace {

using runtime::MemoryKind;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

MemoryInfo small_host() {
    return {.free = 10 * kMiB, .total = 16 * kMiB};
}

TEST(Allocator, AlignsTo256Bytes) {
    CpuAllocator allocator(&host_memory);
    for (std::size_t bytes : {1, 100, 4096, 1'000'000, 5'000'000}) {
        for (MemoryKind kind : {MemoryKind::Device, MemoryKind::PageLocked}) {
            const auto address = allocator.allocate(bytes, kind);
            EXPECT_EQ(address % 256, 0u);
            std::memset(reinterpret_cast<void*>(address), 1, bytes);
            allocator.release(address, bytes, kind);
        }
    }
}

TEST(Allocator, RefusesWhatIsNotThereAtTheRequest) {
    CpuAllocator allocator(&small_host);
    try {
        allocator.allocate(11 * kMiB, MemoryKind::Device);
        ADD_FAILURE() << "it was granted";
    } catch (const OutOfMemoryError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("11.0 MiB"), HasSubstr("10.0 MiB of 16.0 MiB"),
                                        HasSubstr("device memory")));
    }
    EXPECT_THROW(allocator.allocate(~std::size_t{0}, MemoryKind::PageLocked), OutOfMemoryError);
}

TEST(Allocator, CountsMemoryNobodyHasTouchedYet) {
    CpuAllocator allocator(&small_host);  // the system never sees anything used
    const auto first = allocator.allocate(9 * kMiB, MemoryKind::Device);
    EXPECT_THROW(allocator.allocate(9 * kMiB, MemoryKind::Device), OutOfMemoryError);
    EXPECT_LE(allocator.info().free, 7 * kMiB);
    allocator.release(first, 9 * kMiB, MemoryKind::Device);
    EXPECT_EQ(allocator.info().free, 10 * kMiB);
    const auto again = allocator.allocate(9 * kMiB, MemoryKind::Device);
    allocator.release(again, 9 * kMiB, MemoryKind::Device);
}

std::uint64_t g_host_free = 0;

MemoryInfo changing_host() {
    return {.free = g_host_free, .total = 16 * kMiB};
}

TEST(Allocator, TellsFreeBytesThatOtherProcessesDoNotMove) {
    g_host_free = 10 * kMiB;
    CpuAllocator allocator(&changing_host);
    EXPECT_EQ(allocator.info().free, 10 * kMiB);
    g_host_free = 4 * kMiB;
    EXPECT_EQ(allocator.info().free, 10 * kMiB);
    const auto address = allocator.allocate(kMiB, MemoryKind::Device);
    EXPECT_EQ(allocator.info().free, 9 * kMiB);
    allocator.release(address, kMiB, MemoryKind::Device);
    EXPECT_EQ(allocator.info().free, 10 * kMiB);
}

TEST(Allocator, BelievesTheSystemWhenARequestMightNotFit) {
    g_host_free = 10 * kMiB;
    CpuAllocator allocator(&changing_host);
    EXPECT_EQ(allocator.info().free, 10 * kMiB);
    g_host_free = 4 * kMiB;
    EXPECT_THROW(allocator.allocate(5 * kMiB, MemoryKind::Device), OutOfMemoryError);
    EXPECT_EQ(allocator.info().free, 4 * kMiB);
    g_host_free = 12 * kMiB;
    const auto address = allocator.allocate(5 * kMiB, MemoryKind::Device);
    EXPECT_EQ(allocator.info().free, 7 * kMiB);
    allocator.release(address, 5 * kMiB, MemoryKind::Device);
}

TEST(Allocator, TellsInAnErrorWhatItTellsBesideIt) {
    g_host_free = 10 * kMiB;
    CpuAllocator allocator(&changing_host);
    EXPECT_EQ(allocator.info().free, 10 * kMiB);
    g_host_free = 12 * kMiB;
    EXPECT_THAT([&] { allocator.allocate(13 * kMiB, MemoryKind::Device); },
                testing::ThrowsMessage<OutOfMemoryError>(HasSubstr("10.0 MiB of 16.0 MiB are")));
    EXPECT_EQ(allocator.info().free, 10 * kMiB);
}

TEST(Allocator, TellsFreeAndTotal) {
    const MemoryInfo info = cpu_backend().allocator(0).info();
    EXPECT_GT(info.free, 0u);
    EXPECT_LE(info.free, info.total);
    EXPECT_EQ(cpu_backend().device_info(0).total_memory, info.total);
}

TEST(Allocator, RefusesMoreThanTheMachineHas) {
    auto& allocator = cpu_backend().allocator(0);
    EXPECT_THROW(allocator.allocate(allocator.info().total + 1, MemoryKind::Device),
                 OutOfMemoryError);
}

TEST(Device, DescribesTheHost) {
    const DeviceInfo& info = cpu_backend().device_info(0);
    EXPECT_THAT(info.name, HasSubstr(", " + std::to_string(info.multiprocessors) + " core"));
    EXPECT_THAT(info.architecture, HasSubstr("x86-64-v"));
    EXPECT_TRUE(info.shares_host_memory);
    EXPECT_EQ(info.limits.max_threads_per_block, 1024u);
    EXPECT_EQ(info.limits.warp_size, 32u);
}

}  // namespace
}  // namespace warpwise::cpu::test
