// The texture and surface references of a module: what is bound to each, and how a binding reaches
// the variable in order with the launches that read it.
//
// Binding only notes the requested state. The next launch makes the object and puts the write of
// its handle into its own stream, behind the module's launches on other streams; a launch on
// another stream then waits for that write.
//
// The lock is held while states change, never while objects are made or queues are called: what
// they release may call back. A binding counts as written only once its write is queued. Until
// then, and after an error, every launch writes it itself: two may write the same handle.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/image/image_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/texture_reference.hpp"

namespace warpwise::runtime {

class ModuleState;

class ReferenceState {
  public:
    ReferenceState(std::string name, DeviceAddress address,
                   const ReferenceDeclaration& declaration);

    const std::string& name() const noexcept { return name_; }
    DeviceAddress address() const noexcept { return address_; }
    bool is_surface() const noexcept { return declaration_.is_surface; }

    // What the host has set. Each change makes the next launch bind again.
    struct Requested {
        std::optional<CudaArray> array;
        LinearSource linear;  // with a buffer when memory is bound
        DType format;
        TextureSettings settings;
        unsigned flags = 0;
    };
    const Requested& requested() const noexcept { return requested_; }
    Requested& change() noexcept {
        ++version_;
        return requested_;
    }
    // Counts the changes.
    std::uint64_t version() const noexcept { return version_.load(); }
    // The object of the requested state; null when nothing is bound. Throws ArgumentError, naming
    // the reference, for settings that do not go together.
    std::shared_ptr<const ImageState> make() const;

    // Keeps the module alive for the user's handles, which the module itself must not do.
    static std::shared_ptr<ReferenceState> with_owner(const std::shared_ptr<ReferenceState>& state,
                                                      std::shared_ptr<ModuleState> owner);

  private:
    TextureSettings effective_settings() const;
    std::shared_ptr<const ImageState> make_image() const;

    const std::string name_;
    const DeviceAddress address_;
    const ReferenceDeclaration declaration_;
    Requested requested_;
    std::atomic<std::uint64_t> version_{0};
};

class References {
  public:
    explicit References(Context& context) noexcept : context_(context) {}

    // Whether no reference was asked for yet: then launches have nothing to do.
    bool empty() const noexcept { return count_.load(std::memory_order_acquire) == 0; }
    std::shared_ptr<ReferenceState> get(const std::string& name, DeviceAddress address);
    // Flushes what is pending on memory that is bound. Before bind().
    void settle();
    // Before a launch on `stream`: brings the variables up to date there, and returns what is
    // bound.
    std::vector<std::shared_ptr<const ImageState>> bind(StreamState& stream);

  private:
    using Images = std::vector<std::shared_ptr<const ImageState>>;
    using Cores = std::vector<std::shared_ptr<StreamCore>>;
    struct Binding {
        std::shared_ptr<ReferenceState> reference;
        std::shared_ptr<const ImageState> image;  // made of version `made`
        std::uint64_t made = 0;
        std::uint64_t written = 0;  // the variable has the handle of that version
    };
    // What one launch has to do.
    struct Plan {
        std::vector<Binding> writes;
        Cores readers;                       // that the writes come behind
        std::shared_ptr<EventImpl> written;  // that the launch comes behind; may be null
        Images bound;
    };

    void make_images();
    Plan plan_for(StreamState& stream);
    void write(const Plan& plan, StreamState& stream);

    Context& context_;
    std::atomic<std::size_t> count_{0};
    Mutex mutex_;
    std::vector<Binding> all_ WARPWISE_GUARDED_BY(mutex_);
    // Streams whose launches read the variables since they were last written, the writer first.
    Cores readers_ WARPWISE_GUARDED_BY(mutex_);
    std::shared_ptr<EventImpl> written_ WARPWISE_GUARDED_BY(mutex_);
    // A graph writes handles whenever it is launched: from then on every launch writes its own.
    bool is_captured_ WARPWISE_GUARDED_BY(mutex_) = false;
};

}  // namespace warpwise::runtime
