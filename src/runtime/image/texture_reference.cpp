// TextureReference and SurfaceReference: each setter checks what it can alone.
#include "warpwise/texture_reference.hpp"

#include <utility>

#include "src/runtime/image/references.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise {

using runtime::refuse_value;

namespace {

std::size_t checked_axis(int axis) {
    if (axis < 0 || axis > 2) {
        refuse_value("a texture has the axes 0, 1 and 2, not {}", axis);
    }
    return static_cast<std::size_t>(axis);
}

void bind_memory(runtime::ReferenceState& reference, runtime::LinearSource linear) {
    if (!linear.buffer.state()) refuse_value("an empty buffer cannot be bound to a reference");
    linear.buffer.state()->refuse_freed("cannot bind");
    auto& requested = reference.change();
    requested.array.reset();
    requested.linear = std::move(linear);
}

}  // namespace

TextureReference::TextureReference(std::shared_ptr<runtime::ReferenceState> state) noexcept
    : state_(std::move(state)) {}

void TextureReference::set_array(const CudaArray& array) {
    auto& requested = state_->change();
    requested.array = array;
    requested.format = array.format();
    requested.linear = {};
}

void TextureReference::set_address(const Buffer& buffer) {
    bind_memory(*state_, {.buffer = buffer, .format = {}});
}

void TextureReference::set_address_2d(const Buffer& buffer, std::uint32_t width,
                                      std::uint32_t height, std::size_t row_bytes) {
    if (width == 0 || height == 0) {
        refuse_value("a texture of {} by {} texels has none", width, height);
    }
    bind_memory(*state_, {buffer, {}, width, height, row_bytes});
}

void TextureReference::set_format(const DType& format) {
    runtime::check_format(format);
    state_->change().format = format;
}

void TextureReference::set_filter_mode(FilterMode mode) {
    state_->change().settings.filter = mode;
}

void TextureReference::set_address_mode(int axis, AddressMode mode) {
    state_->change().settings.address[checked_axis(axis)] = mode;
}

void TextureReference::set_flags(unsigned flags) {
    state_->change().flags = flags;
}

const std::optional<CudaArray>& TextureReference::array() const noexcept {
    return state_->requested().array;
}

const Buffer& TextureReference::buffer() const noexcept {
    return state_->requested().linear.buffer;
}

const DType& TextureReference::format() const noexcept {
    return state_->requested().format;
}

FilterMode TextureReference::filter_mode() const noexcept {
    return state_->requested().settings.filter;
}

AddressMode TextureReference::address_mode(int axis) const {
    return state_->requested().settings.address[checked_axis(axis)];
}

unsigned TextureReference::flags() const noexcept {
    return state_->requested().flags;
}

SurfaceReference::SurfaceReference(std::shared_ptr<runtime::ReferenceState> state) noexcept
    : state_(std::move(state)) {}

void SurfaceReference::set_array(const CudaArray& array) {
    state_->change().array = array;
}

const std::optional<CudaArray>& SurfaceReference::array() const noexcept {
    return state_->requested().array;
}

}  // namespace warpwise
