// Generated text with a user's in it, compiled with a signature that is known, and loaded.
//
// Errors: CompileError with the user's places, ArgumentError for options, OutOfMemoryError,
// DeviceError. Threading: from any thread, without a lock of the caller's.
#pragma once

#include <memory>
#include <string>

#include "warpwise/elementwise_kernel.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::runtime {
class Context;
class KernelState;
}  // namespace warpwise::runtime

namespace warpwise::algorithm {

// The only kernel of the text. a*b+c contracts, unless the options say otherwise. `is_serial`: its
// blocks are single threads of the CPU device.
std::shared_ptr<runtime::KernelState> load_kernel(const std::string& source, const KernelText& text,
                                                  const KernelSignature& signature,
                                                  runtime::Context& context,
                                                  bool is_serial = false);

// Throws ArgumentError where the name can be no kernel's.
void check_text(const KernelText& text);

}  // namespace warpwise::algorithm
