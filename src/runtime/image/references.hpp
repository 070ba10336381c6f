// The texture and surface references of a module: what is bound to each, and how a binding reaches
// the variable in order with the launches that read it.
//
// Binding only notes what is wanted. The next launch makes the object and puts the write of its
// handle into its own stream, behind the module's launches on other streams; a launch on another
// stream then waits for that write.
#pragma once

#include <atomic>
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

    // Wishes of the host. Each makes the next launch bind anew.
    struct Wishes {
        std::optional<CudaArray> array;
        LinearSource linear;  // with a buffer when memory is bound
        DType format;
        TextureSettings settings;
        unsigned flags = 0;
    };
    const Wishes& wishes() const noexcept { return wishes_; }
    Wishes& change() noexcept {
        is_changed_ = true;
        return wishes_;
    }
    bool is_changed() const noexcept { return is_changed_; }
    // The object of the wishes; null when nothing is bound. Throws ArgumentError, naming the
    // reference, for wishes that do not go together; then they count as changed still.
    std::shared_ptr<const ImageState> renew();
    const std::shared_ptr<const ImageState>& image() const noexcept { return image_; }

    // Keeps the module alive for the user's handles, which the module itself must not do.
    static std::shared_ptr<ReferenceState> with_owner(const std::shared_ptr<ReferenceState>& state,
                                                      std::shared_ptr<ModuleState> owner);

  private:
    TextureSettings effective_settings() const;
    std::shared_ptr<const ImageState> make() const;

    const std::string name_;
    const DeviceAddress address_;
    const ReferenceDeclaration declaration_;
    Wishes wishes_;
    bool is_changed_ = false;
    std::shared_ptr<const ImageState> image_;
};

class References {
  public:
    explicit References(Context& context) noexcept : context_(context) {}

    // Whether no reference was asked for yet: then launches have nothing to do.
    bool empty() const noexcept { return count_.load(std::memory_order_acquire) == 0; }
    std::shared_ptr<ReferenceState> get(const std::string& name, DeviceAddress address);
    // Before a launch on `stream`: brings the variables up to date there, and returns what is
    // bound.
    std::vector<std::shared_ptr<const ImageState>> bind(StreamState& stream);

  private:
    bool renew_changed(std::vector<ReferenceState*>& changed) WARPWISE_REQUIRES(mutex_);
    void wait_for_readers(StreamState& stream) WARPWISE_REQUIRES(mutex_);
    void join_readers(StreamState& stream) WARPWISE_REQUIRES(mutex_);

    Context& context_;
    std::atomic<std::size_t> count_{0};
    Mutex mutex_;
    std::vector<std::shared_ptr<ReferenceState>> all_ WARPWISE_GUARDED_BY(mutex_);
    // Streams whose launches read the variables since they were last written, the writer first.
    std::vector<std::shared_ptr<StreamCore>> readers_ WARPWISE_GUARDED_BY(mutex_);
    std::unique_ptr<EventImpl> written_ WARPWISE_GUARDED_BY(mutex_);
    // A graph writes handles whenever it is launched: from then on every launch writes its own.
    bool is_captured_ WARPWISE_GUARDED_BY(mutex_) = false;
};

}  // namespace warpwise::runtime
