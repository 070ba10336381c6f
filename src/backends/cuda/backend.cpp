// Devices, and who makes their parts.
#include "src/backends/cuda/backend.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "src/backends/cuda/blas/cublas.hpp"
#include "src/backends/cuda/compiler/compiler.hpp"
#include "src/backends/cuda/device/device_state.hpp"
#include "src/backends/cuda/device/event.hpp"
#include "src/backends/cuda/driver/libraries.hpp"
#include "src/backends/cuda/driver/pointer_query.hpp"
#include "src/backends/cuda/graph/graph.hpp"
#include "src/backends/cuda/image/images.hpp"
#include "src/backends/cuda/link/binaries.hpp"
#include "src/backends/cuda/memory/allocator.hpp"
#include "src/backends/cuda/memory/ipc.hpp"
#include "src/backends/cuda/memory/memory_support.hpp"
#include "src/backends/cuda/memory/peers.hpp"
#include "src/backends/cuda/memory/reserved_memory.hpp"
#include "src/backends/cuda/module/module.hpp"
#include "src/backends/cuda/profile/profiles.hpp"
#include "src/backends/cuda/stream/queue.hpp"
#include "src/backends/cuda/stream/stream_handles.hpp"

namespace warpwise::cuda {
namespace {

constexpr std::uint32_t kMaxClusterBlocks = 16;  // over 8 the driver is queried for each launch

struct AttributeRow {
    int number;
    const char* name;
};
constexpr AttributeRow kAttributes[] = {
#define WARPWISE_DEVICE_ATTRIBUTE(number, name) {number, #name},
#include "src/runtime/device/device_attributes.def"
#undef WARPWISE_DEVICE_ATTRIBUTE
};

// 0 for what the driver does not report.
int attribute(const Driver& driver, DeviceHandle device, int which) {
    int value = 0;
    const auto attribute = static_cast<DeviceAttribute>(which);
    return driver.device_attribute(&value, attribute, device) == Status::Success ? value : 0;
}

DeviceInfo describe_device(const Driver& driver, int ordinal) {
    DeviceHandle device = 0;
    driver.device_get(&device, ordinal);
    const auto get = [&](DeviceAttribute which, int next = 0) {
        return static_cast<std::uint32_t>(
            attribute(driver, device, static_cast<int>(which) + next));
    };
    char name[256] = "NVIDIA GPU";
    driver.device_name(name, sizeof name, device);
    std::size_t memory = 0;
    driver.device_total_memory(&memory, device);
    DeviceInfo info;
    info.name = name;
    info.compute_capability[0] = get(DeviceAttribute::ComputeCapabilityMajor);
    info.compute_capability[1] = get(DeviceAttribute::ComputeCapabilityMinor);
    info.architecture =
        fmt::format("sm_{}{}", info.compute_capability[0], info.compute_capability[1]);
    info.multiprocessors = get(DeviceAttribute::MultiprocessorCount);
    info.clock_khz = get(DeviceAttribute::ClockRate);
    info.total_memory = memory;
    info.survives_faults = false;
    info.limits.max_threads_per_block = get(DeviceAttribute::MaxThreadsPerBlock);
    for (int axis = 0; axis < 3; ++axis) {
        info.limits.max_block_dim[axis] = get(DeviceAttribute::MaxBlockDimX, axis);
        info.limits.max_grid_dim[axis] = get(DeviceAttribute::MaxGridDimX, axis);
    }
    info.limits.max_shared_bytes_per_block = get(DeviceAttribute::MaxSharedMemoryPerBlockOptin);
    info.limits.warp_size = get(DeviceAttribute::WarpSize);
    info.limits.max_cluster_blocks =
        get(DeviceAttribute::ClusterLaunch) != 0 ? kMaxClusterBlocks : 0;
    info.l2_cache_bytes = get(DeviceAttribute::L2CacheSize);
    info.memory_clock_khz = get(DeviceAttribute::MemoryClockRate);
    info.memory_bus_bits = get(DeviceAttribute::GlobalMemoryBusWidth);
    info.max_threads_per_multiprocessor = get(DeviceAttribute::MaxThreadsPerMultiprocessor);
    info.max_blocks_per_multiprocessor = get(DeviceAttribute::MaxBlocksPerMultiprocessor);
    info.shared_bytes_per_multiprocessor = get(DeviceAttribute::MaxSharedMemoryPerMultiprocessor);
    info.registers_per_multiprocessor = get(DeviceAttribute::MaxRegistersPerMultiprocessor);
    return info;
}

struct CudaDevice {
    CudaDevice(const Driver& driver, int ordinal)
        : info(describe_device(driver, ordinal)),
          state(ordinal),
          allocator(state.context(), state.page_locked()),
          memory(state.context()),
          reserved(state.context()) {}

    const DeviceInfo info;
    DeviceState state;
    CudaAllocator allocator;
    CudaMemorySupport memory;
    CudaReservedMemory reserved;
};

class CudaBackend final : public runtime::Backend {
  public:
    CudaBackend() {
        const Driver* const driver = find_driver();
        if (driver == nullptr) return;
        int count = 0;
        const Status status = driver->device_count(&count);
        if (status != Status::Success && status != Status::NoDevice) {
            reason_ = fmt::format("the CUDA driver does not count its devices: {}",
                                  describe(*driver, status));
            return;
        }
        if (count == 0) reason_ = "the CUDA driver finds no GPU (CUDA_VISIBLE_DEVICES counts)";
        std::vector<PrimaryContext*> contexts;
        for (int i = 0; i < count; ++i) {
            devices_.push_back(std::make_unique<CudaDevice>(*driver, i));
            contexts.push_back(&devices_.back()->state.context());
        }
        std::vector<DeviceState*> states;
        states.reserve(devices_.size());
        for (const auto& device : devices_) states.push_back(&device->state);
        std::vector<CudaReservedMemory*> reserved;
        reserved.reserve(devices_.size());
        for (const auto& device : devices_) reserved.push_back(&device->reserved);
        peers_ = std::make_unique<CudaPeers>(contexts, std::move(reserved));
        ipc_ = std::make_unique<CudaIpc>(contexts);
        graphs_ = std::make_unique<CudaGraphs>(std::move(contexts));
        profiles_ = std::make_unique<CudaProfiles>(states);
        software_.set_blas(std::make_unique<CudaBlas>(states));
        stream_handles_ = std::make_unique<CudaStreamHandles>(std::move(states));
    }

    std::string_view kind() const noexcept override { return "cuda"; }
    int device_count() override { return static_cast<int>(devices_.size()); }
    std::string unavailable_reason() override {
        return find_driver() == nullptr ? why_no_driver() : reason_;
    }
    const DeviceInfo& device_info(int ordinal) override { return devices_[ordinal]->info; }
    runtime::Allocator& allocator(int ordinal) override { return devices_[ordinal]->allocator; }
    std::unique_ptr<runtime::Queue> make_queue(int ordinal,
                                               const runtime::QueueOptions& options) override {
        return std::make_unique<CudaQueue>(devices_[ordinal]->state, options);
    }
    std::unique_ptr<runtime::EventImpl> make_event(int ordinal, bool timing) override {
        return std::make_unique<CudaEvent>(devices_[ordinal]->state.context(), timing);
    }
    std::unique_ptr<runtime::ModuleImpl> make_module(int ordinal) override {
        return std::make_unique<CudaModule>(devices_[ordinal]->state);
    }
    compiler::Compiler& compiler() override { return compiler_; }
    runtime::TextureSupport* textures() noexcept override { return &textures_; }
    runtime::GraphSupport* graphs() noexcept override { return graphs_.get(); }
    runtime::MemorySupport* memory(int ordinal) noexcept override {
        return &devices_[ordinal]->memory;
    }
    std::optional<int> owner_of(runtime::DeviceAddress address) override {
        return ordinal_of(address);
    }
    runtime::StreamHandles* stream_handles() noexcept override { return stream_handles_.get(); }
    runtime::PeerSupport* peers() noexcept override { return peers_.get(); }
    runtime::ReservedMemory* reserved_memory(int ordinal) override {
        CudaReservedMemory& reserved = devices_[ordinal]->reserved;
        return reserved.is_supported() ? &reserved : nullptr;
    }
    runtime::IpcSupport* ipc() noexcept override { return ipc_.get(); }
    runtime::BinarySupport* binaries() noexcept override { return &binaries_; }
    runtime::ProfileSupport* profiling() noexcept override { return profiles_.get(); }
    runtime::VendorSupport* vendor_software() noexcept override { return &software_; }
    std::vector<std::pair<std::string, std::int64_t>> attributes(int ordinal) override {
        const Driver& driver = cuda::driver();
        DeviceHandle device = 0;
        devices_[ordinal]->state.context().check(driver.device_get(&device, ordinal),
                                                 "find a device");
        std::vector<std::pair<std::string, std::int64_t>> result;
        for (const AttributeRow& row : kAttributes) {
            int value = 0;
            const auto which = static_cast<DeviceAttribute>(row.number);
            // A driver does not know those that came after it.
            if (driver.device_attribute(&value, which, device) == Status::Success) {
                result.emplace_back(row.name, value);
            }
        }
        return result;
    }

  private:
    std::vector<std::unique_ptr<CudaDevice>> devices_;
    std::string reason_;
    CudaCompiler compiler_;
    CudaBinaries binaries_;
    CudaTextures textures_{[this](int ordinal) -> DeviceState& {
        return devices_[static_cast<std::size_t>(ordinal)]->state;
    }};
    std::unique_ptr<CudaGraphs> graphs_;
    std::unique_ptr<CudaStreamHandles> stream_handles_;
    std::unique_ptr<CudaPeers> peers_;
    std::unique_ptr<CudaProfiles> profiles_;
    CudaSoftware software_;
    std::unique_ptr<CudaIpc> ipc_;
};

}  // namespace

runtime::Backend& cuda_backend() {
    static auto* const backend = new CudaBackend;
    return *backend;
}

}  // namespace warpwise::cuda
