// Page-locked, registered, managed and pitched memory on a device in host memory.
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise {
namespace {

using null::Call;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal(const std::function<void()>& call) {
    return message_of<ArgumentError>(call);
}

TEST(HostMemory, ComesFromAPoolIfWished) {
    const HostOptions pooled{.pooled = true};
    void* const first = HostBuffer(5000, pooled).data();
    const null::Recorder recorder;
    EXPECT_EQ(HostBuffer(5000, pooled).data(), first);
    EXPECT_THAT(recorder.calls(Call::Kind::Allocate), IsEmpty());
    EXPECT_GE(Device().host_pool().held_bytes(), 5000u);
    Device().host_pool().free_held();
    EXPECT_EQ(Device().host_pool().held_bytes(), 0u);
}

TEST(HostMemory, FromAPoolWaitsForItsCopies) {
    const HostOptions pooled{.pooled = true};
    const Stream stream;
    Buffer buffer = mem_alloc(5000);
    const null::Pause pause;
    void* used = nullptr;
    {
        const HostBuffer host(5000, pooled);
        used = host.data();
        buffer.copy_from_async(host.data(), 5000, stream);
    }
    EXPECT_NE(HostBuffer(5000, pooled).data(), used);
}

TEST(HostMemory, IsOfOneKind) {
    EXPECT_THAT(refusal([] { HostBuffer(8, {.write_combined = true, .pooled = true}); }),
                HasSubstr("not several of these"));
}

TEST(HostMemory, IsMappedAtItsOwnAddress) {
    const HostBuffer host(64, {.write_combined = true});
    const Buffer part = mapped_buffer(static_cast<char*>(host.data()) + 16, 32);
    EXPECT_EQ(part.address(), host.buffer().address() + 16);
    EXPECT_EQ(part.size(), 32u);
    EXPECT_THAT(refusal([&] { mapped_buffer(host.data(), 65); }), HasSubstr("ends 64 bytes on"));
}

TEST(HostMemory, OfOthersIsNotMapped) {
    const std::vector<char> plain(64);
    EXPECT_THAT(refusal([&] { mapped_buffer(plain.data(), 64); }),
                HasSubstr("is not page-locked, registered or managed memory of null"));
}

TEST(HostMemory, IsGoneAfterFree) {
    HostBuffer host(64);
    void* const data = host.data();
    host.free();
    EXPECT_EQ(host.data(), nullptr);
    EXPECT_TRUE(host.is_freed());
    EXPECT_THROW(host.free(), ArgumentError);
    EXPECT_THROW(mapped_buffer(data, 64), ArgumentError);
}

TEST(FindMemory, GivesTheAllocationAnAddressLiesIn) {
    Buffer buffer = mem_alloc(1000);
    const std::uint64_t address = buffer.address();
    for (const std::uint64_t offset : {0, 1, 999}) {
        const std::optional<Buffer> found = find_memory(address + offset, Device());
        ASSERT_TRUE(found);
        EXPECT_EQ(found->address(), address);
        EXPECT_EQ(found->size(), 1000u);
    }
    EXPECT_EQ(find_memory(buffer.slice(100, 10).address(), Device())->address(), address);
    EXPECT_FALSE(find_memory(address + 1000, Device()));
    buffer.free();
    EXPECT_FALSE(find_memory(address, Device()));
}

TEST(FreedMemory, IsWhatAPoolKeepsButNotTheEndOfAnAllocationInUse) {
    const Buffer before = mem_alloc(1 << 20);
    std::optional<Buffer> behind = mem_alloc(1 << 20);
    const std::uint64_t address = behind->address();
    EXPECT_FALSE(is_freed_memory(address, Device()));
    behind->free();
    EXPECT_TRUE(is_freed_memory(address + 100, Device()));
    EXPECT_FALSE(is_freed_memory(before.address() + before.size(), Device()));
    std::vector<char> own(64);
    EXPECT_FALSE(is_freed_memory(reinterpret_cast<std::uintptr_t>(own.data()), Device()));
}

TEST(FindMemory, KeepsTheAllocation) {
    std::optional<Buffer> buffer = mem_alloc(64);
    const std::optional<Buffer> found = find_memory(buffer->address(), Device());
    buffer.reset();
    EXPECT_FALSE(found->is_freed());
    EXPECT_TRUE(find_memory(found->address(), Device()));
}

TEST(FindMemory, KnowsEveryKindOfMemoryButThatOfOthers) {
    std::vector<char> own(64);
    const auto address = reinterpret_cast<std::uintptr_t>(own.data());
    const Buffer wrapped = wrap_memory(address, 64, Device(), {});
    EXPECT_FALSE(find_memory(address, Device()));
    const RegisteredMemory registered(own.data(), 64);
    EXPECT_EQ(find_memory(address + 63, Device())->size(), 64u);
    for (const HostOptions& options :
         {HostOptions{}, HostOptions{.pooled = true}, HostOptions{.managed = true}}) {
        const HostBuffer host(32, options);
        EXPECT_EQ(find_memory(host.buffer().address() + 31, Device())->size(), 32u);
    }
}

TEST(RegisteredMemory, IsMappedWhileItLives) {
    std::vector<char> own(64);
    {
        const RegisteredMemory registered(own.data(), 64);
        EXPECT_EQ(registered.data(), own.data());
        EXPECT_EQ(mapped_buffer(own.data(), 64).address(), registered.buffer().address());
    }
    EXPECT_THROW(mapped_buffer(own.data(), 64), ArgumentError);
}

TEST(RegisteredMemory, KeepsItsOwnerUntilItsWorkIsDone) {
    const Stream stream;
    auto own = std::make_shared<std::vector<char>>(64);
    const std::weak_ptr<std::vector<char>> watch = own;
    Buffer buffer = mem_alloc(64);
    {
        const null::Pause pause;
        {
            const RegisteredMemory registered(own->data(), 64, {}, own);
            buffer.copy_from_async(own->data(), 64, stream);
        }
        own.reset();
        EXPECT_FALSE(watch.expired());
    }
    Device().synchronize();
    EXPECT_TRUE(watch.expired());
}

TEST(RegisteredMemory, IsRegisteredOnce) {
    std::vector<char> own(64);
    RegisteredMemory registered(own.data(), 64);
    EXPECT_THAT(refusal([&] { RegisteredMemory(own.data() + 8, 8); }), HasSubstr("already"));
    registered.unregister();
    EXPECT_FALSE(registered.is_registered());
    EXPECT_THROW(registered.unregister(), ArgumentError);
    EXPECT_NO_THROW(RegisteredMemory(own.data(), 64));
    EXPECT_THAT(refusal([&] { RegisteredMemory(own.data(), 0); }), HasSubstr("nothing to lock"));
}

TEST(ManagedMemory, IsPlainWhereTheDeviceIsTheHost) {
    const HostBuffer managed = managed_alloc(64);
    EXPECT_TRUE(managed.is_managed());
    advise(managed.buffer(), MemoryAdvice::SetReadMostly, std::nullopt);
    prefetch(managed.buffer(), Device(), Stream::current());
    attach(managed.buffer(), ManagedAccess::Single, Stream::current());
    EXPECT_EQ(mapped_buffer(managed.data(), 64).address(), managed.buffer().address());
}

TEST(ManagedMemory, AloneIsAdvisedAndMoved) {
    const Buffer plain = mem_alloc(64);
    EXPECT_THAT(refusal([&] { advise(plain, MemoryAdvice::SetReadMostly, std::nullopt); }),
                HasSubstr("no managed memory"));
    EXPECT_THROW(prefetch(plain, std::nullopt, Stream::current()), ArgumentError);
    EXPECT_THROW(attach(plain, ManagedAccess::Host, Stream::current()), ArgumentError);
    HostBuffer freed = managed_alloc(64);
    freed.free();
    EXPECT_THAT(refusal([&] { prefetch(freed.buffer(), std::nullopt, Stream::current()); }),
                HasSubstr("freed before"));
    const HostBuffer managed = managed_alloc(64);
    EXPECT_THAT(refusal([&] {
                    attach(managed.buffer().slice(0, 8), ManagedAccess::Host, Stream::current());
                }),
                HasSubstr("attach all of it"));
    EXPECT_THAT(
        refusal([&] { prefetch(managed.buffer(), std::nullopt, Stream(Device("null:1"))); }),
        HasSubstr("on a stream of null:1"));
}

TEST(PitchedMemory, BeginsEachRowAtAMultipleOfThePitch) {
    const PitchedBuffer rows = mem_alloc_pitch(700, 3, 4);
    EXPECT_EQ(rows.pitch, 1024u);
    EXPECT_EQ(rows.buffer.size(), 3072u);
    EXPECT_EQ(mem_alloc_pitch(0, 3).buffer.size(), 0u);
    EXPECT_THAT(refusal([] { mem_alloc_pitch(700, 3, 3); }), HasSubstr("access of 3 bytes"));
    EXPECT_THAT(refusal([] { mem_alloc_pitch(700, ~std::size_t{0}); }), HasSubstr("more than"));
}

}  // namespace
}  // namespace warpwise
