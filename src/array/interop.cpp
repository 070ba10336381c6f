// Memory of others as arrays, and memory of arrays for others.
#include <deque>
#include <mutex>
#include <optional>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/array.hpp"

namespace warpwise {
namespace {

struct Layout {
    graph::View view;  // offsets count from the first element
    graph::ByteRange bytes;
};

Layout layout_of(const Shape& shape, const DType& dtype, const Strides* strides) {
    array::require_array_dtype(dtype);
    count_of(shape);
    const auto item = static_cast<std::int64_t>(dtype.size());
    if (strides != nullptr && strides->size() != shape.size()) {
        array::refuse_value("strides {} do not belong to shape {}; give one for each axis",
                            text_of(*strides), text_of(shape));
    }
    graph::View view{.shape = shape,
                     .strides = strides != nullptr ? *strides : c_strides(shape, item),
                     .dtype = dtype};
    const graph::ByteRange bytes = graph::bytes_of({0, view.strides}, shape, item);
    return {view, bytes};
}

}  // namespace

Array from_pointer(std::uint64_t address, const Shape& shape, const DType& dtype,
                   const Strides* strides, const std::optional<Device>& device,
                   std::shared_ptr<const void> owner, bool read_only) {
    Layout layout = layout_of(shape, dtype, strides);
    const Device on = device.value_or(Device());
    if (address == 0 && layout.bytes.end > layout.bytes.begin) {
        array::refuse_value("from_pointer got address 0 for an array of shape {}", text_of(shape));
    }
    const auto bytes = static_cast<std::size_t>(layout.bytes.end - layout.bytes.begin);
    const Buffer memory = wrap_memory(address + static_cast<std::uint64_t>(layout.bytes.begin),
                                      bytes, on, std::move(owner));
    layout.view.offset = -layout.bytes.begin;
    return Array(graph::over(memory, layout.view), read_only);
}

Array from_buffer(const Buffer& buffer, const Shape& shape, const DType& dtype,
                  const Strides* strides, std::int64_t offset) {
    Layout layout = layout_of(shape, dtype, strides);
    const std::int64_t begin = offset + layout.bytes.begin;
    const std::int64_t end = offset + layout.bytes.end;
    if (begin < 0 || end > static_cast<std::int64_t>(buffer.size())) {
        array::refuse_value(
            "from_buffer got shape {} and type {} from byte {} on, which needs bytes {} "
            "to {} of a buffer of {}",
            text_of(shape), dtype.name(), offset, begin, end, buffer.size());
    }
    if (buffer.is_freed()) array::refuse_value("from_buffer got a buffer that was freed");
    if (buffer.state() == nullptr) return empty(shape, dtype);
    layout.view.offset = offset;
    return Array(graph::over(buffer, layout.view));
}

std::uint64_t Array::address() const {
    const Buffer memory = graph::settled_memory(*value_);
    if (memory.size() == 0) return 0;
    return memory.address() + static_cast<std::uint64_t>(value_->view.offset);
}

Buffer Array::buffer() const {
    const Stream stream = Stream::current(device());
    const Buffer memory = graph::settled_memory(*value_, &stream);
    const graph::View& view = value_->view;
    const graph::ByteRange bytes = graph::bytes_of({view.offset, view.strides}, view.shape,
                                                   static_cast<std::int64_t>(view.dtype.size()));
    if (bytes.begin == bytes.end) return {};
    return memory.slice(static_cast<std::size_t>(bytes.begin),
                        static_cast<std::size_t>(bytes.end - bytes.begin));
}

namespace {

// Launches refer to the device of an argument; contexts are never destroyed.
const Device& lasting(const std::shared_ptr<runtime::Context>& context) {
    // The usual one without the lock, which a launch would take for each of its arrays.
    thread_local const Device* last = nullptr;
    if (last != nullptr && &last->context() == context.get()) return *last;
    static std::mutex mutex;
    static auto& devices = *new std::deque<Device>;
    const std::lock_guard lock(mutex);
    for (const Device& known : devices) {
        if (&known.context() == context.get()) return *(last = &known);
    }
    return *(last = &devices.emplace_back(context));
}

}  // namespace

DeviceArray Array::device_array(const Stream* stream) const {
    const Device& on = lasting(value_->storage->shared_context());
    std::optional<Stream> current;
    if (stream == nullptr) stream = &current.emplace(Stream::current(on));
    // Else the launch refuses the array.
    const bool is_ordered = &stream->state()->context() == &on.context();
    const Buffer memory = graph::settled_memory(*value_, is_ordered ? stream : nullptr);
    DeviceArray array;
    if (memory.size() > 0) {
        array.address =
            runtime::address_of(memory) + static_cast<std::uint64_t>(value_->view.offset);
    }
    array.bytes = static_cast<std::size_t>(nbytes());
    array.dtype = dtype();
    if (ndim() > 0) array.inner_extent = shape()[ndim() - 1];
    array.contiguous = is_c_contiguous();
    array.read_only = read_only_;
    array.device = &on;
    array.owner = memory.state();
    return array;
}

Export::Export(const Array& array) : array_(array), memory_(graph::begin_export(array.value())) {
    if (memory_.size() == 0) return;
    // What the export itself knows of the address lasts as long as it does.
    address_ = runtime::address_of(memory_) + static_cast<std::uint64_t>(array.value().view.offset);
}

Export::~Export() {
    graph::end_export(*array_.value().storage);
}

}  // namespace warpwise
