// Buffers: contents, ranges, freed and foreign ones, raw addresses, page-locked memory.
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise {
namespace {

using testing::HasSubstr;

constexpr int kCount = 100;
constexpr std::size_t kBytes = kCount * sizeof(int);

std::vector<int> contents(const Buffer& buffer) {
    std::vector<int> values(buffer.size() / sizeof(int));
    buffer.copy_to(values.data(), buffer.size());
    return values;
}

Buffer filled(int first = 0) {
    Buffer buffer = mem_alloc(kBytes);
    buffer.copy_from(numbers(kCount, first).data(), kBytes);
    return buffer;
}

TEST(Buffer, GivesBackWhatWasCopiedIn) {
    EXPECT_EQ(contents(filled()), numbers(kCount));
}

TEST(Buffer, CopiesParts) {
    Buffer buffer = filled();
    const int value = -1;
    buffer.copy_from(&value, sizeof value, 3 * sizeof(int));
    int seen = 0;
    buffer.copy_to(&seen, sizeof seen, 3 * sizeof(int));
    EXPECT_EQ(seen, -1);
}

TEST(Buffer, CopiesInTheOrderOfAStream) {
    const Stream stream;
    Buffer first = mem_alloc(kBytes), second = mem_alloc(kBytes);
    const auto in = numbers(kCount, 5);
    std::vector<int> out(kCount);
    first.copy_from_async(in.data(), kBytes, stream);
    second.copy_from(first, kBytes, stream);
    second.copy_to_async(out.data(), kBytes, stream);
    stream.synchronize();
    EXPECT_EQ(out, in);
}

TEST(Buffer, AnEmptyOneHasNoMemoryForTheHost) {
    EXPECT_NE(filled().host_data(), nullptr);
    EXPECT_EQ(filled().slice(4, 0).host_data(), nullptr);
    Buffer none = mem_alloc(0);
    none.free();
    EXPECT_EQ(none.host_data(), nullptr);
}

TEST(Buffer, CopiesBetweenDevices) {
    const Buffer here = filled(9);
    Buffer there = mem_alloc(kBytes, Device("null:1").default_stream());
    there.copy_from(here, kBytes, Device("null:1").default_stream());
    EXPECT_EQ(contents(there), numbers(kCount, 9));
}

TEST(Buffer, FillsPatternsOfEveryWidth) {
    for (const std::size_t width : {1, 2, 4, 8}) {
        Buffer buffer = mem_alloc(64);
        buffer.fill(0x0102030405060708, width, 64 / width, Stream::current());
        std::uint64_t seen = 0;
        buffer.copy_to(&seen, 8, 56);
        std::uint64_t expected = 0;
        const std::uint64_t pattern = 0x0102030405060708;
        for (std::size_t i = 0; i < 8; i += width) {
            std::memcpy(reinterpret_cast<char*>(&expected) + i, &pattern, width);
        }
        EXPECT_EQ(seen, expected) << "width " << width;
    }
}

TEST(Buffer, MayHaveNoBytes) {
    Buffer buffer = mem_alloc(0);
    EXPECT_EQ(buffer.size(), 0u);
    EXPECT_EQ(buffer.address(), 0u);
    EXPECT_NO_THROW(buffer.copy_from(nullptr, 0));
    EXPECT_NO_THROW(buffer.copy_to(nullptr, 0));
    EXPECT_NO_THROW(buffer.fill(0, 4, 0, Stream::current()));
    EXPECT_NO_THROW(buffer.free());
}

TEST(Buffer, WithoutMemoryIsEmpty) {
    EXPECT_EQ(Buffer().address(), 0u);
    EXPECT_FALSE(Buffer().is_freed());
    EXPECT_THAT(message_of<ArgumentError>([] { Buffer().free(); }), HasSubstr("never had memory"));
}

TEST(Buffer, SharesMemoryWithItsParts) {
    const Buffer buffer = filled();
    const Buffer part = buffer.slice(10 * sizeof(int), 2 * sizeof(int));
    EXPECT_EQ(contents(part), numbers(2, 10));
    EXPECT_EQ(part.address(), buffer.address() + 10 * sizeof(int));
}

TEST(Buffer, IsKeptAliveByItsParts) {
    const Buffer part = filled().slice(4, 8);
    EXPECT_EQ(contents(part), numbers(2, 1));
}

TEST(Buffer, IsMadeFromHostMemory) {
    const std::vector<std::int16_t> values{1, 2, 3};
    std::vector<std::int16_t> back(3);
    const Buffer buffer = to_device(values);
    ASSERT_EQ(buffer.size(), 6u);
    buffer.copy_to(back.data(), 6);
    EXPECT_EQ(back, values);
    EXPECT_EQ(to_device(std::span<const float>()).size(), 0u);
}

TEST(Buffer, RefusesPartsPastTheEnd) {
    EXPECT_THAT(message_of<ArgumentError>([] { filled().slice(kBytes, 1); }),
                HasSubstr("past its end"));
}

TEST(Buffer, RefusesToFreeAPart) {
    Buffer part = filled().slice(0, 8);
    EXPECT_THAT(message_of<ArgumentError>([&] { part.free(); }),
                HasSubstr("free the whole buffer"));
}

TEST(Buffer, RefusesCopiesPastTheEnd) {
    Buffer buffer = filled();
    std::vector<char> host(kBytes + 1);
    EXPECT_THAT(message_of<ArgumentError>([&] { buffer.copy_from(host.data(), kBytes + 1); }),
                HasSubstr("cannot copy to bytes 0 to 401 of a buffer of 400 bytes"));
    EXPECT_THAT(message_of<ArgumentError>([&] { buffer.copy_to(host.data(), 8, kBytes - 4); }),
                HasSubstr("past its end"));
}

TEST(Buffer, RefusesRangesThatWrapAround) {
    Buffer buffer = filled();
    char host[8];
    EXPECT_THROW(buffer.copy_to(host, 8, ~std::size_t{0} - 3), ArgumentError);
    EXPECT_THROW(buffer.fill(0, 8, ~std::size_t{0} / 4, Stream::current()), ArgumentError);
}

TEST(Buffer, RefusesDeviceCopiesPastEitherEnd) {
    Buffer large = mem_alloc(64), small = mem_alloc(32);
    const Stream stream = Stream::current();
    EXPECT_THROW(small.copy_from(large, 64, stream), ArgumentError);
    EXPECT_THROW(large.copy_from(small, 64, stream), ArgumentError);
    EXPECT_THROW(large.copy_from(small, 32, stream, 40), ArgumentError);
    EXPECT_THROW(large.copy_from(small, 32, stream, 0, 8), ArgumentError);
}

TEST(Buffer, RefusesAHostAddressOfNull) {
    Buffer buffer = filled();
    EXPECT_THAT(message_of<ArgumentError>([&] { buffer.copy_from(nullptr, 8); }),
                HasSubstr("the host address is null"));
    EXPECT_THROW(buffer.copy_to(nullptr, 8), ArgumentError);
    EXPECT_THROW(buffer.copy_from_async(nullptr, 8, Stream::current()), ArgumentError);
    EXPECT_THROW(buffer.copy_to_async(nullptr, 8, Stream::current()), ArgumentError);
}

TEST(Buffer, RefusesOddPatterns) {
    EXPECT_THAT(message_of<ArgumentError>([] { filled().fill(0, 3, 1, Stream::current()); }),
                HasSubstr("a pattern of 3 bytes"));
}

TEST(Buffer, RefusesEverythingAfterFree) {
    Buffer buffer = filled();
    buffer.free();
    EXPECT_TRUE(buffer.is_freed());
    char host[8];
    EXPECT_THAT(message_of<ArgumentError>([&] { buffer.copy_to(host, 8); }),
                HasSubstr("that was freed before; allocate a new one"));
    EXPECT_THROW(buffer.copy_from(host, 8), ArgumentError);
    EXPECT_THROW(buffer.fill(0, 1, 1, Stream::current()), ArgumentError);
    EXPECT_THROW(buffer.slice(0, 4), ArgumentError);
    EXPECT_THROW(buffer.address(), ArgumentError);
}

TEST(Buffer, RefusesASecondFree) {
    Buffer buffer = filled();
    buffer.free();
    EXPECT_THAT(message_of<ArgumentError>([&] { buffer.free(); }), HasSubstr("was freed before"));
}

TEST(Buffer, RefusesAStreamOfAnotherDevice) {
    Buffer buffer = filled();
    const Stream other(Device("null:1"));
    char host[8];
    EXPECT_THAT(message_of<ArgumentError>([&] { buffer.copy_from_async(host, 8, other); }),
                HasSubstr("a buffer of null cannot be used on a stream of null:1"));
    EXPECT_THROW(buffer.copy_to_async(host, 8, other), ArgumentError);
    EXPECT_THROW(buffer.fill(0, 1, 8, other), ArgumentError);
}

TEST(Buffer, BlockingCopiesFindTheStreamOfTheirDevice) {
    Buffer there = mem_alloc(4, Device("null:1").default_stream());
    const int value = 5;
    there.copy_from(&value, 4);
    EXPECT_EQ(contents(there), std::vector<int>{5});
}

TEST(UnpooledMemory, StaysOutOfThePool) {
    Device().synchronize();
    const auto held = Device().pool().held_bytes();
    const auto before = null::allocated_bytes();
    {
        const Buffer buffer = mem_alloc_unpooled(1000, Device());
        EXPECT_EQ(null::allocated_bytes(), before + 1000);
    }
    EXPECT_EQ(null::allocated_bytes(), before);
    EXPECT_EQ(Device().pool().held_bytes(), held);
}

TEST(UnpooledMemory, GoesBackAfterItsWork) {
    Device().synchronize();
    const auto before = null::allocated_bytes();
    const Stream stream;
    {
        const null::Pause pause;
        Buffer buffer = mem_alloc_unpooled(1000, Device());
        buffer.fill(0, 1, 1000, stream);
        buffer.free();
        EXPECT_EQ(null::allocated_bytes(), before + 1000);
    }
    Device().synchronize();
    EXPECT_EQ(null::allocated_bytes(), before);
}

TEST(WrappedMemory, IsUsedInPlace) {
    auto memory = numbers(4);
    Buffer buffer = wrap_memory(reinterpret_cast<std::uintptr_t>(memory.data()), 16, Device(), {});
    const int value = 42;
    buffer.copy_from(&value, 4, 8);
    EXPECT_EQ(memory[2], 42);
}

TEST(WrappedMemory, KeepsItsOwnerWhileWorkIsQueued) {
    auto owner = std::make_shared<std::vector<int>>(4);
    const std::weak_ptr<std::vector<int>> watch = owner;
    const Stream stream;
    {
        const null::Pause pause;
        const auto address = reinterpret_cast<std::uintptr_t>(owner->data());
        Buffer buffer = wrap_memory(address, 16, Device(), std::move(owner));
        buffer.fill(1, 4, 4, stream);
        buffer = Buffer();
        EXPECT_FALSE(watch.expired());
    }
    Device().synchronize();
    EXPECT_TRUE(watch.expired());
}

TEST(WrappedMemory, IsNotWhatWasFreed) {
    Buffer buffer = mem_alloc(64);
    const std::uint64_t address = buffer.address();
    EXPECT_EQ(wrap_memory(address, 64, Device(), {}).address(), address);
    buffer.free();
    EXPECT_THROW(wrap_memory(address, 64, Device(), {}), ArgumentError);
    // The end of other memory may be here.
    EXPECT_EQ(wrap_memory(address, 0, Device(), {}).size(), 0u);
}

TEST(WrappedMemory, RefusesAddressesThatCannotBe) {
    EXPECT_THROW(wrap_memory(0, 8, Device(), {}), ArgumentError);
    EXPECT_THROW(wrap_memory(~std::uint64_t{0} - 3, 8, Device(), {}), ArgumentError);
}

TEST(CopyAddress, CopiesBetweenAllocations) {
    const Buffer from = filled(3), to = mem_alloc(kBytes);
    copy_address(to.address(), from.address(), kBytes, Stream::current());
    EXPECT_EQ(contents(to), numbers(kCount, 3));
}

TEST(CopyAddress, StartsInsideAnAllocation) {
    const Buffer from = filled(), to = mem_alloc(8);
    copy_address(to.address(), from.address() + 40, 8, Stream::current());
    EXPECT_EQ(contents(to), numbers(2, 10));
}

TEST(CopyAddress, RefusesWhatRunsPastAnAllocation) {
    const Buffer from = filled(), to = mem_alloc(2 * kBytes);
    EXPECT_THAT(message_of<ArgumentError>([&] {
                    copy_address(to.address(), from.address() + 8, kBytes, Stream::current());
                }),
                testing::AllOf(HasSubstr("the source address"), HasSubstr("392 bytes before")));
}

TEST(CopyAddress, RefusesFreedMemory) {
    Buffer from = filled();
    const Buffer to = mem_alloc(kBytes);
    const auto address = from.address();
    from.free();
    EXPECT_THAT(message_of<ArgumentError>(
                    [&] { copy_address(to.address(), address, 8, Stream::current()); }),
                HasSubstr("lies in memory that was freed"));
}

TEST(CopyAddress, RefusesNull) {
    EXPECT_THROW(copy_address(0, filled().address(), 8, Stream::current()), ArgumentError);
}

TEST(HostBuffer, IsCopiedToAndFrom) {
    HostBuffer host(kBytes);
    std::memcpy(host.data(), numbers(kCount).data(), kBytes);
    Buffer buffer = mem_alloc(kBytes);
    buffer.copy_from_async(host.data(), kBytes, Stream::current());
    EXPECT_EQ(contents(buffer), numbers(kCount));
}

TEST(HostBuffer, LivesUntilItsCopiesAreDone) {
    Device().synchronize();
    const auto before = null::allocated_bytes();
    const Stream stream;
    Buffer buffer = mem_alloc_unpooled(kBytes, Device());
    {
        const null::Pause pause;
        {
            HostBuffer host(kBytes);
            buffer.copy_from_async(host.data(), kBytes, stream);
        }
        EXPECT_EQ(null::allocated_bytes(), before + 2 * kBytes);
    }
    Device().synchronize();
    EXPECT_EQ(null::allocated_bytes(), before + kBytes);
}

TEST(HostBuffer, TellsTheDirectionOfRawCopies) {
    const HostBuffer host(64);
    const Buffer buffer = mem_alloc(64);
    const null::Recorder recorder;
    copy_address(buffer.address(), reinterpret_cast<std::uintptr_t>(host.data()), 64,
                 Stream::current());
    ASSERT_EQ(recorder.calls(null::Call::Kind::Copy).size(), 1u);
    EXPECT_EQ(recorder.calls(null::Call::Kind::Copy)[0].copy_kind, runtime::CopyKind::HostToDevice);
}

TEST(HostBuffer, MayHaveNoBytes) {
    EXPECT_EQ(HostBuffer(0).data(), nullptr);
}

}  // namespace
}  // namespace warpwise
