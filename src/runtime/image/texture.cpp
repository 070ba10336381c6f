// Texture and Surface: handles of ImageStates.
#include "warpwise/texture.hpp"

#include <limits>
#include <utility>

#include "src/runtime/image/image_state.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise {

using runtime::ImageState;

namespace {

runtime::LinearSource whole_buffer(const Buffer& buffer, const DType& format) {
    runtime::check_format(format);
    const std::size_t width = buffer.size() / format.size();
    if (width > std::numeric_limits<std::int32_t>::max()) {
        runtime::refuse_value("a texture of {} texels is too large: there can be {}", width,
                              std::numeric_limits<std::int32_t>::max());
    }
    return {.buffer = buffer,
            .format = format,
            .width = static_cast<std::uint32_t>(width),
            .height = 0,
            .row_bytes = width * format.size()};
}

// Its handle is a number that kernels may be given: as good as the address of the memory.
std::shared_ptr<ImageState> exposed_texture(const runtime::LinearSource& source,
                                            const TextureSettings& settings) {
    auto state = ImageState::texture(source, settings);
    source.buffer.state()->expose();
    return state;
}

}  // namespace

Texture::Texture(const CudaArray& array, const TextureSettings& settings)
    : state_(ImageState::texture(array.state(), settings)) {}

Texture::Texture(const MipmappedArray& array, const TextureSettings& settings)
    : state_(ImageState::texture(array.state(), settings)) {}

Texture::Texture(const Buffer& buffer, const DType& format, const TextureSettings& settings)
    : state_(exposed_texture(whole_buffer(buffer, format), settings)) {}

Texture::Texture(const Buffer& buffer, const DType& format, std::uint32_t width,
                 std::uint32_t height, std::size_t row_bytes, const TextureSettings& settings)
    : state_(exposed_texture({buffer, format, width, height == 0 ? 1 : height, row_bytes},
                             settings)) {}

Texture::Texture(std::shared_ptr<ImageState> state) noexcept : state_(std::move(state)) {}

std::uint64_t Texture::handle() const noexcept {
    return state_->handle();
}

const TextureSettings& Texture::settings() const noexcept {
    return state_->settings();
}

const DType& Texture::format() const noexcept {
    return state_->format();
}

Device Texture::device() const {
    return Device(state_->shared_context());
}

Surface::Surface(const CudaArray& array) : state_(ImageState::surface(array.state())) {}

std::uint64_t Surface::handle() const noexcept {
    return state_->handle();
}

Device Surface::device() const {
    return Device(state_->shared_context());
}

}  // namespace warpwise
