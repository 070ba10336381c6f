// Memory behind reserved addresses: which calls the driver gets, that nothing is left over after
// any failure, access of peers, and what such memory cannot do.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMiB = 1 << 20;
constexpr std::size_t kMemory = std::size_t{1} << 30;  // of the fake's devices

class CudaReservedMemoryTest : public OnFakeCuda {
  protected:
    CudaReservedMemoryTest() {
        first.pool().free_held();
        pool.free_held();
        pool.set_growth(PoolGrowth::Reserved);
    }
    ~CudaReservedMemoryTest() override {
        fake<Reset>(kReset)();
        pool.free_held();
        EXPECT_EQ(left_over(), 0u);
        pool.set_growth(PoolGrowth::Segments);
    }
    static std::uint64_t left_over() {
        return static_cast<std::uint64_t>(fake<LeftOver>(kLeftOver)());
    }
    static bool has_access(std::uint64_t address, int device) {
        return fake<HasAccess>(kHasAccess)(address, device) != 0;
    }
    static std::vector<int> values(const Buffer& buffer) {
        std::vector<int> result(buffer.size() / 4);
        buffer.copy_to(result.data(), buffer.size());
        return result;
    }

    Device first{"cuda:0"}, second{"cuda:1"};
    DeviceScope scope{second};
    Pool pool = second.pool();
};

TEST_F(CudaReservedMemoryTest, HoldsWhatIsWrittenAcrossChunks) {
    Buffer buffer = mem_alloc(40 * kMiB);
    EXPECT_EQ(calls("cuMemAlloc"), 0);
    EXPECT_EQ(calls("cuMemCreate"), 20);  // of 2 MiB
    EXPECT_EQ(calls("cuMemRelease"), 20);
    EXPECT_EQ(calls("cuMemSetAccess"), 1);
    buffer.fill(7, 4, 10 * kMiB, Stream::current());
    const Buffer copy = mem_alloc(40 * kMiB);
    Buffer(copy).copy_from(buffer, 40 * kMiB, Stream::current());
    const std::vector<int> found = values(copy);
    EXPECT_EQ(std::ranges::count(found, 7), 10 * static_cast<long>(kMiB));
}

TEST_F(CudaReservedMemoryTest, GoesBackToTheDriver) {
    const std::uint64_t before = second.memory().free;
    {
        const Buffer one = mem_alloc(100 * kMiB), two = mem_alloc(100);
        EXPECT_EQ(left_over(), 2 + pool.statistics().segments * 2);
    }
    pool.free_held();
    EXPECT_EQ(left_over(), 0u);
    EXPECT_EQ(second.memory().free, before);
}

TEST_F(CudaReservedMemoryTest, ServesWhatFragmentsOfSegmentsCannot) {
    const std::size_t there_is = second.memory().free;
    const auto half_of_it = [there_is] {
        std::vector<Buffer> all, kept;
        for (std::size_t sum = 8 * kMiB; sum <= there_is; sum += 8 * kMiB) {
            all.push_back(mem_alloc(8 * kMiB));
        }
        for (std::size_t i = 0; i < all.size(); i += 2) kept.push_back(all[i]);
        return kept;
    };
    {
        const std::vector<Buffer> kept = half_of_it();
        const Buffer large = mem_alloc(256 * kMiB);
        EXPECT_LE(pool.held_bytes(), there_is);
    }
    pool.free_held();
    pool.set_growth(PoolGrowth::Segments);
    const std::vector<Buffer> kept = half_of_it();
    EXPECT_THROW(mem_alloc(256 * kMiB), OutOfMemoryError);
}

TEST_F(CudaReservedMemoryTest, LosesNothingWhenAnyCallFails) {
    const std::uint64_t before = second.memory().free;
    const auto run = [this] {
        const Buffer anchor = mem_alloc(3 * kMiB);
        Buffer middle = mem_alloc(40 * kMiB);
        const Buffer other = mem_alloc(50 * kMiB);
        middle.free();
        pool.free_held();
        const Buffer large = mem_alloc(80 * kMiB), small = mem_alloc(100);
    };
    for (const char* name : {"cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess",
                             "cuMemGetAllocationGranularity", "cuDeviceGet"}) {
        for (const Status status : {Status::OutOfMemory, Status::InvalidValue}) {
            for (int after = 0; after < 80; after += after < 6 ? 1 : 7) {
                fail(name, status, after);
                try {
                    run();
                } catch (const Error&) {
                    // Whether one is thrown depends on the status: the pool tries again.
                }
                fake<Reset>(kReset)();
                pool.free_held();
                ASSERT_EQ(left_over(), 0u) << name << " after " << after;
                ASSERT_EQ(second.memory().free, before) << name << " after " << after;
                ASSERT_NO_THROW(run());
            }
        }
    }
}

TEST_F(CudaReservedMemoryTest, TrimsAndTriesAgainWhenTheDriverHasNoMore) {
    Buffer kept = mem_alloc(600 * kMiB);
    const Buffer behind = mem_alloc(3 * kMiB);
    kept.free();
    EXPECT_NO_THROW(mem_alloc(800 * kMiB));
    EXPECT_THAT(message_of<OutOfMemoryError>([] { mem_alloc(kMemory); }),
                HasSubstr("are free on cuda:1"));
}

TEST_F(CudaReservedMemoryTest, PeersGetAccessToWhatIsThereAndWhatComes) {
    const Buffer early = mem_alloc(5 * kMiB);
    EXPECT_TRUE(has_access(early.address(), 1));
    EXPECT_FALSE(has_access(early.address(), 0));
    first.enable_peer_access(second);
    const Buffer late = mem_alloc(100 * kMiB);
    for (const Buffer& buffer : {early, late}) {
        EXPECT_TRUE(has_access(buffer.address(), 0));
        EXPECT_TRUE(has_access(buffer.address() + buffer.size() - 1, 0));
    }
    first.disable_peer_access(second);
    const Buffer last = mem_alloc(100 * kMiB);
    for (const Buffer& buffer : {early, late, last}) {
        EXPECT_FALSE(has_access(buffer.address(), 0));
        EXPECT_TRUE(has_access(buffer.address(), 1));
    }
}

TEST_F(CudaReservedMemoryTest, AccessThatFailsIsGivenToNothing) {
    const Buffer one = mem_alloc(5 * kMiB), other = mem_alloc(100);  // in two ranges
    for (const char* name : {"cuMemSetAccess", "cuCtxEnablePeerAccess"}) {
        for (int after = 0; after < 2; ++after) {
            fail(name, Status::InvalidValue, after);
            const std::string said =
                message_of<DeviceError>([&] { first.enable_peer_access(second); });
            fake<Reset>(kReset)();
            if (said == "nothing was thrown") {
                first.disable_peer_access(second);
            }
            EXPECT_FALSE(has_access(one.address(), 0)) << name << after;
            EXPECT_FALSE(has_access(other.address(), 0)) << name << after;
        }
    }
}

TEST_F(CudaReservedMemoryTest, CopiesBetweenDevicesGoByTheDriver) {
    Buffer here = mem_alloc(40 * kMiB);
    here.fill(5, 4, 10 * kMiB, Stream::current());
    second.synchronize();
    const DeviceScope there(first);
    Buffer copy = mem_alloc(40 * kMiB);
    copy.copy_from(here, 40 * kMiB, Stream::current());
    EXPECT_EQ(values(copy).back(), 5);
    EXPECT_EQ(calls("cuMemcpyPeerAsync"), 1);
}

TEST_F(CudaReservedMemoryTest, CannotBeSharedByAHandle) {
    const Buffer buffer = mem_alloc(4096);
    const std::string message = message_of<UnsupportedError>([&] { buffer.ipc_handle(); });
    EXPECT_THAT(message, HasSubstr("grows in reserved addresses"));
    EXPECT_THAT(message, HasSubstr("mem_alloc_unpooled()"));
    EXPECT_NO_THROW(mem_alloc_unpooled(4096, second).ipc_handle());
}

TEST_F(CudaReservedMemoryTest, DevicesWithoutItSaySo) {
    pool.set_growth(PoolGrowth::Segments);
    ::setenv("FAKE_CUDA_RESERVED", "0", 1);
    EXPECT_THAT(message_of<UnsupportedError>([&] { pool.set_growth(PoolGrowth::Reserved); }),
                HasSubstr("the pool of cuda:1 grows by segments only"));
    ::unsetenv("FAKE_CUDA_RESERVED");
    EXPECT_EQ(pool.growth(), PoolGrowth::Segments);
    EXPECT_NO_THROW(mem_alloc(100));
}

}  // namespace
}  // namespace warpwise::cuda
