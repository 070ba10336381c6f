// The launch path. Arguments are packed on the stack; only host arrays, captures and very long
// argument lists allocate.
#include "src/runtime/launch/launch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/runtime/context.hpp"
#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/launch/host_arrays.hpp"
#include "src/runtime/launch/launch_limits.hpp"
#include "src/runtime/launch/launch_uses.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/capture.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::runtime {
namespace {

constexpr std::size_t kStackBytes = 4096;  // what a GPU takes; more comes from the heap
constexpr std::size_t kPlainBytes = 256;   // what most launches have

StreamState& stream_of(const KernelState& kernel, const LaunchConfig& config) {
    if (!config.stream) return *current_stream(kernel.context());
    StreamState& stream = *config.stream->state();
    if (&stream.context() != &kernel.context()) {
        refuse_value("{}: the stream is of {}, but the kernel was loaded on {}",
                     kernel.signature().name, stream.context().name(), kernel.context().name());
    }
    return stream;
}

// What a launch that reads textures holds on to: they may be released before it has run.
struct TexturedLaunch {
    std::shared_ptr<const KernelState> kernel;
    std::vector<std::shared_ptr<const ImageState>> images;
    std::size_t of_arguments = 0;  // the first so many; the rest is bound to references
};

[[noreturn]] void refuse_freed_binding(const KernelState& kernel, const ImageState& image) {
    refuse_value(
        "{}: a texture reference of its module is bound to a buffer of {} bytes that was freed; "
        "bind memory that is in use",
        kernel.signature().name, image.buffer()->size());
}

// The textures and surfaces among the arguments and those bound to the module's references; null
// where there are none.
std::shared_ptr<const TexturedLaunch> hold_images(const std::shared_ptr<KernelState>& kernel,
                                                  std::span<const Argument> arguments,
                                                  StreamState& stream) {
    std::shared_ptr<TexturedLaunch> found;
    const auto hold = [&](std::shared_ptr<const ImageState> image) {
        if (!found) found = std::make_shared<TexturedLaunch>(kernel);
        found->images.push_back(std::move(image));
    };
    for (const Argument& argument : arguments) {
        if (argument.form() == Argument::Form::Image) hold(image_of(argument).shared_from_this());
    }
    if (found) found->of_arguments = found->images.size();
    References& references = kernel->module().references();
    if (!references.empty()) {
        for (auto& image : references.bind(stream)) {
            if (image->buffer() && image->buffer()->is_freed())
                refuse_freed_binding(*kernel, *image);
            hold(std::move(image));
        }
    }
    if (!found || stream.is_capturing()) return found;
    for (const auto& image : found->images) {
        if (image->buffer()) image->buffer()->note_use(stream.core());
    }
    return found;
}

[[noreturn]] void refuse_captured_host_arrays(const KernelState& kernel) {
    refuse_value(
        "{}: host arrays are copied at the launch, which cannot be captured; pass buffers, and "
        "capture their copies",
        kernel.signature().name);
}

// What is pending on memory that the launch reaches.
void settle_all(const KernelState& kernel, std::span<const Argument> arguments) {
    for_each_buffer(kernel.context(), arguments,
                    [](const auto& buffer) { buffer->settle(FlushReason::Access); });
    kernel.module().references().settle();
}

bool capture_launch(const std::shared_ptr<KernelState>& kernel, StreamState& stream,
                    const Launch& launch, std::span<const Argument> arguments,
                    std::size_t host_arrays, const TexturedLaunch* textured) {
    return stream.capture([&](CaptureBranch& branch) {
        if (host_arrays > 0) refuse_captured_host_arrays(*kernel);
        Buffers buffers;
        for_each_buffer(kernel->context(), arguments,
                        [&](const auto& buffer) { buffers.push_back(buffer); });
        Buffers bound;
        for (std::size_t i = textured != nullptr ? textured->of_arguments : 0;
             textured != nullptr && i < textured->images.size(); ++i) {
            bound.push_back(textured->images[i]->buffer());
        }
        branch.add_launch(kernel, launch, std::move(buffers), std::move(bound));
    });
}

void launch_with_host_arrays(const KernelState& kernel, StreamState& stream, const Launch& launch,
                             std::span<const Argument> arguments, std::byte* packed) {
    HostArrays arrays(kernel, arguments, packed, stream);
    try {
        arrays.copy_in();
        stream.core()->queue().launch(launch);
        arrays.copy_out();
    } catch (...) {
        arrays.abandon();
        throw;
    }
}

// With textures, host arrays, raw addresses, pending work or a capture among what it does.
[[gnu::noinline]] void launch_with_more(const std::shared_ptr<KernelState>& kernel,
                                        StreamState& stream, Launch& launch,
                                        std::span<const Argument> arguments, std::byte* packed,
                                        const PackedArguments& found) {
    std::shared_ptr<const TexturedLaunch> textured;
    std::shared_ptr<const void> images;
    const bool has_images = found.has_images || !kernel->module().references().empty();
    // Else below: raw addresses are searched for once.
    const bool is_settled = has_images || stream.is_capturing();
    if (is_settled) settle_all(*kernel, arguments);
    if (has_images) {
        images = textured = hold_images(kernel, arguments, stream);
        if (images) launch.keep_alive = &images;
    }
    if (capture_launch(kernel, stream, launch, arguments, found.host_arrays, textured.get())) {
        return;
    }
    for_each_buffer(kernel->context(), arguments, [&](const auto& buffer) {
        if (!is_settled) buffer->settle(FlushReason::Access);
        buffer->note_use(stream.core());
    });
    if (found.host_arrays == 0) {
        stream.core()->queue().launch(launch);
    } else {
        launch_with_host_arrays(*kernel, stream, launch, arguments, packed);
    }
}

// Of plain arguments.
[[gnu::always_inline]] inline void launch_noted(StreamState& stream, const Launch& launch,
                                                std::span<const Argument> arguments) {
    const std::shared_ptr<StreamCore>& core = stream.core();
    for (const Argument& argument : arguments) {
        if (argument.form() != Argument::Form::Buffer) continue;
        static_cast<const Buffer*>(argument.object())->state()->note_use(core);
    }
    core->queue().launch(launch);
}

[[gnu::hot]] void launch_packed(const std::shared_ptr<KernelState>& kernel,
                                const LaunchConfig& config, std::span<const Argument> arguments,
                                std::byte* packed) {
    StreamState& stream = stream_of(*kernel, config);
    const PackedArguments found = pack_arguments(*kernel, arguments, packed);
    Launch launch{.kernel = &kernel->impl(), .arguments = {packed, kernel->argument_bytes()}};
    set_extents(*kernel, config, launch);
    launch.keep_alive = &kernel->keep_alive();
    const bool is_usual = found.are_plain && kernel->module().references().empty();
    if (!is_usual || stream.is_capturing()) [[unlikely]] {
        return launch_with_more(kernel, stream, launch, arguments, packed, found);
    }
    launch_noted(stream, launch, arguments);
}

}  // namespace

[[gnu::hot]] bool launch_plain(const KernelState& kernel, const LaunchConfig& config,
                               Launch& launch, std::span<const Argument> arguments) {
    StreamState& stream = stream_of(kernel, config);
    const std::size_t bytes = kernel.argument_bytes();
    if (bytes > kPlainBytes || !kernel.module().references().empty() || stream.is_capturing()) {
        return false;
    }
    alignas(64) std::byte packed[kPlainBytes];
    if (kernel.has_padding()) std::fill_n(packed, bytes, std::byte{0});
    if (!pack_plain_arguments(kernel, arguments, packed)) return false;
    launch.arguments = {packed, bytes};
    launch.keep_alive = &kernel.keep_alive();
    launch_noted(stream, launch, arguments);
    return true;
}

[[gnu::hot]] void launch_kernel(const std::shared_ptr<KernelState>& kernel,
                                const LaunchConfig& config, std::span<const Argument> arguments) {
    const std::size_t bytes = kernel->argument_bytes();
    if (bytes <= kStackBytes) {
        alignas(64) std::byte packed[kStackBytes];
        // Padding is given to the back end too: it must not vary.
        if (kernel->has_padding()) std::fill_n(packed, bytes, std::byte{0});
        launch_packed(kernel, config, arguments, packed);
    } else {
        std::vector<std::byte> packed(bytes);
        launch_packed(kernel, config, arguments, packed.data());
    }
}

}  // namespace warpwise::runtime
