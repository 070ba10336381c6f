// MipmappedArray: a handle of a MipmapState.
#include <memory>

#include "src/runtime/image/image_state.hpp"
#include "warpwise/cuda_array.hpp"

namespace warpwise {

MipmappedArray::MipmappedArray(const CudaArrayShape& shape, const DType& format,
                               std::uint32_t levels)
    : MipmappedArray(shape, format, levels, Device()) {}

MipmappedArray::MipmappedArray(const CudaArrayShape& shape, const DType& format,
                               std::uint32_t levels, const Device& device)
    : state_(std::make_shared<runtime::MipmapState>(device.context().shared(), shape, format,
                                                    levels)) {}

const CudaArrayShape& MipmappedArray::shape() const noexcept {
    return state_->shape();
}

const DType& MipmappedArray::format() const noexcept {
    return state_->format();
}

std::uint32_t MipmappedArray::levels() const noexcept {
    return state_->levels();
}

CudaArray MipmappedArray::level(std::uint32_t index) const {
    return CudaArray(state_->level(index));
}

std::size_t MipmappedArray::size() const noexcept {
    std::size_t texels = 0;
    for (std::uint32_t i = 0; i < levels(); ++i) {
        const auto extent = runtime::extent_of(runtime::shape_of_level(shape(), i));
        texels += std::size_t{extent.width} * extent.height * extent.planes();
    }
    return texels * format().size();
}

Device MipmappedArray::device() const {
    return Device(state_->shared_context());
}

}  // namespace warpwise
