// Pending work: every entry point that could tell whether operations were queued yet asks for them
// once, before it does anything, and survives that they fail.
#include "src/runtime/pending_work.hpp"

#include <stdexcept>
#include <thread>

#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/runtime/full_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using runtime::FlushReason;
using runtime::FlushRequest;

// Counts the questions; stays set until the test removes it.
struct Pending final : runtime::PendingWork {
    void flush(const FlushRequest& request) override {
        requests.push_back(request);
        if (action) action();
    }
    std::vector<FlushRequest> requests;
    std::function<void()> action;
};

// What the entry points are called on. Everything is on stream `s` and memory `b`.
struct Ground {
    Ground() {
        kernel = module->kernel(program->kernels.front());
        reference_kernel = referring->kernel(program->kernels.front());
        TextureReference(
            runtime::ReferenceState::with_owner(
                referring->references().get("image", variable.state()->address()), referring))
            .set_address(bound);
    }
    ~Ground() {
        pending->action = nullptr;
        s.state()->set_pending(nullptr);
        for (const Buffer& buffer : {b, bound, shared, locked.buffer()}) {
            buffer.state()->set_pending(nullptr);
        }
        for (const Stream& stream : {s, t}) {
            if (stream.is_capturing()) stream.discard_capture();
        }
        // Asynchronous copies read and write `host`.
        for (const Stream& stream : {s, t, peers}) {
            try {
                stream.synchronize();
            } catch (const Error&) {
                continue;  // of the work that was to fail; it has ended
            }
        }
    }
    Graph captured(const std::function<void()>& work) {
        s.begin_capture();
        work();
        return s.end_capture();
    }
    void launch(const Argument& argument) {
        const Kernel launched(kernel);
        launched({.stream = s}, argument);
    }
    void joined() {
        s.begin_capture();
        t.wait(s.record());
        s.wait(t.record());
    }

    const Device device = full_device(), peer = full_device(1);
    const DeviceScope scope{device};
    const Stream s, t, peers{peer};
    const std::shared_ptr<compiler::Program> program = [] {
        auto made = std::make_shared<compiler::Program>();
        made->kernels.push_back(kernel_info("k", {pointer_to("x", "void *", DType(Kind::Void))}));
        return made;
    }();
    const std::shared_ptr<runtime::ModuleState> module =
        runtime::ModuleState::load(device.context().shared(), program);
    const std::shared_ptr<runtime::ModuleState> referring =
        runtime::ModuleState::load(device.context().shared(), program);
    std::shared_ptr<runtime::KernelState> kernel, reference_kernel;
    Buffer b = mem_alloc(1024);
    const Buffer other = mem_alloc(1024), large = mem_alloc(8 << 20), variable = mem_alloc(64);
    Buffer bound = mem_alloc(1024);  // to a texture reference of the second module
    const Buffer far = wrap_memory(variable.state()->address(), 64, peer, nullptr);
    Buffer shared = managed_alloc(1024).buffer();
    HostBuffer locked{1024};
    const CudaArray array{{.width = 16, .height = 16}, float32};
    std::vector<std::byte> host = std::vector<std::byte>(8 << 20);
    std::optional<Graph> graph;
    std::optional<Event> event;
    const std::shared_ptr<Pending> pending = std::make_shared<Pending>();
};

struct Entry {
    const char* name;
    std::function<void(Ground&)> call;
    std::function<void(Ground&)> prepare = [](Ground&) {};
};

// Which object is set.
enum class At : std::uint8_t { Stream, Buffer, Bound, Managed, Locked };

class PendingTest : public testing::Test {
  protected:
    void TearDown() override { empty_full_devices(); }

    static void set(Ground& ground, At at) {
        const auto buffer = [&](const Buffer& one) { one.state()->set_pending(ground.pending); };
        switch (at) {
            case At::Stream:
                return ground.s.state()->set_pending(ground.pending);
            case At::Buffer:
                return buffer(ground.b);
            case At::Bound:
                return buffer(ground.bound);
            case At::Managed:
                return buffer(ground.shared);
            case At::Locked:
                return buffer(ground.locked.buffer());
        }
    }

    // The entry asks once; one whose flush throws does nothing, throws that, and works afterwards.
    static void check(At at, const std::vector<Entry>& entries) {
        for (const Entry& entry : entries) {
            SCOPED_TRACE(entry.name);
            Ground ground;
            entry.prepare(ground);
            set(ground, at);
            ground.pending->action = [] { throw std::runtime_error("the flush failed"); };
            const null::Recorder recorder;
            EXPECT_EQ(message_of<std::runtime_error>([&] { entry.call(ground); }),
                      "the flush failed");
            EXPECT_EQ(ground.pending->requests.size(), 1u);
            EXPECT_EQ(works(recorder), 0u);
            ground.pending->action = nullptr;
            ground.pending->requests.clear();
            EXPECT_NO_THROW(entry.call(ground));
            EXPECT_EQ(ground.pending->requests.size(), 1u);
        }
    }

    static std::size_t works(const null::Recorder& recorder) {
        std::size_t count = 0;
        for (const null::Call& call : recorder.calls()) {
            count += call.kind == null::Call::Kind::Launch || call.kind == null::Call::Kind::Copy ||
                     call.kind == null::Call::Kind::Fill || call.kind == null::Call::Kind::Record;
        }
        return count;
    }
};

TEST_F(PendingTest, EveryPlaceWhereTheOrderOfAStreamShowsAsksItsObjectOnce) {
    check(At::Stream,
          {{"Stream::record", [](Ground& g) { g.s.record(); }},
           {"Event::record", [](Ground& g) { Event().record(g.s); }},
           {"Event::record on the current stream",
            [](Ground& g) {
                const StreamScope current(g.s);
                Event().record();
            }},
           {"Stream::wait", [](Ground& g) { g.s.wait(*g.event); },
            [](Ground& g) { g.event = g.t.record(); }},
           {"Stream::synchronize", [](Ground& g) { g.s.synchronize(); }},
           {"Stream::is_done", [](Ground& g) { g.s.is_done(); }},
           {"Stream::call_host", [](Ground& g) { g.s.call_host([] {}); }},
           {"Stream::handle", [](Ground& g) { g.s.handle(); }},
           {"Stream::begin_capture", [](Ground& g) { g.s.begin_capture(); }},
           {"Stream::end_capture", [](Ground& g) { g.s.end_capture(); },
            [](Ground& g) { g.s.begin_capture(); }},
           {"Stream::discard_capture", [](Ground& g) { g.s.discard_capture(); },
            [](Ground& g) { g.s.begin_capture(); }},
           {"Stream::record in a capture", [](Ground& g) { g.s.record(); },
            [](Ground& g) { g.s.begin_capture(); }},
           {"Device::synchronize", [](Ground& g) { g.device.synchronize(); }},
           {"Device::disable_peer_access", [](Ground& g) { g.device.disable_peer_access(g.peer); }},
           {"Profile::Profile", [](Ground& g) { const Profile profile(g.device); }},
           {"Pool::free_held", [](Ground& g) { g.device.pool().free_held(); }}});
}

TEST_F(PendingTest, TheEndOfACaptureAsksTheStreamsThatJoinedIt) {
    for (const bool is_discarded : {false, true}) {
        Ground ground;
        ground.joined();
        ground.t.state()->set_pending(ground.pending);
        if (is_discarded) {
            ground.s.discard_capture();
        } else {
            ground.s.end_capture();
        }
        EXPECT_EQ(ground.pending->requests.size(), 1u);
        ground.t.state()->set_pending(nullptr);
    }
}

TEST_F(PendingTest, EveryLaunchThatReachesTheMemoryAsksItsObjectOnce) {
    check(At::Buffer,
          {{"a buffer", [](Ground& g) { g.launch(g.b); }},
           {"a slice", [](Ground& g) { g.launch(g.b.slice(16, 32)); }},
           {"an array of another library",
            [](Ground& g) {
                g.launch(DeviceArray{.address = g.b.state()->address(),
                                     .bytes = 1024,
                                     .dtype = float32,
                                     .owner = g.b.state()});
            }},
           {"an address", [](Ground& g) { g.launch(Pointer{g.b.state()->address() + 8}); }},
           {"a buffer, recorded", [](Ground& g) { g.launch(g.b); },
            [](Ground& g) { g.s.begin_capture(); }},
           {"a graph", [](Ground& g) { g.graph->launch(g.s); },
            [](Ground& g) { g.graph = g.captured([&] { g.launch(g.b); }); }},
           {"a graph on the current stream", [](Ground& g) { g.graph->launch(); },
            [](Ground& g) { g.graph = g.captured([&] { g.launch(g.b); }); }},
           {"a graph, recorded", [](Ground& g) { g.graph->launch(g.s); },
            [](Ground& g) {
                g.graph = g.captured([&] { g.launch(g.b); });
                g.s.begin_capture();
            }}});
}

TEST_F(PendingTest, ALaunchAsksForMemoryBoundToTextureReferences) {
    check(At::Bound, {{"bound memory",
                       [](Ground& g) { Kernel(g.reference_kernel)({.stream = g.s}, g.other); }}});
}

TEST_F(PendingTest, EveryCopyAndFillAsksTheMemoryOnce) {
    check(At::Buffer,
          {{"copy_from the host", [](Ground& g) { g.b.copy_from(g.host.data(), 64); }},
           {"copy_to the host", [](Ground& g) { g.b.copy_to(g.host.data(), 64); }},
           {"copy_from_async", [](Ground& g) { g.b.copy_from_async(g.host.data(), 64, g.s); }},
           {"copy_to_async", [](Ground& g) { g.b.copy_to_async(g.host.data(), 64, g.s); }},
           {"to the device", [](Ground& g) { g.b.copy_from(g.other, 64, g.s); }},
           {"from the device", [](Ground& g) { Buffer(g.other).copy_from(g.b, 64, g.s); }},
           {"to a peer", [](Ground& g) { Buffer(g.far).copy_from(g.b, 64, g.peers); }},
           {"from a peer", [](Ground& g) { g.b.copy_from(g.far, 64, g.s); }},
           {"from a device of another kind",
            [](Ground& g) {
                const DeviceScope scope(Device("null"));
                const Buffer source = mem_alloc(64);
                g.b.copy_from(source, 64, g.s);
            }},
           {"copy_address to it",
            [](Ground& g) {
                copy_address(g.b.state()->address(), g.other.state()->address(), 64, g.s);
            }},
           {"copy_address from it",
            [](Ground& g) {
                copy_address(g.other.state()->address(), g.b.state()->address(), 64, g.s);
            }},
           {"copy_box to it",
            [](Ground& g) { copy_box({.buffer = &g.b}, {.array = &g.array}, 16, 4, 1, g.s); }},
           {"copy_box from it",
            [](Ground& g) { copy_box({.array = &g.array}, {.buffer = &g.b}, 16, 4, 1, g.s); }},
           {"fill", [](Ground& g) { g.b.fill(1, 4, 8, g.s); }},
           {"fill, recorded", [](Ground& g) { g.b.fill(1, 4, 8, g.s); },
            [](Ground& g) { g.s.begin_capture(); }}});
}

TEST_F(PendingTest, CopiesFromAndToTheLibrarysHostMemoryAskIt) {
    check(At::Locked,
          {{"copy_from_async", [](Ground& g) { g.b.copy_from_async(g.locked.data(), 64, g.s); }},
           {"copy_box", [](Ground& g) {
                copy_box({.array = &g.array}, {.host = g.locked.data()}, 16, 4, 1, g.s);
            }}});
}

TEST_F(PendingTest, MovingManagedMemoryAsksIt) {
    check(At::Managed,
          {{"prefetch", [](Ground& g) { prefetch(g.shared, g.device, g.s); }},
           {"attach", [](Ground& g) { attach(g.shared, ManagedAccess::Single, g.s); }}});
}

TEST_F(PendingTest, WhateverLearnsTheAddressAsksTheMemoryOnceAndExposesIt) {
    check(At::Buffer,
          {{"Buffer::address", [](Ground& g) { g.b.address(); }},
           {"Buffer::ipc_handle", [](Ground& g) { g.b.ipc_handle(); }},
           {"Texture in one row", [](Ground& g) { const Texture t(g.b, float32); }},
           {"Texture of rows", [](Ground& g) { const Texture t(g.b, float32, 4, 4, 16); }}});
    Ground ground;
    EXPECT_FALSE(ground.b.state()->is_exposed());
    ground.b.address();
    EXPECT_TRUE(ground.b.state()->is_exposed());
}

TEST_F(PendingTest, UseInsideTheLibraryExposesNothing) {
    Ground ground;
    ground.launch(ground.b);
    ground.b.copy_from(ground.other, 64, ground.s);
    ground.b.fill(0, 1, 8, ground.s);
    ground.b.copy_to(ground.host.data(), 8);
    EXPECT_FALSE(ground.b.state()->is_exposed());
}

TEST_F(PendingTest, MemoryThatOthersKnowIsExposedFromTheStart) {
    Ground ground;
    EXPECT_TRUE(ground.locked.buffer().state()->is_exposed());
    EXPECT_TRUE(ground.shared.state()->is_exposed());
    EXPECT_TRUE(ground.far.state()->is_exposed());
}

TEST_F(PendingTest, MemoryThatIsHandedOutAgainIsNotExposed) {
    const Device device("null");
    const DeviceScope scope(device);
    Buffer first = mem_alloc(4096);
    const auto address = first.address();
    first = Buffer();
    const Buffer second = mem_alloc(4096);
    ASSERT_EQ(second.state()->address(), address);
    EXPECT_FALSE(second.state()->is_exposed());
}

TEST_F(PendingTest, FreeingAsksFirst) {
    Ground ground;
    set(ground, At::Buffer);
    ground.pending->action = [] { throw std::runtime_error("the flush failed"); };
    EXPECT_THROW(ground.b.free(), std::runtime_error);
    EXPECT_FALSE(ground.b.is_freed());
    ground.pending->action = nullptr;
    ground.b.free();
    EXPECT_EQ(ground.pending->requests.back().reason, FlushReason::Free);
    EXPECT_THROW(ground.b.free(), ArgumentError);
    EXPECT_EQ(ground.pending->requests.size(), 2u);
}

TEST_F(PendingTest, TheRequestNamesTheMemory) {
    Ground ground;
    set(ground, At::Buffer);
    ground.launch(ground.b);
    ASSERT_EQ(ground.pending->requests.size(), 1u);
    EXPECT_EQ(ground.pending->requests[0].buffer, ground.b.state().get());
    EXPECT_EQ(ground.pending->requests[0].reason, FlushReason::Access);
}

TEST_F(PendingTest, TheEndOfAProfileAsksAndEndsItAllTheSame) {
    Ground ground;
    Profile profile(ground.device);
    set(ground, At::Stream);
    ground.pending->action = [] { throw std::runtime_error("the flush failed"); };
    EXPECT_THROW(profile.stop(), std::runtime_error);
    EXPECT_EQ(ground.pending->requests.size(), 1u);
    EXPECT_FALSE(profile.is_running());
}

TEST_F(PendingTest, AFlushMayLaunchCopyAndAllocateOnTheSameStreamAndMemory) {
    Ground ground;
    set(ground, At::Stream);
    set(ground, At::Buffer);
    ground.pending->action = [&] {
        const Buffer scratch = mem_alloc(64, ground.s);
        ground.launch(ground.b);
        ground.b.copy_from(scratch, 64, ground.s);
        ground.s.synchronize();
    };
    const null::Recorder recorder;
    ground.s.synchronize();
    EXPECT_EQ(ground.pending->requests.size(), 1u);
    EXPECT_EQ(works(recorder), 2u);
}

TEST_F(PendingTest, AFlushAsksOtherObjects) {
    Ground ground;
    const auto other = std::make_shared<Pending>();
    ground.other.state()->set_pending(other);
    set(ground, At::Stream);
    ground.pending->action = [&] { ground.launch(ground.other); };
    ground.s.synchronize();
    EXPECT_EQ(other->requests.size(), 1u);
    ground.other.state()->set_pending(nullptr);
}

TEST_F(PendingTest, AnotherThreadAsksWhileAFlushRuns) {
    Ground ground;
    set(ground, At::Buffer);
    bool is_outer = true;
    ground.pending->action = [&] {
        if (!std::exchange(is_outer, false)) return;
        std::thread([&] { ground.launch(ground.b); }).join();
    };
    ground.launch(ground.b);
    EXPECT_EQ(ground.pending->requests.size(), 2u);
}

TEST_F(PendingTest, AnObjectThatRemovesItselfIsAskedOnceForAllPlaces) {
    Ground ground;
    set(ground, At::Buffer);
    ground.other.state()->set_pending(ground.pending);
    ground.pending->action = [&] {
        ground.b.state()->set_pending(nullptr);
        ground.other.state()->set_pending(nullptr);
    };
    ground.b.copy_from(ground.other, 64, ground.s);
    EXPECT_EQ(ground.pending->requests.size(), 1u);
}

TEST_F(PendingTest, WhatAFlushQueuesBeforeACaptureIsNotRecorded) {
    Ground ground;
    set(ground, At::Stream);
    ground.pending->action = [&] { ground.b.fill(1, 1, 8, ground.s); };
    ground.s.begin_capture();
    ground.s.state()->set_pending(nullptr);
    EXPECT_EQ(ground.s.end_capture().size(), 0u);
}

TEST_F(PendingTest, WhatAFlushQueuesAtTheEndOfACaptureIsRecorded) {
    Ground ground;
    ground.s.begin_capture();
    set(ground, At::Stream);
    ground.pending->action = [&] { ground.b.fill(1, 1, 8, ground.s); };
    EXPECT_EQ(ground.s.end_capture().size(), 1u);
}

TEST_F(PendingTest, DeviceSynchronizeAsksEveryStreamAndThrowsTheFirstError) {
    Ground ground;
    const auto other = std::make_shared<Pending>();
    set(ground, At::Stream);
    ground.t.state()->set_pending(other);
    ground.pending->action = [] { throw std::runtime_error("the flush failed"); };
    EXPECT_THROW(ground.device.synchronize(), std::runtime_error);
    EXPECT_EQ(ground.pending->requests.size(), 1u);
    EXPECT_EQ(other->requests.size(), 1u);
    ground.t.state()->set_pending(nullptr);
}

TEST_F(PendingTest, WaitingInsideTheLibraryLeavesTheStreamsPendingWorkAlone) {
    Ground ground;
    set(ground, At::Stream);
    ground.launch(ground.b);
    ground.b.copy_from(ground.other, 64, ground.s);
    const StreamScope current(ground.s);
    Buffer(ground.large).copy_from(ground.host.data(), ground.large.size());
    CudaArray(ground.array).copy_from(ground.host.data(), ground.array.size());
    EXPECT_THAT(ground.pending->requests, testing::IsEmpty());
}

// Device memory that only pending work holds.
class PendingMemoryTest : public OnEmptyPool {
  protected:
    void TearDown() override {
        stream.state()->set_pending(nullptr);
        OnEmptyPool::TearDown();
    }

    const Stream stream;
    Buffer held = mem_alloc(null::kTotalMemory / 4 * 3);
    const std::shared_ptr<Pending> pending = std::make_shared<Pending>();
};

TEST_F(PendingMemoryTest, ARequestThatWouldFailRunsWhatIsPending) {
    pending->action = [&] { held = Buffer(); };
    stream.state()->set_pending(pending);
    EXPECT_NO_THROW(mem_alloc(null::kTotalMemory / 2));
    ASSERT_EQ(pending->requests.size(), 1u);
    EXPECT_EQ(pending->requests[0].reason, FlushReason::Memory);
}

TEST_F(PendingMemoryTest, SoDoesOneAsideFromThePool) {
    pending->action = [&] { held = Buffer(); };
    stream.state()->set_pending(pending);
    EXPECT_NO_THROW(mem_alloc_unpooled(null::kTotalMemory / 2, Device()));
    EXPECT_EQ(pending->requests.size(), 1u);
}

TEST_F(PendingMemoryTest, ARequestThatFailsAllTheSameAsksOnce) {
    stream.state()->set_pending(pending);
    EXPECT_THROW(mem_alloc(null::kTotalMemory / 2), OutOfMemoryError);
    EXPECT_EQ(pending->requests.size(), 1u);
}

TEST_F(PendingMemoryTest, AFlushThatRunsOutOfMemoryItselfEndsInTheRequestsOwnError) {
    pending->action = [&] { mem_alloc(null::kTotalMemory / 2); };
    stream.state()->set_pending(pending);
    EXPECT_THAT(message_of<OutOfMemoryError>([] { mem_alloc(null::kTotalMemory / 2); }),
                testing::HasSubstr("cannot allocate 128"));
    EXPECT_EQ(pending->requests.size(), 1u);
}

TEST_F(PendingMemoryTest, AnotherErrorOfTheFlushIsTheRequests) {
    pending->action = [] { throw std::runtime_error("the flush failed"); };
    stream.state()->set_pending(pending);
    EXPECT_THROW(mem_alloc(null::kTotalMemory / 2), std::runtime_error);
    stream.state()->set_pending(nullptr);
    held = Buffer();
    EXPECT_NO_THROW(mem_alloc(null::kTotalMemory / 2));
}

TEST_F(PendingMemoryTest, WhatThePoolKeepsIsTriedFirst) {
    held = Buffer();
    stream.state()->set_pending(pending);
    EXPECT_NO_THROW(mem_alloc(null::kTotalMemory / 2));
    EXPECT_THAT(pending->requests, testing::IsEmpty());
}

}  // namespace
}  // namespace warpwise
