// The contract of back ends: what a new kind of device must provide. Four small classes (Backend,
// Allocator, Queue, and the Compiler of src/compiler/compiler.hpp) and their opaque states; 25
// mandatory virtual functions in all (Compiler's two included; tests/layout counts them). A back
// end is one folder under src/backends/, one row in src/backends/registry.cpp, and a green
// tests/contract.
//
// How work gets here. A SourceModule hands its source to Backend::compiler(), behind the cache, and
// the Program to a ModuleImpl of the device; a Kernel is one of that module's KernelImpls. A launch
// is checked and packed by the runtime and becomes one Queue::launch() of its stream's queue;
// copies in and out are Queue::copy() before and after it. What went wrong comes back through
// Queue::is_done(), what kernels printed through src/runtime/stream/output.hpp.
//
// Who guarantees what:
//  - The runtime component checks every argument (ranges, null, limits, signatures, device of an
//  object)
//    before it calls; back ends may assert but need not diagnose.
//  - A back end throws DeviceError, LaunchError or OutOfMemoryError; a throwing call did nothing.
//  - Destructors wait for what still uses the object, or defer; they never throw.
//  - All functions may be called from any thread at once. No back end calls user code, logs or
//    prints while it holds a lock of its own.
//  - Addresses are plain 64-bit numbers (DeviceAddress). On the CPU they are host pointers.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/compiler/compiler.hpp"
#include "warpwise/device.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::runtime {

using DeviceAddress = std::uint64_t;

enum class MemoryKind : std::uint8_t {
    Device,         // ordinary device memory
    PageLocked,     // host memory, DMA-able, mapped
    WriteCombined,  // page-locked memory that the host only writes
    Managed,        // moves to where it is used
    Registered,     // the program's own, page-locked: never allocated, see memory_kinds.hpp
};

inline bool is_host_memory(MemoryKind kind) noexcept {
    return kind == MemoryKind::PageLocked || kind == MemoryKind::WriteCombined ||
           kind == MemoryKind::Registered;
}

enum class CopyKind : std::uint8_t { HostToDevice, DeviceToHost, DeviceToDevice };

class Allocator {
  public:
    virtual ~Allocator() = default;
    // At least 256-byte aligned; 16 where it guards ends. bytes > 0. Throws OutOfMemoryError naming
    // request and free bytes.
    virtual DeviceAddress allocate(std::size_t bytes, MemoryKind kind) = 0;
    // No queued work uses it any more: the caller saw to that.
    virtual void release(DeviceAddress address, std::size_t bytes, MemoryKind kind) noexcept = 0;
    virtual MemoryInfo info() = 0;
    // Whether an access past the end of an allocation, or after its release, is a fault.
    virtual bool guards_ends() const noexcept { return false; }
};

enum class Wait : bool { No, Yes };

// A point in a queue. Reusable: recording again moves it.
class EventImpl {
  public:
    virtual ~EventImpl() = default;
    // Whether the point has been reached; Wait::Yes blocks until it is. True when never recorded.
    virtual bool is_done(Wait wait) = 0;
    // Milliseconds between two recorded, finished events of the same device.
    virtual double milliseconds_until(const EventImpl& end) = 0;
};

struct Launch;

// A kernel of a loaded module, ready to launch.
struct KernelImpl {
    virtual ~KernelImpl() = default;
    const compiler::KernelInfo* info = nullptr;  // lives as long as the module
    std::uint32_t max_threads_per_block = 0;
    std::uint32_t num_regs = 0;
    std::uint32_t constant_bytes = 0;
    // 0 where the program knows them (KernelInfo).
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t local_bytes = 0;
    std::uint32_t ptx_version = 0;
    std::uint32_t binary_version = 0;
    bool caches_globals_in_l1 = false;
    std::array<std::uint32_t, 3> cluster{};

    // Optional: what devices with a driver know of a kernel, and hints for it.
    // Blocks that fit a multiprocessor at once. Called with what is within the limits only.
    virtual std::uint32_t occupancy(std::uint32_t, std::uint32_t) { return 1; }
    // The block that fills the device best; 0: no opinion.
    virtual std::uint32_t best_block(std::uint32_t) { return 0; }
    // Whether the device has a bound on the blocks of a cooperative launch.
    virtual bool bounds_cooperative() const noexcept { return false; }
    // Clusters of this launch that fit the device at once.
    virtual std::uint32_t active_clusters(const Launch&) { return 0; }
    virtual void prefer_cache(CachePreference) {}
    virtual void set_shared_carveout(int) {}

    // As KernelAttributes::executor: a back end may change how it runs a kernel meanwhile.
    virtual std::string executor() const { return {}; }
    // KernelAttributes::lane_by_lane.
    virtual double lane_by_lane() const { return 0; }
    // KernelReport::forms, of a back end that has them.
    virtual std::vector<KernelForm> reported_forms() const { return {}; }
    // Kernel::compile_fully(), of a block within the limits.
    virtual void compile_fully(const std::array<std::uint32_t, 3>&) {}
};

struct Launch {
    KernelImpl* kernel = nullptr;
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    std::uint32_t dynamic_shared_bytes = 0;
    bool cooperative = false;
    std::array<std::uint32_t, 3> cluster{};  // 0: none
    bool programmatic = false;
    // A hint: so little work that the calling thread may do it, where the queue has nothing to do
    // and the device is the host.
    bool runs_here = false;
    std::span<const std::byte> arguments;  // packed as in the signature; copied by the queue
    // Kept alive until the launch has finished, where not null: the module, textures. Lives as long
    // as the call; who keeps it copies it.
    const std::shared_ptr<const void>* keep_alive = nullptr;
    std::shared_ptr<const void> kept() const {
        return keep_alive != nullptr ? *keep_alive : nullptr;
    }
};

// One stream of work: strictly first in, first out.
class Queue {
  public:
    virtual ~Queue() = default;
    virtual void launch(const Launch& launch) = 0;
    // Host memory must live until done. Pageable host memory is allowed everywhere.
    virtual void copy(DeviceAddress destination, DeviceAddress source, std::size_t bytes,
                      CopyKind kind) = 0;
    // The same, for a caller who waits for it next. True: there is nothing left to wait for; all
    // work of the queue has ended, and there is no error nor output of it that was not reported.
    virtual bool copy_now(DeviceAddress destination, DeviceAddress source, std::size_t bytes,
                          CopyKind kind) {
        copy(destination, source, bytes, kind);
        return false;
    }
    // `count` repetitions of the low `pattern_bytes` (1, 2, 4, 8) bytes of `pattern`.
    virtual void fill(DeviceAddress destination, std::uint64_t pattern, std::size_t pattern_bytes,
                      std::size_t count) = 0;
    virtual void record(EventImpl& event) = 0;
    // For an event of any device of this back end; one never recorded is passed at once.
    virtual void wait(EventImpl& event) = 0;
    virtual void call_host(std::function<void()> function) = 0;
    // Whether everything queued has finished; Wait::Yes blocks until it has. When finished, throws
    // the first error since the last time (LaunchError with kernel, block and thread), once.
    // With an event that was last recorded on this queue, all this is about the work before it.
    virtual bool is_done(Wait wait, const EventImpl* until) = 0;
    bool is_done(Wait wait) { return is_done(wait, nullptr); }
};

// A program loaded on a device; owns code and globals.
class ModuleImpl {
  public:
    virtual ~ModuleImpl() = default;
    // Adds the kernels of `program`; globals it shares with what is loaded are bound to the ones
    // there (their values stay), new ones are added. Called by several threads at once, also with
    // kernels that are there: these stay as they are.
    // `origin` is what it was compiled from, so that a back end may compile it again for launches
    // of one kind; null when it is unknown.
    virtual void extend(std::shared_ptr<const compiler::Program> program,
                        std::shared_ptr<const compiler::CompileRequest> origin) = 0;
    void extend(std::shared_ptr<const compiler::Program> program) {
        extend(std::move(program), nullptr);
    }
    // nullptr if there is none. `symbol` as in KernelSignature / GlobalInfo. Owned by the module.
    virtual KernelImpl* kernel(std::string_view symbol) = 0;
    virtual DeviceAddress global(std::string_view symbol) = 0;
};

struct QueueOptions {
    int priority = 0;
    bool is_default = false;    // legacy default stream: ordered with all blocking queues
    bool non_blocking = false;  // exempt from that order
    // Of one kernel; 0: none. A queue that cannot stop kernels applies it to waits.
    std::chrono::duration<double> time_limit{};
};

// Optional interfaces, each with a header of its own.
class GraphSupport;    // graphs.hpp
class HostSupport;     // host_support.hpp
class StreamHandles;   // stream_handles.hpp
class TextureSupport;  // images.hpp
class IpcSupport;      // ipc.hpp
class MemorySupport;   // memory_kinds.hpp
class PeerSupport;     // peers.hpp
class ReservedMemory;  // reserved_memory.hpp
class BinarySupport;   // binary_support.hpp
class ProfileSupport;  // profiling.hpp
class VendorSupport;   // vendor_software.hpp

class Backend {
  public:
    virtual ~Backend() = default;
    virtual std::string_view kind() const noexcept = 0;
    // 0 when no driver is there; never throws for that. unavailable_reason() has the reason.
    virtual int device_count() = 0;
    virtual const DeviceInfo& device_info(int ordinal) = 0;
    virtual Allocator& allocator(int ordinal) = 0;
    virtual std::unique_ptr<Queue> make_queue(int ordinal, const QueueOptions& options) = 0;
    virtual std::unique_ptr<EventImpl> make_event(int ordinal, bool timing) = 0;
    virtual std::unique_ptr<ModuleImpl> make_module(int ordinal) = 0;  // empty; see extend()
    virtual compiler::Compiler& compiler() = 0;

    // Optional.
    virtual std::string unavailable_reason() { return {}; }
    virtual GraphSupport* graphs() noexcept { return nullptr; }
    virtual StreamHandles* stream_handles() noexcept { return nullptr; }
    virtual TextureSupport* textures() noexcept { return nullptr; }
    virtual IpcSupport* ipc() noexcept { return nullptr; }
    virtual MemorySupport* memory(int /*ordinal*/) noexcept { return nullptr; }
    virtual PeerSupport* peers() noexcept { return nullptr; }
    virtual ReservedMemory* reserved_memory(int /*ordinal*/) { return nullptr; }
    virtual BinarySupport* binaries() noexcept { return nullptr; }
    virtual ProfileSupport* profiling() noexcept { return nullptr; }
    virtual VendorSupport* vendor_software() noexcept { return nullptr; }
    virtual HostSupport* host() noexcept { return nullptr; }
    // The ordinal of the device whose memory an address is of, also when another library has
    // allocated it; empty when it is of none of this kind.
    virtual std::optional<int> owner_of(DeviceAddress /*address*/) { return std::nullopt; }
    // What a driver reports of a device beside DeviceInfo, by CUDA's names in small letters.
    virtual std::vector<std::pair<std::string, std::int64_t>> attributes(int) { return {}; }
};

}  // namespace warpwise::runtime
