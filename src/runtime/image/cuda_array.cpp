// CudaArray and copies of boxes: every range is checked here, before a queue sees the copy.
#include "warpwise/cuda_array.hpp"

#include <array>
#include <memory>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/image/image_state.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/capture.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise {

using runtime::BoxCopy;
using runtime::BoxPlace;
using runtime::refuse_value;

namespace {

struct Box {
    std::size_t width_bytes, height, depth;
};

// What a queued copy holds on to.
struct CopyOwners {
    std::shared_ptr<runtime::ArrayState> arrays[2];
    std::shared_ptr<runtime::BufferState> buffers[2];
};

void check_array_box(const CopyPlace& place, const Box& box, const char* role) {
    const runtime::ArrayState& array = *place.array->state();
    const runtime::ImageExtent extent = runtime::extent_of(array.shape());
    const auto check = [&](const char* axis, std::size_t from, std::size_t count,
                           std::size_t there_is) {
        if (from <= there_is && count <= there_is - from) return;
        refuse_value("the {} of the copy, {} {} to {}, is past the end of an array of {}", role,
                     axis, from, from + count, there_is);
    };
    check("bytes", place.x_bytes, box.width_bytes, array.row_bytes());
    check("rows", place.y, box.height, extent.height);
    check("slices", place.z, box.depth, extent.planes());
}

// Bytes from the start of the memory to the end of the box.
std::size_t end_of(const CopyPlace& place, const Box& box, std::size_t row_bytes,
                   std::size_t slice_bytes) {
    return (place.z + box.depth - 1) * slice_bytes + (place.y + box.height - 1) * row_bytes +
           place.x_bytes + box.width_bytes;
}

BoxPlace linear_place(const CopyPlace& place, const Box& box, const char* role,
                      std::uint64_t address, std::size_t size) {
    const std::size_t row = place.row_bytes == 0 ? box.width_bytes : place.row_bytes;
    const std::size_t rows = place.slice_rows == 0 ? box.height : place.slice_rows;
    if (row < box.width_bytes) {
        refuse_value("the {} of the copy has rows of {} bytes, but {} are to be copied of each",
                     role, row, box.width_bytes);
    }
    if (place.buffer != nullptr && end_of(place, box, row, row * rows) > size) {
        refuse_value("the {} of the copy ends at byte {}, past the end of a buffer of {}", role,
                     end_of(place, box, row, row * rows), size);
    }
    BoxPlace result;
    result.address = address;
    result.is_host = place.host != nullptr;
    result.row_bytes = row;
    result.slice_bytes = row * rows;
    result.x_bytes = place.x_bytes;
    result.y = place.y;
    result.z = place.z;
    return result;
}

BoxPlace checked_place(const CopyPlace& place, const Box& box, const char* role,
                       const runtime::Context& context) {
    const int given = (place.array != nullptr ? 1 : 0) + (place.buffer != nullptr ? 1 : 0) +
                      (place.host != nullptr ? 1 : 0);
    if (given != 1) {
        refuse_value(
            "the {} of the copy must be one array, buffer or host address, but {} are "
            "given",
            role, given);
    }
    if (place.host != nullptr) {
        return linear_place(place, box, role, reinterpret_cast<std::uintptr_t>(place.host), 0);
    }
    const runtime::Context* own = nullptr;
    BoxPlace result;
    if (place.array != nullptr) {
        check_array_box(place, box, role);
        own = &place.array->state()->context();
        result.array = &place.array->state()->impl();
        result.x_bytes = place.x_bytes;
        result.y = place.y;
        result.z = place.z;
    } else {
        if (place.buffer->state()) {
            place.buffer->state()->refuse_freed("cannot copy");
            own = &place.buffer->state()->context();
        }
        result = linear_place(place, box, role, runtime::address_of(*place.buffer),
                              place.buffer->size());
    }
    if (own != nullptr && own != &context) {
        refuse_value("the {} of the copy is of {}, but the stream is of {}", role, own->name(),
                     context.name());
    }
    return result;
}

void queue_copy(runtime::StreamState& stream, const BoxCopy& copy,
                const std::shared_ptr<CopyOwners>& owners) {
    runtime::Context& context = stream.context();
    runtime::TextureSupport& support = context.textures();
    for (const auto& buffer : owners->buffers) runtime::settle(buffer);
    BoxCopy kept = copy;
    kept.keep_alive = owners;
    const bool captured = stream.capture([&](runtime::CaptureBranch& branch) {
        branch.add(kept, {owners->buffers[0], owners->buffers[1]});
    });
    if (captured) return;
    for (const auto& buffer : owners->buffers) {
        if (buffer) buffer->note_use(stream.core());
    }
    support.copy(stream.core()->queue(), kept);
}

}  // namespace

CudaArray::CudaArray(const CudaArrayShape& shape, const DType& format)
    : CudaArray(shape, format, Device()) {}

CudaArray::CudaArray(const CudaArrayShape& shape, const DType& format, const Device& device)
    : state_(std::make_shared<runtime::ArrayState>(device.context().shared(), shape, format)) {}

CudaArray::CudaArray(std::shared_ptr<runtime::ArrayState> state) noexcept
    : state_(std::move(state)) {}

const CudaArrayShape& CudaArray::shape() const noexcept {
    return state_->shape();
}

const DType& CudaArray::format() const noexcept {
    return state_->format();
}

std::size_t CudaArray::size() const noexcept {
    return state_->size();
}

Device CudaArray::device() const {
    return Device(state_->shared_context());
}

namespace {

void copy_whole(const CudaArray& array, void* host, std::size_t bytes, bool is_to_array) {
    if (host == nullptr || bytes != array.size()) {
        refuse_value("an array of {} bytes cannot be copied {} {} bytes of host memory at {}",
                     array.size(), is_to_array ? "from" : "to", bytes,
                     runtime::hex_address(reinterpret_cast<std::uintptr_t>(host)));
    }
    runtime::StreamState& stream = *runtime::current_stream(array.state()->context());
    stream.refuse_to_wait("used for a blocking copy");
    const runtime::ImageExtent extent = runtime::extent_of(array.shape());
    CopyPlace inside, outside;
    inside.array = &array;
    outside.host = host;
    copy_box(is_to_array ? inside : outside, is_to_array ? outside : inside,
             array.state()->row_bytes(), extent.height, extent.planes(),
             Stream(stream.shared_from_this()));
    stream.wait_for_queue();
}

}  // namespace

void CudaArray::copy_from(const void* host, std::size_t bytes) {
    copy_whole(*this, const_cast<void*>(host), bytes, true);
}

void CudaArray::copy_to(void* host, std::size_t bytes) const {
    copy_whole(*this, host, bytes, false);
}

void copy_box(const CopyPlace& destination, const CopyPlace& source, std::size_t width_bytes,
              std::size_t height, std::size_t depth, const Stream& stream) {
    if (width_bytes == 0 || height == 0 || depth == 0) return;
    const Box box{width_bytes, height, depth};
    const runtime::Context& context = stream.state()->context();
    BoxCopy copy;
    copy.destination = checked_place(destination, box, "destination", context);
    copy.source = checked_place(source, box, "source", context);
    copy.width_bytes = width_bytes;
    copy.height = height;
    copy.depth = depth;
    copy.kind = source.host != nullptr        ? runtime::CopyKind::HostToDevice
                : destination.host != nullptr ? runtime::CopyKind::DeviceToHost
                                              : runtime::CopyKind::DeviceToDevice;
    auto owners = std::make_shared<CopyOwners>();
    const CopyPlace* const places[] = {&destination, &source};
    for (int i = 0; i < 2; ++i) {
        if (places[i]->array != nullptr) owners->arrays[i] = places[i]->array->state();
        if (places[i]->buffer != nullptr) owners->buffers[i] = places[i]->buffer->state();
        if (places[i]->host != nullptr) {
            // Memory of the library is given back only after the copies that use it.
            const auto address = reinterpret_cast<std::uintptr_t>(places[i]->host);
            owners->buffers[i] = stream.state()->context().find_memory(address).buffer;
        }
    }
    queue_copy(*stream.state(), copy, owners);
}

void copy_box(const CopyPlace& destination, const CopyPlace& source, std::size_t width_bytes,
              std::size_t height, std::size_t depth) {
    const Stream stream = Stream::current();
    runtime::refuse_in_host_function(stream.state()->context());
    stream.state()->refuse_to_wait("used for a blocking copy");
    copy_box(destination, source, width_bytes, height, depth, stream);
    stream.synchronize();
}

}  // namespace warpwise
