// Order of bindings and launches, over streams.
#include "src/runtime/image/references.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

bool is_float(const DType& format) {
    return format.kind() == Kind::Float16 || format.kind() == Kind::Float32;
}

std::size_t element_bytes(const DType& format) {
    return format.size() / static_cast<std::size_t>(format.lanes());
}

unsigned flags_of(const ReferenceDeclaration& declaration) {
    const TextureSettings& settings = declaration.settings;
    const bool is_integer = !is_float(declaration.format) && settings.read == ReadMode::Element;
    return (is_integer ? kReadAsInteger : 0) |
           (settings.normalized_coordinates ? kNormalizedCoordinates : 0);
}

// Elements and channels of a format word, in the order of image/value.cuh.
constexpr Kind kElements[] = {Kind::UInt8,  Kind::Int8,  Kind::UInt16,  Kind::Int16,
                              Kind::UInt32, Kind::Int32, Kind::Float16, Kind::Float32};
constexpr std::uint32_t kIsRatio = 0x100;

}  // namespace

ReferenceDeclaration declaration_of(const ReferenceRecord& record) {
    ReferenceDeclaration declaration;
    declaration.is_surface = record.format == 0;
    if (declaration.is_surface) return declaration;
    declaration.format =
        DType(kElements[record.format & 7U], static_cast<std::uint8_t>(record.format >> 4 & 7U));
    TextureSettings& settings = declaration.settings;
    settings.normalized_coordinates = record.normalized != 0;
    settings.filter = record.filter == 0 ? FilterMode::Point : FilterMode::Linear;
    settings.read = (record.format & kIsRatio) != 0 ? ReadMode::NormalizedFloat : ReadMode::Element;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        settings.address[axis] = static_cast<AddressMode>(record.address[axis] & 3);
    }
    return declaration;
}

ReferenceState::ReferenceState(std::string name, DeviceAddress address,
                               const ReferenceDeclaration& declaration)
    : name_(std::move(name)), address_(address), declaration_(declaration) {
    requested_.format = declaration_.format;
    requested_.settings = declaration_.settings;
    requested_.flags = declaration_.is_surface ? 0 : flags_of(declaration_);
}

// What is declared as an integer is fetched as declared. A declared float takes 8- and 16-bit
// integers as ratios, unless the flags specify otherwise.
TextureSettings ReferenceState::effective_settings() const {
    TextureSettings settings = requested_.settings;
    const DType& format = requested_.array ? requested_.array->format() : requested_.format;
    settings.normalized_coordinates = (requested_.flags & kNormalizedCoordinates) != 0;
    settings.read = declaration_.settings.read;
    if (is_float(declaration_.format)) {
        const bool is_ratio = !is_float(format) && element_bytes(format) < 4 &&
                              (requested_.flags & kReadAsInteger) == 0;
        settings.read = is_ratio ? ReadMode::NormalizedFloat : ReadMode::Element;
    } else if (is_float(format) || element_bytes(format) > 2) {
        settings.read = ReadMode::Element;
    }
    settings.srgb = (requested_.flags & kReadSrgb) != 0;
    return settings;
}

std::shared_ptr<const ImageState> ReferenceState::make_image() const {
    if (is_surface()) {
        return requested_.array ? ImageState::surface(requested_.array->state()) : nullptr;
    }
    if (requested_.array) {
        return ImageState::texture(requested_.array->state(), effective_settings());
    }
    if (!requested_.linear.buffer.state()) return nullptr;
    LinearSource linear = requested_.linear;
    linear.format = requested_.format;
    if (linear.height == 0) {
        linear.width = static_cast<std::uint32_t>(linear.buffer.size() / linear.format.size());
        linear.row_bytes = linear.width * linear.format.size();
    }
    return ImageState::texture(std::move(linear), effective_settings());
}

std::shared_ptr<const ImageState> ReferenceState::make() const {
    try {
        return make_image();
    } catch (const ArgumentError& error) {
        throw ArgumentError(error.kind(), fmt::format("reference '{}': {}", name_, error.what()));
    }
}

std::shared_ptr<ReferenceState> ReferenceState::with_owner(
    const std::shared_ptr<ReferenceState>& state, std::shared_ptr<ModuleState> owner) {
    struct Both {
        std::shared_ptr<ReferenceState> state;
        std::shared_ptr<ModuleState> owner;
    };
    auto both = std::make_shared<Both>(Both{state, std::move(owner)});
    return {both, both->state.get()};
}

std::shared_ptr<ReferenceState> References::get(const std::string& name, DeviceAddress address) {
    const auto find = [&]() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        return std::ranges::find(all_, address,
                                 [](const Binding& known) { return known.reference->address(); });
    };
    {
        MutexLock lock(mutex_);
        if (const auto known = find(); known != all_.end()) return known->reference;
    }
    auto made = std::make_shared<ReferenceState>(
        name, address, context_.textures().declaration(context_.ordinal(), address));
    MutexLock lock(mutex_);
    if (const auto known = find(); known != all_.end()) return known->reference;
    all_.push_back({.reference = std::move(made), .image = nullptr});
    count_.store(all_.size(), std::memory_order_release);
    return all_.back().reference;
}

void References::settle() {
    if (empty()) return;
    std::vector<std::shared_ptr<BufferState>> buffers;
    {
        MutexLock lock(mutex_);
        for (const Binding& binding : all_) {
            const auto& buffer = binding.reference->requested().linear.buffer.state();
            if (buffer && buffer->has_pending()) buffers.push_back(buffer);
        }
    }
    for (const auto& buffer : buffers) buffer->settle(FlushReason::Access);
}

// Brings the objects up to date with what is requested. On the CPU device a reference to memory
// that was freed is bound to nothing: of the module's kernels only those that read it fail. A GPU
// reads zeros then, and launches are refused.
void References::make_images() {
    const bool finds_unbound = context_.info().shares_host_memory;
    std::vector<std::shared_ptr<ReferenceState>> changed;
    {
        MutexLock lock(mutex_);
        for (const Binding& binding : all_) {
            const auto* const buffer = binding.image ? binding.image->buffer().get() : nullptr;
            if (finds_unbound && buffer != nullptr && buffer->is_freed()) {
                binding.reference->change();
            }
            if (binding.made != binding.reference->version()) changed.push_back(binding.reference);
        }
    }
    for (const auto& reference : changed) {
        const std::uint64_t version = reference->version();
        const bool is_freed = reference->requested().linear.buffer.is_freed();
        auto image = finds_unbound && is_freed ? nullptr : reference->make();
        MutexLock lock(mutex_);
        const auto known = std::ranges::find(all_, reference, &Binding::reference);
        if (known->made < version) {  // else another thread was here
            known->made = version;
            known->image.swap(image);
        }
        lock.unlock();  // what it was is released without
    }
}

References::Plan References::plan_for(StreamState& stream) {
    const auto& core = stream.core();
    const bool is_capture = stream.is_capturing();
    Plan plan;
    MutexLock lock(mutex_);
    if (is_capture) is_captured_ = true;
    for (const Binding& binding : all_) {
        if (binding.image) plan.bound.push_back(binding.image);
        if (is_captured_ || binding.made != binding.written) plan.writes.push_back(binding);
    }
    if (is_capture) return plan;
    if (!plan.writes.empty()) plan.readers = readers_;
    if (std::ranges::find(readers_, core) != readers_.end()) return plan;
    const bool is_ordered = readers_.empty() || core->follows(*readers_.front());
    if (plan.writes.empty() && !is_ordered) plan.written = written_;
    readers_.push_back(core);
    return plan;
}

void References::write(const Plan& plan, StreamState& stream) {
    const auto& core = stream.core();
    const bool is_capture = stream.is_capturing();
    const auto make_event = [this] {
        return context_.backend().make_event(context_.ordinal(), /*timing=*/false);
    };
    // The variables may change under `stream` only behind what reads them on other streams.
    for (const auto& reader : plan.readers) {
        if (core->follows(*reader)) continue;
        const auto event = make_event();
        if (reader->record(*event)) core->queue().wait(*event);
    }
    for (const Binding& binding : plan.writes) {
        const std::uint64_t handle = binding.image ? binding.image->handle() : 0;
        // In a graph, also behind launches on other streams, which read what was bound there.
        stream.fill_behind_all({binding.reference->address(), handle, sizeof handle, 1});
    }
    if (is_capture) return;
    std::shared_ptr<EventImpl> written = make_event();
    core->record(*written);
    MutexLock lock(mutex_);
    for (const Binding& binding : plan.writes) {
        std::ranges::find(all_, binding.reference, &Binding::reference)->written = binding.made;
    }
    // All of them are behind `stream` now.
    std::erase_if(readers_, [&](const auto& reader) {
        return reader == core || std::ranges::find(plan.readers, reader) != plan.readers.end();
    });
    readers_.insert(readers_.begin(), core);
    written_.swap(written);
    lock.unlock();  // the last event is released without
}

std::vector<std::shared_ptr<const ImageState>> References::bind(StreamState& stream) {
    make_images();
    Plan plan = plan_for(stream);
    if (!plan.writes.empty()) write(plan, stream);
    if (plan.written) stream.core()->queue().wait(*plan.written);
    return std::move(plan.bound);
}

}  // namespace warpwise::runtime
