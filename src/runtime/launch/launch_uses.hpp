// The memory and the textures among the arguments of a launch.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "src/runtime/context.hpp"
#include "src/runtime/image/image_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::runtime {

inline const ImageState& image_of(const Argument& argument) {
    return *static_cast<const ImageState*>(argument.object());
}

// Calls `use` with the shared state of every buffer among the arguments. Raw addresses count, where
// the library knows the memory they lie in.
template <class Use>
void for_each_buffer(Context& context, std::span<const Argument> arguments, Use&& use) {
    for (const Argument& argument : arguments) {
        switch (argument.form()) {
            case Argument::Form::Buffer:
                if (const auto& state = static_cast<const Buffer*>(argument.object())->state()) {
                    use(state);
                }
                break;
            case Argument::Form::DeviceArray:
                if (const auto& owner = static_cast<const DeviceArray*>(argument.object())->owner) {
                    use(owner);
                }
                break;
            case Argument::Form::Image:
                if (const auto& state = image_of(argument).buffer()) use(state);
                break;
            case Argument::Form::Pointer:
                if (const auto place = context.find_memory(argument.as_uint()); place.buffer) {
                    use(place.buffer);
                }
                break;
            default:
                break;
        }
    }
}

}  // namespace warpwise::runtime
