// Textures and surfaces of the CPU device: arrays are plain memory with padded rows, objects are
// records that kernels read inline (image_layout.hpp). The levels of a mipmapped array are arrays.
#pragma once

#include "src/backends/cpu/image/image_layout.hpp"
#include "src/backends/cpu/memory/allocator.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/images.hpp"

namespace warpwise::cpu {

class CpuTextures final : public runtime::TextureSupport {
  public:
    explicit CpuTextures(CpuAllocator& allocator) : allocator_(allocator) {}

    std::unique_ptr<runtime::ArrayImpl> make_array(int ordinal, const CudaArrayShape& shape,
                                                   const DType& format) override;
    std::unique_ptr<runtime::MipmapImpl> make_mipmaps(int ordinal, const CudaArrayShape& shape,
                                                      const DType& format,
                                                      std::uint32_t levels) override;
    std::unique_ptr<runtime::ImageImpl> make_texture(int ordinal,
                                                     const runtime::ImageSource& source,
                                                     const TextureSettings& settings) override;
    std::unique_ptr<runtime::ImageImpl> make_surface(int ordinal,
                                                     const runtime::ImageSource& source) override;
    void copy(runtime::Queue& queue, const runtime::BoxCopy& copy) override;
    runtime::ReferenceDeclaration declaration(int ordinal, runtime::DeviceAddress address) override;

  private:
    CpuAllocator& allocator_;
};

// The records of all objects. Their memory is never released, so that device code may read a
// record whose object has gone.
class ImageRecords {
  public:
    static ImageRecords& instance();

    // A record that is `content`, with a handle; for a surface if `is_surface`.
    ImageRecord* add(const ImageRecord& content, bool is_surface);
    void remove(ImageRecord* record) noexcept;

    // Taken around fork(), so that the child finds it free.
    Mutex& mutex() WARPWISE_THREAD_ATTRIBUTE(lock_returned(mutex_)) { return mutex_; }

  private:
    struct Slot;
    Mutex mutex_;
    Slot* free_ WARPWISE_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace warpwise::cpu
