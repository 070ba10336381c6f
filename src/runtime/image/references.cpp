// Order of bindings and launches, over streams.
#include "src/runtime/image/references.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/memory/buffer_state.hpp"
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
    wishes_.format = declaration_.format;
    wishes_.settings = declaration_.settings;
    wishes_.flags = declaration_.is_surface ? 0 : flags_of(declaration_);
}

// What is declared as an integer is fetched as declared. A declared float takes 8- and 16-bit
// integers as ratios, unless the flags say otherwise.
TextureSettings ReferenceState::effective_settings() const {
    TextureSettings settings = wishes_.settings;
    const DType& format = wishes_.array ? wishes_.array->format() : wishes_.format;
    settings.normalized_coordinates = (wishes_.flags & kNormalizedCoordinates) != 0;
    settings.read = declaration_.settings.read;
    if (is_float(declaration_.format)) {
        const bool is_ratio =
            !is_float(format) && element_bytes(format) < 4 && (wishes_.flags & kReadAsInteger) == 0;
        settings.read = is_ratio ? ReadMode::NormalizedFloat : ReadMode::Element;
    } else if (is_float(format) || element_bytes(format) > 2) {
        settings.read = ReadMode::Element;
    }
    settings.srgb = (wishes_.flags & kReadSrgb) != 0;
    return settings;
}

std::shared_ptr<const ImageState> ReferenceState::make() const {
    if (is_surface()) {
        return wishes_.array ? ImageState::surface(wishes_.array->state()) : nullptr;
    }
    if (wishes_.array) {
        return ImageState::texture(wishes_.array->state(), effective_settings());
    }
    if (!wishes_.linear.buffer.state()) return nullptr;
    LinearSource linear = wishes_.linear;
    linear.format = wishes_.format;
    if (linear.height == 0) {
        linear.width = static_cast<std::uint32_t>(linear.buffer.size() / linear.format.size());
        linear.row_bytes = linear.width * linear.format.size();
    }
    return ImageState::texture(std::move(linear), effective_settings());
}

std::shared_ptr<const ImageState> ReferenceState::renew() {
    try {
        image_ = make();
    } catch (const ArgumentError& error) {
        throw ArgumentError(error.kind(), fmt::format("reference '{}': {}", name_, error.what()));
    }
    is_changed_ = false;
    return image_;
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
    MutexLock lock(mutex_);
    for (const auto& reference : all_) {
        if (reference->address() == address) return reference;
    }
    all_.push_back(std::make_shared<ReferenceState>(
        name, address, texture_support(context_).declaration(context_.ordinal(), address)));
    count_.store(all_.size(), std::memory_order_release);
    return all_.back();
}

// Whether any variable has to be written.
bool References::renew_changed(std::vector<ReferenceState*>& changed) {
    for (const auto& reference : all_) {
        if (reference->is_changed()) {
            reference->renew();
            changed.push_back(reference.get());
        } else if (is_captured_) {
            changed.push_back(reference.get());
        }
    }
    return !changed.empty();
}

// The variables may change under `stream` only behind what reads them on other streams.
void References::wait_for_readers(StreamState& stream) {
    Queue& queue = stream.core()->queue();
    for (const auto& reader : readers_) {
        if (stream.core()->follows(*reader)) continue;
        const auto event = context_.backend().make_event(context_.ordinal(), /*timing=*/false);
        if (reader->record(*event)) queue.wait(*event);
    }
    readers_.clear();
}

void References::join_readers(StreamState& stream) {
    const auto& core = stream.core();
    if (std::find(readers_.begin(), readers_.end(), core) != readers_.end()) return;
    const bool is_ordered = readers_.empty() || core->follows(*readers_.front());
    if (!is_ordered && written_) core->queue().wait(*written_);
    readers_.push_back(core);
}

std::vector<std::shared_ptr<const ImageState>> References::bind(StreamState& stream) {
    MutexLock lock(mutex_);
    if (stream.is_capturing()) is_captured_ = true;
    std::vector<ReferenceState*> changed;
    const bool is_capture = stream.is_capturing();
    if (renew_changed(changed)) {
        if (!is_capture) wait_for_readers(stream);
        for (const ReferenceState* reference : changed) {
            const std::uint64_t handle = reference->image() ? reference->image()->handle() : 0;
            // In a graph, also behind launches on other streams, which read what was bound there.
            stream.fill_behind_all({reference->address(), handle, sizeof handle, 1});
        }
        if (!is_capture) {
            written_ = context_.backend().make_event(context_.ordinal(), /*timing=*/false);
            stream.core()->record(*written_);
        }
    }
    if (!is_capture) join_readers(stream);
    std::vector<std::shared_ptr<const ImageState>> bound;
    bound.reserve(all_.size());
    for (const auto& reference : all_) {
        if (reference->image()) bound.push_back(reference->image());
    }
    return bound;
}

}  // namespace warpwise::runtime
