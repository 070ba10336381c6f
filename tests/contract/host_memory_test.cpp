// Memory that the host and the device both reach, on every device.
#include "tests/contract/contract.hpp"

namespace warpwise::contract {
namespace {

class HostMemoryTest : public ContractTest {};
WARPWISE_CONTRACT(HostMemoryTest);

// Writes through the device, reads on the host.
void expect_shared(const Buffer& buffer, void* host, std::size_t size) {
    Buffer writer = buffer;
    writer.fill(0x5a, 1, size, Stream::current());
    Stream::current().synchronize();
    EXPECT_EQ(std::memcmp(host, std::vector<char>(size, 0x5a).data(), size), 0);
}

TEST_P(HostMemoryTest, PageLockedIsWhatTheDeviceWrites) {
    for (const HostOptions& options :
         {HostOptions{}, HostOptions{.pooled = true}, HostOptions{.write_combined = true}}) {
        const HostBuffer host(1000, options);
        expect_shared(host.buffer(), host.data(), 1000);
        expect_shared(mapped_buffer(host.data(), 10), host.data(), 10);
    }
}

TEST_P(HostMemoryTest, ManagedIsWhatTheDeviceWrites) {
    const HostBuffer managed = managed_alloc(1 << 20);
    advise(managed.buffer(), MemoryAdvice::SetPreferredLocation, device);
    prefetch(managed.buffer(), device, Stream::current());
    attach(managed.buffer(), ManagedAccess::Global, Stream::current());
    expect_shared(managed.buffer(), managed.data(), 1 << 20);
    prefetch(managed.buffer(), std::nullopt, Stream::current());
    advise(managed.buffer(), MemoryAdvice::UnsetPreferredLocation, std::nullopt);
}

TEST_P(HostMemoryTest, RegisteredIsWhatTheDeviceWrites) {
    std::vector<char> own(100'000);
    {
        RegisteredMemory registered(own.data(), own.size());
        expect_shared(registered.buffer(), own.data(), own.size());
        EXPECT_THROW(RegisteredMemory(own.data(), 16), ArgumentError);
        registered.unregister();
    }
    device.synchronize();
    EXPECT_NO_THROW(RegisteredMemory(own.data(), own.size()));
}

TEST_P(HostMemoryTest, PooledIsHandedOutAgainWhenItsWorkIsDone) {
    const Stream stream({.non_blocking = true});
    Buffer buffer = mem_alloc(3000);
    void* used = nullptr;
    Gate gate;
    {
        const HostBuffer host(3000, {.pooled = true});
        used = host.data();
        gate.hold(stream);
        buffer.copy_from_async(host.data(), 3000, stream);
    }
    EXPECT_NE(HostBuffer(3000, {.pooled = true}).data(), used);
    gate.open();
    stream.synchronize();
    device.host_pool().free_held();
}

}  // namespace
}  // namespace warpwise::contract
