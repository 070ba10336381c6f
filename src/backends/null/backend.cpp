// Devices, memory and modules of the null back end.
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include "src/backends/null/control.hpp"
#include "src/backends/null/null_backend.hpp"
#include "src/backends/null/queue.hpp"
#include "src/base/address_ranges.hpp"
#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/compiler/service.hpp"
#include "src/runtime/reserved_memory.hpp"
#include "warpwise/error.hpp"

namespace warpwise::null {
namespace {

constexpr std::size_t kAlignment = 256;  // what the contract requires

std::atomic<std::uint64_t> g_allocated[kDeviceCount];

// Throws OutOfMemoryError when there are not so many left.
void take_bytes(int ordinal, std::size_t bytes) {
    std::uint64_t used = g_allocated[ordinal].load();
    do {
        if (bytes > kTotalMemory - used) {
            throw OutOfMemoryError(fmt::format("{} were asked for, {} of {} are free",
                                               human_bytes(bytes), human_bytes(kTotalMemory - used),
                                               human_bytes(kTotalMemory)));
        }
    } while (!g_allocated[ordinal].compare_exchange_weak(used, used + bytes));
}

class NullAllocator final : public runtime::Allocator {
  public:
    explicit NullAllocator(int ordinal) : ordinal_(ordinal) {}

    runtime::DeviceAddress allocate(std::size_t bytes, runtime::MemoryKind kind) override {
        enter({.kind = Call::Kind::Allocate,
               .ordinal = ordinal_,
               .bytes = bytes,
               .memory_kind = kind});
        take_bytes(ordinal_, bytes);
        const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        void* const memory = std::aligned_alloc(kAlignment, rounded);
        if (memory == nullptr) {
            g_allocated[ordinal_] -= bytes;
            throw OutOfMemoryError(fmt::format("the host has no {} left", human_bytes(bytes)));
        }
        return reinterpret_cast<std::uintptr_t>(memory);
    }

    void release(runtime::DeviceAddress address, std::size_t bytes,
                 runtime::MemoryKind kind) noexcept override {
        record_only({.kind = Call::Kind::Release,
                     .ordinal = ordinal_,
                     .destination = address,
                     .bytes = bytes,
                     .memory_kind = kind});
        std::free(reinterpret_cast<void*>(address));
        g_allocated[ordinal_] -= bytes;
    }

    MemoryInfo info() override {
        return {.free = kTotalMemory - g_allocated[ordinal_], .total = kTotalMemory};
    }

  private:
    const int ordinal_;
};

class NullReservedMemory final : public runtime::ReservedMemory {
  public:
    explicit NullReservedMemory(int ordinal) : ordinal_(ordinal) {}

    std::size_t granule() override { return kRangeGranule; }
    runtime::DeviceAddress reserve(std::size_t bytes) override {
        enter({.kind = Call::Kind::Reserve, .ordinal = ordinal_, .bytes = bytes});
        if (const std::uintptr_t address = reserve_addresses(bytes)) return address;
        throw OutOfMemoryError(
            fmt::format("the host has no {} of addresses left", human_bytes(bytes)));
    }
    void release(runtime::DeviceAddress address, std::size_t bytes) noexcept override {
        record_only(call(Call::Kind::Unreserve, address, bytes));
        release_addresses(address, bytes);
    }
    void map(runtime::DeviceAddress address, std::size_t bytes, std::size_t) override {
        enter(call(Call::Kind::Map, address, bytes));
        take_bytes(ordinal_, bytes);
        if (back_addresses(address, bytes)) return;
        g_allocated[ordinal_] -= bytes;
        throw OutOfMemoryError(fmt::format("the host has no {} left", human_bytes(bytes)));
    }
    void unmap(runtime::DeviceAddress address, std::size_t bytes) noexcept override {
        record_only(call(Call::Kind::Unmap, address, bytes));
        unback_addresses(address, bytes);
        g_allocated[ordinal_] -= bytes;
    }

  private:
    Call call(Call::Kind kind, runtime::DeviceAddress address, std::size_t bytes) const {
        return {.kind = kind, .ordinal = ordinal_, .destination = address, .bytes = bytes};
    }

    const int ordinal_;
};

struct NullKernel final : runtime::KernelImpl {
    explicit NullKernel(const compiler::KernelInfo& kernel, std::uint32_t limit) {
        info = &kernel;
        const std::uint32_t bounds = kernel.signature.max_threads_per_block;
        max_threads_per_block = bounds == 0 ? limit : std::min(bounds, limit);
    }
};

class NullModule final : public runtime::ModuleImpl {
  public:
    NullModule(int ordinal, std::uint32_t max_threads)
        : ordinal_(ordinal), max_threads_(max_threads) {}

    using ModuleImpl::extend;
    void extend(std::shared_ptr<const compiler::Program> program,
                std::shared_ptr<const compiler::CompileRequest>) override {
        enter({.kind = Call::Kind::Extend, .ordinal = ordinal_});
        load(*program);
        MutexLock lock(mutex_);
        programs_.push_back(program);
        for (const auto& global : program->globals) {
            auto& memory = globals_[global.symbol];
            if (!memory) memory = std::make_unique<std::byte[]>(global.size);
        }
        for (const auto& kernel : program->kernels) {
            kernels_.try_emplace(kernel.signature.symbol, kernel, max_threads_);
        }
    }

    runtime::KernelImpl* kernel(std::string_view symbol) override {
        MutexLock lock(mutex_);
        const auto found = kernels_.find(symbol);
        return found == kernels_.end() ? nullptr : &found->second;
    }

    runtime::DeviceAddress global(std::string_view symbol) override {
        MutexLock lock(mutex_);
        const auto found = globals_.find(symbol);
        return found == globals_.end() ? 0 : reinterpret_cast<std::uintptr_t>(found->second.get());
    }

  private:
    const int ordinal_;
    const std::uint32_t max_threads_;
    Mutex mutex_;
    std::vector<std::shared_ptr<const compiler::Program>> programs_ WARPWISE_GUARDED_BY(mutex_);
    std::map<std::string, NullKernel, std::less<>> kernels_ WARPWISE_GUARDED_BY(mutex_);
    std::map<std::string, std::unique_ptr<std::byte[]>, std::less<>> globals_
        WARPWISE_GUARDED_BY(mutex_);
};

class NullCompiler final : public compiler::Compiler {
  public:
    compiler::Program compile(const compiler::CompileRequest& request) override {
        return null::compile(request);
    }
    std::string fingerprint() const override {
        return fmt::format("null {}", compiler::compiler_identity());
    }
};

class NullBackend final : public runtime::Backend {
  public:
    NullBackend() {
        for (DeviceInfo& info : infos_) {
            info.name = "null device";
            info.architecture = "null";
            info.multiprocessors = 1;
            info.total_memory = kTotalMemory;
            info.executes_kernels = false;
            info.shares_host_memory = true;
            info.limits = {.max_threads_per_block = 1024,
                           .max_block_dim = {1024, 1024, 64},
                           .max_grid_dim = {2147483647, 65535, 65535},
                           .max_shared_bytes_per_block = 48 << 10,
                           .warp_size = 32};
        }
    }

    std::string_view kind() const noexcept override { return "null"; }
    int device_count() override { return kDeviceCount; }
    const DeviceInfo& device_info(int ordinal) override { return infos_[ordinal]; }
    runtime::Allocator& allocator(int ordinal) override { return allocators_[ordinal]; }

    std::unique_ptr<runtime::Queue> make_queue(int ordinal,
                                               const runtime::QueueOptions& options) override {
        return null::make_queue(ordinal, options);
    }
    std::unique_ptr<runtime::EventImpl> make_event(int ordinal, bool) override {
        enter({.kind = Call::Kind::MakeEvent, .ordinal = ordinal});
        return null::make_event();
    }
    std::unique_ptr<runtime::ModuleImpl> make_module(int ordinal) override {
        enter({.kind = Call::Kind::MakeModule, .ordinal = ordinal});
        return std::make_unique<NullModule>(ordinal, infos_[ordinal].limits.max_threads_per_block);
    }
    compiler::Compiler& compiler() override { return compiler_; }
    runtime::ProfileSupport* profiling() noexcept override { return &profiles_; }
    runtime::ReservedMemory* reserved_memory(int ordinal) override { return &reserved_[ordinal]; }

  private:
    DeviceInfo infos_[kDeviceCount];
    NullAllocator allocators_[kDeviceCount]{NullAllocator(0), NullAllocator(1)};
    NullReservedMemory reserved_[kDeviceCount]{NullReservedMemory(0), NullReservedMemory(1)};
    NullCompiler compiler_;
    runtime::LoggedProfiles profiles_{{&log_of(0), &log_of(1)}};
};

}  // namespace

std::uint64_t allocated_bytes() noexcept {
    return g_allocated[0] + g_allocated[1];
}

runtime::Backend& backend() {
    static NullBackend* const instance = new NullBackend;
    return *instance;
}

}  // namespace warpwise::null
