// The parts of the CPU device, put together; and what fork() means for them.
#include "src/backends/cpu/backend.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "src/backends/cpu/blas/open_blas.hpp"
#include "src/backends/cpu/host/faults.hpp"
#include "src/backends/cpu/host/host_info.hpp"
#include "src/backends/cpu/host/stack_pool.hpp"
#include "src/backends/cpu/image/images.hpp"
#include "src/backends/cpu/ipc/ipc.hpp"
#include "src/backends/cpu/launch/event.hpp"
#include "src/backends/cpu/launch/queue.hpp"
#include "src/backends/cpu/launch/scheduler.hpp"
#include "src/backends/cpu/memory/allocator.hpp"
#include "src/backends/cpu/memory/device_heap.hpp"
#include "src/backends/cpu/memory/guarded_memory.hpp"
#include "src/backends/cpu/memory/host_memory.hpp"
#include "src/backends/cpu/memory/reserved_memory.hpp"
#include "src/backends/cpu/memory/shared_pages.hpp"
#include "src/backends/cpu/module/compiler.hpp"
#include "src/backends/cpu/module/form_compiler.hpp"
#include "src/backends/cpu/module/kernel.hpp"
#include "src/backends/cpu/module/module.hpp"
#include "src/base/processor_level.hpp"
#include "src/base/processors.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {
namespace {

unsigned thread_count() {
    return settings().num_threads.value_or(usable_processors());
}

// Null unless allocations shall end at guards.
GuardedMemory* guarded_memory() {
    return settings().pool == "guard" ? &GuardedMemory::instance() : nullptr;
}

DeviceInfo describe_device(unsigned threads) {
    DeviceInfo info;
    info.name =
        fmt::format("{}, {} {}", processor_name(), threads, threads == 1 ? "core" : "cores");
    info.architecture = chosen_level(settings().cpu);
    info.multiprocessors = threads;
    info.clock_khz = clock_khz();
    info.total_memory = host_memory().total;
    info.shares_host_memory = true;
    info.limits.max_threads_per_block = kMaxThreadsPerBlock;
    std::copy(std::begin(kMaxBlockDim), std::end(kMaxBlockDim), info.limits.max_block_dim);
    std::copy(std::begin(kMaxGridDim), std::end(kMaxGridDim), info.limits.max_grid_dim);
    info.limits.max_shared_bytes_per_block = kMaxSharedBytes;
    info.limits.warp_size = kWarpSize;
    return info;
}

class Host final : public runtime::HostSupport {
  public:
    explicit Host(CpuCompiler& compiler) : compiler_(compiler) {}
    void run(runtime::Queue& queue, std::unique_ptr<runtime::HostLoop> loop) override {
        static_cast<CpuQueue&>(queue).run(std::move(loop));
    }
    bool try_to_run(runtime::Queue& queue, runtime::HostLoop& loop) override {
        return static_cast<CpuQueue&>(queue).try_to_run(loop);
    }
    runtime::BlasSupport* blas() noexcept override { return &blas_; }
    void compile_in_background(std::function<void(compiler::Compiler&)> work) noexcept override {
        FormCompiler::instance().request(compiler_, std::move(work));
    }

  private:
    CpuCompiler& compiler_;
    CpuBlas blas_;
};

class CpuBackend final : public runtime::Backend {
  public:
    CpuBackend()
        : threads_(thread_count()),
          info_(describe_device(threads_)),
          compiler_(info_.architecture),
          allocator_(&host_memory, guarded_memory()),
          reserved_memory_(allocator_),
          textures_(allocator_),
          pool_(threads_, usable_processors()),
          scheduler_(pool_),
          profiles_({&scheduler_.log()}) {
        make_shared_parts();
    }

    std::string_view kind() const noexcept override { return "cpu"; }
    int device_count() override { return 1; }
    const DeviceInfo& device_info(int) override { return info_; }
    runtime::Allocator& allocator(int) override { return allocator_; }
    std::unique_ptr<runtime::Queue> make_queue(int, const runtime::QueueOptions& options) override {
        return std::make_unique<CpuQueue>(scheduler_, options);
    }
    std::unique_ptr<runtime::EventImpl> make_event(int, bool) override {
        return std::make_unique<CpuEvent>(scheduler_);
    }
    std::unique_ptr<runtime::ModuleImpl> make_module(int) override {
        return std::make_unique<CpuModule>(&compiler_);
    }
    compiler::Compiler& compiler() override { return compiler_; }
    runtime::TextureSupport* textures() noexcept override { return &textures_; }
    runtime::ProfileSupport* profiling() noexcept override { return &profiles_; }
    runtime::HostSupport* host() noexcept override { return &host_; }
    runtime::IpcSupport* ipc() noexcept override { return &ipc_; }
    runtime::ReservedMemory* reserved_memory(int) override { return &reserved_memory_; }

    // Locks in the order in which they nest, so that the child finds every one free and whole.
    void before_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        FormCompiler::instance().before_fork();
        scheduler_.before_fork();
        ImageRecords::instance().mutex().lock();
        ipc_.mutex().lock();
        allocator_.mutex().lock();
        GuardedMemory::instance().before_fork();
        SharedPages::instance().before_fork();
        StackPool::instance().before_fork();
        DeviceHeap::instance().before_fork();
        scheduler_.log().before_fork();
        lock_fault_handler();
    }
    void after_fork(bool is_child) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        unlock_fault_handler();
        if (is_child) {
            scheduler_.log().after_fork_in_child();
        } else {
            scheduler_.log().after_fork_in_parent();
        }
        DeviceHeap::instance().after_fork();
        if (is_child) {
            StackPool::instance().after_fork_in_child();
        } else {
            StackPool::instance().after_fork_in_parent();
        }
        SharedPages::instance().after_fork(is_child);
        GuardedMemory::instance().after_fork();
        allocator_.mutex().unlock();
        ipc_.mutex().unlock();
        ImageRecords::instance().mutex().unlock();
        if (is_child) {
            scheduler_.after_fork_in_child();
            FormCompiler::instance().after_fork_in_child();
        } else {
            scheduler_.after_fork_in_parent();
            FormCompiler::instance().after_fork_in_parent();
        }
    }

  private:
    // All that before_fork() locks is made with the device, not by the first thread that uses it.
    static void make_shared_parts() {
        FormCompiler::instance();
        ImageRecords::instance();
        StackPool::instance();
        DeviceHeap::instance();
        GuardedMemory::instance();
        SharedPages::instance();
    }

    const unsigned threads_;
    const DeviceInfo info_;
    CpuCompiler compiler_;
    CpuAllocator allocator_;
    CpuReservedMemory reserved_memory_;
    CpuTextures textures_;
    ThreadPool pool_;
    Scheduler scheduler_;
    runtime::LoggedProfiles profiles_;
    Host host_{compiler_};
    CpuIpc ipc_{scheduler_};
};

// The one device of the process, made at its first use and never destroyed. A local static would
// not do: a child forked while another thread makes it would wait for that thread for ever. Here
// fork() waits until it is whole.
class Instance {
  public:
    CpuBackend& get() {
        if (CpuBackend* made = made_.load(std::memory_order_acquire)) return *made;
        MutexLock lock(mutex_);
        if (made_.load() == nullptr) made_.store(new CpuBackend);
        return *made_.load();
    }
    void before_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        mutex_.lock();
        try {
            settings();  // waits for a thread that is just reading them
            // The first use of the device reports the error. NOLINTNEXTLINE(bugprone-empty-catch)
        } catch (const Error&) {
        }
        if (CpuBackend* made = made_.load()) made->before_fork();
    }
    void after_fork(bool is_child) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        if (CpuBackend* made = made_.load()) made->after_fork(is_child);
        mutex_.unlock();
    }

  private:
    Mutex mutex_;
    std::atomic<CpuBackend*> made_ = nullptr;
};

constinit Instance g_instance;

// When the library is loaded: before any thread can make the device.
[[maybe_unused]] const int kForkHandlers =
    pthread_atfork([] { g_instance.before_fork(); }, [] { g_instance.after_fork(false); },
                   [] { g_instance.after_fork(true); });

}  // namespace

runtime::Backend& cpu_backend() {
    return g_instance.get();
}

}  // namespace warpwise::cpu
