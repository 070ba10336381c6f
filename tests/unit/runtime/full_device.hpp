// A device with every optional interface that the runtime's tests need, over the null back end:
// textures, handles of streams, IPC, peers and managed memory, all without effect. It can call the
// test back from inside a call of a queue.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "src/runtime/graphs.hpp"
#include "src/runtime/images.hpp"
#include "src/runtime/ipc.hpp"
#include "src/runtime/memory_kinds.hpp"
#include "src/runtime/peers.hpp"
#include "src/runtime/stream_handles.hpp"
#include "tests/unit/runtime/null_device.hpp"

namespace warpwise {

class FullBackend final : public runtime::Backend,
                          public runtime::TextureSupport,
                          public runtime::StreamHandles,
                          public runtime::IpcSupport,
                          public runtime::PeerSupport,
                          public runtime::MemorySupport {
  public:
    // Called at the beginning of every fill, where not empty.
    std::function<void()> on_fill;
    // Makes the graphs of the device; empty: it has none.
    std::unique_ptr<runtime::GraphSupport> graph_support;

    std::string_view kind() const noexcept override { return "full"; }
    int device_count() override { return null_.device_count(); }
    const DeviceInfo& device_info(int ordinal) override { return null_.device_info(ordinal); }
    runtime::Allocator& allocator(int ordinal) override { return null_.allocator(ordinal); }
    std::unique_ptr<runtime::Queue> make_queue(int ordinal,
                                               const runtime::QueueOptions& options) override {
        return std::make_unique<Queue>(*this, null_.make_queue(ordinal, options));
    }
    std::unique_ptr<runtime::EventImpl> make_event(int ordinal, bool timing) override {
        return null_.make_event(ordinal, timing);
    }
    std::unique_ptr<runtime::ModuleImpl> make_module(int ordinal) override {
        return null_.make_module(ordinal);
    }
    compiler::Compiler& compiler() override { return null_.compiler(); }
    runtime::ProfileSupport* profiling() noexcept override { return null_.profiling(); }
    runtime::TextureSupport* textures() noexcept override { return this; }
    runtime::GraphSupport* graphs() noexcept override { return graph_support.get(); }
    runtime::StreamHandles* stream_handles() noexcept override { return this; }
    runtime::IpcSupport* ipc() noexcept override { return this; }
    runtime::PeerSupport* peers() noexcept override { return this; }
    runtime::MemorySupport* memory(int) noexcept override { return this; }

    std::unique_ptr<runtime::ArrayImpl> make_array(int, const CudaArrayShape&,
                                                   const DType&) override {
        return std::make_unique<runtime::ArrayImpl>();
    }
    std::unique_ptr<runtime::MipmapImpl> make_mipmaps(int, const CudaArrayShape&, const DType&,
                                                      std::uint32_t) override {
        return nullptr;
    }
    std::unique_ptr<runtime::ImageImpl> make_texture(int, const runtime::ImageSource&,
                                                     const TextureSettings&) override {
        auto image = std::make_unique<runtime::ImageImpl>();
        image->handle = ++handles_;
        return image;
    }
    std::unique_ptr<runtime::ImageImpl> make_surface(int, const runtime::ImageSource&) override {
        return std::make_unique<runtime::ImageImpl>();
    }
    void copy(runtime::Queue&, const runtime::BoxCopy&) override {}
    runtime::ReferenceDeclaration declaration(int, runtime::DeviceAddress) override {
        return {.format = float32};
    }

    std::uint64_t handle(runtime::Queue&) override { return 77; }
    bool is_default(std::uint64_t) override { return false; }
    Wrapped wrap(int, std::uint64_t) override { return {}; }
    PriorityRange priorities(int) override { return {}; }

    std::array<std::byte, 16> device_identity(int) override { return {}; }
    runtime::IpcMemory export_memory(int, runtime::DeviceAddress address, std::size_t) override {
        return {.base = address};
    }
    std::shared_ptr<const runtime::DeviceAddress> open_memory(int,
                                                              const runtime::IpcBytes&) override {
        return nullptr;
    }
    std::unique_ptr<runtime::EventImpl> make_event(int ordinal) override {
        return null_.make_event(ordinal, false);
    }
    runtime::IpcBytes export_event(runtime::EventImpl&) override { return {}; }
    std::unique_ptr<runtime::EventImpl> open_event(int ordinal, const runtime::IpcBytes&) override {
        return null_.make_event(ordinal, false);
    }

    bool can_access(int, int) override { return true; }
    void enable_access(int, int) override {}
    void disable_access(int, int) override {}
    void copy(runtime::Queue& queue, const runtime::PeerCopy& copy) override {
        queue.copy(copy.to, copy.from, copy.bytes, runtime::CopyKind::DeviceToDevice);
    }

    void register_host(runtime::DeviceAddress, std::size_t, bool) override {}
    void unregister_host(runtime::DeviceAddress) noexcept override {}
    void advise(runtime::DeviceAddress, std::size_t, MemoryAdvice, int) override {}
    void prefetch(runtime::Queue&, runtime::DeviceAddress, std::size_t, int) override {}
    void attach(runtime::Queue&, runtime::DeviceAddress, std::size_t, ManagedAccess) override {}

  private:
    class Queue final : public runtime::Queue {
      public:
        Queue(FullBackend& backend, std::unique_ptr<runtime::Queue> queue)
            : backend_(backend), queue_(std::move(queue)) {}
        void launch(const runtime::Launch& launch) override { queue_->launch(launch); }
        void copy(runtime::DeviceAddress destination, runtime::DeviceAddress source,
                  std::size_t bytes, runtime::CopyKind kind) override {
            queue_->copy(destination, source, bytes, kind);
        }
        void fill(runtime::DeviceAddress destination, std::uint64_t pattern,
                  std::size_t pattern_bytes, std::size_t count) override {
            if (backend_.on_fill) backend_.on_fill();
            queue_->fill(destination, pattern, pattern_bytes, count);
        }
        void record(runtime::EventImpl& event) override { queue_->record(event); }
        void wait(runtime::EventImpl& event) override { queue_->wait(event); }
        void call_host(std::function<void()> function) override {
            queue_->call_host(std::move(function));
        }
        using runtime::Queue::is_done;
        bool is_done(runtime::Wait wait, const runtime::EventImpl* until) override {
            return queue_->is_done(wait, until);
        }

      private:
        FullBackend& backend_;
        const std::unique_ptr<runtime::Queue> queue_;
    };

    runtime::Backend& null_ = null::backend();
    std::uint64_t handles_ = 0;
};

inline FullBackend& full_backend() {
    static auto* const instance = new FullBackend;
    return *instance;
}

// Contexts are never destroyed.
inline Device full_device(int ordinal = 0) {
    static auto* const contexts = new std::vector<std::shared_ptr<runtime::Context>>{
        std::make_shared<runtime::Context>(full_backend(), 0),
        std::make_shared<runtime::Context>(full_backend(), 1)};
    return Device((*contexts)[static_cast<std::size_t>(ordinal)]);
}

// The memory is that of the null devices, which other tests fill to the end.
inline void empty_full_devices() {
    for (const int ordinal : {0, 1}) {
        full_device(ordinal).synchronize();
        full_device(ordinal).pool().free_held();
        full_device(ordinal).host_pool().free_held();
    }
}

}  // namespace warpwise
