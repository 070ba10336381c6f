// Copies between host memory and arrays.
//
// Invariant: only memory in C order is copied; other arrays go through a copy on the device.
#include <array>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "warpwise/array.hpp"

namespace warpwise {
namespace {

Stream current_stream_of(const Array& array) {
    return Stream::current(array.device());
}

std::size_t offset_of(const Array& array) {
    return static_cast<std::size_t>(array.value().view.offset);
}

// What get() copies: `array`, or its elements in C order, computed by work of `stream`.
Array fetchable(const Array& array, const Stream& stream) {
    if (array.is_c_contiguous()) return array;
    const StreamScope scope(stream);
    Array packed = array::empty_beside(array, array.shape(), array.dtype());
    array::write_into(packed, array);
    return packed;
}

void require_stream_of(const Array& array, const Stream& stream) {
    if (array.device() == stream.device()) return;
    array::refuse_value("an array on {} got a stream of {}; use a stream of its device",
                        array.device().name(), stream.device().name());
}

}  // namespace

void Array::get(void* host) const {
    if (size() == 0) return;
    const Stream stream = current_stream_of(*this);
    if (!is_c_contiguous()) return fetchable(*this, stream).get(host);
    // The copy is queued on the same stream: the current one of the memory's device.
    const Buffer memory = graph::settled_memory(*value_, &stream);
    memory.copy_to(host, static_cast<std::size_t>(nbytes()), offset_of(*this));
}

void Array::get_async(void* host, const Stream& stream) const {
    require_stream_of(*this, stream);
    if (size() == 0) return;
    const Array source = fetchable(*this, stream);
    const Buffer memory = graph::settled_memory(source.value(), &stream);
    memory.copy_to_async(host, static_cast<std::size_t>(nbytes()), stream, offset_of(source));
}

Scalar Array::item() const {
    array::require_numbers(*this, "item");
    if (size() != 1) {
        array::refuse_value("item got an array of shape {}; it takes arrays of one element",
                            text_of(shape()));
    }
    std::array<std::byte, 16> bytes{};
    get(bytes.data());
    return Scalar::load(array::kind_of(*this), bytes.data());
}

void Array::set(const void* host) {
    array::require_writable(*this, "set");
    if (size() == 0) return;
    const Stream stream = current_stream_of(*this);
    const StreamScope scope(stream);
    if (!is_c_contiguous()) {
        array::write_into(*this, from_host(host, shape(), dtype(), nullptr, device()));
        return;
    }
    Buffer memory = graph::settled_memory(*value_, &stream);
    memory.copy_from(host, static_cast<std::size_t>(nbytes()), offset_of(*this));
}

void Array::set_async(const void* host, const Stream& stream) {
    array::require_writable(*this, "set");
    require_stream_of(*this, stream);
    if (size() == 0) return;
    const StreamScope scope(stream);
    Array target = is_c_contiguous() ? *this : array::empty_beside(*this, shape(), dtype());
    Buffer memory = graph::settled_memory(target.value(), &stream);
    memory.copy_from_async(host, static_cast<std::size_t>(nbytes()), stream, offset_of(target));
    if (!is_c_contiguous()) array::write_into(*this, target);
}

Array to_device(const Array& array, const Device& device) {
    if (array.device() == device) return array;
    Array source = ascontiguousarray(array);
    Array result = empty(array.shape(), array.dtype(), device);
    if (array.size() == 0) return result;
    const Stream stream = Stream::current(device);
    const Buffer from = graph::settled_memory(source.value());
    Buffer to = graph::settled_memory(result.value(), &stream);
    to.copy_from(from, static_cast<std::size_t>(array.nbytes()), stream, 0, offset_of(source));
    return result;
}

}  // namespace warpwise
