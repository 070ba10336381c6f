// Every function of the driver fails once, in the middle of a program that uses them all: the error
// comes out as one of ours, nothing is lost, and the same program runs through afterwards.
#include <array>
#include <cctype>
#include <deque>
#include <vector>

#include "src/backends/cuda/module/kernel.hpp"
#include "src/runtime/graphs.hpp"
#include "src/runtime/images.hpp"
#include "src/runtime/ipc.hpp"
#include "src/runtime/memory_kinds.hpp"
#include "src/runtime/peers.hpp"
#include "src/runtime/reserved_memory.hpp"
#include "src/runtime/stream_handles.hpp"
#include "tests/unit/backends/cuda/fake_cuda.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using runtime::CopyKind;
using runtime::MemoryKind;
using runtime::Wait;

constexpr const char* kFunctions[] = {
#define WARPWISE_DRIVER(member, name, version, arguments) name,
#include "src/backends/cuda/driver/driver.def"
#undef WARPWISE_DRIVER
};

compiler::Program one_kernel() {
    compiler::Program program;
    program.format = "cubin";
    program.binary.resize(16);
    compiler::KernelInfo kernel;
    kernel.signature.name = kernel.signature.symbol = "k";
    program.kernels.push_back(kernel);
    program.globals.push_back({.name = "v", .symbol = "v", .size = 4});
    return program;
}

// Memory that is released also when something fails in between.
class Held {
  public:
    Held(runtime::Allocator& allocator, std::size_t bytes, MemoryKind kind)
        : allocator_(allocator), bytes_(bytes), kind_(kind) {
        address = allocator.allocate(bytes, kind);
    }
    ~Held() { allocator_.release(address, bytes_, kind_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    runtime::DeviceAddress address = 0;

  private:
    runtime::Allocator& allocator_;
    const std::size_t bytes_;
    const MemoryKind kind_;
};

// Waits at the end of a scope: what is queued uses memory that goes then.
class Finished {
  public:
    explicit Finished(runtime::Queue& queue) : queue_(queue) {}
    ~Finished() {
        for (bool is_done = false; !is_done;) {
            try {
                is_done = queue_.is_done(Wait::Yes);
            } catch (const Error&) {
                continue;  // the failure of this test comes once
            }
        }
    }
    Finished(const Finished&) = delete;
    Finished& operator=(const Finished&) = delete;

  private:
    runtime::Queue& queue_;
};

void launch(runtime::Queue& queue, runtime::ModuleImpl& module, bool cooperative) {
    const std::array<std::byte, 8> arguments{};
    queue.launch({.kernel = module.kernel("k"),
                  .grid = {1, 1, 1},
                  .block = {1, 1, 1},
                  .dynamic_shared_bytes = 64 << 10,
                  .cooperative = cooperative,
                  .arguments = arguments});
}

void use_mipmaps(runtime::TextureSupport& textures) {
    const CudaArrayShape shape{.width = 16, .height = 16};
    const DType format(Kind::Float32);
    const auto mipmaps = textures.make_mipmaps(1, shape, format, 3);
    const auto level = mipmaps->level(1);
    const runtime::ImageSource source{
        .mipmaps = mipmaps.get(), .levels = 3, .shape = shape, .format = format};
    textures.make_texture(1, source, {.normalized_coordinates = true});
}

// An array, what reads and writes it, and copies of it.
void use_images(runtime::Backend& backend, runtime::Queue& queue, std::vector<char>& host) {
    runtime::TextureSupport& textures = *backend.textures();
    const CudaArrayShape shape{.width = 16, .height = 16};
    const DType format(Kind::Float32);
    const auto array = textures.make_array(1, shape, format);
    const Finished finished(queue);  // before the array goes
    const runtime::ImageSource source{.array = array.get(), .shape = shape, .format = format};
    const auto texture = textures.make_texture(1, source, {});
    const auto surface = textures.make_surface(1, source);
    runtime::BoxCopy copy{.width_bytes = 64, .height = 16};
    copy.destination.array = array.get();
    copy.source.address = reinterpret_cast<runtime::DeviceAddress>(host.data());
    copy.source.is_host = true;
    copy.source.row_bytes = 64;
    copy.source.slice_bytes = 1024;
    textures.copy(queue, copy);
    use_mipmaps(textures);
}

void use_kinds_of_memory(runtime::Backend& backend, runtime::Queue& queue) {
    runtime::MemorySupport& support = *backend.memory(1);
    const Held managed(backend.allocator(1), 4096, MemoryKind::Managed);
    support.advise(managed.address, 4096, MemoryAdvice::SetPreferredLocation,
                   runtime::kHostLocation);
    support.prefetch(queue, managed.address, 4096, 1);
    support.attach(queue, managed.address, 4096, ManagedAccess::Single);
    const Held combined(backend.allocator(1), 4096, MemoryKind::WriteCombined);
    // One that the driver was kept from unregistering is not used again.
    static std::deque<std::array<char, 4096>> own;
    const auto address = reinterpret_cast<runtime::DeviceAddress>(own.emplace_back().data());
    support.register_host(address, 4096, true);
    support.unregister_host(address);
}

// Every kind of step, run twice with another grid the second time.
void run_graph(runtime::Backend& backend, runtime::Queue& queue, runtime::ModuleImpl& module,
               runtime::EventImpl& event, runtime::DeviceAddress memory,
               runtime::DeviceAddress pageable) {
    const std::array<std::byte, 8> arguments{};
    runtime::Launch launch{.kernel = module.kernel("k"),
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .dynamic_shared_bytes = 64 << 10,
                           .cooperative = true,
                           .arguments = arguments};
    auto record = std::make_shared<runtime::GraphRecord>();
    const auto add = [&record](runtime::GraphOperation operation) {
        auto step = std::make_shared<runtime::GraphStep>();
        step->operation = std::move(operation);
        step->version = ++record->version;
        record->steps.push_back(std::move(step));
    };
    add(runtime::EventWait{&event});
    add(runtime::Copy{memory, pageable, 4096, CopyKind::HostToDevice});
    add(runtime::Fill{memory, 7, 4, 16});
    add(launch);
    add(runtime::HostCall{[] {}});
    add(runtime::EventRecord{&event});
    auto order = std::make_shared<runtime::StepOrder>(record->steps.size());
    for (std::size_t i = 1; i < order->size(); ++i) (*order)[i] = {i - 1};
    record->order = std::move(order);
    const std::shared_ptr<runtime::GraphImpl> graph = backend.graphs()->make_graph(1, *record);
    graph->launch(queue, *record, graph);
    auto changed = std::make_shared<runtime::GraphRecord>(*record);
    auto step = std::make_shared<runtime::GraphStep>(*record->steps[3]);
    step->version = changed->version = 100;
    changed->steps[3] = std::move(step);
    graph->launch(queue, *changed, graph);
}

void use_stream_handles(runtime::Backend& backend, runtime::Queue& queue) {
    runtime::StreamHandles& handles = *backend.stream_handles();
    handles.priorities(1);
    const auto wrapped = handles.wrap(1, handles.handle(queue));
    wrapped.queue->is_done(Wait::Yes);
}

void use_peers(runtime::Backend& backend, runtime::Queue& queue, runtime::DeviceAddress memory) {
    runtime::PeerSupport& peers = *backend.peers();
    if (!peers.can_access(1, 0)) return;
    peers.enable_access(1, 0);
    const Held other(backend.allocator(0), 4096, MemoryKind::Device);
    const Finished finished(queue);
    peers.copy(queue, {1, memory, 0, other.address, 4096});
    peers.disable_access(1, 0);
}

// Two chunks of it mapped, and one released by itself.
void use_reserved_memory(runtime::Backend& backend) {
    if (backend.reserved_memory(1) == nullptr) return;  // the driver was kept from saying so
    runtime::ReservedMemory& reserved = *backend.reserved_memory(1);
    const std::size_t chunk = reserved.granule();
    const runtime::DeviceAddress address = reserved.reserve(4 * chunk);
    try {
        reserved.map(address, 2 * chunk, chunk);
        reserved.unmap(address + chunk, chunk);
        reserved.unmap(address, chunk);
    } catch (const Error&) {
        reserved.release(address, 4 * chunk);
        throw;
    }
    reserved.release(address, 4 * chunk);
}

void use_ipc(runtime::Backend& backend, runtime::DeviceAddress memory) {
    runtime::IpcSupport& ipc = *backend.ipc();
    ipc.device_identity(1);
    const auto opened = ipc.open_memory(1, ipc.export_memory(1, memory, 8).handle);
    const auto event = ipc.make_event(1);
    ipc.open_event(1, ipc.export_event(*event));
}

// Uses every function of the driver.
void run_program(runtime::Backend& backend) {
    runtime::Allocator& allocator = backend.allocator(1);
    allocator.info();
    const Held memory(allocator, 4096, MemoryKind::Device);
    const Held locked(allocator, 4096, MemoryKind::PageLocked);
    std::vector<char> host(4096);
    const auto pageable = reinterpret_cast<runtime::DeviceAddress>(host.data());
    const auto module = backend.make_module(1);
    module->extend(std::make_shared<const compiler::Program>(one_kernel()));
    const auto queue = backend.make_queue(1, {});
    const Finished finished(*queue);
    const auto start = backend.make_event(1, true);
    const auto end = backend.make_event(1, true);
    queue->record(*start);
    for (const runtime::DeviceAddress place : {pageable, locked.address}) {
        queue->copy(memory.address, place, 4096, CopyKind::HostToDevice);
        queue->copy(place, memory.address, 4096, CopyKind::DeviceToHost);
    }
    queue->copy(memory.address + 2048, memory.address, 64, CopyKind::DeviceToDevice);
    for (const std::size_t bytes : {1, 2, 4, 8}) {
        queue->fill(memory.address, 0x0807060504030201, bytes, 3);
        queue->fill(memory.address + 1, 0x0807060504030201, bytes, 3);
    }
    runtime::KernelImpl& kernel = *module->kernel("k");
    kernel.occupancy(128, 0);
    kernel.best_block(0);
    kernel.active_clusters({.grid = {16, 1, 1}, .block = {32, 1, 1}, .cluster = {16, 1, 1}});
    kernel.prefer_cache(CachePreference::L1);
    kernel.set_shared_carveout(50);
    launch(*queue, *module, false);
    launch(*queue, *module, true);
    use_images(backend, *queue, host);
    use_kinds_of_memory(backend, *queue);
    queue->call_host([] {});
    queue->copy_now(pageable, memory.address, 64, CopyKind::DeviceToHost);
    use_stream_handles(backend, *queue);
    use_peers(backend, *queue, memory.address);
    use_ipc(backend, memory.address);
    use_reserved_memory(backend);
    run_graph(backend, *queue, *module, *end, memory.address, pageable);
    queue->record(*end);
    queue->wait(*end);
    queue->is_done(Wait::Yes);
    end->is_done(Wait::Yes);
    start->milliseconds_until(*end);
    // Which takes the driver's blocking copies when nothing is ahead of it.
    const auto default_queue = backend.make_queue(1, {.is_default = true});
    default_queue->copy_now(memory.address, pageable, 64, CopyKind::HostToDevice);
    default_queue->copy_now(pageable, memory.address, 64, CopyKind::DeviceToHost);
}

bool is_release(std::string_view function) {
    return function == "cuMemFree" || function == "cuMemHostUnregister" ||
           function == "cuModuleUnload" || function == "cuArrayDestroy" ||
           function == "cuMipmappedArrayDestroy" || function == "cuMemUnmap" ||
           function == "cuMemRelease";
}

class ErrorPaths : public OnFakeCuda, public testing::WithParamInterface<const char*> {
  protected:
    std::size_t free_bytes() { return backend.allocator(1).info().free; }
};

TEST_P(ErrorPaths, LoseNothing) {
    run_program(backend);
    const std::size_t before = free_bytes();
    for (const Status status : {Status::OutOfMemory, Status::NotInitialized}) {
        fail(GetParam(), status);
        try {
            run_program(backend);
        } catch (const Error&) {
            // Whether one is thrown depends on the function: those that release things are not
            // asked.
        }
        fake<Reset>(kReset)();
        EXPECT_NO_THROW(run_program(backend));
        if (is_release(GetParam())) continue;  // the driver has kept it
        EXPECT_EQ(free_bytes(), before) << "after " << static_cast<int>(status);
    }
}

INSTANTIATE_TEST_SUITE_P(EveryFunction, ErrorPaths, testing::ValuesIn(kFunctions),
                         [](const auto& info) { return std::string(info.param); });

class ErrorPathsTogether : public OnFakeCuda {};

TEST_F(ErrorPathsTogether, AreMetByTheProgram) {
    run_program(backend);
    std::vector<std::string> unused;
    for (const char* name : kFunctions) {
        if (calls(name) == 0) unused.emplace_back(name);
    }
    // Called once in a process, never failing, or only after a failure.
    EXPECT_THAT(unused,
                testing::IsSubsetOf({"cuGetErrorName", "cuGetErrorString", "cuDeviceGetCount",
                                     "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
                                     "cuDeviceTotalMem", "cuDevicePrimaryCtxRetain",
                                     "cuCtxGetCurrent", "cuCtxSetCurrent", "cuPointerGetAttribute",
                                     "cuThreadExchangeStreamCaptureMode",
                                     "cuMemGetAllocationGranularity"}));
}

}  // namespace
}  // namespace warpwise::cuda
