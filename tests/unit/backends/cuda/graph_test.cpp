// Graphs of the driver: what is made of a record, and what a run does.
#include <array>
#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

#include "src/backends/cuda/module/kernel.hpp"
#include "src/runtime/graphs.hpp"
#include "src/runtime/images.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using runtime::CopyKind;
using runtime::GraphOperation;
using runtime::GraphRecord;
using runtime::MemoryKind;
using runtime::Wait;
using ::testing::ElementsAre;

compiler::Program one_kernel() {
    compiler::Program program;
    program.format = "cubin";
    program.binary.resize(16);
    compiler::KernelInfo kernel;
    kernel.signature.name = kernel.signature.symbol = "k";
    program.kernels.push_back(kernel);
    return program;
}

class CudaGraphTest : public OnFakeCuda {
  protected:
    CudaGraphTest() { module->extend(std::make_shared<const compiler::Program>(one_kernel())); }
    ~CudaGraphTest() override {
        queue->is_done(Wait::Yes);
        memory.release(address, kBytes, MemoryKind::Device);
    }

    runtime::Launch launch_of(std::uint32_t blocks, bool cooperative = false) {
        return {.kernel = module->kernel("k"),
                .grid = {blocks, 1, 1},
                .block = {32, 1, 1},
                .cooperative = cooperative};
    }
    static std::shared_ptr<runtime::GraphStep> step_of(GraphOperation operation) {
        static std::uint64_t last = 0;
        auto step = std::make_shared<runtime::GraphStep>();
        step->operation = std::move(operation);
        step->version = ++last;
        return step;
    }
    std::shared_ptr<GraphRecord> record_of(std::vector<GraphOperation> operations) {
        auto record = std::make_shared<GraphRecord>();
        record->version = ++versions;
        for (GraphOperation& one : operations) record->steps.push_back(step_of(std::move(one)));
        record->kernels = {module->kernel("k")};
        record->order = std::make_shared<runtime::StepOrder>(chain(record->steps.size()));
        return record;
    }
    static runtime::StepOrder chain(std::size_t count) {
        runtime::StepOrder order(count);
        for (std::size_t i = 1; i < count; ++i) order[i] = {i - 1};
        return order;
    }
    std::shared_ptr<GraphRecord> record_of(std::vector<GraphOperation> operations,
                                           runtime::StepOrder order) {
        auto record = record_of(std::move(operations));
        record->order = std::make_shared<runtime::StepOrder>(std::move(order));
        return record;
    }
    static std::string nodes() { return fake<LastGraph>(kLastGraph)(); }
    std::shared_ptr<runtime::GraphImpl> make(const GraphRecord& record) {
        return backend.graphs()->make_graph(0, record);
    }
    static unsigned last_grid() { return fake<LastGrid>(kLastGrid)(); }
    template <class T>
    static runtime::DeviceAddress host(std::vector<T>& values) {
        return reinterpret_cast<std::uintptr_t>(values.data());
    }

    static constexpr std::size_t kBytes = (std::size_t{2} << 20) + 4096;  // chunks and a rest
    std::uint64_t versions = 0;
    runtime::Allocator& memory = backend.allocator(0);
    runtime::DeviceAddress address = memory.allocate(kBytes, MemoryKind::Device);
    std::unique_ptr<runtime::ModuleImpl> module = backend.make_module(0);
    std::unique_ptr<runtime::Queue> queue = backend.make_queue(0, {});
};

TEST_F(CudaGraphTest, CostsOneCallARun) {
    const auto record = record_of({launch_of(1), launch_of(2), launch_of(3)});
    const auto graph = make(*record);
    graph->launch(*queue, *record, graph);
    graph->launch(*queue, *record, graph);
    queue->is_done(Wait::Yes);
    EXPECT_EQ(calls("cuGraphInstantiateWithFlags"), 1);
    EXPECT_EQ(calls("cuGraphLaunch"), 2);
    EXPECT_EQ(calls("cuLaunchKernel"), 0);
    EXPECT_EQ(calls("cuGraphExecKernelNodeSetParams"), 0);
    EXPECT_EQ(last_grid(), 3u);
}

TEST_F(CudaGraphTest, ChangesOnlyTheLaunchesThatChanged) {
    const auto record = record_of({launch_of(1), launch_of(2)});
    const auto graph = make(*record);
    GraphRecord changed = *record;
    changed.version = ++versions;
    changed.steps[1] = step_of(launch_of(7));
    graph->launch(*queue, changed, graph);
    queue->is_done(Wait::Yes);
    EXPECT_EQ(last_grid(), 7u);
    graph->launch(*queue, changed, graph);
    EXPECT_EQ(calls("cuGraphExecKernelNodeSetParams"), 1);
    // A record taken before the change still means what it says.
    graph->launch(*queue, *record, graph);
    queue->is_done(Wait::Yes);
    EXPECT_EQ(last_grid(), 2u);
}

TEST_F(CudaGraphTest, CopiesPageableMemoryAnewInEveryRun) {
    std::vector<char> in(kBytes), out(kBytes);
    const auto record =
        record_of({runtime::Copy{address, host(in), kBytes, CopyKind::HostToDevice},
                   runtime::Copy{host(out), address, kBytes, CopyKind::DeviceToHost}});
    const auto graph = make(*record);
    for (int turn = 1; turn <= 3; ++turn) {
        for (std::size_t i = 0; i < kBytes; ++i) in[i] = static_cast<char>(i * turn / 3);
        graph->launch(*queue, *record, graph);
        queue->is_done(Wait::Yes);
        EXPECT_EQ(out, in);
    }
}

TEST_F(CudaGraphTest, ReadsPageableMemoryWhenItsTurnComes) {
    std::promise<void> gate;
    queue->call_host([opened = gate.get_future().share()] { opened.wait(); });
    std::vector<int> in(4, 1), out(4);
    const auto record = record_of({runtime::Copy{address, host(in), 16, CopyKind::HostToDevice},
                                   runtime::Copy{host(out), address, 16, CopyKind::DeviceToHost}});
    const auto graph = make(*record);
    graph->launch(*queue, *record, graph);
    in.assign(4, 5);
    gate.set_value();
    queue->is_done(Wait::Yes);
    EXPECT_THAT(out, ElementsAre(5, 5, 5, 5));
}

TEST_F(CudaGraphTest, FillsWithPatternsOfEverySize) {
    const std::uint64_t pattern = 0x0807060504030201;
    for (const std::size_t bytes : {1, 2, 4, 8}) {
        for (const std::size_t offset : {0, 1}) {
            std::vector<unsigned char> out(3 * bytes);
            const auto record = record_of(
                {runtime::Fill{address + offset, pattern, bytes, 3},
                 runtime::Copy{host(out), address + offset, out.size(), CopyKind::DeviceToHost}});
            const auto graph = make(*record);
            graph->launch(*queue, *record, graph);
            queue->is_done(Wait::Yes);
            for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % bytes + 1);
        }
    }
}

TEST_F(CudaGraphTest, RecordsEventsAndWaitsForThem) {
    const auto before = backend.make_event(0, true);
    const auto after = backend.make_event(0, true);
    const auto record =
        record_of({runtime::EventWait{before.get()}, runtime::EventRecord{before.get()},
                   runtime::EventWait{before.get()}, runtime::EventRecord{after.get()}});
    const auto graph = make(*record);
    graph->launch(*queue, *record, graph);
    EXPECT_TRUE(after->is_done(Wait::Yes));
    EXPECT_GE(before->milliseconds_until(*after), 0.0);
    // The second wait is for what the chain itself has recorded.
    EXPECT_EQ(calls("cuGraphAddEventWaitNode"), 1);
}

TEST_F(CudaGraphTest, PassesOnWhatHostFunctionsThrowOnceForTheRunThatThrew) {
    int turn = 0;
    const auto record = record_of({runtime::HostCall{[&turn] {
        if (++turn == 2) throw std::runtime_error("in the second run");
    }}});
    const auto graph = make(*record);
    const auto other = backend.make_queue(0, {});
    graph->launch(*queue, *record, graph);
    queue->is_done(Wait::Yes);
    graph->launch(*other, *record, graph);
    EXPECT_THROW(other->is_done(Wait::Yes), std::runtime_error);
    EXPECT_TRUE(other->is_done(Wait::Yes));
    graph->launch(*queue, *record, graph);
    EXPECT_TRUE(queue->is_done(Wait::Yes));
    EXPECT_EQ(turn, 3);
}

TEST_F(CudaGraphTest, LivesUntilItsRunsHaveEnded) {
    std::promise<void> gate;
    queue->call_host([opened = gate.get_future().share()] { opened.wait(); });
    int ran = 0;
    const auto record = record_of({runtime::HostCall{[&ran] { ++ran; }}, launch_of(1)});
    auto graph = make(*record);
    const std::weak_ptr<runtime::GraphImpl> witness = graph;
    graph->launch(*queue, *record, graph);
    graph.reset();
    EXPECT_FALSE(witness.expired());
    gate.set_value();
    queue->is_done(Wait::Yes);
    EXPECT_EQ(ran, 1);
    EXPECT_TRUE(witness.expired());
}

TEST_F(CudaGraphTest, NamesTheKernelThatIsRefused) {
    fail("cuGraphAddKernelNode", Status::InvalidValue);
    try {
        make(*record_of({launch_of(1)}));
        FAIL() << "nothing was thrown";
    } catch (const LaunchError& error) {
        EXPECT_EQ(error.kernel(), "k");
    }
}

TEST_F(CudaGraphTest, KeepsBranchesApartAndJoinsThem) {
    const auto record = record_of({runtime::Fill{address, 1, 4, 4}, launch_of(1), launch_of(2),
                                   runtime::Fill{address, 2, 4, 4}},
                                  {{}, {0}, {0}, {1, 2}});
    const auto graph = make(*record);
    EXPECT_EQ(nodes(), "1:fill 2:kernel<1 3:kernel<1 4:fill<2,3");
    graph->launch(*queue, *record, graph);
    queue->is_done(Wait::Yes);
}

TEST_F(CudaGraphTest, ChangesLaunchesInBranches) {
    const auto record = record_of({launch_of(1), launch_of(2), launch_of(3)}, {{}, {}, {0, 1}});
    const auto graph = make(*record);
    GraphRecord changed = *record;
    changed.version = ++versions;
    changed.steps[2] = step_of(launch_of(9));
    graph->launch(*queue, changed, graph);
    queue->is_done(Wait::Yes);
    EXPECT_EQ(last_grid(), 9u);
    EXPECT_EQ(calls("cuGraphExecKernelNodeSetParams"), 1);
}

TEST_F(CudaGraphTest, EndsARunBehindEveryBranch) {
    const auto record =
        record_of({runtime::HostCall{[] {}}, launch_of(1), runtime::HostCall{[] {}}}, {{}, {}, {}});
    make(*record);
    EXPECT_EQ(nodes(), "1:host 2:kernel 3:host 4:host<1,2,3");
}

TEST_F(CudaGraphTest, ShareChunksOnlyWhereCopiesAreOrdered) {
    std::vector<char> in(16), out(16);
    const runtime::Copy up{address, host(in), 16, CopyKind::HostToDevice};
    const runtime::Copy down{host(out), address, 16, CopyKind::DeviceToHost};
    const int before = calls("cuMemHostAlloc");
    make(*record_of({up, down, up}));
    EXPECT_EQ(calls("cuMemHostAlloc"), before + 1);
    EXPECT_EQ(nodes(), "1:host 2:copy<1 3:copy<2 4:host<3 5:host<4 6:copy<5");
    make(*record_of({up, down, up}, {{}, {}, {1}}));
    EXPECT_EQ(calls("cuMemHostAlloc"), before + 3);
}

TEST_F(CudaGraphTest, WaitsThatAreNoNodesPassOnTheirOrder) {
    const auto event = backend.make_event(0, true);
    make(*record_of({launch_of(1), runtime::EventRecord{event.get()}, launch_of(2),
                     runtime::EventWait{event.get()}, launch_of(3)},
                    {{}, {0}, {}, {1, 2}, {3}}));
    EXPECT_EQ(nodes(), "1:kernel 2:record<1 3:kernel 4:kernel<2,3");
}

TEST_F(CudaGraphTest, CopiesBoxesOfArraysByNodes) {
    runtime::TextureSupport& textures = *backend.textures();
    const auto array = textures.make_array(0, {.width = 16, .height = 8}, DType(Kind::UInt8));
    std::vector<char> in(128), out(128);
    runtime::BoxCopy up{.width_bytes = 16, .height = 8};
    up.destination.array = array.get();
    up.source.is_host = true;
    up.source.address = host(in);
    up.source.row_bytes = 16;
    up.source.slice_bytes = 128;
    runtime::BoxCopy down = up;
    std::swap(down.source, down.destination);
    down.destination.address = host(out);
    runtime::BoxCopy to_memory = down;
    to_memory.destination.is_host = false;
    to_memory.destination.address = address;
    const auto record = record_of({up, down, to_memory}, {{}, {0}, {0}});
    const auto graph = make(*record);
    EXPECT_EQ(nodes(), "1:host 2:copy<1 3:copy<2 4:host<3 5:copy<2");
    for (int turn = 1; turn < 3; ++turn) {
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i * turn);
        graph->launch(*queue, *record, graph);
        queue->is_done(Wait::Yes);
        EXPECT_EQ(out, in);
    }
}

TEST_F(CudaGraphTest, CopiesBoxesBetweenHostMemoryByTheHost) {
    std::vector<char> in(64, 'x'), out(64);
    runtime::BoxCopy copy{.width_bytes = 16, .height = 4};
    for (runtime::BoxPlace* const place : {&copy.source, &copy.destination}) {
        place->is_host = true;
        place->row_bytes = 16;
        place->slice_bytes = 64;
    }
    copy.source.address = host(in);
    copy.destination.address = host(out);
    const auto record = record_of({copy});
    const auto graph = make(*record);
    EXPECT_EQ(nodes(), "1:host");
    graph->launch(*queue, *record, graph);
    queue->is_done(Wait::Yes);
    EXPECT_EQ(out, in);
}

TEST_F(CudaGraphTest, RefusesPartsOfTexels) {
    const auto array = backend.textures()->make_array(0, {.width = 16}, DType(Kind::Float32));
    runtime::BoxCopy copy{.width_bytes = 6};
    copy.destination.array = array.get();
    copy.source.address = address;
    copy.source.row_bytes = copy.source.slice_bytes = 6;
    EXPECT_THROW(make(*record_of({copy})), ArgumentError);
}

}  // namespace
}  // namespace warpwise::cuda
