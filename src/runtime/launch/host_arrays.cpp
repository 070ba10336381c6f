// Copies around one launch. Host memory is the caller's: nothing here may return while a queue
// still reads or writes it.
#include "src/runtime/launch/host_arrays.hpp"

#include <algorithm>
#include <cstring>

#include "src/base/log.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "warpwise/error.hpp"

namespace warpwise::runtime {
namespace {

DeviceAddress host_address(const HostArray& array) {
    return reinterpret_cast<std::uintptr_t>(array.data);
}

}  // namespace

HostArrays::HostArrays(const KernelState& kernel, std::span<const Argument> arguments,
                       std::byte* packed, StreamState& stream)
    : stream_(stream) {
    refuse_in_host_function(stream.context());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].form() != Argument::Form::HostArray) continue;
        const auto& array = *static_cast<const HostArray*>(arguments[i].object());
        auto memory = stream.context().pool()->allocate(array.bytes, stream.core());
        const DeviceAddress address = memory->address();
        std::memcpy(packed + kernel.signature().parameters[i].offset, &address, sizeof address);
        items_.push_back({array, std::move(memory)});
    }
}

void HostArrays::copy_in() {
    bool has_copied = false;
    for (const Item& item : items_) {
        if (!item.array.copies_in || item.array.bytes == 0) continue;
        stream_.copy({item.memory->address(), host_address(item.array), item.array.bytes,
                      CopyKind::HostToDevice},
                     item.memory, nullptr);
        has_copied = true;
    }
    const bool has_results =
        std::ranges::any_of(items_, [](const Item& item) { return item.array.copies_out; });
    if (!has_copied || has_results) return;
    Context& context = stream_.context();
    copied_in_ = context.backend().make_event(context.ordinal(), false);
    stream_.core()->queue().record(*copied_in_);
}

void HostArrays::copy_out() {
    bool has_results = false;
    for (const Item& item : items_) {
        if (!item.array.copies_out) continue;
        has_results = true;
        if (item.array.bytes == 0) continue;
        stream_.copy({host_address(item.array), item.memory->address(), item.array.bytes,
                      CopyKind::DeviceToHost},
                     item.memory, nullptr);
    }
    if (has_results) {
        stream_.wait_for_queue();
    } else if (copied_in_) {
        copied_in_->is_done(Wait::Yes);
    }
}

void HostArrays::abandon() {
    try {
        stream_.core()->wait_until_done();
    } catch (const Interrupted&) {
        throw;
    } catch (const std::exception& error) {
        // The caller is about to see the error that came first.
        log::info("while a failed launch was cleared away: {}", error.what());
    }
}

}  // namespace warpwise::runtime
