// What stands behind CudaArray, Texture and Surface: the back end's objects, what they keep alive,
// and the rules of shapes and formats.
#pragma once

#include <cstddef>
#include <memory>

#include "src/runtime/context.hpp"
#include "src/runtime/images.hpp"

namespace warpwise::runtime {

class BufferState;

class ArrayState {
  public:
    // Throws ArgumentError for a shape or format that no array can have.
    ArrayState(std::shared_ptr<Context> context, const CudaArrayShape& shape, const DType& format);
    // Whose memory is kept by `owner`.
    ArrayState(std::shared_ptr<Context> context, const CudaArrayShape& shape, const DType& format,
               std::unique_ptr<ArrayImpl> impl, std::shared_ptr<const void> owner);

    Context& context() const noexcept { return *context_; }
    const std::shared_ptr<Context>& shared_context() const noexcept { return context_; }
    ArrayImpl& impl() const noexcept { return *impl_; }
    const CudaArrayShape& shape() const noexcept { return shape_; }
    const DType& format() const noexcept { return format_; }
    std::size_t row_bytes() const noexcept;  // of its texels
    std::size_t size() const noexcept;

  private:
    const std::shared_ptr<Context> context_;
    const CudaArrayShape shape_;
    const DType format_;
    std::shared_ptr<const void> owner_;
    std::unique_ptr<ArrayImpl> impl_;  // ends before its owner
};

// What stands behind a MipmappedArray.
class MipmapState : public std::enable_shared_from_this<MipmapState> {
  public:
    // 0 levels: all that halving gives. Throws ArgumentError for what no such array can have.
    MipmapState(std::shared_ptr<Context> context, const CudaArrayShape& shape, const DType& format,
                std::uint32_t levels);

    const std::shared_ptr<Context>& shared_context() const noexcept { return context_; }
    MipmapImpl& impl() const noexcept { return *impl_; }
    const CudaArrayShape& shape() const noexcept { return shape_; }
    const DType& format() const noexcept { return format_; }
    std::uint32_t levels() const noexcept { return levels_; }
    std::shared_ptr<ArrayState> level(std::uint32_t index);

  private:
    const std::shared_ptr<Context> context_;
    const CudaArrayShape shape_;
    const DType format_;
    std::uint32_t levels_ = 0;
    std::unique_ptr<MipmapImpl> impl_;
};

// Linear memory as a texture reads it.
struct LinearSource {
    Buffer buffer;
    DType format;
    std::uint32_t width = 0;
    std::uint32_t height = 0;  // 0: one row, for tex1Dfetch
    std::size_t row_bytes = 0;
};

class ImageState : public std::enable_shared_from_this<ImageState> {
  public:
    static std::shared_ptr<ImageState> texture(std::shared_ptr<ArrayState> array,
                                               const TextureSettings& settings);
    static std::shared_ptr<ImageState> texture(std::shared_ptr<MipmapState> mipmaps,
                                               const TextureSettings& settings);
    static std::shared_ptr<ImageState> texture(LinearSource source,
                                               const TextureSettings& settings);
    static std::shared_ptr<ImageState> surface(std::shared_ptr<ArrayState> array);

    Context& context() const noexcept { return *context_; }
    const std::shared_ptr<Context>& shared_context() const noexcept { return context_; }
    bool is_surface() const noexcept { return is_surface_; }
    std::uint64_t handle() const noexcept { return impl_->handle; }
    const TextureSettings& settings() const noexcept { return settings_; }
    const DType& format() const noexcept { return format_; }
    // Of linear memory; null for arrays.
    const std::shared_ptr<BufferState>& buffer() const noexcept { return linear_.buffer.state(); }

  private:
    ImageState(std::shared_ptr<Context> context, const DType& format, bool is_surface);

    const std::shared_ptr<Context> context_;
    const DType format_;
    const bool is_surface_;
    TextureSettings settings_;
    std::shared_ptr<const void> array_;  // or its levels
    LinearSource linear_;
    // Ends before what it reads.
    std::unique_ptr<ImageImpl> impl_;
};

void check_format(const DType& format);
// Throws ArgumentError for a shape that no array can have.
void check_shape(const CudaArrayShape& shape, const DType& format);
// Throws ArgumentError for settings that do not go together, or not with the format.
void check_settings(const DType& format, const TextureSettings& settings);

}  // namespace warpwise::runtime
